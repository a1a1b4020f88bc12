"""From cells to the arrays of the graph, in Python: what says how a graph is built.

Where the package was compiled, native/graph does the same thirty times as fast, and tests compare the two bit for bit.
"""

from __future__ import annotations

from array import array
from itertools import accumulate, chain, compress
from typing import TYPE_CHECKING, NamedTuple

from kakehashi.puzzle.model import UNKNOWN_CLUE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kakehashi.puzzle.model import Puzzle

SLICE = 0x2000
"""The caller may look at its clock every 8,192 islands or channels: some ten milliseconds."""

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
    cols, cells = puzzle.cols, puzzle.cells
    look()
    places = list(compress(range(len(cells)), cells))
    island_row: list[int] = []
    island_col: list[int] = []
    for some in _slices(len(places)):
        look()
        island_row += [place // cols for place in places[some]]
        island_col += [place % cols for place in places[some]]
    channel_a: list[int] = []
    channel_b: list[int] = []
    vertical = bytearray()
    neighbours = [-1] * (4 * len(places))
    above = [-1] * cols
    previous_row = -1
    e = 0
    for i, row in enumerate(island_row):
        if not i % SLICE:
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
    crossing_start, crossing = _crossings(cols, e, island_col, neighbours, look)
    clue_least, clue_most = _clue_ranges(puzzle, neighbours)
    return Arrays(
        _packed(island_row, look),
        _packed(island_col, look),
        clue_least,
        clue_most,
        _packed(channel_a, look),
        _packed(channel_b, look),
        _packed(vertical, look),
        _packed(neighbours, look),
        crossing_start,
        crossing,
    )


def _slices(count: int) -> Iterator[slice]:
    return (slice(start, start + SLICE) for start in range(0, count, SLICE))


def _packed(numbers: Sequence[int], look: Callable[[], object]) -> array[int]:
    packed = array("i")
    for some in _slices(len(numbers)):
        look()
        packed.fromlist(list(numbers[some]))
    return packed


def _crossings(
    cols: int, channels: int, island_col: list[int], neighbours: list[int], look: Callable[[], object]
) -> tuple[array[int], array[int]]:
    """The channels that share a cell with each channel, as a compressed list.

    The islands are walked over again, with the channel that hangs down into the present row in each column at hand.
    """
    crossed: list[list[int]] = []
    for some in _slices(channels):
        look()
        crossed += [[] for _ in range(channels)[some]]
    hanging = [-1] * cols
    for i, (col, east, south) in enumerate(zip(island_col, neighbours[EAST::4], neighbours[SOUTH::4], strict=True)):
        if not i % SLICE:
            look()
        hanging[col] = south
        if east >= 0:
            for down in hanging[col + 1 : island_col[i + 1]]:
                if down >= 0:
                    crossed[east].append(down)
                    crossed[down].append(east)
    lengths: list[int] = []
    flat = array("i")
    for some in _slices(channels):
        look()
        lengths += map(len, crossed[some])
        flat.extend(chain.from_iterable(crossed[some]))
    return array("i", accumulate(lengths, initial=0)), flat


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
