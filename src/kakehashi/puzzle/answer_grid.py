"""The answer grid: the clues, with the water cells that carry bridges overwritten.

-1 one horizontal bridge, -2 one vertical, -3 two horizontal, -4 two vertical, 0 water. (Another program's answers use
the same numbers with -2 for two horizontal and -3 for one vertical.)

A bridge between touching islands has no cell to be shown in. `infer_hidden` finds such bridges from what is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kakehashi.puzzle.hidden import TooManyWays, infer_hidden
from kakehashi.puzzle.model import MAX_BRIDGES, Bridge, Cell
from kakehashi.puzzle.violation import Violation, ViolationCode, place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kakehashi.puzzle.model import Puzzle

__all__ = ["TooManyWays", "decode", "encode", "infer_hidden"]

ONE_HORIZONTAL, ONE_VERTICAL, TWO_HORIZONTAL, TWO_VERTICAL = -1, -2, -3, -4

_ACROSS = (ONE_HORIZONTAL, TWO_HORIZONTAL)
_DOWN = (ONE_VERTICAL, TWO_VERTICAL)

_COUNT_ACROSS = {ONE_HORIZONTAL: 1, TWO_HORIZONTAL: 2}
_COUNT_DOWN = {ONE_VERTICAL: 1, TWO_VERTICAL: 2}


def encode(puzzle: Puzzle, bridges: Iterable[Bridge]) -> list[list[int]]:
    """The answer grid of these bridges. Only water cells are overwritten, so the clues always stand.

    There are no symbols for more than two bridges in a channel, which some variants allow.

    Raises:
        ValueError: a bridge is not in line, leaves the board or has a count other than 1 or 2.
    """
    rows, cols, cells = puzzle.rows, puzzle.cols, puzzle.cells
    grid = list(cells)
    for (r1, c1), (r2, c2), count in bridges:
        first, last = r1 * cols + c1, r2 * cols + c2
        if r1 == r2 and c1 < c2:
            step, symbols = 1, _ACROSS
        elif c1 == c2 and r1 < r2:
            step, symbols = cols, _DOWN
        else:
            step, symbols = 0, _ACROSS
        if not step or not 1 <= count <= MAX_BRIDGES or r1 < 0 or c1 < 0 or r2 >= rows or c2 >= cols:
            raise ValueError(f"{count} bridges from {place(r1, c1)} to {place(r2, c2)} cannot be drawn")
        symbol = symbols[count - 1]
        for at in range(first + step, last, step):
            if not cells[at]:
                grid[at] = symbol
    return [grid[start : start + cols] for start in range(0, len(grid), cols)]


def decode(grid: Sequence[Sequence[int]]) -> tuple[list[Bridge], list[Violation]]:
    """The bridges that an answer grid shows, and a violation for each stroke that does not join two islands.

    Bridges between touching islands are not among them: see `infer_hidden`. The rows must be of one length.
    """
    bridges: list[Bridge] = []
    violations: list[Violation] = []
    for r, row in enumerate(grid):
        if min(row, default=0) < TWO_VERTICAL:
            for c, symbol in enumerate(row):
                if symbol < TWO_VERTICAL:
                    message = f"{symbol} at {place(r, c)} is no symbol of an answer grid"
                    violations.append(Violation(ViolationCode.NOT_ALIGNED, Cell(r, c), message))
        for first, last, symbol, fault in _strokes(row, _COUNT_ACROSS):
            if fault is None:
                bridges.append(Bridge(Cell(r, first - 1), Cell(r, last), _COUNT_ACROSS[symbol]))
            else:
                violations.append(_dangling(Cell(r, fault), symbol))
    for c, column in enumerate(zip(*grid, strict=True)):
        for first, last, symbol, fault in _strokes(column, _COUNT_DOWN):
            if fault is None:
                bridges.append(Bridge(Cell(first - 1, c), Cell(last, c), _COUNT_DOWN[symbol]))
            else:
                violations.append(_dangling(Cell(fault, c), symbol))
    return bridges, violations


def _strokes(line: Sequence[int], symbols: dict[int, int]) -> Iterator[tuple[int, int, int, int | None]]:
    """The runs of equal bridge symbols in a line: first cell, cell behind the last, symbol, the place of the loose end.

    The loose end is None when the run has an island at both sides.
    """
    at, length = 0, len(line)
    while at < length:
        symbol = line[at]
        if symbol not in symbols:
            at += 1
            continue
        first = at
        while at < length and line[at] == symbol:
            at += 1
        fault: int | None = None
        if first == 0 or line[first - 1] <= 0:
            fault = first
        elif at == length or line[at] <= 0:
            fault = at - 1
        yield first, at, symbol, fault


def _dangling(at: Cell, symbol: int) -> Violation:
    direction = "horizontal" if symbol in _COUNT_ACROSS else "vertical"
    message = f"the {direction} bridge ({symbol}) at {place(*at)} does not end at an island"
    return Violation(ViolationCode.NOT_ALIGNED, at, message)
