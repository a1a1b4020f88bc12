"""The puzzle and what can be said of it: clues, rules, bridges, solutions, verdicts."""

from __future__ import annotations

import enum
import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from kakehashi.errors import KakehashiError, UsageError

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable, Sequence

    from kakehashi.puzzle.graph import Graph

MAX_BRIDGES = 2
"""The most bridges in one channel under the classic rules."""

MOST_BRIDGES = 4
"""The most bridges in one channel that a variant may allow."""

SIDES = 4
"""An island has channels to at most so many sides."""

MAX_CLUE = SIDES * MAX_BRIDGES
"""The largest clue of the classic rules: two bridges to each of four sides."""

UNKNOWN_CLUE = 0xFF
"""Stands in a cell for an island without a number, which has one bridge at least; written `?`."""

CLASSIC = "classic"
"""The name of the classic rules."""

MAX_SIDE = 1000
"""The most rows, and the most columns, that a board may have unless a setting says otherwise."""


def largest_clue(max_bridges: int) -> int:
    """The largest clue that is one where a channel carries at most so many bridges.

    1..8 are clues under all rules: a 7 where each channel carries one bridge has no solution, and is no bad input.
    """
    return max(MAX_CLUE, SIDES * max_bridges)


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


class Confirm(enum.StrEnum):
    """What a second engine, which shares no code with the first, has to confirm."""

    NONE = "none"
    AUTO = "auto"
    """Every proof that there is no solution, and one in a hundred that there is no other one."""
    ALL = "all"
    """Every verdict that an engine gave."""

    @classmethod
    def parse(cls, text: str) -> Confirm:
        """From its word.

        Raises:
            UsageError: there is no such word.
        """
        try:
            return cls(text)
        except ValueError:
            raise UsageError(f"{text!r} is not one of {', '.join(cls)}") from None


class Touching(enum.StrEnum):
    """What to make of two islands that share an edge, which the classic rules forbid and real collections have."""

    JOIN = "join"
    """They may be bridged by a channel of length zero, which an answer grid cannot show."""
    REJECT = "reject"
    """Such a puzzle is invalid input."""


class InvalidPuzzle(KakehashiError, ValueError):
    """The clues make no puzzle: no island at all, a clue out of range, ragged rows, touching islands under `reject`."""


class Cell(NamedTuple):
    """A place on the board, 0-based."""

    row: int
    col: int


class Island(NamedTuple):
    """A numbered cell; its clue is the number of bridges that end there, or `UNKNOWN_CLUE`."""

    row: int
    col: int
    clue: int


class Bridge(NamedTuple):
    """`count` bridges between two islands; `start` comes before `end` in row-major order."""

    start: Cell
    end: Cell
    count: int  # type: ignore[assignment]  # the design's word; nobody counts the items of a bridge


class LaidBridges(NamedTuple):
    """Bridges as flat arrays: `counts[k]` of them lead from place `first[k]` to place `last[k]`.

    Place p is the cell (`row[p]`, `col[p]`). A count of 0 is no bridge.
    """

    row: array[int]
    col: array[int]
    first: array[int]
    last: array[int]
    counts: bytes


@dataclass(frozen=True)
class Puzzle:
    """A board of clues, and the rules for it.

    Attributes:
        rows, cols: the size of the board.
        cells: one byte for each cell in row-major order: 0 for water, 1..`max_clue` for an island with this clue,
            `UNKNOWN_CLUE` for an island without a number, which has one bridge at least.
        touching: what to make of islands that share an edge.
        max_bridges: the most bridges that one channel may carry, 1 to 4.
        loops: False when the channels that carry bridges must form a tree.

    Raises:
        InvalidPuzzle: there is no island, a clue is out of range, the size does not fit the cells, or islands touch
            under `Touching.REJECT`.
    """

    rows: int
    cols: int
    cells: bytes
    touching: Touching = Touching.JOIN
    max_bridges: int = MAX_BRIDGES
    loops: bool = True

    def __post_init__(self) -> None:
        _check_most(self.max_bridges)
        if self.rows < 1 or self.cols < 1 or len(self.cells) != self.rows * self.cols:
            raise InvalidPuzzle(f"{len(self.cells)} cells do not make a board of {self.rows} x {self.cols}")
        too_large = re.search(_OUT_OF_RANGE[self.max_bridges], self.cells)
        if too_large:
            row, col = divmod(too_large.start(), self.cols)
            raise _not_in_range(self.cells[too_large.start()], row, col, self.max_bridges)
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
    def from_rows(
        cls,
        rows: Sequence[Sequence[int]],
        touching: Touching = Touching.JOIN,
        *,
        max_bridges: int = MAX_BRIDGES,
        loops: bool = True,
    ) -> Puzzle:
        """Build a puzzle from rows of clues (0 = water, `UNKNOWN_CLUE` = an island without a number).

        Raises:
            InvalidPuzzle: as above, or the rows differ in length.
        """
        _check_most(max_bridges)
        if not rows or not rows[0]:
            raise InvalidPuzzle("there are no cells")
        cols = len(rows[0])
        for r, row in enumerate(rows):
            if len(row) != cols:
                raise InvalidPuzzle(f"row {r + 1} has {len(row)} cells where row 1 has {cols}")
            for c, clue in enumerate(row):
                if not (0 <= clue <= largest_clue(max_bridges) or clue == UNKNOWN_CLUE):
                    raise _not_in_range(clue, r, c, max_bridges)
        return cls(len(rows), cols, b"".join(map(bytes, rows)), touching, max_bridges, loops)

    def to_rows(self) -> list[list[int]]:
        """Rows of clues, 0 for water, `UNKNOWN_CLUE` for an island without a number."""
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
    def max_clue(self) -> int:
        """The largest clue that the rules allow."""
        return largest_clue(self.max_bridges)

    @cached_property
    def has_unknown_clues(self) -> bool:
        """Whether there is an island without a number."""
        return UNKNOWN_CLUE in self.cells

    @property
    def variant(self) -> str:
        """The rules in short: `classic`; or `m1`, `m3`, `m4` for the most bridges in a channel, `L` for no loops."""
        if self.max_bridges == MAX_BRIDGES and self.loops:
            return CLASSIC
        return ("" if self.max_bridges == MAX_BRIDGES else f"m{self.max_bridges}") + ("" if self.loops else "L")

    @property
    def digest(self) -> bytes:
        """16 bytes that name this puzzle: equal puzzles have equal digests (BLAKE2b over size, rules and cells)."""
        return puzzle_digest(self.rows, self.cols, self.cells, self.touching, self.variant)

    def _repr_svg_(self) -> str:
        """The picture that a notebook shows (https://ipython.readthedocs.io/en/stable/config/integrating.html)."""
        from kakehashi.render import render

        return render(self, format="svg", theme="auto")


@dataclass(frozen=True)
class Solution:
    """The value of every channel of a puzzle: `values[e]` bridges in channel `e` of `puzzle.graph`.

    The answer grid is only a picture of it (`kakehashi.puzzle.answer_grid`).
    """

    puzzle: Puzzle
    values: bytes

    @property
    def laid(self) -> LaidBridges:
        """The bridges as flat arrays, nothing copied."""
        graph = self.puzzle.graph
        return LaidBridges(graph.island_row, graph.island_col, graph.channel_a, graph.channel_b, self.values)

    @cached_property
    def bridges(self) -> tuple[Bridge, ...]:
        """The channels that carry bridges, in the graph's order."""
        row, col, first, last, counts = self.laid
        new = tuple.__new__  # half the time that calling the class takes, and there are hundreds of them
        cells = [new(Cell, place) for place in zip(row, col, strict=True)]
        return tuple(
            [new(Bridge, (cells[a], cells[b], count)) for a, b, count in zip(first, last, counts, strict=True) if count]
        )

    @cached_property
    def grid(self) -> list[list[int]] | None:
        """The answer grid: clues, 0 for water, -1 / -2 one horizontal / vertical bridge, -3 / -4 two.

        None when a channel carries more than two, for which there are no symbols: then the bridges are the answer.
        """
        from kakehashi.puzzle.answer_grid import encode

        return None if max(self.values, default=0) > MAX_BRIDGES else encode(self.puzzle, self.bridges)

    @property
    def hidden_bridges(self) -> int:
        """How many channels with bridges have no cell between their islands, so that no grid can show them."""
        return sum(1 for start, end, _ in self.bridges if (end.row - start.row) + (end.col - start.col) == 1)

    def _repr_svg_(self) -> str:
        """The picture that a notebook shows."""
        from kakehashi.render import render

        return render(self, format="svg", theme="auto")


def rules_of(variant: str) -> tuple[int, bool]:
    """The `max_bridges` and `loops` of the puzzles with this `Puzzle.variant`.

    Raises:
        ValueError: it names no rules that are known here.
    """
    found = re.fullmatch(r"(?:m([1-4]))?(L)?", "" if variant == CLASSIC else variant)
    if found is None:
        raise ValueError(f"unknown rules {variant!r}: they were written by a newer version")
    return int(found[1] or MAX_BRIDGES), found[2] is None


def puzzle_digest(rows: int, cols: int, cells: bytes, touching: Touching, variant: str) -> bytes:
    """`Puzzle.digest` of a puzzle that need not be made for it."""
    rules = str(touching) if variant == CLASSIC else f"{touching} {variant}"
    return hashlib.blake2b(f"{rows} {cols} {rules}\n".encode() + cells, digest_size=16).digest()


def clue_text(clue: int) -> str:
    """A clue as it is written: its number, or `?`."""
    return "?" if clue == UNKNOWN_CLUE else str(clue)


_OUT_OF_RANGE = {
    most: re.compile(rb"[^\x00-\x%02x\xff]" % largest_clue(most)) for most in range(1, MOST_BRIDGES + 1)
}  # fmt: skip
"""What is no cell, by the most bridges in a channel."""


def _check_most(max_bridges: int) -> None:
    if not 1 <= max_bridges <= MOST_BRIDGES:
        raise InvalidPuzzle(f"a channel carries at most 1 to {MOST_BRIDGES} bridges, not {max_bridges}")


def _not_in_range(clue: int, row: int, col: int, max_bridges: int) -> InvalidPuzzle:
    message = f"the clue {clue} at row {row + 1}, column {col + 1} is not in 1..{largest_clue(max_bridges)}"
    if max_bridges != MAX_BRIDGES:
        message += f" (at most {max_bridges} in a channel)"
    return InvalidPuzzle(message)


def bridge_between(first: Iterable[int], second: Iterable[int], count: int) -> Bridge:
    """A bridge with its ends put in row-major order."""
    start, end = sorted((Cell(*first), Cell(*second)))
    return Bridge(start, end, count)
