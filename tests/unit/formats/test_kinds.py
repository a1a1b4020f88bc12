"""What holds of every format that is written and read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi import UsageError
from kakehashi.formats import Feature, Format, FormatError, formats, get, parse, read, read_answer
from kakehashi.formats.registry import detect
from kakehashi.puzzle import Bridge, Puzzle, Solution, check_grid
from tests.support.boards import puzzles, solutions, variant_puzzles

WRITTEN = formats()
NAMES = [format_.name for format_ in WRITTEN]


MANY = [format_ for format_ in WRITTEN if Feature.MANY in format_.carries]
MANY_NAMES = [format_.name for format_ in MANY]
BROKEN = {"janko": "[problem]\nx y z\n[end]\n"}  # text between two puzzles is no puzzle there
ANSWERED = [format_ for format_ in WRITTEN if format_.write_answer is not None]
ANSWERED_NAMES = [format_.name for format_ in ANSWERED]


def fitting(format_: Format, *, side: int = 8) -> st.SearchStrategy[Puzzle]:
    """Puzzles that a format has room for, under all rules that it carries."""
    carries = format_.carries
    if Feature.TOUCHING in carries:
        classic = puzzles(side)
    else:
        classic = solutions(touching=False, least_side=3).map(lambda solution: solution.puzzle)
    return st.one_of(
        classic,
        solutions_for(format_).map(lambda solution: solution.puzzle),
    )


@st.composite
def solutions_for(draw: st.DrawFn, format_: Format) -> Solution:
    """Puzzles with answers that a format has room for."""
    carries = format_.carries
    return draw(
        solutions(
            most=draw(st.integers(1, 4)) if Feature.MAX_BRIDGES in carries else 2,
            loops=draw(st.booleans()) if Feature.NO_LOOPS in carries else True,
            unknown=Feature.UNKNOWN_CLUES in carries,
            touching=Feature.TOUCHING in carries,
            least_side=1 if Feature.TOUCHING in carries else 3,
        )
    )


@pytest.mark.parametrize("format_", WRITTEN, ids=NAMES)
@given(data=st.data())
def test_what_is_written_is_read_back(format_: Format, data: st.DataObject) -> None:
    puzzle = data.draw(fitting(format_))
    assert parse(format_.write(puzzle), format=format_.name) == puzzle


@pytest.mark.parametrize("format_", WRITTEN, ids=NAMES)
@given(puzzle=variant_puzzles(side=6))
def test_nothing_is_dropped_where_a_format_has_no_room(format_: Format, puzzle: Puzzle) -> None:
    try:
        text = format_.write(puzzle)
    except FormatError:
        room = format_.carries
        assert (
            puzzle.variant != "classic"
            or (puzzle.has_unknown_clues and Feature.UNKNOWN_CLUES not in room)
            or (puzzle.first_touching_pair is not None and Feature.TOUCHING not in room)
            or min(puzzle.rows, puzzle.cols) < 3
        )
    else:
        assert parse(text, format=format_.name) == puzzle


@pytest.mark.parametrize("format_", WRITTEN, ids=NAMES)
@given(data=st.data(), end=st.sampled_from(["\n", "\r\n", "\r"]), bom=st.booleans(), blank=st.booleans())
def test_byte_order_marks_line_ends_and_blanks_do_not_matter(
    format_: Format, data: st.DataObject, end: str, bom: bool, blank: bool
) -> None:
    puzzle = data.draw(fitting(format_))
    text = format_.write(puzzle)
    if blank:
        text = "\n  \n" + text.replace("\n", " \t\n") + "\n\n"
    text = ("\ufeff" if bom else "") + text.replace("\n", end)
    assert parse(text, format=format_.name) == puzzle


@pytest.mark.parametrize("format_", MANY, ids=MANY_NAMES)
@given(data=st.data(), broken=st.integers(0, 3))
def test_a_broken_puzzle_leaves_the_others_alone(format_: Format, data: st.DataObject, broken: int) -> None:
    boards = data.draw(st.lists(fitting(format_, side=5), min_size=1, max_size=4))
    texts = [format_.write(board) for board in boards]
    texts.insert(min(broken, len(texts)), BROKEN.get(format_.name, "x y z\n"))
    assert format_.separator is not None
    got = [entry.puzzle for entry in read("\n" + format_.separator.join(texts), format=format_.name)]
    expected: list[Puzzle | None] = list(boards)
    expected.insert(min(broken, len(boards)), None)
    assert got == expected


@pytest.mark.parametrize("format_", ANSWERED, ids=ANSWERED_NAMES)
@given(data=st.data())
def test_a_written_answer_is_read_back_and_right(format_: Format, data: st.DataObject) -> None:
    assert format_.write_answer is not None
    solution = data.draw(solutions_for(format_))
    puzzle = solution.puzzle
    text = format_.write_answer(solution)
    for name in (None, format_.name):
        answer = read_answer(text, format=name, puzzle=puzzle)
        bridges = [part for part in answer if isinstance(part, Bridge)]
        if len(bridges) == len(answer):
            assert sorted(bridges) == sorted(solution.bridges)
        else:
            assert check_grid(puzzle, [row for row in answer if not isinstance(row, Bridge)]) == []


@pytest.mark.parametrize("format_", WRITTEN, ids=NAMES)
def test_every_example_is_told_from_the_others_read_and_written_back(format_: Format) -> None:
    assert format_.examples
    for example in format_.examples:
        found, note = detect(example)
        assert found is format_ or (note is not None and f" {format_.name} fits too" in f" {note}"), example
        entries = list(read("\n" + example, format=format_.name))
        assert entries
        for entry in entries:
            assert entry.puzzle is not None, (example, entry.error)
            assert parse(format_.write(entry.puzzle), format=format_.name) == entry.puzzle


@pytest.mark.parametrize("format_", WRITTEN, ids=NAMES)
def test_what_a_format_says_of_itself(format_: Format) -> None:
    assert (format_.separator is not None) == (Feature.MANY in format_.carries)
    assert format_.extension.startswith(".")
    assert format_.summary
    assert not format_.limits or format_.limits.endswith(".")
    if format_.write_answer is not None:
        assert format_.read_answer is not None, "what is printed can be checked"


@given(st.binary(max_size=300), st.sampled_from([None, *(format_.name for format_ in formats())]))
def test_nothing_raises(data: bytes, name: str | None) -> None:
    text = "\n" + data.decode("utf-8", "surrogateescape")
    assert all((entry.puzzle is None) != (entry.error is None) for entry in read(text, format=name))


@given(st.text(alphabet="0123456789 .-_,\n#x", max_size=80), st.sampled_from([None, *(f.name for f in formats())]))
def test_nothing_raises_on_near_misses(text: str, name: str | None) -> None:
    entries = list(read("\n" + text, format=name))
    assert entries
    assert all((entry.puzzle is None) != (entry.error is None) for entry in entries)


@pytest.mark.parametrize("format_", WRITTEN, ids=NAMES)
def test_a_format_knows_what_it_wrote(format_: Format) -> None:
    board = Puzzle.from_rows([[2, 0, 2, 0], [0, 0, 0, 0], [1, 0, 0, 1]])
    found, note = detect(format_.write(board))
    assert (found.name, note) == (format_.name, None)


def test_names_are_unique_and_an_unknown_one_is_refused_at_once() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert get("grid").name == "grid"
    with pytest.raises(UsageError, match=r"there is no format 'grit': choose one of .*grid, has, .*text"):
        read("x", format="grit")
