"""The eight symmetries of the board: turned and mirrored puzzles are the same puzzle, and so are their answers.

Each symmetry is a transposition or none, then the rows upside down or not, then the columns mirrored or not. On bytes
these are slices: turning by 180 degrees is the reversal of all cells, and mirroring is that after upside down.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from kakehashi.puzzle.model import Bridge, Cell, Puzzle, Solution, bridge_between, puzzle_digest

if TYPE_CHECKING:
    from collections.abc import Iterable


class _Steps(NamedTuple):
    """What is done to a board, one after the other."""

    transpose: bool
    upside_down: bool
    mirror: bool


class Board(NamedTuple):
    """A board without its rules; boards compare by rows, columns and then cells."""

    rows: int
    cols: int
    cells: bytes


class Symmetry(Enum):
    """A way to lay a board onto the table; the words say what happens to the puzzle."""

    IDENTITY = "same"
    TURN_RIGHT = "turned right"
    HALF_TURN = "turned by 180 degrees"
    TURN_LEFT = "turned left"
    MIRROR = "mirrored left to right"
    UPSIDE_DOWN = "mirrored top to bottom"
    TRANSPOSE = "mirrored at the main diagonal"
    ANTITRANSPOSE = "mirrored at the other diagonal"

    @property
    def inverse(self) -> Symmetry:
        """The symmetry that takes it back."""
        transpose, upside_down, mirror = _STEPS[self]
        return _NAMES[_Steps(transpose, mirror, upside_down)] if transpose else self

    def then(self, other: Symmetry) -> Symmetry:
        """This symmetry and the other one after it, as one."""
        first, second = _STEPS[self], _STEPS[other]
        if second.transpose:  # moved to the front of the first one's flips, it swaps them
            return _NAMES[
                _Steps(
                    not first.transpose,
                    first.mirror != second.upside_down,
                    first.upside_down != second.mirror,
                )
            ]
        return _NAMES[
            _Steps(first.transpose, first.upside_down != second.upside_down, first.mirror != second.mirror)
        ]  # fmt: skip

    def cell(self, rows: int, cols: int, cell: Cell) -> Cell:
        """Where a cell of a board of `rows` x `cols` comes to lie."""
        transpose, upside_down, mirror = _STEPS[self]
        row, col = cell
        if transpose:
            row, col, rows, cols = col, row, cols, rows
        return Cell(rows - 1 - row if upside_down else row, cols - 1 - col if mirror else col)

    def board(self, board: Board) -> Board:
        """The cells of a board, laid that way."""
        transpose, upside_down, mirror = _STEPS[self]
        rows, cols, cells = _transposed(board) if transpose else board
        if upside_down != mirror:
            cells = _flipped(cols, cells)
        return Board(rows, cols, cells[::-1] if mirror else cells)

    def puzzle(self, puzzle: Puzzle) -> Puzzle:
        """The puzzle, laid that way, under the same rules."""
        board = self.board(_board_of(puzzle))
        return Puzzle(*board, puzzle.touching, puzzle.max_bridges, puzzle.loops)

    def bridges(self, puzzle: Puzzle, bridges: Iterable[Bridge]) -> tuple[Bridge, ...]:
        """Bridges on the puzzle as bridges on the one that is laid that way, in row-major order."""
        rows, cols = puzzle.rows, puzzle.cols
        return tuple(
            sorted(
                bridge_between(self.cell(rows, cols, start), self.cell(rows, cols, end), count)
                for start, end, count in bridges
            )
        )

    def solution(self, solution: Solution, onto: Puzzle | None = None) -> Solution:
        """The solution of the puzzle that is laid that way; `onto` is that puzzle, where it is there already.

        Raises:
            ValueError: `onto` is another puzzle.
        """
        laid = onto or self.puzzle(solution.puzzle)
        return Solution(laid, values_of(laid, self.bridges(solution.puzzle, solution.bridges)))


_STEPS = {
    Symmetry.IDENTITY: _Steps(False, False, False),
    Symmetry.TURN_RIGHT: _Steps(True, False, True),
    Symmetry.HALF_TURN: _Steps(False, True, True),
    Symmetry.TURN_LEFT: _Steps(True, True, False),
    Symmetry.MIRROR: _Steps(False, False, True),
    Symmetry.UPSIDE_DOWN: _Steps(False, True, False),
    Symmetry.TRANSPOSE: _Steps(True, False, False),
    Symmetry.ANTITRANSPOSE: _Steps(True, True, True),
}
_NAMES = {steps: symmetry for symmetry, steps in _STEPS.items()}


def canonical(puzzle: Puzzle) -> tuple[Board, Symmetry]:
    """The least of the eight boards, and a symmetry that lays the puzzle so; the first one where several do.

    Boards compare by rows, then columns, then cells, so of an oblong board only four have to be made.
    """
    board = _board_of(puzzle)
    choices: list[tuple[Board, Symmetry]] = []
    if board.rows <= board.cols:
        rows, cols, cells = board
        flipped = _flipped(cols, cells)
        choices = [
            (board, Symmetry.IDENTITY),
            (Board(rows, cols, cells[::-1]), Symmetry.HALF_TURN),
            (Board(rows, cols, flipped), Symmetry.UPSIDE_DOWN),
            (Board(rows, cols, flipped[::-1]), Symmetry.MIRROR),
        ]
    if board.rows >= board.cols:
        rows, cols, cells = transposed = _transposed(board)
        flipped = _flipped(cols, cells)
        choices += [
            (transposed, Symmetry.TRANSPOSE),
            (Board(rows, cols, cells[::-1]), Symmetry.ANTITRANSPOSE),
            (Board(rows, cols, flipped), Symmetry.TURN_LEFT),
            (Board(rows, cols, flipped[::-1]), Symmetry.TURN_RIGHT),
        ]
    return min(choices, key=_board_alone)


def canonical_digest(puzzle: Puzzle) -> bytes:
    """16 bytes that name the puzzle's class: what `Puzzle.digest` is of its canonical form.

    Puzzles that are equal up to the board's symmetries, and have the same rules and policy for touching islands, have
    equal ones.
    """
    return class_of(puzzle)[0]


def class_of(puzzle: Puzzle) -> tuple[bytes, Symmetry]:
    """The digest of the puzzle's class, and a symmetry that lays the puzzle as the canonical form lies."""
    board, symmetry = canonical(puzzle)
    return puzzle_digest(*board, puzzle.touching, puzzle.variant), symmetry


def symmetry_between(first: Puzzle, second: Puzzle) -> Symmetry | None:
    """A symmetry that lays the first puzzle as the second one lies; None when they are not of one class."""
    if (first.touching, first.variant) != (second.touching, second.variant):
        return None
    (board, here), (other, there) = canonical(first), canonical(second)
    return here.then(there.inverse) if board == other else None


def values_of(puzzle: Puzzle, bridges: Iterable[Bridge]) -> bytes:
    """The value of each channel of the puzzle's graph when these bridges stand, as `Solution` holds them.

    Raises:
        ValueError: a bridge stands in no channel, or in one that has its bridges already.
    """
    graph = puzzle.graph
    cells = list(zip(graph.island_row, graph.island_col, strict=True))
    channels = {
        (cells[a], cells[b]): e for e, (a, b) in enumerate(zip(graph.channel_a, graph.channel_b, strict=True))
    }  # fmt: skip
    values = bytearray(graph.m)
    for start, end, count in bridges:
        e = channels.get((start, end))
        if e is None or values[e]:
            raise ValueError(f"{count} bridges from {tuple(start)} to {tuple(end)} are not of this puzzle")
        values[e] = count
    return bytes(values)


def _board_of(puzzle: Puzzle) -> Board:
    return Board(puzzle.rows, puzzle.cols, puzzle.cells)


def _board_alone(choice: tuple[Board, Symmetry]) -> Board:
    return choice[0]


def _transposed(board: Board) -> Board:
    rows, cols, cells = board
    return Board(cols, rows, b"".join([cells[col::cols] for col in range(cols)]))


def _flipped(cols: int, cells: bytes) -> bytes:
    """The rows upside down."""
    return b"".join([cells[start : start + cols] for start in range(len(cells) - cols, -1, -cols)])
