from __future__ import annotations

import pytest

from kakehashi.formats import read
from kakehashi.formats.registry import detect


def shape(text: str) -> list[str]:
    return [
        str(entry.error).removeprefix("<text>, ")
        if entry.puzzle is None
        else "/".join("".join(map(str, row)) for row in entry.puzzle.to_rows())
        for entry in read(text + "\n", format="has")
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 3 2\r\n 1  0  1 \r\n 0  0  0 \r\n", ["101/000"]),
        ("3 2 2\n1 0 1\n0 0 0", ["101/000"]),
        ("1 3 2\n1 0 1\n\n1 2 2\n1 1", ["101", "11"]),
        ("2 3 1\n1 0 1\n0 0 0", ["line 1: the header says 2 x 3 with 1 islands, the rows show 2 x 3 with 2"]),
        ("3 3 2\n1 0 1\n0 0 0", ["line 1: the header says 3 x 3 with 2 islands, the rows show 2 x 3 with 2"]),
        ("2 3\n1 0 1\n\n1 2 2\n1 1", [
            "line 1: expected three integers, two sizes and the number of islands, found '2 3'", "11",
        ]),
        ("2 3 \x02\n1 0 1", ["line 1, column 5: control character 0x02: this looks like binary data, not a puzzle"]),
        ("2 2 1\n\n1 1", [
            "line 1: expected rows of clues, found nothing below the header",
            "line 3: expected three integers, two sizes and the number of islands, found '1 1'",
        ]),
        ("2 2 1", ["line 1: expected rows of clues, found nothing below the header"]),
        ("2000 20 1\n1 1", ["line 1: a board of 2000 x 20 cells: at most 1000 x 1000 are read"]),
        ("1 2 2\n1 x", ["line 2, column 3: expected a clue 0..8, found 'x'"]),
    ],
)  # fmt: skip
def test_header_and_rows(text: str, expected: list[str]) -> None:
    assert shape(text) == expected


@pytest.mark.parametrize(
    ("text", "name", "noted"),
    [
        ("2 4 2\n1 0 0 1\n0 0 0 0\n", "has", False),
        ("4 2 2\n1 0 0 1\n0 0 0 0\n", "has", False),
        ("2 3 2\n1 0 1\n0 0 0\n", "has", True),
        ("2 3 3\n1 0 1\n0 0 0\n", "grid", False),
        ("2 0 1\n\n3 0 1\n", "grid", False),
        ("2 3 1\n", "grid", False),
        ("2 3 1\nx\n", "grid", False),
    ],
)
def test_what_a_file_is_taken_for(text: str, name: str, noted: bool) -> None:
    found, note = detect(text)
    assert (found.name, note is not None) == (name, noted)
    assert detect(text, ".has")[0].name == "has"
    if noted:
        assert note == "read as has, though grid fits too (name one with --from)"
