"""Puzzles and answers in the shapes that programs give them in JSON.

A puzzle is an array of rows, or an object with one of

- `islands`: `[{"row", "col", "clue"}]` beside the size (`width` and `height`, or `cols` and `rows`, or `size`),
- `grid`: an array of rows, 0 for water and "?" for an island without a number,
- `problem` or `puzzle`: one of these shapes, or the rows of `janko` as a text below a line `ROWS COLS`.

Cells are counted from 0. An object may state its rules, `max_bridges` and `no_loops`, and bring its answer: `bridges`,
`[{"from", "to", "count"}]`, or `solution`. The result objects of `kakehashi solve` are such objects, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from kakehashi.formats.errors import FormatError
from kakehashi.formats.kinds import _letters
from kakehashi.formats.kinds._json_answers import answer_in
from kakehashi.formats.kinds._json_words import COL, ROW, first, kind, told
from kakehashi.formats.kinds._rows import check_size
from kakehashi.formats.kinds._strokes import shown_bridges
from kakehashi.formats.lines import show, split_lines
from kakehashi.puzzle.model import MOST_BRIDGES, UNKNOWN_CLUE, largest_clue, rules_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kakehashi.formats.limits import Limits
    from kakehashi.puzzle.model import Bridge

Path = tuple[str | int, ...]

_CLUE = ("clue", "required_bridges", "requiredBridges", "required", "num", "number", "degree", "value")
_ROWS = ("rows", "height", "h")
_COLS = ("cols", "columns", "width", "w")
_MOST = ("max_bridges", "maxBridges")
_INSIDE = ("problem", "puzzle")
_GRID = ("grid", "board")


_REASON = 200
"""Characters of a reason that are told."""


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
        raise ShapeError((), f"expected a puzzle, an object or an array of rows, found {kind(value)}")
    most, loops = _rules(value)
    largest = limits.max_clue if most is None else largest_clue(most)
    found = _board_in(value, largest, limits)
    bridges, note = _answer_beside(value, found, limits)
    return Board(
        *found[:3],
        most if most is not None else found.max_bridges,
        loops if loops is not None else found.loops,
        bridges or found.bridges,
        "; ".join(part for part in (found.note, note) if part) or None,
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
        told_why = ascii(str(why)[:_REASON])[1:-1]
        raise ShapeError((), f"this result has no grid, so it does not show its puzzle: {told_why}")
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
    key = first(_MOST, value)
    if key is not None and value[key] is not None:
        most = value[key]
        if type(most) is not int or not 1 <= most <= MOST_BRIDGES:
            raise ShapeError((key,), f"expected 1 to {MOST_BRIDGES}, found {told(most)}")
    for key, allowed in (("no_loops", False), ("loops", True)):
        if value.get(key) is not None:
            if not isinstance(value[key], bool):
                raise ShapeError((key,), f"expected true or false, found {told(value[key])}")
            loops = allowed if value[key] else not allowed
    return most, loops


def _grid(rows: Any, path: Path, largest: int, limits: Limits, *, answered: bool = False) -> tuple[int, int, bytes]:
    """The size and the cells of an array of rows; signs of bridges count as water where it is `answered`."""
    if not isinstance(rows, list) or not rows or not all(isinstance(row, list) for row in rows):
        raise ShapeError(path, f"expected an array of rows, found {kind(rows)}")
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
            raise ShapeError(where, f'expected a clue 0..{largest} or "?", found {told(cell)}')
        elif cell < 0:
            flat[place] = 0
    return len(rows), cols, bytes(flat)


def _islands(value: dict[str, Any], largest: int, limits: Limits) -> Board:
    """The puzzle of a list of islands."""
    islands = value["islands"]
    if not islands:
        raise ShapeError(("islands",), "there is no island on the board")
    keys = [islands[0]] if isinstance(islands[0], dict) else [{}]
    row_key, col_key, clue_key = first(ROW, keys[0]), first(COL, keys[0]), first(_CLUE, keys[0])
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
            return ShapeError(("islands", k), f"expected an object with row, col and clue, found {kind(island)}")
        for names in (ROW, COL, _CLUE):
            wanted = first(names, islands[0]) or names[0]
            if wanted not in island:
                return ShapeError(("islands", k), f"expected {wanted!r}, found {told(', '.join(island) or 'nothing')}")
    return ShapeError(("islands",), "expected islands with row, col and clue")


def _bad_place(rows: Sequence[Any], cols: Sequence[Any], row_key: str, col_key: str) -> ShapeError:
    for k, pair in enumerate(zip(rows, cols, strict=True)):
        for key, number in zip((row_key, col_key), pair, strict=True):
            if type(number) is not int or number < 0:
                return ShapeError(("islands", k, key), f"expected an integer from 0 on, found {told(number)}")
    raise AssertionError  # it was looked at before


def _clues(clues: Iterable[Any], key: str, largest: int) -> list[int]:
    found = []
    for k, clue in enumerate(clues):
        if clue is not None and clue != "?" and (type(clue) is not int or not 1 <= clue <= largest):
            message = f'expected a clue 1..{largest}, or "?" for none, found {told(clue)}'
            raise ShapeError(("islands", k, key), message)
        found.append(clue if type(clue) is int else UNKNOWN_CLUE)
    return found


def _size(
    value: Mapping[str, Any], rows: Sequence[int], cols: Sequence[int], limits: Limits
) -> tuple[int, int, str | None]:
    """Rows and columns of the board, and a note where only the islands show one of them."""
    size = value.get("size")
    holder, path = (size, ("size",)) if isinstance(size, dict) else (value, ())
    found = []
    missing = []
    for what, names, places in (("number of rows", _ROWS, rows), ("number of columns", _COLS, cols)):
        key = first(names, holder)
        number = holder[key] if key is not None else size
        if number is None or (key is None and isinstance(size, dict)):
            missing.append(what)
            number = max(places) + 1
        if type(number) is not int:
            where = (*path, key) if key is not None else ("size",)
            raise ShapeError(where, f"expected a number of cells, found {told(number)}")
        found.append(number)
    height, width = found
    _check_size(height, width, ("islands",) if missing else path, limits)
    if not missing:
        return height, width, None
    what = "size" if len(missing) > 1 else missing[0]
    return height, width, f"the {what} is not stated: read as {height} x {width}, as far as the islands go"


def _check_size(rows: int, cols: int, path: Path, limits: Limits) -> None:
    try:
        check_size(rows, cols, 0, limits)
    except FormatError as error:
        raise ShapeError(path, error.message) from None


def _answer_beside(value: dict[str, Any], found: Board, limits: Limits) -> tuple[tuple[Bridge, ...] | None, str | None]:
    """The answer that an object brings beside its puzzle, or a note why it was left."""
    if value.get("bridges") is None and value.get("solution") is None:
        return None, None
    try:
        answer = answer_in(value, limits, found.cells)
    except FormatError as error:
        return None, f"its answer was not read: {error.message}"
    if answer and isinstance(answer[0], list):
        return (shown_bridges(answer) if len(set(map(len, answer))) == 1 else None), None
    return tuple(cast("list[Bridge]", answer)), None
