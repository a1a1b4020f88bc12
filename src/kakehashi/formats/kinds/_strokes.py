"""Bridges as strokes between neighbouring cells, which formats draw that are made for a mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kakehashi.formats.kinds._skips import touching
from kakehashi.puzzle.answer_grid import decode
from kakehashi.puzzle.model import Bridge, Cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def bridges(rows: int, cols: int, cells: bytes, right: Sequence[int], down: Sequence[int]) -> list[Bridge]:
    """The bridges that strokes make, in row-major order, first those to the right.

    A bridge ends at an island, and where a stroke begins, ends or changes its number: one that was not drawn to its end
    becomes a bridge to a cell of water, so that the checker says where.

    Args:
        rows, cols, cells: the board.
        right: the strokes from each cell to the one at its right, row by row, `cols - 1` of them.
        down: the strokes from each cell to the one below, row by row, `cols` of them, one row less.
    """
    found = []
    for r in range(rows):
        strokes = right[r * (cols - 1) : (r + 1) * (cols - 1)]
        if any(strokes):
            ends = _runs(strokes, cells[r * cols : (r + 1) * cols])
            found += [Bridge(Cell(r, first), Cell(r, last), count) for first, last, count in ends]
    for c in range(cols if any(down) else 0):
        strokes = down[c::cols]
        if any(strokes):
            ends = _runs(strokes, cells[c::cols])
            found += [Bridge(Cell(first, c), Cell(last, c), count) for first, last, count in ends]
    return found


def shown_bridges(grid: list[list[int]]) -> tuple[Bridge, ...] | None:
    """The bridges of an answer grid; None with loose ends, or touching islands, whose bridges no grid shows."""
    cells = bytes([cell > 0 for row in grid for cell in row])
    if touching(cells, len(grid[0])) is not None:
        return None
    found, loose = decode(grid)
    return None if loose else tuple(found)


def _runs(strokes: Sequence[int], cells: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """The first and the last cell and the number of each run of equal strokes in a line."""
    start = 0
    for at in range(1, len(strokes) + 1):
        if at == len(strokes) or strokes[at] != strokes[start] or cells[at]:
            if strokes[start]:
                yield start, at, strokes[start]
            start = at


def strokes(rows: int, cols: int, bridges_: Iterable[Bridge]) -> tuple[list[list[int]], list[list[int]]]:
    """The strokes to the right (`rows` of `cols - 1`) and down (`rows - 1` of `cols`) that draw these bridges."""
    right = [[0] * (cols - 1) for _ in range(rows)]
    down = [[0] * cols for _ in range(rows - 1)]
    for (r1, c1), (r2, c2), count in bridges_:
        if r1 == r2:
            right[r1][c1:c2] = [count] * (c2 - c1)
        else:
            for r in range(r1, r2):
                down[r][c1] = count
    return right, down
