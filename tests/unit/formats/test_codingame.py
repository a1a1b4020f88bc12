from __future__ import annotations

import pytest

from kakehashi.formats import FormatError, Limits, read_answer
from kakehashi.formats.registry import detect
from kakehashi.puzzle import Bridge, Cell, Puzzle
from tests.unit.formats.shapes import shape

CELL = "expected a node 1..8 or '.', found"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3\n2\n1.1\n...", ["101/000"]),
        (" 3 \n 1\n1.1  \n\n\n2\n1\n11\n", ["101", "11"]),
        ("1\n3\n1\n.\n1\n", ["1/0/1"]),
        ("x\n", ["1 expected the width, found 'x'"]),
        ("3\ny\n", ["2 expected the height, found 'y'"]),
        ("3\n", ["1 expected the height below the width, found nothing"]),
        ("3\n\n1.1\n", ["1 expected the height below the width, found nothing", "3 expected the width, found '1.1'"]),
        ("0\n1\n", ["1 expected a size of at least 1 x 1, found 1 x 0"]),
        ("3\n2\n1.1\n", ["3 the height in line 3 says 2 rows, found 1"]),
        ("3\n1\n1.9\n\n3\n1\n1.1", [f"3:3 {CELL} '9'", "101"]),
        ("3\n1\n1 1\n", [f"3:2 {CELL} ' '"]),
        ("3\n1\n1.?\n", [f"3:3 {CELL} '?'"]),
        ("3\n1\n1.\n", ["3:3 expected 3 cells as line 2 says, found 2"]),
        ("3\n1\n1.1.\n", ["3:4 expected 3 cells as line 2 says, found 4"]),
        ("3\n1\n1.\udcff\n", ["3:3 byte 0xff is not UTF-8 text"]),
        ("2000\n2000\n", ["1 a board of 2000 x 2000 cells: at most 1000 x 1000 are read"]),
    ],
)
def test_puzzles(text: str, expected: list[str]) -> None:
    assert shape(text, "codingame") == expected


def test_larger_clues_under_other_rules() -> None:
    assert shape("3\n1\n9.9", "codingame", max_bridges=3) == ["909 m3"]
    assert shape("3\n1\n9.1", "codingame", max_bridges=1) == ["3:1 expected a node 1..8 or '.', found '9'"]


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("3\n2\n1.1\n...\n", "codingame"),
        ("2\n1\n11\n", "codingame"),
        ("1\n2\n1\n1\n", "grid"),  # one column: a grid as well, and nobody plays that
        ("3\n2\n1.1\n", "text"),
        ("2\n1 3\n1 0 1\n1 3\n1 0 1\n", "grid"),
        ("40\n40\n" + ("1" + "." * 39 + "\n") * 30 + "1..", "codingame"),  # the beginning of a longer text
    ],
)
def test_what_a_text_is_taken_for(head: str, name: str) -> None:
    assert detect(head)[0].name == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 0 2 0 1\n", [Bridge(Cell(0, 0), Cell(0, 2), 1)]),
        ("2 0 0 0 1\n\n0 0 2 0 1\n", [Bridge(Cell(0, 0), Cell(0, 2), 2)]),
        ("1 3 1 0 2\n", [Bridge(Cell(0, 1), Cell(3, 1), 2)]),
    ],
)
def test_answers(text: str, expected: list[Bridge]) -> None:
    assert read_answer(text) == expected
    assert read_answer(text, format="codingame") == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no answer in it: the text is empty"),
        ("0 0 2 0\n", "line 1: expected x1 y1 x2 y2 amount, five integers, found '0 0 2 0'"),
        ("0 0 2 0 1\n0 0 x 0 1", "line 2: expected x1 y1 x2 y2 amount, five integers, found '0 0 x 0 1'"),
    ],
)
def test_what_is_no_answer(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_answer(text, format="codingame", limits=Limits())
    assert str(caught.value) == message


def test_five_integers_a_line_that_show_the_puzzle_are_an_answer_grid() -> None:
    puzzle = Puzzle.from_rows([[0, 0, 0, 1, 1]])
    assert read_answer("0 0 0 1 1", puzzle=puzzle) == [[0, 0, 0, 1, 1]]
    assert read_answer("0 0 0 1 1") == [Bridge(Cell(0, 0), Cell(1, 0), 1)]
    assert read_answer("3 0 4 0 1", puzzle=puzzle) == [Bridge(Cell(0, 3), Cell(0, 4), 1)]
