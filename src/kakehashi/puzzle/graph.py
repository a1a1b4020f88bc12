"""The graph of a puzzle as flat integer arrays: islands, channels, neighbours, crossings.

`array('i')` everywhere: the standard library's, readable through the buffer protocol, so that a compiled engine takes
the arrays as they are.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kakehashi.puzzle.model import MAX_BRIDGES, UNKNOWN_CLUE

if TYPE_CHECKING:
    from collections.abc import Callable

    from kakehashi.puzzle.model import Puzzle

LOOK_MASK = 0x7FF
"""The caller may look at its clock every 2,048 islands or channels: some ten milliseconds."""

NORTH, EAST, SOUTH, WEST = range(4)


@dataclass(frozen=True, eq=False)
class Graph:
    """Islands in row-major order (n of them), the channels between them (m), and the bounds that the rules set.

    Channel `e` joins `channel_a[e] < channel_b[e]`. Channels are numbered in the order in which a row-major walk over
    the islands meets their second end, the western channel of an island before its northern one. Stored solutions rely
    on this order: it must never change.

    Attributes:
        island_row, island_col: length n.
        clue_least, clue_most: length n, the fewest and the most bridges of an island. One and the same array where
            every island has a number; an island without one has 1 to as many as its channels can carry.
        channel_a, channel_b: length m, island indices.
        vertical: length m, 1 for a channel in a column, 0 in a row.
        neighbours: length 4n; `neighbours[4 * i + side]` is the channel of island `i` at side NORTH, EAST, SOUTH or
            WEST, or -1.
        crossing_start, crossing: compressed list; the channels that share a cell with channel `e` are
            `crossing[crossing_start[e] : crossing_start[e + 1]]`.
        capacity: the most bridges that a channel may carry.
        loops: False when the channels that carry bridges must form a tree.
    """

    island_row: array[int]
    island_col: array[int]
    clue_least: array[int]
    clue_most: array[int]
    channel_a: array[int]
    channel_b: array[int]
    vertical: array[int]
    neighbours: array[int]
    crossing_start: array[int]
    crossing: array[int]
    capacity: int = MAX_BRIDGES
    loops: bool = True

    @property
    def n(self) -> int:
        """The number of islands."""
        return len(self.island_row)

    @property
    def m(self) -> int:
        """The number of channels."""
        return len(self.channel_a)

    @property
    def has_exact_clues(self) -> bool:
        """Whether every island has a number."""
        return self.clue_least is self.clue_most

    @classmethod
    def of(cls, puzzle: Puzzle, look: Callable[[], object] = lambda: None) -> Graph:
        """Build the graph: one walk over the islands, one over the cells of vertical and of horizontal channels.

        `look` is called every few thousand steps; what it raises ends the building.
        """
        cols, cells = puzzle.cols, puzzle.cells
        island_row, island_col, clue = array("i"), array("i"), array("i")
        channel_a, channel_b, vertical = array("i"), array("i"), array("i")
        neighbours = array("i", [-1]) * (4 * puzzle.island_count)
        above = [-1] * puzzle.cols
        previous, previous_row = -1, -1
        for i, found in enumerate(re.finditer(rb"[^\x00]", cells)):
            if not i & LOOK_MASK:
                look()
            place = found.start()
            row, col = divmod(place, cols)
            island_row.append(row)
            island_col.append(col)
            clue.append(cells[place])
            if row == previous_row:
                neighbours[4 * previous + EAST] = neighbours[4 * i + WEST] = len(channel_a)
                channel_a.append(previous)
                channel_b.append(i)
                vertical.append(0)
            north = above[col]
            if north >= 0:
                neighbours[4 * north + SOUTH] = neighbours[4 * i + NORTH] = len(channel_a)
                channel_a.append(north)
                channel_b.append(i)
                vertical.append(1)
            above[col] = i
            previous, previous_row = i, row
        crossing_start, crossing = _crossings(cols, island_row, island_col, channel_a, channel_b, vertical, look)
        clue_least, clue_most = _clue_ranges(puzzle, clue, neighbours)
        return cls(
            island_row, island_col, clue_least, clue_most, channel_a, channel_b, vertical, neighbours, crossing_start,
            crossing, puzzle.max_bridges, puzzle.loops,
        )  # fmt: skip


def _clue_ranges(puzzle: Puzzle, clue: array[int], neighbours: array[int]) -> tuple[array[int], array[int]]:
    """The fewest and the most bridges of each island."""
    if not puzzle.has_unknown_clues:
        return clue, clue
    least, most = array("i", clue), array("i", clue)
    for i, given in enumerate(clue):
        if given == UNKNOWN_CLUE:
            least[i] = 1
            most[i] = puzzle.max_bridges * sum(e >= 0 for e in neighbours[4 * i : 4 * i + 4])
    return least, most


def _crossings(
    cols: int,
    island_row: array[int],
    island_col: array[int],
    channel_a: array[int],
    channel_b: array[int],
    vertical: array[int],
    look: Callable[[], object],
) -> tuple[array[int], array[int]]:
    """The pairs of channels that share a cell, as a compressed list; each pair stands at both of its channels."""
    over: dict[int, int] = {}  # cell -> the vertical channel over it: sparse, since most cells of a big board have none
    for e, is_vertical in enumerate(vertical):
        if not e & LOOK_MASK:
            look()
        if is_vertical:
            a, b = channel_a[e], channel_b[e]
            col = island_col[a]
            for cell in range((island_row[a] + 1) * cols + col, island_row[b] * cols + col, cols):
                over[cell] = e
    crossed: list[list[int]] = [[] for _ in channel_a]
    for e, is_vertical in enumerate(vertical):
        if not e & LOOK_MASK:
            look()
        if not is_vertical:
            a, b = channel_a[e], channel_b[e]
            base = island_row[a] * cols
            for cell in range(base + island_col[a] + 1, base + island_col[b]):
                other = over.get(cell)
                if other is not None:
                    crossed[e].append(other)
                    crossed[other].append(e)
    start, flat = array("i", [0]), array("i")
    for others in crossed:
        flat.extend(others)
        start.append(len(flat))
    return start, flat
