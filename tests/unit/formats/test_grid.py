from __future__ import annotations

import pytest

from kakehashi.formats import Entry, Limits, read


def entries(text: str, limits: Limits | None = None) -> list[Entry]:
    return list(read(text + "\n", format="grid", limits=limits or Limits()))


def shape(text: str) -> list[str]:
    """Each entry as its rows, or as its error."""
    return [
        str(entry.error).removeprefix("<text>, ")
        if entry.puzzle is None
        else "/".join("".join(map(str, row)) for row in entry.puzzle.to_rows())
        for entry in entries(text)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 0 2\n0 0 1", ["102/001"]),
        ("1,0,2\n0,0,1", ["102/001"]),
        (" 1 , 0,2 \n0,\t0 ,1", ["102/001"]),
        ("\t1  0\t2 ", ["102"]),
        ("01 0 2", ["102"]),
        ("1\n0\n1", ["1/0/1"]),
        ("1 0 1\n\n\n2 0 2\n   \n3 3", ["101", "202", "33"]),
    ],
)
def test_rows_of_integers(text: str, expected: list[str]) -> None:
    assert shape(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0 9", "line 1, column 5: expected a clue 0..8, found 9"),
        ("1 0  12", "line 1, column 6: expected a clue 0..8, found 12"),
        ("0 0\n1 x", "line 2, column 3: expected a clue 0..8, found 'x'"),
        ("0 0\n1 1.5", "line 2, column 3: expected a clue 0..8, found '1.5'"),
        ("1_0 0", "line 1, column 1: expected a clue 0..8, found '1_0'"),
        ("+1 0", "line 1, column 1: expected a clue 0..8, found '+1'"),
        ("\u0661 0", "line 1, column 1: expected a clue 0..8, found '\\u0661'"),
        ("1" * 30 + " 0", "line 1, column 1: expected a clue 0..8, found '11111111111111111111'..."),
        ("1 -1 1", "line 1, column 3: expected a clue 0..8, found -1: this is an answer grid, not a puzzle"),
        ("1 -7 1", "line 1, column 3: expected a clue 0..8, found -7"),
        ("1 0 1\n0 0", "line 2, column 4: expected 3 cells as in line 1, found 2"),
        ("1 0 1\n0\x0b0 0 0\x0c0", "line 2, column 1: expected a clue 0..8, found '0\\x0b0'"),
        ("1 0\x1d1", "line 1, column 4: control character 0x1d: this looks like binary data, not a puzzle"),
        ("\x1d1\n2 3", "line 1, column 1: control character 0x1d: this looks like binary data, not a puzzle"),
        ("1 0 1\n0 0 0 0 0", "line 2, column 7: expected 3 cells as in line 1, found 5"),
        ("1,,1", "line 1, column 3: expected a clue, found nothing between commas"),
        ("1,0,", "line 1, column 5: expected a clue, found nothing between commas"),
        ("1,0 2,3", "line 1, column 5: expected a comma, found '2'"),
        ("1 0 \x01", "line 1, column 5: control character 0x01: this looks like binary data, not a puzzle"),
        ("0 0\n0 0", "line 1: there is no island on the board"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(text: str, message: str) -> None:
    assert shape(text) == [message]


def test_the_rest_of_the_file_goes_on() -> None:
    assert shape("1 x\n0 0 0\n1 1\n\n2 2\n\n9 9\n\n3 3") == [
        "line 1, column 3: expected a clue 0..8, found 'x'",
        "22",
        "line 7, column 1: expected a clue 0..8, found 9",
        "33",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2\n1 3\n1 0 1\n2 3\n1 0 2\n0 0 1", ["101", "102/001"]),
        ("\n1\n\n1 3\n\n1 0 1\n\n", ["101"]),
        ("1\n2 2\n1 1\n1 1", ["11/11"]),
        ("2\n1 3\n1 0 1", ["101", "line 4: the file says 2 subtests, found 1"]),
        ("1\n1 3\n1 0 1\n2 0 2", ["101", "line 4: expected the end of the file after 1 subtests, found '2 0 2'"]),
        ("2\n2 3\n1 0 1\n1 3\n1 0 1", ["line 4: the size in line 2 says 2 rows, found 1", "101"]),
        ("1\n2 3\n1 0 1", ["line 4: the size in line 2 says 2 rows, found 1"]),
        ("2\n2 3\n1 0 x\n0 0 0\n1 3\n1 0 1", ["line 3, column 5: expected a clue 0..8, found 'x'", "101"]),
        ("2\n2 3\n1 0 1 0\n0 0 0\n1 3\n1 0 1", ["line 3, column 7: expected 3 cells as in line 2, found 4", "101"]),
        ("2\n3 3\n1 0 x\n1 3\n1 0 1", ["line 3, column 5: expected a clue 0..8, found 'x'", "101"]),
        (
            "3\n1 1\n1\n9 9 9\n0 0 0\n\n1 3\n1 0 1",
            ["1", "line 4: expected the size ROWS COLS of subtest 2 of 3, found '9 9 9'", "101"],
        ),
        ("2\n0 3\n1 3\n1 0 1", ["line 2: expected a size of at least 1 x 1, found 0 x 3", "101"]),
        (
            "2\n5000 5000\n1 0 1\n0 1 1\n\n1 3\n1 0 1",
            ["line 2: a board of 5000 x 5000 cells: at most 1000 x 1000 are read", "101"],
        ),
        ("2\n1 2\n9 9\n\n1 3\n1 0 1", ["line 3, column 1: expected a clue 0..8, found 9", "101"]),
    ],
)
def test_counted_subtests(text: str, expected: list[str]) -> None:
    assert shape(text) == expected


def test_a_single_integer_alone_is_a_board() -> None:
    assert shape("5") == ["5"]
    assert shape("1\n\n2 3 4\n0 0 0") == ["1", "234/000"]
    assert shape("1\n\n2 2\n0 0 1") == ["1", "line 4, column 5: expected 2 cells as in line 3, found 3"]


def test_limits_come_before_the_board() -> None:
    small = Limits(max_rows=2, max_cols=3, max_bytes=20)
    assert [str(entry.error) for entry in entries("0 0 0 1\n\n1\n1\n1", small)] == [
        "<text>, line 1: a row of 4 cells: at most 2 x 3 are read",
        "<text>, line 5: a board of more than 2 rows: at most 2 x 3 are read",
    ]
    rest = "(the rest of the file was not read)"
    assert [str(entry.error) for entry in entries("0 0 0 1\n" + "1 1 1\n" * 9 + "\n1 1", small)] == [
        f"<text>, line 1: a row of 4 cells: at most 2 x 3 are read {rest}"
    ]
    assert [str(entry.error) for entry in entries("2\n9 9\n" + "1 1 1\n" * 9 + "\n1 1", small)] == [
        f"<text>, line 2: a board of 9 x 9 cells: at most 2 x 3 are read {rest}",
        "<text>, line 7: the file says 2 subtests, found 1",
    ]
