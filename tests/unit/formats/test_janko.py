from __future__ import annotations

import pytest

from kakehashi import check, read
from kakehashi.formats import FormatError, Limits, parse, read_answer
from kakehashi.puzzle import Puzzle
from tests.unit.formats.shapes import shape

PAGE = """<html>
[begin]
puzzle hashi
size 3
[problem]
2 - 2
- - -
1 - 1
[solution]
- 1 -
a - a
- - -
[moves]
3,4
[end]
</html>
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[problem]\n1 - 1\n", ["101"]),
        (PAGE, ["202/000/101 0,0-0,2x1 0,0-2,0x1 0,2-2,2x1"]),
        ("[Problem]\n4 - 4\n- - -\n2 - 2\n[Solution]\n- 2 -\nb - b\n- - -\n[end]",
         ["404/000/202 0,0-0,2x2 0,0-2,0x2 0,2-2,2x2"]),
        ("[problem]\n1 - 1\n[end]\n[problem]\n\n2 - 2\n[end]", ["101", "202"]),
        ("[problem]\n1 - 1\n[problem]\n2 - 2", ["101", "202"]),
        ("[problem]\n1 - 1\n[solution]\n3 1 3", ["101 0,0-0,2x1"]),  # what stands at an island does not matter
        ("[problem]\n2 1\n1 -\n[solution]\n- -\n- -", ["21/10"]),  # touching islands: the letters do not show it all
        ("[problem]\n1 - 1\n[solution]\n- c -", ["101"]),
        ("[begin]\npuzzle hashi", ["1 expected a line [problem] with the puzzle below, found none"]),
        ("[problem]\n[end]", ["1 expected the rows of the puzzle, found nothing below [problem]"]),
        ("[problem]\n1 - 9", ["2:5 expected a clue 1..8 or '-', found '9'"]),
        ("[problem]\n1 - 0", ["2:5 expected a clue 1..8 or '-', found '0'"]),
        ("[problem]\n1 - ?\n[end]\n[problem]\n1 - 1", ["2:5 expected a clue 1..8 or '-', found '?'", "101"]),
        ("[problem]\n1 - 1\n- -", ["3 expected 3 cells as in the first row, found 2"]),
        ("[problem]\n1 \x00 1", ["2:3 control character 0x00: this looks like binary data, not a puzzle"]),
        ("[problem]\n- -", ["1 there is no island on the board"]),
    ],
)  # fmt: skip
def test_pages(text: str, expected: list[str]) -> None:
    assert shape(text, "janko") == expected


def test_an_answer_that_cannot_be_read_is_a_note() -> None:
    for solution, why in (
        ("- c -", "line 4: expected 1 or 2 across, a or b down, or '-', found 'c'"),
        ("- 1", "line 4: expected 3 cells as in the puzzle, found 2"),
        ("- 1 -\n- - -", "line 5: expected 1 rows as in the puzzle, found more"),
        ("[end]", "line 3: expected 1 rows as in the puzzle, found 0"),
    ):
        (entry,) = read(f"[problem]\n1 - 1\n[solution]\n{solution}")
        assert entry.puzzle == Puzzle.from_rows([[1, 0, 1]])
        assert entry.bridges is None
        assert entry.note == f"its answer was not read: {why}"


def test_limits() -> None:
    small = Limits(max_rows=2, max_cols=2)
    assert shape("[problem]\n1 - 1", "janko", limits=small) == ["2 a board of 1 x 3 cells: at most 2 x 2 are read"]
    assert shape("[problem]\n1\n1\n1\n[end]\n[problem]\n1 1", "janko", limits=small) == [
        "4 a board of more than 2 rows: at most 2 x 2 are read",
        "11",
    ]


def test_answers() -> None:
    puzzle = parse(PAGE)
    assert check(puzzle, read_answer(PAGE)) == []
    assert check(puzzle, read_answer(PAGE[PAGE.index("[solution]") :], format="janko", puzzle=puzzle)) == []
    assert check(puzzle, read_answer(PAGE[PAGE.index("[solution]") :], puzzle=puzzle)) == []
    for text, message in (
        ("[solution]\n- 1 -", "an answer in letters needs its puzzle: expected [problem] above [solution]"),
        ("nothing", "expected a line [solution] with the answer below, found none"),
        ("[problem]\n1 - 1\n", "line 3: expected a line [solution] with the answer below, found none"),
    ):
        with pytest.raises(FormatError) as caught:
            read_answer(text, format="janko")
        assert str(caught.value) == message
