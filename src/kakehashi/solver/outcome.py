"""What came out of an attempt to solve a puzzle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kakehashi.puzzle import Solution, Termination, Uniqueness, Verdict

if TYPE_CHECKING:
    from kakehashi.puzzle import Puzzle

OUT_OF_MEMORY = "out of memory"
"""The error of a puzzle that took more than the process may have."""


@dataclass(frozen=True)
class Outcome:
    """The verdict on a puzzle, why the work ended, and what it cost.

    Attributes:
        puzzle: what was asked.
        verdict: what is known now.
        termination: why the work ended. `solved` with `timeout`: the solution stands, the question whether it is the
            only one ran out of time.
        uniqueness: `unchecked` unless it was asked for.
        solution: a checked solution when the verdict is `solved`.
        second: another one when the uniqueness is `multiple`.
        engine: the name of the engine, empty when none was needed.
        wall_ms, cpu_ms: milliseconds of wall clock and of this process's CPU, unrounded.
        error: one sentence when there is something to say: why a puzzle is infeasible on sight, or what crashed
            or failed.
        cuts, conflicts: statistics of the search.
        confirmed_by: the name of a second engine that came to the same; None when none was asked, when it was stopped
            before its end, or when it failed.
        confirm_ms: milliseconds of wall clock that the second engine took, which are no part of `wall_ms`; None when
            none was asked.
    """

    puzzle: Puzzle
    verdict: Verdict
    termination: Termination
    uniqueness: Uniqueness = Uniqueness.UNCHECKED
    solution: Solution | None = None
    second: Solution | None = None
    engine: str = ""
    wall_ms: float = 0.0
    cpu_ms: float = 0.0
    error: str | None = None
    cuts: int = 0
    conflicts: int = 0
    confirmed_by: str | None = None
    confirm_ms: float | None = None

    @property
    def decided(self) -> bool:
        """Whether the verdict is final: solved, or proved infeasible."""
        return self.verdict is not Verdict.UNKNOWN

    @property
    def disputed(self) -> bool:
        """Whether it crashed because a second engine came to something else."""
        return self.termination is Termination.CRASHED and self.confirm_ms is not None
