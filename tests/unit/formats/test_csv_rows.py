from __future__ import annotations

import pytest

from kakehashi.formats import Limits, get
from kakehashi.formats.registry import detect
from kakehashi.puzzle import Puzzle
from tests.unit.formats.shapes import shape

CELL = "expected a clue 0..8, '?' or an empty cell, found"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2,,2\n,,\n1,,1", ["202/000/101"]),
        ("2,0,2\n0,0,0", ["202/000"]),
        ('"2", "" ,"?"', ["20?"]),
        ("2;;2\n;;", ["202/000"]),
        ("2\t\t2\n\t\t\n1\t\t1", ["202/000/101"]),
        ("2,,2 \t\n,, \n \t \n1,1", ["202/000", "11"]),
        ("1,,1\n\n2,,2\n\n", ["101", "202"]),
        ("1\n0\n1", ["1/0/1"]),
        ("02,00,2", ["202"]),
        ("1,x,1\n\n1,1", [f"1:3 {CELL} 'x'", "11"]),
        ("1,,9", [f"1:4 {CELL} '9'"]),
        ("1, 2 2,1", [f"1:4 {CELL} '2 2'"]),
        ('1,"2,1', [f"1:3 {CELL} '\"2'"]),
        ("1,-1,1", [f"1:3 {CELL} '-1'"]),
        ("1;1,1", [f"1:1 {CELL} '1;1'"]),
        ("1,1\n1,1,1", ["2:4 expected 2 cells as in line 2, found 3"]),
        ("1,1\n1", ["2:2 expected 2 cells as in line 2, found 1"]),
        ("1,\x00", ["1:3 control character 0x00: this looks like binary data, not a puzzle"]),
        (",,\n,,", ["1 there is no island on the board"]),
    ],
)
def test_tables(text: str, expected: list[str]) -> None:
    assert shape(text, "csv") == expected


def test_limits() -> None:
    small = Limits(max_rows=2, max_cols=2)
    assert shape("1,,1\n\n1\n1\n1\n\n1,1", "csv", limits=small) == [
        "1 a board of 1 x 3 cells: at most 2 x 2 are read",
        "5 a board of more than 2 rows: at most 2 x 2 are read",
        "11",
    ]


@pytest.mark.parametrize(
    ("head", "name", "noted"),
    [
        ("2,,2\n,,\n", "csv", False),
        ("2;0;2\n0;0;0\n", "csv", False),
        ('"2","0","2"\n', "csv", False),
        ("2,0,2\n0,0,0\n", "grid", False),  # both read the same
        ("2,0,2\n0,,0\n", "grid", False),  # zeros and empty cells: a number may be lost, which grid says
        ("2\t0\t2\n0\t0\t0\n", "grid", False),
        ("2\t\t2\n\t\t\n", "csv", True),  # a grid whose second line is blank?
        ("1,2\n1,2,\n", "grid", False),
    ],
)
def test_what_a_table_is_taken_for(head: str, name: str, noted: bool) -> None:
    found, note = detect(head)
    assert (found.name, note is not None) == (name, noted)


def test_a_board_of_one_column_has_no_empty_lines() -> None:
    assert get("csv").write(Puzzle.from_rows([[1], [0], [1]])) == "1\n0\n1\n"
    assert get("csv").write(Puzzle.from_rows([[1, 0, 1]])) == "1,,1\n"
