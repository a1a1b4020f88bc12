"""The graph of a puzzle as flat integer arrays: islands, channels, neighbours, crossings.

`array('i')` everywhere: the standard library's, readable through the buffer protocol, so that a compiled engine takes
the arrays as they are.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from kakehashi.puzzle.graph_builder import EAST, NORTH, SOUTH, WEST, Arrays, build
from kakehashi.puzzle.model import MAX_BRIDGES

if TYPE_CHECKING:
    from collections.abc import Callable

    from kakehashi.puzzle.model import Puzzle

__all__ = ["EAST", "NORTH", "SOUTH", "WEST", "Graph"]


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
        """Build the graph, with the compiled builder where there is one.

        `look` is called now and then, about every ten milliseconds; what it raises ends the building.
        """
        compiled = _compiled()
        arrays = build(puzzle, look) if compiled is None else compiled(puzzle, look)
        return cls(*arrays, puzzle.max_bridges, puzzle.loops)


@cache
def _compiled() -> Callable[[Puzzle, Callable[[], object]], Arrays] | None:
    """`graph_builder.build` in C++; None where the package was built without a compiler."""
    try:
        from kakehashi.puzzle import _graph
    except ImportError:
        return None

    def build_compiled(puzzle: Puzzle, look: Callable[[], object]) -> Arrays:
        built = _graph.build(puzzle.cells, puzzle.rows, puzzle.cols, puzzle.max_bridges, look)
        row, col, least, most, *channels = built
        clue_least = array("i", least)
        clue_most = clue_least if most is None else array("i", most)
        return Arrays(array("i", row), array("i", col), clue_least, clue_most, *(array("i", part) for part in channels))

    return build_compiled
