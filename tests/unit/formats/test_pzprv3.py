from __future__ import annotations

import pytest

from kakehashi.formats import FormatError, Limits, get, parse, read_answer
from kakehashi.formats.registry import detect
from kakehashi.puzzle import Bridge, Cell, Puzzle, Solution, ViolationCode, check
from tests.unit.formats.shapes import shape

HEAD = "pzprv3/hashikake/"
STROKES = "expected 0, 1, 2 or -1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1/3/2 . 2 /", "202"),
        ("1/3/2 . 2 /0 0 /", "202"),
        ("1/3/2 . 2 /2 2 /", "202 0,0-0,2x2"),
        ("1/3/2 . 2 /-1 0 /", "202"),
        ("1/3/- . 2 /1 1/", "?02 0,0-0,2x1"),
        ("2/3/1 . 1 /. . . /1 1 /0 0 /0 0 0 /", "101/000 0,0-0,2x1"),
        ("3/1/1 /. /1 ////1 /1 /", "1/0/1 0,0-2,0x1"),
        ("1/2/1 1 /1 /", "11 0,0-0,1x1"),
        ("2/2/2 2 /2 2 /1 /1 /1 1 /", "22/22 0,0-0,1x1 1,0-1,1x1 0,0-1,0x1 0,1-1,1x1"),
        ("1/5/1 . 2 . 1 /1 1 1 1 /", "10201 0,0-0,2x1 0,2-0,4x1"),
        ("1/5/1 . . . 1 /0 1 1 0 /", "10001 0,1-0,3x1"),
        ("1/5/1 . . . 1 /1 2 2 1 /", "10001 0,0-0,1x1 0,1-0,3x2 0,3-0,4x1"),
        ("1/1/1 /", "1"),
        ('1/3/2 . 2 /0 0 /info:{"metadata":{"author":"/ 1 2"}}', "202"),
        ('1/3/2 . 2 /history:{"a":1}', "202"),
        ("1/3/2 . 2 /http://pzv.jp/p.html?hashi/3/1/2g2", "202"),
    ],
)
def test_boards_and_strokes(text: str, expected: str) -> None:
    text = HEAD + text
    assert shape(text, "pzprv3") == [expected]
    if "http" not in text:
        assert shape(text.replace("/", "\n"), "pzprv3") == [expected]
    assert detect(text)[0].name == "pzprv3"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pzprv2/hashikake/1/1/1 /", "1:1 expected pzprv3, found 'pzprv2'"),
        ("info:{}", "there is no puzzle in it, only blank lines or comments"),
        ("/ /", "there is no puzzle in it, only blank lines or comments"),
        ("pzprv3\nhashikake\n1\n2\n1 1\n1\n\n1", "8:1 expected the end of the puzzle, found '1'"),
        ("pzprv3", "1 expected hashikake, found the end of the text"),
        ("pzprv3/nurikabe/1/1/1 /", "1:8 expected hashikake, the kind of the puzzle, found 'nurikabe'"),
        ("pzprv3/hashikake/x/1/1 /", "1:18 expected the number of rows, found 'x'"),
        ("pzprv3/hashikake/1/-1/1 /", "1:20 expected the number of columns, found '-1'"),
        ("pzprv3/hashikake/0/1/", "1 expected a size of at least 1 x 1, found 0 x 1"),
        ("pzprv3/hashikake/1/5000/", "1 a board of 1 x 5000 cells: at most 1000 x 1000 are read"),
        ("pzprv3\nhashikake\n2\n2\n1 .\n", "6 expected 2 values in a row, found 0"),
        ("pzprv3\nhashikake\n2\n2\n1 .", "5 expected row 2 of 2, found the end of the text"),
        ("pzprv3\nhashikake\n1\n2\n1 9 \n", "5:3 expected a clue 1..8, '-' or '.', found '9'"),
        ("pzprv3\nhashikake\n1\n2\n1 0 \n", "5:3 expected a clue 1..8, '-' or '.', found '0'"),
        ("pzprv3/hashikake/1/2/1 x /", "1:24 expected a clue 1..8, '-' or '.', found 'x'"),
        ("pzprv3\nhashikake\n1\n2\n1 . . \n", "5 expected 2 values in a row, found 3"),
        ("pzprv3\nhashikake\n1\n2\n1 1 \n3 \n", f"6:1 {STROKES}, found '3'"),
        ("pzprv3\nhashikake\n1\n2\n1 1 \n1 1 \n", "6 expected 1 values in a row, found 2"),
        ("pzprv3\nhashikake\n1\n2\n1 1 \n1 \n1 \n", "7:1 expected the end of the puzzle, found '1'"),
        ("pzprv3\nhashikake\n1\n2\n. . \n0 \n", "1 there is no island on the board"),
        ("pzprv3\nhashikake\n1\n2\n1 \x01 \n", "5:3 control character 0x01: this looks like binary data, not a puzzle"),
    ],
)
def test_what_is_no_board(text: str, message: str) -> None:
    assert shape(text, "pzprv3") == [message]


def test_a_file_that_never_ends_is_refused() -> None:
    text = HEAD + "1/3/2 . 2 /" + "\n" * 20 + " " * 400
    assert shape(text, "pzprv3", limits=Limits(max_bytes=300)) == ["21 a puzzle of more than 300 characters"]


def test_what_was_not_drawn_to_its_end_is_wrong_with_its_place() -> None:
    puzzle = parse("2...2\n", format="text")
    answer = read_answer(HEAD + "1/5/2 . . . 2 /2 2 0 0 /", puzzle=puzzle)
    assert answer == [Bridge(Cell(0, 0), Cell(0, 2), 2)]
    found = check(puzzle, [part for part in answer if isinstance(part, Bridge)])
    assert (ViolationCode.NOT_ALIGNED, Cell(0, 2)) in [(violation.code, violation.at) for violation in found]


def test_answers() -> None:
    puzzle = parse("2.2\n...\n", format="text")
    solution = Solution(puzzle, b"\x02")
    writer = get("pzprv3").write_answer
    assert writer is not None
    text = writer(solution)
    assert text == "pzprv3\nhashikake\n2\n3\n2 . 2 \n. . . \n2 2 \n0 0 \n0 0 0 \n"
    assert read_answer(text) == [Bridge(Cell(0, 0), Cell(0, 2), 2)]
    with pytest.raises(FormatError, match="line 1: this is the answer of another puzzle: its cells are not the same"):
        read_answer(text, puzzle=parse("2.2"))
    with pytest.raises(FormatError, match="the text is empty"):
        read_answer(" \n", format="pzprv3")
    with pytest.raises(FormatError, match="expected pzprv3, found 'x'"):
        read_answer("x", format="pzprv3")


def test_what_it_has_no_room_for() -> None:
    puzzle = Puzzle.from_rows([[3, 0, 3]], max_bridges=3)
    write, write_answer = get("pzprv3").write, get("pzprv3").write_answer
    assert write_answer is not None
    with pytest.raises(FormatError, match=r"^pzprv3 cannot say that a channel carries at most 3 bridges$"):
        write(puzzle)
    with pytest.raises(FormatError, match=r"^pzprv3 cannot say that a channel carries at most 3 bridges$"):
        write_answer(Solution(puzzle, b"\x03"))
