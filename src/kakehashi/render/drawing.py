"""What there is to see of a puzzle and an answer, counted in cells: the one description behind SVG and PNG.

An answer may be partial, or wrong: whatever lies on the board in a row or a column is drawn. The lengths that both have
in common stand here too, in units of which a cell has `PITCH`.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from kakehashi.puzzle import MAX_BRIDGES, MOST_BRIDGES, UNKNOWN_CLUE, Solution, clue_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kakehashi.puzzle import Bridge, Cell, Puzzle, Violation

PITCH = 48
"""Units from one cell to the next."""

MARGIN = 8
"""Units around the board."""

RADIUS, OUTLINE = 18, 3
"""Of an island: touching ones leave 9 units for their bridges to be seen in."""

DOT = 4
"""Diameter of a dot of water."""

BRIDGE = 4
"""Width of one stroke."""

STEPS = {1: 0, 2: 12, 3: 10, 4: 8}
"""From the middle of one stroke to the middle of the next, by the number of strokes."""

DASH, GAP = 10, 6
"""Of the strokes of a wrong channel, so that not the colour alone tells."""

CROSS = 8
"""Half the side of the cross that marks a violation where no island is."""


class Look(enum.StrEnum):
    """How an island or a channel stands out."""

    PLAIN = "plain"
    DONE = "done"
    """An island that has its bridges, in an answer where others have not."""
    WRONG = "wrong"


class Disc(NamedTuple):
    """An island."""

    row: int
    col: int
    text: str
    look: Look


class Channel(NamedTuple):
    """Bridges from one island to another, `strokes` beside each other."""

    start: Cell
    end: Cell
    strokes: int
    look: Look

    @property
    def across(self) -> bool:
        """Whether it lies in a row."""
        return self.start[0] == self.end[0]


class Water(NamedTuple):
    """A run of cells in one row that hold neither an island nor a bridge, `last` included."""

    row: int
    first: int
    last: int


@dataclass(frozen=True)
class Drawing:
    """A board to draw.

    Attributes:
        rows, cols: its size in cells.
        title: what it is, for those who do not see it.
        description: what is on it, likewise.
        water: open water, to be dotted.
        channels: bridges, below the islands.
        discs: the islands.
        crosses: cells where a violation is and no island.
    """

    rows: int
    cols: int
    title: str
    description: str
    water: list[Water]
    channels: list[Channel]
    discs: list[Disc]
    crosses: list[tuple[int, int]]

    @property
    def width(self) -> int:
        """In units."""
        return self.cols * PITCH + 2 * MARGIN

    @property
    def height(self) -> int:
        """In units."""
        return self.rows * PITCH + 2 * MARGIN

    def cell_for(self, target: int, least: int, most: int) -> int:
        """The even number of pixels for a cell with which the longer side is about `target` pixels."""
        return max(least, min(most, target // max(self.rows, self.cols))) // 2 * 2


def drawing(
    puzzle: Puzzle,
    answer: Solution | Iterable[Bridge] | None = None,
    *,
    violations: Iterable[Violation] = (),
    title: str | None = None,
) -> Drawing:
    """Describe a board.

    Args:
        puzzle: the clues.
        answer: the bridges to draw, right or not, all or some; None draws the clues alone.
        violations: what the checker says of them: islands, bridges and cells to mark.
        title: by default its size.
    """
    bridges = answer.bridges if isinstance(answer, Solution) else answer or ()
    laid = _on_board(puzzle, bridges)
    faults = _faults(puzzle, violations)
    size = f"{puzzle.rows} x {puzzle.cols}"
    return Drawing(
        rows=puzzle.rows,
        cols=puzzle.cols,
        title=_printable(title) if title else f"Bridges puzzle, {size}" + (", with bridges" if laid else ""),
        description=_description(puzzle, laid.values()),
        water=_water(puzzle, laid),
        channels=[
            Channel(start, end, min(count, MOST_BRIDGES), _channel_look(puzzle, start, end, count, faults))
            for (start, end), count in laid.items()
        ],
        discs=_discs(puzzle, laid, faults),
        crosses=[
            divmod(at, puzzle.cols)
            for at, (fault, cell) in enumerate(zip(faults, puzzle.cells, strict=True))
            if fault and not cell
        ]
        if faults
        else [],
    )


_Laid = dict[tuple["Cell", "Cell"], int]


def _on_board(puzzle: Puzzle, bridges: Iterable[Bridge]) -> _Laid:
    """The bridges that can be drawn, ends in row-major order, those of one channel added up."""
    rows, cols = puzzle.rows, puzzle.cols
    laid: _Laid = {}
    for start, end, count in bridges:
        if end < start:
            start, end = end, start  # noqa: PLW2901 - the ends put in order
        (r1, c1), (r2, c2) = start, end
        if (r1 == r2) != (c1 == c2) and r1 >= 0 and r2 < rows and c1 >= 0 and c2 < cols and count > 0:
            laid[start, end] = laid.get((start, end), 0) + count
    return laid


def _faults(puzzle: Puzzle, violations: Iterable[Violation]) -> bytearray:
    """A byte for each cell of the board, 1 where a violation is; empty when there is none."""
    rows, cols = puzzle.rows, puzzle.cols
    places = {row * cols + col for _, (row, col), _ in violations if 0 <= row < rows and 0 <= col < cols}
    board = bytearray(rows * cols if places else 0)
    for place in places:
        board[place] = 1
    return board


def _discs(puzzle: Puzzle, laid: _Laid, faults: bytearray) -> list[Disc]:
    degree: dict[tuple[int, int], int] = {}
    for (start, end), count in laid.items():
        degree[start] = degree.get(start, 0) + count
        degree[end] = degree.get(end, 0) + count
    islands = puzzle.islands
    done = [
        has == clue or (clue == UNKNOWN_CLUE and has > 0)
        for (row, col, clue) in islands
        for has in (degree.get((row, col), 0),)
    ]
    finished = Look.PLAIN if all(done) else Look.DONE  # where every island is done, a mark says nothing
    return [
        Disc(
            row,
            col,
            clue_text(clue),
            Look.WRONG if faults and faults[row * puzzle.cols + col] else finished if is_done else Look.PLAIN,
        )
        for (row, col, clue), is_done in zip(islands, done, strict=True)
    ]


def _channel_look(puzzle: Puzzle, start: Cell, end: Cell, count: int, faults: bytearray) -> Look:
    """Wrong is a channel with too many bridges, with an end in the water, or with a violation between its ends."""
    if not faults:
        return Look.PLAIN
    cols = puzzle.cols
    first, last = start[0] * cols + start[1], end[0] * cols + end[1]
    step = 1 if start[0] == end[0] else cols
    between = any(faults[first + step : last : step])
    loose = not (puzzle.cells[first] and puzzle.cells[last])
    return Look.WRONG if between or loose or count > puzzle.max_bridges else Look.PLAIN


def _water(puzzle: Puzzle, laid: Iterable[tuple[Cell, Cell]]) -> list[Water]:
    cols = puzzle.cols
    taken = bytearray(puzzle.cells)
    for (r1, c1), (r2, c2) in laid:
        first, last = r1 * cols + c1, r2 * cols + c2
        step = 1 if r1 == r2 else cols
        taken[first:last:step] = b"\x01" * len(range(first, last, step))
    return [
        Water(row, run.start(), run.end() - 1)
        for row in range(puzzle.rows)
        for run in _OPEN.finditer(taken[row * cols : (row + 1) * cols])
    ]


_OPEN = re.compile(rb"\x00+")


def _printable(text: str) -> str:
    """The text with what neither XML nor PNG can hold (control characters, halves of surrogate pairs) replaced."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def _description(puzzle: Puzzle, counts: Iterable[int]) -> str:
    parts = [f"{puzzle.island_count} islands" if puzzle.island_count > 1 else "1 island"]
    if puzzle.max_bridges != MAX_BRIDGES:
        parts.append(f"at most {puzzle.max_bridges} bridges in a channel")
    if not puzzle.loops:
        parts.append("no loops")
    amounts: dict[int, int] = {}
    for count in counts:
        amounts[count] = amounts.get(count, 0) + 1
    parts += [
        f"{'single' if count == 1 else 'double' if count == 2 else f'{count}-fold'} bridges: {amounts[count]}"
        for count in sorted(amounts)
    ]
    return "; ".join(parts)
