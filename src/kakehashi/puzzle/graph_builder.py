"""From cells to the arrays of the graph, in Python: what says how a graph is built.

Where the package was compiled, native/graph does the same thirty times as fast, and tests compare the two bit for bit.
"""

from __future__ import annotations

from array import array
from itertools import accumulate, chain, compress
from typing import TYPE_CHECKING, NamedTuple

from kakehashi.puzzle.model import UNKNOWN_CLUE

if TYPE_CHECKING:
    from collections.abc import Callable

    from kakehashi.puzzle.model import Puzzle

LOOK_MASK = 0x7FF
"""The caller may look at its clock every 2,048 islands or channels: some ten milliseconds."""

NORTH, EAST, SOUTH, WEST = range(4)


class Arrays(NamedTuple):
    """The arrays of `kakehashi.puzzle.graph.Graph`, which explains them, in its order."""

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


def build(puzzle: Puzzle, look: Callable[[], object]) -> Arrays:
    """Build the arrays: one walk over the islands, and one over the cells of horizontal channels.

    `look` is called every few thousand steps; what it raises ends the building. Plain lists in the loops: they are the
    fastest that the standard library has.
    """
    look()
    cols, cells = puzzle.cols, puzzle.cells
    places = list(compress(range(len(cells)), cells))
    look()
    island_row = [place // cols for place in places]
    look()
    island_col = [place % cols for place in places]
    channel_a: list[int] = []
    channel_b: list[int] = []
    vertical = bytearray()
    neighbours = [-1] * (4 * len(places))
    above = [-1] * cols
    previous_row = -1
    e = 0
    for i, row in enumerate(island_row):
        if not i & LOOK_MASK:
            look()
        if row == previous_row:
            neighbours[4 * i - 4 + EAST] = neighbours[4 * i + WEST] = e
            channel_a.append(i - 1)
            channel_b.append(i)
            vertical.append(0)
            e += 1
        col = island_col[i]
        north = above[col]
        if north >= 0:
            neighbours[4 * north + SOUTH] = neighbours[4 * i + NORTH] = e
            channel_a.append(north)
            channel_b.append(i)
            vertical.append(1)
            e += 1
        above[col] = i
        previous_row = row
    crossed = _crossings(cols, e, island_col, neighbours, look)
    least, most = _clue_ranges(puzzle, neighbours)
    look()
    return Arrays(
        array("i", island_row),
        array("i", island_col),
        least,
        most,
        array("i", channel_a),
        array("i", channel_b),
        array("i", list(vertical)),
        array("i", neighbours),
        array("i", accumulate(map(len, crossed), initial=0)),
        array("i", chain.from_iterable(crossed)),
    )


def _crossings(
    cols: int, channels: int, island_col: list[int], neighbours: list[int], look: Callable[[], object]
) -> list[list[int]]:
    """The channels that share a cell with each channel.

    The islands are walked over again, with the channel that hangs down into the present row in each column at hand.
    """
    crossed: list[list[int]] = [[] for _ in range(channels)]
    hanging = [-1] * cols
    for i, (col, east, south) in enumerate(zip(island_col, neighbours[EAST::4], neighbours[SOUTH::4], strict=True)):
        if not i & LOOK_MASK:
            look()
        hanging[col] = south
        if east >= 0:
            for down in hanging[col + 1 : island_col[i + 1]]:
                if down >= 0:
                    crossed[east].append(down)
                    crossed[down].append(east)
    return crossed


def _clue_ranges(puzzle: Puzzle, neighbours: list[int]) -> tuple[array[int], array[int]]:
    """The fewest and the most bridges of each island."""
    clues = puzzle.cells.translate(None, b"\0")
    least = array("i", list(clues))
    if not puzzle.has_unknown_clues:
        return least, least
    most = array("i", least)
    for i, given in enumerate(clues):
        if given == UNKNOWN_CLUE:
            least[i] = 1
            most[i] = puzzle.max_bridges * sum(e >= 0 for e in neighbours[4 * i : 4 * i + 4])
    return least, most
