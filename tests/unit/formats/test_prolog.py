from __future__ import annotations

import pytest

from kakehashi.formats import Limits
from kakehashi.formats.registry import detect
from tests.unit.formats.shapes import shape

FACT = "expected island(X, Y, Degree)., found"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("island(0, 0, 1).\nisland(2, 0, 1).", ["101"]),
        ("island(0,0,1). island( 0 , 2 , 1 ) .", ["1/0/1"]),
        ("% islands\n:- dynamic island/3.\n/* a\n comment */ island(1,1,2). % one\n", ["00/02"]),
        ("% size(3, 2).\nisland(0, 0, 1).", ["100/000"]),
        ("% nothing", ["1 expected island(X, Y, Degree)., found no such fact"]),
        ("island(0, 0).", [f"1:1 {FACT} 'island(0, 0).'"]),
        ("island(0,0,1).\n  bridge(0,0).", [f"2:3 {FACT} 'bridge(0,0).'"]),
        ("island(0,0,1)", [f"1:1 {FACT} 'island(0,0,1)'"]),
        ("island(0,0,_).", [f"1:1 {FACT} 'island(0,0,_).'"]),
        ("island(-1,0,1).", [f"1:1 {FACT} 'island(-1,0,1).'"]),
        ("island(0,0,9).", ["1:12 expected a degree 1..8, found 9"]),
        ("island(0,0,0).", ["1:12 expected a degree 1..8, found 0"]),
        ("island(0,0,1).\nisland(0,0,2).", ["2:1 there is an island at X 0, Y 0 already"]),
        ("% size(2, 1).\nisland(2,0,1).", ["2:1 the island at X 2, Y 0 is not on the board of 2 x 1 that is stated"]),
        ("island(5000,0,1).", ["1 a board of 1 x 5001 cells: at most 1000 x 1000 are read"]),
        ("% size(0, 1).\nisland(2,0,1).", ["1 expected a size of at least 1 x 1, found 1 x 0"]),
        ("island(0,0,1). /* open", ["1 expected the end of a comment, */, found the end of the text"]),
        ("island(0,0,1).\x00", ["1:15 control character 0x00: this looks like binary data, not a puzzle"]),
    ],
)
def test_facts(text: str, expected: list[str]) -> None:
    assert shape(text, "prolog") == expected


def test_limits() -> None:
    small = Limits(max_rows=1, max_cols=2)
    assert shape("island(0,0,1).\n" * 3, "prolog", limits=small) == ["3 more than 2 islands"]


def test_what_is_told_by_its_first_fact() -> None:
    for head in ("island(0,0,1).", "% a\n\n/* b * / */ :- c.\n island (0", "%" * 16_000 + "\nisland("):
        assert detect(head)[0].name == "prolog"
    assert detect("%" * 16_000 + "\nisle(")[0].name != "prolog"
