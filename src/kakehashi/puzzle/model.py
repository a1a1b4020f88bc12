"""The puzzle and what can be said of it: clues, rules, bridges, solutions, verdicts."""

from __future__ import annotations

import enum
import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from kakehashi.errors import KakehashiError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kakehashi.puzzle.graph import Graph

MAX_CLUE = 8
"""The largest clue of the classic rules: two bridges to each of four sides."""

MAX_BRIDGES = 2
"""The most bridges that run in one channel."""

MAX_SIDE = 1000
"""The most rows, and the most columns, that a board may have unless a setting says otherwise."""


class Verdict(enum.StrEnum):
    """What is known of the puzzle."""

    SOLVED = "solved"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


class Termination(enum.StrEnum):
    """Why the work on a puzzle ended."""

    COMPLETED = "completed"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    CANCELLED = "cancelled"
    INVALID_INPUT = "invalid_input"


class Uniqueness(enum.StrEnum):
    """Whether the solution is the only one."""

    UNIQUE = "unique"
    MULTIPLE = "multiple"
    UNCHECKED = "unchecked"
    UNKNOWN = "unknown"


class Touching(enum.StrEnum):
    """What to make of two islands that share an edge, which the classic rules forbid and real collections have."""

    JOIN = "join"
    """They may be bridged by a channel of length zero, which an answer grid cannot show."""
    REJECT = "reject"
    """Such a puzzle is invalid input."""


class InvalidPuzzle(KakehashiError, ValueError):
    """The clues make no puzzle: no island at all, a clue outside 1..8, ragged rows, touching islands under `reject`."""


class Cell(NamedTuple):
    """A place on the board, 0-based."""

    row: int
    col: int


class Island(NamedTuple):
    """A numbered cell; its clue is the number of bridges that end there."""

    row: int
    col: int
    clue: int


class Bridge(NamedTuple):
    """`count` bridges (1 or 2) between two islands; `start` comes before `end` in row-major order."""

    start: Cell
    end: Cell
    count: int  # type: ignore[assignment]  # the design's word; nobody counts the items of a bridge


@dataclass(frozen=True)
class Puzzle:
    """A board of clues.

    `cells` holds one byte for each cell in row-major order: 0 for water, 1..8 for an island. Two puzzles are equal when
    their size, cells and policy for touching islands are.

    Raises:
        InvalidPuzzle: there is no island, a clue is outside 1..8, the size does not fit the cells, or islands touch
            under `Touching.REJECT`.
    """

    rows: int
    cols: int
    cells: bytes
    touching: Touching = Touching.JOIN

    def __post_init__(self) -> None:
        if self.rows < 1 or self.cols < 1 or len(self.cells) != self.rows * self.cols:
            raise InvalidPuzzle(f"{len(self.cells)} cells do not make a board of {self.rows} x {self.cols}")
        too_large = re.search(rb"[^\x00-\x08]", self.cells)
        if too_large:
            row, col = divmod(too_large.start(), self.cols)
            clue = self.cells[too_large.start()]
            raise InvalidPuzzle(f"the clue {clue} at row {row + 1}, column {col + 1} is not in 1..{MAX_CLUE}")
        if not any(self.cells):
            raise InvalidPuzzle("there is no island on the board")
        if self.touching is Touching.REJECT:
            pair = self.first_touching_pair
            if pair is not None:
                (r1, c1), (r2, c2) = pair
                raise InvalidPuzzle(
                    f"the islands at row {r1 + 1}, column {c1 + 1} and row {r2 + 1}, column {c2 + 1} touch, "
                    "which the policy `reject` forbids (use `join` to let them be bridged)"
                )

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[int]], touching: Touching = Touching.JOIN) -> Puzzle:
        """Build a puzzle from rows of clues (0 = water).

        Raises:
            InvalidPuzzle: as above, or the rows differ in length.
        """
        if not rows or not rows[0]:
            raise InvalidPuzzle("there are no cells")
        cols = len(rows[0])
        for r, row in enumerate(rows):
            if len(row) != cols:
                raise InvalidPuzzle(f"row {r + 1} has {len(row)} cells where row 1 has {cols}")
            for c, clue in enumerate(row):
                if not 0 <= clue <= MAX_CLUE:
                    raise InvalidPuzzle(f"the clue {clue} at row {r + 1}, column {c + 1} is not in 1..{MAX_CLUE}")
        return cls(len(rows), cols, b"".join(map(bytes, rows)), touching)

    def to_rows(self) -> list[list[int]]:
        """Rows of clues, 0 for water."""
        cols = self.cols
        return [list(self.cells[start : start + cols]) for start in range(0, len(self.cells), cols)]

    @cached_property
    def islands(self) -> tuple[Island, ...]:
        """The islands in row-major order."""
        cols, cells = self.cols, self.cells
        places = (found.start() for found in re.finditer(rb"[^\x00]", cells))
        return tuple(Island(place // cols, place % cols, cells[place]) for place in places)

    @property
    def island_count(self) -> int:
        """How many islands there are; counted without making them."""
        return len(self.cells) - self.cells.count(0)

    @cached_property
    def first_touching_pair(self) -> tuple[Cell, Cell] | None:
        """Two islands that share an edge, or None."""
        cols, cells = self.cols, self.cells
        for row, col, _ in self.islands:
            place = row * cols + col
            if col + 1 < cols and cells[place + 1]:
                return Cell(row, col), Cell(row, col + 1)
            if row + 1 < self.rows and cells[place + cols]:
                return Cell(row, col), Cell(row + 1, col)
        return None

    @cached_property
    def graph(self) -> Graph:
        """The islands and channels as flat arrays: what the solver works on."""
        return self.graph_while(lambda: None)

    def graph_while(self, look: Callable[[], object]) -> Graph:
        """The graph; `look` is called now and then while it is built, and ends that by raising.

        A board of 100,000 islands takes half a second, in which a deadline may pass.
        """
        built: Graph | None = self.__dict__.get("graph")
        if built is None:
            from kakehashi.puzzle.graph import Graph

            built = self.__dict__["graph"] = Graph.of(self, look)
        return built

    @property
    def digest(self) -> bytes:
        """16 bytes that name this puzzle: equal puzzles have equal digests (BLAKE2b over size, policy and cells)."""
        head = f"{self.rows} {self.cols} {self.touching}\n".encode()
        return hashlib.blake2b(head + self.cells, digest_size=16).digest()


@dataclass(frozen=True)
class Solution:
    """The value of every channel of a puzzle: `values[e]` bridges (0, 1, 2) in channel `e` of `puzzle.graph`.

    The answer grid is only a picture of it (`kakehashi.puzzle.answer_grid`).
    """

    puzzle: Puzzle
    values: bytes

    @cached_property
    def bridges(self) -> tuple[Bridge, ...]:
        """The channels that carry bridges, in the graph's order."""
        graph = self.puzzle.graph
        cells = list(map(Cell, graph.island_row, graph.island_col))
        return tuple(
            Bridge(cells[a], cells[b], count)
            for a, b, count in zip(graph.channel_a, graph.channel_b, self.values, strict=True)
            if count
        )

    @cached_property
    def grid(self) -> list[list[int]]:
        """The answer grid: clues, 0 for water, -1 / -2 one horizontal / vertical bridge, -3 / -4 two."""
        from kakehashi.puzzle.answer_grid import encode

        return encode(self.puzzle, self.bridges)

    @property
    def hidden_bridges(self) -> int:
        """How many channels with bridges have no cell between their islands, so that no grid can show them."""
        return sum(1 for start, end, _ in self.bridges if (end.row - start.row) + (end.col - start.col) == 1)


def bridge_between(first: Iterable[int], second: Iterable[int], count: int) -> Bridge:
    """A bridge with its ends put in row-major order."""
    start, end = sorted((Cell(*first), Cell(*second)))
    return Bridge(start, end, count)
