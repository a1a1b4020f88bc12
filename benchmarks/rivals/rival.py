"""What a rival is: it takes a clue grid in memory and gives the value of every channel, within a budget."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kakehashi.puzzle import Puzzle


class Claim(enum.StrEnum):
    """What a rival says of a puzzle."""

    SOLVED = "solved"
    INFEASIBLE = "infeasible"
    TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True)
class Answer:
    """A claim, and where it is `solved` the bridges in each channel of the puzzle's graph (length m).

    `second` is another solution, where a rival was asked for one and found it.
    """

    claim: Claim
    values: bytes | None = None
    second: bytes | None = None


INFEASIBLE = Answer(Claim.INFEASIBLE)
TIMEOUT = Answer(Claim.TIMEOUT)


class Rival(Protocol):
    """A way to solve that is measured; its name stands in the tables."""

    name: str

    @property
    def version(self) -> str:
        """The name and version of what does the work, for the report."""
        ...

    def solve(self, puzzle: Puzzle, budget: float) -> Answer:
        """Solve, from the clues to the values: whatever is built for that is built here.

        Args:
            puzzle: without a graph yet (it builds one when it is asked for it).
            budget: seconds of wall clock; it may be overrun a little, never by much.
        """
        ...


class RivalMissing(Exception):
    """A rival cannot be loaded here; the message says what is missing and where it comes from."""
