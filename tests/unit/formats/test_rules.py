"""Rules that are asked for, rules that a text states, and ids and URLs in place of paths."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

import kakehashi
from kakehashi import UsageError, Verdict
from kakehashi.formats import Limits, is_inline, is_inline_answer, parse, read, read_answer
from kakehashi.puzzle import UNKNOWN_CLUE, Puzzle
from tests.unit.formats.shapes import shape


def test_rules_for_a_text_that_says_nothing() -> None:
    assert parse("3 0 3", max_bridges=3) == Puzzle.from_rows([[3, 0, 3]], max_bridges=3)
    assert parse("3.3", loops=False) == Puzzle.from_rows([[3, 0, 3]], loops=False)
    assert parse("3.3", max_bridges=1, loops=True).variant == "m1"


@pytest.mark.parametrize(
    ("asked", "loops", "note"),
    [
        (None, None, None),
        (3, None, None),
        (3, False, None),
        (2, None, "the puzzle itself says that a channel carries at most 3, which counts"),
        (4, True, "the puzzle itself says that a channel carries at most 3 and that loops are forbidden, which counts"),
    ],
)
def test_a_text_that_states_its_rules_knows_better(asked: int | None, loops: bool | None, note: str | None) -> None:
    [entry] = read("\n3m3L:1a1f", max_bridges=asked, loops=loops)
    assert entry.puzzle is not None
    assert (entry.puzzle.variant, entry.note) == ("m3L", note)


def test_loops_that_a_text_allows() -> None:
    [entry] = read("\n3m2:1a1f", loops=False)
    assert entry.note == "the puzzle itself says that loops are allowed, which counts"
    [entry] = read("\n3x3:1a1f", max_bridges=1)
    assert entry.note == (
        "read as tatham, though webtask fits too (name one with --from); "
        "the puzzle itself says that a channel carries at most 2, which counts"
    )


@pytest.mark.parametrize("most", [0, 5, -1])
def test_no_channel_carries_so_many(most: int) -> None:
    with pytest.raises(UsageError, match=f"at most 1 to 4 bridges, not {most}"):
        read("1 0 1", max_bridges=most)


@pytest.mark.parametrize(
    ("name", "text", "most", "expected"),
    [
        ("grid", "16 0 ?", 4, "G0? m4"),
        ("grid", "16,0,?", 4, "G0? m4"),
        ("grid", "1 0 13", 3, "1:5 expected a clue 0..12, found 13"),
        ("grid", "1 0 9", 1, "1:5 expected a clue 0..8, found 9"),
        ("grid", "1 0 ??", 1, "1:5 expected a clue 0..8, found '??'"),
        ("text", "9.?", 3, "90? m3"),
        ("text", "9.?", None, "1:1 expected a clue 1..8 or water (one of . - _ 0 and blank), found '9'"),
        ("text", "9..", 1, "1:1 expected a clue 1..8 or water (one of . - _ 0 and blank), found '9'"),
        ("has", "1 3 2\n12 0 1", 3, "C01 m3"),
        ("has", "1 3 2\n1 0 ?", None, "2 every island has a number in this format, found '?'"),
        ("pzprv3", "pzprv3/hashikake/1/3/12 . -", 3, "C0? m3"),
        ("webtask", "3x1 9a1", 3, "901 m3"),
    ],
)
def test_clues_are_as_large_as_the_rules_allow(name: str, text: str, most: int | None, expected: str) -> None:
    assert shape(text, name, max_bridges=most) == [expected]


def test_islands_without_a_number_are_sniffed() -> None:
    assert [entry.note for entry in read("? 0 ?\n0 0 0\n")] == [None]
    assert parse("?.?") == parse("? 0 ?") == Puzzle.from_rows([[UNKNOWN_CLUE, 0, UNKNOWN_CLUE]])
    assert parse("?\n0\n1\n", format="grid").rows == 3
    assert read_answer("? -3 2\n") == [[UNKNOWN_CLUE, -3, 2]]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_ids_and_urls_stand_in_place_of_paths(here: Path) -> None:
    Path("a.txt").write_text("1.1\n")
    given = ["3m2:2a2f", "a.txt", "https://puzz.link/p?hashi/3/1/2g2", "2x1 11", "nothing.txt"]
    entries = list(read(given))
    assert [entry.name for entry in entries] == given
    assert [entry.source for entry in entries] == given
    assert [entry.puzzle is not None for entry in entries] == [True, True, True, True, False]
    assert str(entries[-1].error) == "nothing.txt: cannot be read: No such file or directory"


def test_a_wrong_id_has_the_error_of_its_format(here: Path) -> None:
    [entry] = read("3m2:2a2")
    assert str(entry.error) == "3m2:2a2, line 1, column 8: expected 9 cells, found 3"


def test_a_file_goes_before_an_id(here: Path) -> None:
    Path("3m2:2a2f").write_text("1.1\n")
    [entry] = read("3m2:2a2f")
    assert entry.puzzle == Puzzle.from_rows([[1, 0, 1]])
    assert not is_inline("3m2:2a2f")


def test_a_path_object_is_a_path(here: Path) -> None:
    [entry] = read(Path("3m2:2a2f"))
    assert str(entry.error) == "3m2:2a2f: cannot be read: No such file or directory"


def test_a_long_id_is_a_short_name() -> None:
    [entry] = read("300x300:" + "z" * 3462, limits=Limits())
    assert entry.name == "300x300:" + "z" * 109 + "..."


@pytest.mark.parametrize(
    ("given", "puzzle", "answer"),
    [
        ("3m2:2a2f", True, False),
        ("7x7m2#123", True, False),
        ("https://puzz.link/p?hashi/3/1/2g2", True, False),
        ("https://example.org/", True, False),
        ("S;L0,0,2,0,1", False, True),
        ("a.txt", False, False),
        ("folder/a.txt", False, False),
        ("-", False, False),
        ("", False, False),
        ("1 0 1", False, False),
        ("-1 0", False, False),
        ("nul\0", False, False),
    ],
)
def test_what_is_no_path(given: str, puzzle: bool, answer: bool) -> None:
    assert (is_inline(given), is_inline_answer(given)) == (puzzle, answer)


@pytest.mark.parametrize(
    "line",
    [
        "hashi/2/2/" + "-" * 3_000_000,
        "3:" + "z" * 3_000_000,
        "3x3 " + "z" * 3_000_000,
        "https://" + "bridges" * 400_000,
        "hashi/" + "a=b&" * 700_000,
        "https://x?" + "a=b&" * 700_000,
        "pzprv3/hashikake/" + "1/" * 1_500_000,
        "pzprv3/hashikake/1/2/1 1/1/" + "x /" * 1_000_000,
        "S;" + "L1,1,1,1,1;" * 200_000,
        "SAVEFILE:9999999:" + "x" * 3_000_000,
    ],
    ids=lambda line: line[:12],
)
def test_a_line_of_megabytes_takes_neither_time_nor_memory(line: str) -> None:
    tracemalloc.start()
    entries = list(read("\n" + line, format=None))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert entries[0].puzzle is None
    assert peak < 60_000_000


def test_the_library_takes_rules_with_texts_and_rows() -> None:
    assert kakehashi.solve("3 0 3", max_bridges=3).verdict is Verdict.SOLVED
    assert kakehashi.solve([[3, 0, 3]], max_bridges=3).verdict is Verdict.SOLVED
    assert kakehashi.solve("3x3m3:3a3f").verdict is Verdict.SOLVED
    assert kakehashi.solve("2 0 2", max_bridges=1).verdict is Verdict.INFEASIBLE
    assert kakehashi.check("3 0 3", [[3, 0, 3]], max_bridges=3) != []
    with pytest.raises(UsageError, match="a Puzzle has its own max_bridges and loops"):
        kakehashi.solve(parse("3 0 3", max_bridges=3), max_bridges=3)


def test_an_answer_in_a_format_without_answers() -> None:
    with pytest.raises(UsageError, match=r"has has no answers that can be read: choose one of .*grid, .*tatham"):
        read_answer("1 0 1", format="has")
    with pytest.raises(UsageError, match="there is no format 'nope'"):
        read_answer("1 0 1", format="nope")
