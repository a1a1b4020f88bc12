"""JSON: a document, lines, the shapes of puzzles and answers in it, and where what is wrong stands."""

from __future__ import annotations

import json
import random
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi import check, solve
from kakehashi.cli.results import result_object, solved_here
from kakehashi.formats import FormatError, Limits, get, parse, read, read_answer
from kakehashi.formats.kinds._json_text import JsonText
from kakehashi.formats.lines import Lines
from kakehashi.formats.registry import detect
from kakehashi.puzzle import Puzzle
from tests.support.boards import variant_puzzles
from tests.unit.formats.shapes import shape

if TYPE_CHECKING:
    from pathlib import Path

TWO = [{"row": 0, "col": 0, "clue": 1}, {"row": 0, "col": 2, "clue": 1}]
BRIDGE = [{"from": [0, 0], "to": [0, 2], "count": 1}]


def dumped(value: Any) -> str:
    return json.dumps(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"width": 3, "height": 1, "islands": TWO}, "101"),
        ({"cols": 3, "rows": 2, "islands": TWO}, "101/000"),
        ({"size": 3, "islands": TWO}, "101/000/000"),
        ({"size": {"width": 4, "height": 1}, "islands": TWO}, "1010"),
        ({"islands": TWO}, "101"),
        ({"rows": 2, "islands": TWO}, "101/000"),
        ({"size": {"width": 4}, "islands": TWO}, "1010"),
        ({"size": 3, "islands": [{"x": 2, "y": 1, "required_bridges": 3}]}, "000/003/000"),
        ({"w": 2, "h": 1, "islands": [{"id": 7, "r": 0, "c": 1, "num": 3}]}, "03"),
        ({"w": 2, "h": 1, "islands": [{"row": 0, "column": 1, "required": "?"}]}, "0?"),
        ({"w": 2, "h": 1, "islands": [{"row": 0, "column": 1, "degree": None}]}, "0?"),
        ({"w": 2, "h": 1, "max_bridges": 4, "islands": [{"row": 0, "col": 0, "clue": 16}]}, "G0 m4"),
        ({"w": 3, "h": 1, "no_loops": True, "islands": TWO}, "101 L"),
        ({"w": 3, "h": 1, "loops": False, "max_bridges": 1, "islands": TWO}, "101 m1L"),
        ({"w": 3, "h": 1, "max_bridges": None, "no_loops": False, "islands": TWO}, "101"),
        ({"grid": [[1, 0, "?"]]}, "10?"),
        ({"board": [[1, 0, 1]]}, "101"),
        ([[1, 0], [0, 1]], "10/01"),
        ({"problem": "1 3\n1 - 1"}, "101"),
        ({"problem": [[1, 0, 1]], "max_bridges": 3}, "101 m3"),
        ({"puzzle": {"width": 3, "height": 1, "islands": TWO}, "bridges": BRIDGE}, "101 0,0-0,2x1"),
        ({"w": 3, "h": 1, "islands": TWO, "solution": BRIDGE}, "101 0,0-0,2x1"),
        ({"w": 3, "h": 1, "islands": TWO, "solution": {"bridges": BRIDGE}}, "101 0,0-0,2x1"),
        ({"grid": [[1, 0, 1]], "solution": [[1, -1, 1]]}, "101 0,0-0,2x1"),
        ({"problem": "1 3\n1 - 1", "solution": "1 3\n- 1 -"}, "101 0,0-0,2x1"),
        ({"grid": [[1, 1]], "solution": [[1, 1]]}, "11"),  # a grid does not show what joins touching islands
        ({"grid": [[1, -1, 1]], "verdict": "solved", "variant": "m1"}, "101 m1"),
    ],
)
def test_shapes_of_a_puzzle(value: Any, expected: str) -> None:
    for name in ("json", "jsonl"):
        assert shape(dumped(value) + "\n", name) == [expected]


CLUE = 'expected a clue 1..8, or "?" for none, found'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7", "1:1 expected an object or an array, found '7'"),
        ("[7]", "1:2 expected a puzzle, an object or an array of rows, found a number"),
        ("{}", "1:1 expected `islands`, `grid` or `problem`, found none of them"),
        ('{"islands": []}', "1:13 islands: there is no island on the board"),
        ('{"islands":\n [7]}', "2:3 islands[0]: expected an object with row, col and clue, found a number"),
        ('{"islands": [{"x": 0, "clue": 1}]}', "1:14 islands[0]: expected 'row', found 'x, clue'"),
        ('{"islands": [{"x": 0, "y": 0, "clue": 1},\n{"x": 0, "y": 1}]}',
         "2:1 islands[1]: expected 'clue', found 'x, y'"),
        ('{"islands": [{"x": 0, "y": true, "clue": 1}]}',
         "1:28 islands[0].y: expected an integer from 0 on, found true"),
        ('{"islands": [{"x": -1, "y": 0, "clue": 1}]}', "1:20 islands[0].x: expected an integer from 0 on, found -1"),
        ('{"islands": [{"x": 0, "y": 0, "clue": 9}]}', f"1:39 islands[0].clue: {CLUE} 9"),
        ('{"islands": [{"x": 0, "y": 0, "clue": 1.0}]}', f"1:39 islands[0].clue: {CLUE} 1.0"),
        ('{"islands": [{"x": 0, "y": 0, "clue": "1"}]}', f"1:39 islands[0].clue: {CLUE} '1'"),
        ('{"max_bridges": 3, "islands": [{"x": 0, "y": 0, "clue": 13}]}',
         '1:57 islands[0].clue: expected a clue 1..12, or "?" for none, found 13'),
        ('{"islands": [{"x": 0, "y": 0, "clue": 1}, {"x": 0, "y": 0, "clue": 1}]}',
         "1:43 islands[1]: there is an island at row 0, column 0 already"),
        ('{"size": 2, "islands": [{"x": 2, "y": 0, "clue": 1}]}',
         "1:25 islands[0]: row 0, column 2 is not on a board of 2 x 2 (both are counted from 0)"),
        ('{"size": "2", "islands": [{"x": 2, "y": 0, "clue": 1}]}', "1:10 size: expected a number of cells, found '2'"),
        ('{"w": 5000, "h": 5000, "islands": [{"x": 2, "y": 0, "clue": 1}]}',
         "1:1 a board of 5000 x 5000 cells: at most 1000 x 1000 are read"),
        ('{"islands": [{"x": 5000, "y": 0, "clue": 1}]}',
         "1:13 islands: a board of 1 x 5001 cells: at most 1000 x 1000 are read"),
        ('{"grid": 7}', "1:10 grid: expected an array of rows, found a number"),
        ('{"grid": [[1, 0],\n [1]]}', "2:2 grid[1]: expected 2 cells as in the first row, found 1"),
        ('{"grid": [[1, -1, 1]]}', '1:15 grid[0][1]: expected a clue 0..8 or "?", found -1'),
        ('{"grid": [[1, 255]]}', '1:15 grid[0][1]: expected a clue 0..8 or "?", found 255'),
        ('{"problem": "1 3\\n1 - x"}', "1:13 problem: line 2 of the text: expected a clue 1..8 or '-', found 'x'"),
        ('{"problem": "1 - 1"}', "1:13 problem: line 1 of the text: expected a size ROWS COLS, found '1 - 1'"),
        ('{"problem": {"problem": "1 1\\n1"}}', "1:13 problem: expected a puzzle, found another object around one"),
        ('{"max_bridges": 5, "grid": [[1]]}', "1:17 max_bridges: expected 1 to 4, found 5"),
        ('{"no_loops": 1, "grid": [[1]]}', "1:14 no_loops: expected true or false, found 1"),
        ('{"verdict": "unknown", "grid": null}',
         "1:1 this result has no grid, so it does not show its puzzle: its verdict is unknown"),
        ('{"grid": [[1, 0]', "1:17 this is not JSON: Expecting ',' delimiter"),
        ('{"grid": [[1, 0]]} x', "1:20 expected an object or an array, found 'x'"),
        ('{"grid": [[1, \udcff]]}', "1:15 byte 0xff is not UTF-8 text"),
        ('{"grid": [[NaN]]}', "1 this JSON is nested too deeply, or has a number that is too long or none"),
        ("[" * 100_000, "1 this JSON is nested too deeply, or has a number that is too long or none"),
        ("[[1" + "1" * 5000 + "]]", "1 this JSON is nested too deeply, or has a number that is too long or none"),
    ],
)  # fmt: skip
def test_what_is_no_puzzle_and_where(text: str, expected: str) -> None:
    assert shape(text, "json")[-1] == expected


def test_the_size_that_islands_show_is_noted() -> None:
    (entry,) = read(dumped({"islands": TWO}) + "\n")
    assert entry.note == "the size is not stated: read as 1 x 3, as far as the islands go"
    (entry,) = read(dumped({"rows": 2, "islands": TWO}) + "\n")
    assert entry.note == "the number of columns is not stated: read as 2 x 3, as far as the islands go"


def test_an_answer_that_cannot_be_read_is_noted() -> None:
    for part, why in (
        ({"bridges": [1]}, 'bridge 1: expected {"from": [row, col], "to": [row, col], "count": n}'),
        ({"solution": "1 3\n- x -"}, "expected 1 or 2 across, a or b down, or '-', found 'x'"),
        ({"solution": "2 3\n- 1 -\n- - -"}, "an answer in letters needs its puzzle, of 2 x 3 cells"),
    ):
        (entry,) = read(dumped({"size": 3, "grid": [[1, 0, 1]], **part}) + "\n")
        assert entry.puzzle is not None
        assert (entry.bridges, entry.note) == (None, f"its answer was not read: {why}")


def test_many_puzzles() -> None:
    grids: list[Any] = [[[1, 0, 1]], {"grid": [[9]]}, [[2, 0, 2]]]
    wrong = 'expected a clue 0..8 or "?", found 9'
    assert shape(dumped(grids), None) == ["101", f"1:26 grid[0][0]: {wrong}", "202"]
    assert shape(dumped({"data": {"a": grids[0], "b": grids[1], "c": grids[2]}}), None) == [
        "101",
        f"1:45 grid[0][0]: {wrong}",
        "202",
    ]
    assert shape(dumped({"puzzles": grids}), None)[1:] == [f"1:38 grid[0][0]: {wrong}", "202"]
    assert shape("\n".join(map(dumped, grids)), "jsonl") == ["101", f"2:12 grid[0][0]: {wrong}", "202"]
    assert shape("\n".join(map(dumped, grids)), "json") == ["101", f"2:12 grid[0][0]: {wrong}", "202"]


def test_a_broken_array_ends_the_reading_and_a_broken_line_only_itself() -> None:
    assert shape("[[[1,0,1]],\n[[2,0,2]]\n[[1,0,1]]]", "json") == [
        "101", "202", "3:1 this is not JSON: Expecting ',' delimiter",
    ]  # fmt: skip
    assert shape("[[[1,0,1]],]", "json") == ["101", "1:12 this is not JSON: Expecting value"]
    assert shape("[[[1,0,1]]", "json") == ["101", "1:11 this is not JSON: Expecting ',' delimiter"]
    assert shape('{"grid": [[1]]}\n{"grid"\n[[1]] [[2]]\n\n[[3]]', "jsonl") == [
        "1", "2:8 this is not JSON: Expecting ':' delimiter", "3:7 expected the end of the line", "3",
    ]  # fmt: skip
    assert shape("[]", "json") == ["there is no puzzle in it, only blank lines or comments"]


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ('{"grid"', "json"),
        ('{"grid": [[1]]}', "json"),
        ('{"grid": [[1]]}\n', "jsonl"),
        ('{"grid": [[1]]}\n{"grid": [[1]]}\n', "jsonl"),
        ("[[1]]\n[[1]]\n", "jsonl"),
        ("[\n[1],\n[1]]\n", "json"),
        ("[1, 0]\n", "json"),
        ("[problem]\n1\n", "janko"),
    ],
)
def test_what_a_text_is_taken_for(head: str, name: str) -> None:
    assert detect(head) == (get(name), None)


@given(puzzle=variant_puzzles())
def test_a_result_object_is_a_puzzle_and_an_answer(puzzle: Puzzle) -> None:
    outcome = solve(puzzle, budget=5.0)
    (entry,) = read("\n" + get("json").write(puzzle))
    row = result_object(solved_here(entry, outcome, 5.0), "1")
    text = "\n" + dumped(row)
    if outcome.solution is None or row["grid"] is None:
        assert "this result has no grid" in shape(text, None)[0]
        return
    assert parse(text) == puzzle
    assert check(puzzle, read_answer(text)) == []


def test_an_array_streams_and_an_element_is_limited(tmp_path: Path) -> None:
    rng = random.Random(1)
    path = tmp_path / "many.json"
    with path.open("w") as file:
        file.write("[")
        file.writelines(f'{"," * (k > 0)}{{"grid": [[{rng.randint(1, 8)}, 0, 1]]}}' for k in range(40_000))
        file.write("]")
    tracemalloc.start()
    count = sum(entry.puzzle is not None for entry in read(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 40_000, "on one line of more than a megabyte"
    assert peak < 3_000_000
    (entry,) = read("\n[[[1" + ", 0" * 40_000 + "]]]", format="json", limits=Limits(max_bytes=1000))
    assert str(entry.error) == "<text>, line 2, column 2: a board of 1 x 40001 cells: at most 1000 x 1000 are read"
    path.write_text("[[[1" + ", 0" * 200_000 + "]]]")
    (entry,) = read(path, limits=Limits(max_bytes=1000))
    assert str(entry.error) == f"{path}, line 1: one value of more than 1000 characters"


@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    ),
    indent=st.sampled_from([None, 0, 3]),
    size=st.integers(1, 7),
)
def test_a_value_is_the_same_in_pieces(value: Any, indent: int | None, size: int, monkeypatch_chunk: None) -> None:
    text = json.dumps(value, indent=indent)
    pieces = [text[k : k + size] for k in range(0, len(text), size)]
    marked = [piece + "\udffe" for piece in pieces[:-1]] + pieces[-1:]
    found, place = JsonText(Lines(marked), 10_000).value()
    assert found == value
    if isinstance(value, dict | list) and value:
        for key, member, where in place.members():
            assert member == value[key]  # type: ignore[index]
            line, column = where.line, where.column
            assert text.split("\n")[line - 1][column - 1 :].startswith(json.dumps(member, indent=indent).split("\n")[0])


@pytest.fixture(scope="module")
def monkeypatch_chunk() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kakehashi.formats.kinds._json_text._CHUNK", 1)
        yield


@given(text=st.text(alphabet='[]{}":,0123456789- \ngridslnw', max_size=60), name=st.sampled_from(["json", "jsonl"]))
def test_only_entries_come_out(text: str, name: str) -> None:
    entries = list(read("\n" + text, format=name))
    assert entries
    assert all((entry.puzzle is None) != (entry.error is None) for entry in entries)


@pytest.mark.parametrize("text", ['{"bridges": [{"from": {"x": 2, "y": 0}, "to": {"row": 0, "col": 0}, "amount": 1}]}'])
def test_bridges_in_other_words(text: str) -> None:
    assert check([[1, 0, 1]], read_answer(text)) == []


def test_an_answer_in_letters_needs_its_puzzle() -> None:
    text = '{"solution": "1 3\\n- 1 -"}'
    assert check([[1, 0, 1]], read_answer(text, puzzle=Puzzle.from_rows([[1, 0, 1]]))) == []
    with pytest.raises(FormatError, match="an answer in letters needs its puzzle, of 1 x 3 cells"):
        read_answer(text)
