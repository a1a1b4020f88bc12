from __future__ import annotations

import pytest

from kakehashi.formats import FormatError, get, parse, read
from kakehashi.formats.registry import detect
from kakehashi.puzzle import Puzzle
from tests.unit.formats.shapes import shape

KIND = "a puzzle of the kind hashi or hashikake or bridges (.../p?hashi/COLS/ROWS/body)"
BODY = "a clue 1..8 in hexadecimal, '.', or g..z for water"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://puzz.link/p?hashi/3/2/2g2", ["202/000"]),
        ("https://puzz.link/p?hashi/3/2/2g2i", ["202/000"]),
        ("https://puzz.link/p?hashi/3/2/2g.i", ["20?/000"]),
        ("https://puzz.link/p?hashikake/3/1/1g1", ["101"]),
        ("https://puzz.link/p?bridges/3/1/1g1", ["101"]),
        ("http://pzv.jp/p.html?hashi/3/1/1g1", ["101"]),
        ("http://pzv.jp/p.html?hashi_edit/3/1/1g1", ["101"]),
        ("http://pzv.jp/p.html?hashi_play/3/1/1g1", ["101"]),
        ("http://pzv.jp/p.html?m+hashi_test/3/1/1g1", ["101"]),
        ("https://puzz.link/p?type=editor&hashi/3/1/1g1", ["101"]),
        ("https://puzz.link/p?type=player&mode=x&hashi/3/1/1g1", ["101"]),
        ("https://puzz.link/p?hashi//3/1/1g1", ["101"]),
        ("https://puzz.link/p?hashi/c/3/1/1g1", ["101"]),
        ("https://puzz.link/p?hashi/3/1/1g1/", ["101"]),
        ("https://puzz.link/p?hashi%2F3%2F1%2F1g1", ["101"]),
        ("?hashi/3/1/1g1", ["101"]),
        ("hashi/3/1/1g1", ["101"]),
        ("puzz.link/p?hashi/3/1/1g1", ["101"]),
        ("pzv.jp/p.html?type=editor&hashikake_edit/3/1/1g1", ["101"]),
        ("puzz.link/p?hashi%2F3%2F1%2F1g1", ["101"]),
        ("  hashi/3/1/1g1  ", ["101"]),
        ("hashi/21/1/1z", ["1" + 20 * "0"]),
        ("hashi/3/1/1g1\n\nhashi/3/1/2g2", ["101", "202"]),
        ("hashi/3/1/11", ["110"]),
    ],
)
def test_urls(text: str, expected: list[str]) -> None:
    assert shape(text, "puzzlink") == expected
    assert detect(text)[0].name == "puzzlink"


def test_clues_above_nine() -> None:
    assert shape("hashi/3/2/-10gaf", "puzzlink", max_bridges=4) == ["G0A/F00 m4"]
    assert shape("hashi/3/1/ag", "puzzlink") == [f"1:11 expected {BODY}, found 'a'"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("https://puzz.link/p?nurikabe/3/3/1g1", f"1:21 expected {KIND}, found 'nurikabe'"),
        ("https://puzz.link/", f"1:1 expected {KIND}, found 'https:'"),
        ("hashi/3", "1 expected COLS/ROWS behind the name of the puzzle, found '3'"),
        ("hashi", "1 expected COLS/ROWS behind the name of the puzzle, found ''"),
        ("hashi/a/b/1", "1 expected COLS/ROWS behind the name of the puzzle, found 'b/1'"),
        ("hashi/0/3/1", "1 expected a size of at least 1 x 1, found 3 x 0"),
        ("hashi/3/9999/1", "1 a board of 9999 x 3 cells: at most 1000 x 1000 are read"),
        ("hashi/3/1/1g1g", "1:14 expected 3 cells, found more"),
        ("hashi/3/1/1g9", f"1:13 expected {BODY}, found '9'"),
        ("hashi/3/1/0", f"1:11 expected {BODY}, found '0'"),
        ("hashi/3/1/1-09", f"1:12 expected {BODY}, found '-09'"),
        ("hashi/3/1/1-", f"1:12 expected {BODY}, found '-'"),
        ("hashi/3/1/1+100", f"1:12 expected {BODY}, found '+100'"),
        ("hashi/3/1/1G1", f"1:12 expected {BODY}, found 'G'"),
        ("hashi/3/1/i", "1 there is no island on the board"),
        ("hashi/3/1", "1 there is no island on the board"),
        ("nothing", f"1:1 expected {KIND}, found 'nothing'"),
        ("hashi/3/1/1\x01", "1:12 control character 0x01: this looks like binary data, not a puzzle"),
    ],
)
def test_what_is_no_url(text: str, message: str) -> None:
    assert shape(text, "puzzlink") == [message]


def test_rules_of_their_own_are_not_passed_over_in_silence() -> None:
    [entry] = read("\nhttps://puzz.link/p?hashi/v:/3/1/1g1")
    assert entry.puzzle == Puzzle.from_rows([[1, 0, 1]])
    assert entry.note == "the URL says that the puzzle has rules of its own, but not which: read with those asked for"


def test_runs_of_water_are_cut_as_pzpr_cuts_them() -> None:
    write = get("puzzlink").write
    assert write(Puzzle.from_rows([[1] + [0] * 41 + [1]])) == "https://puzz.link/p?hashi/43/1/1zzg1\n"
    assert write(parse("2.?\n...\n")) == "https://puzz.link/p?hashi/3/2/2g.i\n"


def test_what_it_has_no_room_for() -> None:
    with pytest.raises(FormatError, match=r"^puzzlink cannot say that a channel carries at most 3 bridges$"):
        get("puzzlink").write(Puzzle.from_rows([[3, 0, 3]], max_bridges=3))
    with pytest.raises(FormatError, match=r"^puzzlink cannot say that loops are forbidden$"):
        get("puzzlink").write(Puzzle.from_rows([[1, 0, 1]], loops=False))
