"""What holds of every format that is written and read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi import UsageError
from kakehashi.formats import Format, formats, get, parse, read
from kakehashi.formats.registry import detect
from kakehashi.puzzle import Puzzle
from tests.support.boards import puzzles

WRITTEN = formats()
NAMES = [format_.name for format_ in WRITTEN]


@pytest.mark.parametrize("format_", WRITTEN, ids=NAMES)
@given(puzzle=puzzles())
def test_what_is_written_is_read_back(format_: Format, puzzle: Puzzle) -> None:
    assert parse(format_.write(puzzle), format=format_.name) == puzzle


@pytest.mark.parametrize("format_", WRITTEN, ids=NAMES)
@given(puzzle=puzzles(), end=st.sampled_from(["\n", "\r\n", "\r"]), bom=st.booleans(), blank=st.booleans())
def test_byte_order_marks_line_ends_and_blanks_do_not_matter(
    format_: Format, puzzle: Puzzle, end: str, bom: bool, blank: bool
) -> None:
    text = format_.write(puzzle)
    if blank:
        text = "\n  \n" + text.replace("\n", " \t\n") + "\n\n"
    text = ("\ufeff" if bom else "") + text.replace("\n", end)
    assert parse(text, format=format_.name) == puzzle


@pytest.mark.parametrize("format_", WRITTEN, ids=NAMES)
@given(boards=st.lists(puzzles(side=5), min_size=1, max_size=4), broken=st.integers(0, 3))
def test_a_broken_puzzle_leaves_the_others_alone(format_: Format, boards: list[Puzzle], broken: int) -> None:
    texts = [format_.write(board) for board in boards]
    texts.insert(min(broken, len(texts)), "x y z\nw\n")
    got = [entry.puzzle for entry in read("\n" + "\n".join(texts), format=format_.name)]
    expected: list[Puzzle | None] = list(boards)
    expected.insert(min(broken, len(boards)), None)
    assert got == expected


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
    with pytest.raises(UsageError, match="there is no format 'grit': choose one of grid, has, text"):
        read("x", format="grit")
