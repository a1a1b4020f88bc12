"""Puzzles and answers in the shapes that programs give them in JSON.

A puzzle is an array of rows, or an object with one of

- `islands`: `[{"row", "col", "clue"}]` beside the size (`width` and `height`, or `cols` and `rows`, or `size`),
- `grid`: an array of rows, 0 for water and "?" for an island without a number,
- `problem` or `puzzle`: one of these shapes, or the rows of `janko` as a text below a line `ROWS COLS`.

Cells are counted from 0. An object may state its rules, `max_bridges` and `no_loops`, and bring its answer: `bridges`,
`[{"from", "to", "count"}]`, or `solution`. The result objects of `kakehashi solve` are such objects, too.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from kakehashi.formats.errors import FormatError
from kakehashi.formats.kinds import _letters
from kakehashi.formats.kinds._rows import check_size
from kakehashi.formats.kinds._strokes import shown_bridges
from kakehashi.formats.lines import show, split_lines
from kakehashi.puzzle.model import MOST_BRIDGES, SIDES, UNKNOWN_CLUE, bridge_between, rules_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kakehashi.formats.limits import Limits
    from kakehashi.puzzle.model import Bridge

Path = tuple[str | int, ...]

_ROW = ("row", "r", "y")
_COL = ("col", "column", "c", "x")
_CLUE = ("clue", "required_bridges", "requiredBridges", "required", "num", "number", "degree", "value")
_ROWS = ("rows", "height", "h")
_COLS = ("cols", "columns", "width", "w")
_COUNT = ("count", "bridges", "amount", "num")
_MOST = ("max_bridges", "maxBridges")
_INSIDE = ("problem", "puzzle")
_GRID = ("grid", "board")


class ShapeError(Exception):
    """A value is not of the shape that is wanted; `path` leads to it from the value that was given."""

    def __init__(self, path: Path, message: str) -> None:
        self.path, self.message = path, message
        super().__init__(message)

    def __str__(self) -> str:
        """The path and the message: "islands[2].clue: expected a clue 1..8, found 9"."""
        steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path)
        return f"{show(steps[1:]) if len(steps) > 60 else steps.lstrip('.')}: {self.message}" if steps else self.message


class Board(NamedTuple):
    """A puzzle as JSON has it; rules that it does not state, and an answer that it does not bring, are None."""

    rows: int
    cols: int
    cells: bytes
    max_bridges: int | None = None
    loops: bool | None = None
    bridges: tuple[Bridge, ...] | None = None
    note: str | None = None


def board(value: Any, limits: Limits) -> Board:
    """The puzzle that a value is.

    Raises:
        ShapeError: it is none.
    """
    if isinstance(value, list):
        return Board(*_grid(value, (), limits.max_clue, limits))
    if not isinstance(value, dict):
        raise ShapeError((), f"expected a puzzle, an object or an array of rows, found {_kind(value)}")
    most, loops = _rules(value)
    largest = limits.max_clue if most is None else SIDES * most
    found = _board_in(value, largest, limits)
    bridges, note = _answer_beside(value, found, limits)
    notes = "; ".join(part for part in (found.note, note) if part)
    return found._replace(
        max_bridges=most if most is not None else found.max_bridges,
        loops=loops if loops is not None else found.loops,
        bridges=bridges or found.bridges,
        note=notes or None,
    )


def _board_in(value: dict[str, Any], largest: int, limits: Limits) -> Board:
    """The puzzle in an object."""
    if isinstance(value.get("islands"), list):
        return _islands(value, largest, limits)
    for key in _GRID:
        if value.get(key) is not None:
            return Board(*_grid(value[key], (key,), largest, limits, answered="verdict" in value))
    for key in _INSIDE:
        if key in value:
            return _nested(value[key], key, largest, limits)
    if "verdict" in value:
        why = value.get("grid_reason") or value.get("error") or f"its verdict is {value['verdict']}"
        raise ShapeError((), f"this result has no grid, so it does not show its puzzle: {_told(why)}")
    raise ShapeError((), "expected `islands`, `grid` or `problem`, found none of them")


def _nested(value: Any, key: str, largest: int, limits: Limits) -> Board:
    """The puzzle below `problem` or `puzzle`."""
    if isinstance(value, str):
        try:
            return Board(*_letters.problem(split_lines(value), largest, limits))
        except FormatError as error:
            raise ShapeError((key,), f"line {error.line} of the text: {error.message}") from error
    if isinstance(value, dict) and any(inside in value for inside in _INSIDE):
        raise ShapeError((key,), "expected a puzzle, found another object around one")
    try:
        return board(value, limits)
    except ShapeError as error:
        raise ShapeError((key, *error.path), error.message) from None


def _rules(value: Mapping[str, Any]) -> tuple[int | None, bool | None]:
    """The most bridges in a channel and whether loops are allowed, where the object says so."""
    most, loops = None, None
    if "verdict" in value and isinstance(value.get("variant"), str):
        try:
            most, loops = rules_of(value["variant"])
        except ValueError as error:
            raise ShapeError(("variant",), str(error)) from None
    key = _first(_MOST, value)
    if key is not None and value[key] is not None:
        most = value[key]
        if type(most) is not int or not 1 <= most <= MOST_BRIDGES:
            raise ShapeError((key,), f"expected 1 to {MOST_BRIDGES}, found {_told(most)}")
    for key, allowed in (("no_loops", False), ("loops", True)):
        if value.get(key) is not None:
            if not isinstance(value[key], bool):
                raise ShapeError((key,), f"expected true or false, found {_told(value[key])}")
            loops = allowed if value[key] else not allowed
    return most, loops


def _grid(rows: Any, path: Path, largest: int, limits: Limits, *, answered: bool = False) -> tuple[int, int, bytes]:
    """The size and the cells of an array of rows; signs of bridges count as water where it is `answered`."""
    if not isinstance(rows, list) or not rows or not all(isinstance(row, list) for row in rows):
        raise ShapeError(path, f"expected an array of rows, found {_kind(rows)}")
    cols = len(rows[0])
    _check_size(len(rows), cols, path, limits)
    for r, row in enumerate(rows):
        if len(row) != cols:
            raise ShapeError((*path, r), f"expected {cols} cells as in the first row, found {len(row)}")
    flat = [cell for row in rows for cell in row]
    if set(map(type, flat)) == {int} and min(flat) >= 0 and max(flat) <= largest:
        return len(rows), cols, bytes(flat)
    lowest = -4 if answered else 0
    for place, cell in enumerate(flat):
        if cell == "?":
            flat[place] = UNKNOWN_CLUE
        elif type(cell) is not int or not lowest <= cell <= largest:
            where = (*path, place // cols, place % cols)
            raise ShapeError(where, f'expected a clue 0..{largest} or "?", found {_told(cell)}')
        elif cell < 0:
            flat[place] = 0
    return len(rows), cols, bytes(flat)


def _islands(value: dict[str, Any], largest: int, limits: Limits) -> Board:
    """The puzzle of a list of islands."""
    islands = value["islands"]
    if not islands:
        raise ShapeError(("islands",), "there is no island on the board")
    keys = [islands[0]] if isinstance(islands[0], dict) else [{}]
    row_key, col_key, clue_key = (_first(names, keys[0]) for names in (_ROW, _COL, _CLUE))
    try:
        rows = [island[row_key] for island in islands]
        cols = [island[col_key] for island in islands]
        clues = [island[clue_key] for island in islands]
    except (KeyError, TypeError):
        raise _bad_island(islands) from None
    if set(map(type, rows)) | set(map(type, cols)) != {int} or min(rows) < 0 or min(cols) < 0:
        raise _bad_place(rows, cols, str(row_key), str(col_key))
    if set(map(type, clues)) != {int} or min(clues) < 1 or max(clues) > largest:
        clues = _clues(clues, str(clue_key), largest)
    height, width, note = _size(value, rows, cols, limits)
    cells = bytearray(height * width)
    places = [row * width + col for row, col in zip(rows, cols, strict=True)]
    if max(rows) >= height or max(cols) >= width:
        k = next(k for k in range(len(rows)) if rows[k] >= height or cols[k] >= width)
        message = f"row {rows[k]}, column {cols[k]} is not on a board of {height} x {width} (both are counted from 0)"
        raise ShapeError(("islands", k), message)
    for place, clue in zip(places, clues, strict=True):
        cells[place] = clue
    if len(set(places)) != len(places):
        seen: set[int] = set()
        for k, place in enumerate(places):
            if place in seen:
                raise ShapeError(("islands", k), f"there is an island at row {rows[k]}, column {cols[k]} already")
            seen.add(place)
    return Board(height, width, bytes(cells), note=note)


def _bad_island(islands: Sequence[Any]) -> ShapeError:
    """The error of the first island that lacks something that the first one has."""
    for k, island in enumerate(islands):
        if not isinstance(island, dict):
            return ShapeError(("islands", k), f"expected an object with row, col and clue, found {_kind(island)}")
        for names in (_ROW, _COL, _CLUE):
            wanted = _first(names, islands[0]) or names[0]
            if wanted not in island:
                return ShapeError(("islands", k), f"expected {wanted!r}, found {_told(', '.join(island) or 'nothing')}")
    return ShapeError(("islands",), "expected islands with row, col and clue")


def _bad_place(rows: Sequence[Any], cols: Sequence[Any], row_key: str, col_key: str) -> ShapeError:
    for k, pair in enumerate(zip(rows, cols, strict=True)):
        for key, number in zip((row_key, col_key), pair, strict=True):
            if type(number) is not int or number < 0:
                return ShapeError(("islands", k, key), f"expected an integer from 0 on, found {_told(number)}")
    raise AssertionError  # it was looked at before


def _clues(clues: Iterable[Any], key: str, largest: int) -> list[int]:
    found = []
    for k, clue in enumerate(clues):
        if clue is not None and clue != "?" and (type(clue) is not int or not 1 <= clue <= largest):
            message = f'expected a clue 1..{largest}, or "?" for none, found {_told(clue)}'
            raise ShapeError(("islands", k, key), message)
        found.append(clue if type(clue) is int else UNKNOWN_CLUE)
    return found


def _size(
    value: Mapping[str, Any], rows: Sequence[int], cols: Sequence[int], limits: Limits
) -> tuple[int, int, str | None]:
    """Rows and columns of the board, and a note where only the islands show them."""
    size = value.get("size")
    holder, path = (size, ("size",)) if isinstance(size, dict) else (value, ())
    found = []
    for names in (_ROWS, _COLS):
        key = _first(names, holder)
        number = holder[key] if key is not None else size
        if number is None:
            height, width = max(rows) + 1, max(cols) + 1
            _check_size(height, width, ("islands",), limits)
            return height, width, f"the size is not stated: read as {height} x {width}, as far as the islands go"
        if type(number) is not int:
            where = (*path, key) if key is not None else ("size",)
            raise ShapeError(where, f"expected a number of cells, found {_told(number)}")
        found.append(number)
    _check_size(found[0], found[1], path, limits)
    return found[0], found[1], None


def _check_size(rows: int, cols: int, path: Path, limits: Limits) -> None:
    try:
        check_size(rows, cols, 0, limits)
    except FormatError as error:
        raise ShapeError(path, error.message) from None


def _answer_beside(value: dict[str, Any], found: Board, limits: Limits) -> tuple[tuple[Bridge, ...] | None, str | None]:
    """The answer that an object brings beside its puzzle, or a note why it was left."""
    if not any(isinstance(value.get(key), list | dict | str) for key in ("bridges", "solution")):
        return None, None
    try:
        answer = answer_in(value, limits, found.cells)
    except FormatError as error:
        return None, f"its answer was not read: {error.message}"
    if answer and isinstance(answer[0], list):
        return (shown_bridges(answer) if len(set(map(len, answer))) == 1 else None), None
    return tuple(cast("list[Bridge]", answer)), None


def answer_in(value: Any, limits: Limits, cells: bytes | None = None) -> list[list[int]] | list[Bridge]:
    """The answer that a value is or brings: bridges where there are any, else an answer grid.

    Args:
        value: an array of rows, or an object with `bridges`, `grid` or `solution`.
        limits: how large it may be.
        cells: the puzzle, which a solution in letters needs.

    Raises:
        FormatError: it is none.
    """
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        value = value[0]
    if isinstance(value, list):
        return _answer_grid(value)
    if not isinstance(value, dict):
        raise FormatError.expected("an answer", _kind(value))
    solution = value.get("solution")
    if value.get("bridges") is not None:
        return _bridges(value["bridges"])
    if isinstance(solution, str):
        if cells is None and isinstance(value.get("problem"), str):
            cells = _letters.problem(split_lines(value["problem"]), limits.max_clue, limits)[2]
        return _letters.solution(split_lines(solution), cells, limits)
    if isinstance(solution, list) and solution and isinstance(solution[0], dict):
        return _bridges(solution)
    if solution is not None:
        return answer_in(solution, limits, cells) if "solution" not in solution else _no_answer(value)
    return _answer_grid(value["grid"]) if value.get("grid") is not None else _no_answer(value)


def _no_answer(value: Mapping[str, Any]) -> list[Bridge]:
    verdict = value.get("verdict")
    why = f": its verdict is {verdict!r}" if isinstance(verdict, str) else ", neither `bridges` nor `grid`"
    raise FormatError(f"this object holds no answer{why}")


def _answer_grid(value: Any) -> list[list[int]]:
    rows = value if isinstance(value, list) else []
    if not rows or not all(isinstance(row, list) for row in rows):
        raise FormatError("expected an answer grid as a list of rows of integers")
    grid = [[UNKNOWN_CLUE if cell == "?" else cell for cell in row] for row in rows]
    if not all(type(cell) is int for row in grid for cell in row):
        raise FormatError("expected an answer grid as a list of rows of integers")
    return grid


def _bridges(value: Any) -> list[Bridge]:
    if not isinstance(value, list):
        raise FormatError.expected("a list of bridges", type(value).__name__)
    found = []
    for k, item in enumerate(value, 1):
        part = item if isinstance(item, dict) else {}
        count = part.get(_first(_COUNT, part) or "")
        ends = [_end(part.get(key)) for key in ("from", "to")]
        if type(count) is not int or ends[0] is None or ends[1] is None:
            raise FormatError(f'bridge {k}: expected {{"from": [row, col], "to": [row, col], "count": n}}')
        found.append(bridge_between(ends[0], ends[1], count))
    return found


def _end(value: Any) -> tuple[int, int] | None:
    """A cell as `[row, col]` or as an object."""
    if isinstance(value, dict):
        value = [value.get(_first(_ROW, value) or ""), value.get(_first(_COL, value) or "")]
    match value:
        case [int(row), int(col)] if bool not in map(type, value):
            return row, col
    return None


def _first(names: Iterable[str], keys: Mapping[str, Any]) -> str | None:
    """The first of these names that is a key."""
    return next((name for name in names if name in keys), None)


def _kind(value: Any) -> str:
    """What a value is, in JSON's words."""
    names = {dict: "an object", list: "an array", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def _told(value: Any) -> str:
    """A value for a message."""
    if isinstance(value, str):
        return show(value)
    return _kind(value) if isinstance(value, dict | list) else show(json.dumps(value)).strip("'")
