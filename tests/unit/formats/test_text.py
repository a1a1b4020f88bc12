from __future__ import annotations

import pytest

from kakehashi.formats import Limits, read
from kakehashi.formats.registry import detect


def shape(text: str, limits: Limits | None = None) -> list[str]:
    return [
        str(entry.error).removeprefix("<text>, ")
        if entry.puzzle is None
        else "/".join("".join(map(str, row)) for row in entry.puzzle.to_rows())
        for entry in read(text + "\n", format="text", limits=limits or Limits())
    ]


CELL = "expected a clue 1..8 or water (one of . - _ 0 and blank)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.1\n...\n2-2", ["101/000/202"]),
        ("1_0\n. 1", ["100/001"]),
        ("1.1 # a comment\n% another\n...", ["101/000"]),
        ("# a comment\n\n1.1\n\n# between\n2.2", ["101", "202"]),
        ("2 3\n1.1\n...", ["101/000"]),
        ("2 3\n1 1\n   \n\n1.1", ["101/000", "101"]),
        ("2 3\n# inside\n1 1\n   ", ["101/000"]),
        ("1   2\n     \n", ["10002"]),
        ("1 . 2\n. . .\n1 . 1", ["102/000/101"]),
        ("2 3\n1 . 2\n. . .", ["102/000"]),
        ("2 2\n2 2", ["22/22"]),
        ("1 1", ["11"]),
        ("1", ["1"]),
        ("1 2\n. .\n2 3", ["12/00/23"]),
        ("0 1\n. .", ["01/00"]),
        (" 1.1\n1..1", ["0101/1001"]),
        ("1.1 \n1..1", ["1010/1001"]),
    ],
)
def test_one_character_a_cell(text: str, expected: list[str]) -> None:
    assert shape(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.9", f"line 1, column 3: {CELL}, found '9'"),
        ("1.1\n.x.", f"line 2, column 2: {CELL}, found 'x'"),
        ("1 . x", f"line 1, column 5: {CELL}, found 'x'"),
        ("1\t11", f"line 1, column 2: {CELL}, found '\\t'"),
        ("1.1\n..", "line 2, column 3: expected 3 cells as in line 1, found 2"),
        ("1.1\n....", "line 2, column 4: expected 3 cells as in line 1, found 4"),
        ("2 3\n1.1", "line 2: the header in line 1 says 2 rows, found 1"),
        ("2 3\n1.1\n....", "line 3, column 4: expected 3 cells as the header in line 1 says, found 4"),
        ("2 3\n1.1\n..", "line 3, column 3: expected 3 cells as the header in line 1 says, found 2"),
        ("2 3\n1.1\n...\n1.1", "line 4: the header in line 1 says 2 rows, found more"),
        ("1   2\n   3", "line 2, column 3: expected 2 cells as the header in line 1 says, found 4"),
        ("5000 5000\n1.1", "line 1: a board of 5000 x 5000 cells: at most 1000 x 1000 are read"),
        ("1.\x03", "line 1, column 3: control character 0x03: this looks like binary data, not a puzzle"),
        ("..\n..", "line 1: there is no island on the board"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(text: str, message: str) -> None:
    assert shape(text) == [message]


def test_limits_come_before_the_board() -> None:
    small = Limits(max_rows=2, max_cols=3)
    assert shape("....1\n\n1\n1\n1\n\n1.1", small) == [
        "line 1: a board of 1 x 5 cells: at most 2 x 3 are read",
        "line 5: a board of more than 2 rows: at most 2 x 3 are read",
        "101",
    ]
    assert shape("......1", small) == ["line 1: a board of 1 x 7 cells: at most 2 x 3 are read"]


def test_a_choice_between_two_readings_is_noted() -> None:
    assert next(read("1 . 1\n. . .\n", format="text")).note == (
        "read as cells split by blanks, which are no water then (a header ROWS COLS decides it)"
    )
    assert next(read("2 3\n1 . 1\n. . .\n", format="text")).note is None


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("1.1\n...\n", "text"),
        ("# hello\n102\n000\n", "text"),
        ("2 3\n102\n001\n", "text"),
        ("9 9\n- 3 - 3\n", "text"),
        ("- 3 4 3\n", "text"),
        ("1.1", "text"),
        ("1 0 1\n", "grid"),
        ("1,0,1\n", "grid"),
        ("1\n0\n1\n", "grid"),
        ("1\n2\n1\n.\n", "text"),
        ("1 0 x\n", "grid"),
        ("x\n", "text"),
        ("", "grid"),
        ("2\n7 7\n", "grid"),
        ("12\n7 7\n0 0 0 0 0 0 1\n", "grid"),
        ("-1 0 2\n", "grid"),
    ],
)
def test_what_a_file_is_taken_for(head: str, name: str) -> None:
    found, note = detect(head)
    assert (found.name, note) == (name, None)
