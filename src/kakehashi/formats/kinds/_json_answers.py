"""Answers in the shapes that programs give them in JSON.

An answer is an array of rows (an answer grid), or an object with `bridges`, `[{"from": [row, col], "to": [row, col],
"count": n}]` counted from 0, or with `grid`, or with `solution`: one of these, or the letters of `janko` as a text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kakehashi.formats.errors import FormatError
from kakehashi.formats.kinds import _letters
from kakehashi.formats.kinds._json_words import COL, ROW, first, kind
from kakehashi.formats.lines import split_lines
from kakehashi.puzzle.answer_grid import decode
from kakehashi.puzzle.model import UNKNOWN_CLUE, bridge_between

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kakehashi.formats.limits import Limits
    from kakehashi.puzzle.model import Bridge, Cell

_COUNT = ("count", "bridges", "amount", "num")


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
        raise FormatError.expected("an answer", kind(value))
    solution = value.get("solution")
    if value.get("bridges") is not None:
        return _agreed(_bridges(value["bridges"]), value.get("grid"))
    if isinstance(solution, str):
        if cells is None and isinstance(value.get("problem"), str):
            cells = _letters.problem(split_lines(value["problem"]), limits.max_clue, limits)[2]
        return _letters.solution(split_lines(solution), cells, limits)
    if isinstance(solution, list) and solution and isinstance(solution[0], dict):
        return _bridges(solution)
    if solution is not None:
        return answer_in(solution, limits, cells) if "solution" not in solution else _no_answer(value)
    return _answer_grid(value["grid"]) if value.get("grid") is not None else _no_answer(value)


def _agreed(bridges: list[Bridge], shown: Any) -> list[Bridge]:
    """The bridges, which the answer grid beside them, if there is one, has to show.

    Raises:
        FormatError: it shows others: one of them was changed, and nobody knows which is meant.
    """
    rows = shown if isinstance(shown, list) and all(isinstance(row, list) for row in shown) else []
    if not any(type(cell) is int and cell < 0 for row in rows for cell in row):
        return bridges  # it is the puzzle, or nothing can be seen in it
    grid = _answer_grid(rows)
    even = len(set(map(len, grid))) == 1
    strokes, loose = decode(grid) if even else ([], [])
    in_sight: dict[tuple[Cell, Cell], int] = {}
    for start, end, count in bridges:
        if count and abs(start.row - end.row) + abs(start.col - end.col) > 1:
            in_sight[start, end] = in_sight.get((start, end), 0) + count
    if not even or loose or {(start, end): count for start, end, count in strokes} != in_sight:
        raise FormatError("`grid` and `bridges` of this object are not the same answer: leave one of them out")
    return bridges


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
        count = part.get(first(_COUNT, part) or "")
        ends = [_end(part.get(key)) for key in ("from", "to")]
        if type(count) is not int or ends[0] is None or ends[1] is None:
            raise FormatError(f'bridge {k}: expected {{"from": [row, col], "to": [row, col], "count": n}}')
        found.append(bridge_between(ends[0], ends[1], count))
    return found


def _end(value: Any) -> tuple[int, int] | None:
    """A cell as `[row, col]` or as an object."""
    if isinstance(value, dict):
        value = [value.get(first(ROW, value) or ""), value.get(first(COL, value) or "")]
    match value:
        case [int(row), int(col)] if bool not in map(type, value):
            return row, col
    return None
