"""What can be wrong with an answer: a closed set of codes, each violation with its place."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kakehashi.puzzle.model import Cell


class ViolationCode(enum.StrEnum):
    """The rule that an answer breaks."""

    WRONG_DEGREE = "wrong_degree"
    """The bridges at an island do not add up to its clue."""
    CROSSING = "crossing"
    """A horizontal and a vertical bridge share a cell."""
    THROUGH_ISLAND = "through_island"
    """A bridge runs over an island that is not one of its ends."""
    TOO_MANY = "too_many"
    """A channel carries a number of bridges that is not allowed."""
    NOT_ALIGNED = "not_aligned"
    """What is given as a bridge does not join two islands of one row or one column."""
    DISCONNECTED = "disconnected"
    """The islands do not form a single group."""
    LOOP = "loop"
    """Bridges close a loop where the rules forbid it."""
    CLUE_CHANGED = "clue_changed"
    """The answer grid does not show the clues of the puzzle, or is of another size."""


class Violation(NamedTuple):
    """One broken rule: its code, the cell where it shows (0-based), and a sentence for a person (1-based)."""

    code: ViolationCode
    at: Cell
    message: str


def place(row: int, col: int) -> str:
    """A cell as people count: "row 1, column 1" for the first one."""
    return f"row {row + 1}, column {col + 1}"
