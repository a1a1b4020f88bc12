"""From a puzzle to its outcome: budget, engine, judge."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kakehashi.errors import UsageError
from kakehashi.puzzle import Solution, Termination, Uniqueness, Verdict, check
from kakehashi.solver.deadline import Cancelled, Deadline, OutOfTime
from kakehashi.solver.engines import AUTO, engine_named
from kakehashi.solver.outcome import Outcome
from kakehashi.solver.sight import infeasible_on_sight

if TYPE_CHECKING:
    from collections.abc import Callable

    from kakehashi.puzzle import Puzzle
    from kakehashi.solver.engine import Engine, Search

_SHOWN_VIOLATIONS = 3
_SHOWN_VALUES = 2000


def solve(
    puzzle: Puzzle,
    *,
    budget: float | None = None,
    unique: bool = False,
    engine: str = AUTO,
    beat: Callable[[], bool] | None = None,
) -> Outcome:
    """Solve a puzzle, and check what comes out.

    Args:
        puzzle: what to solve.
        budget: seconds of wall clock for all of it, None for no limit.
        unique: also find out whether the solution is the only one, within the same budget.
        engine: the name of an engine (`kakehashi.solver.engine_names`).
        beat: called a few times a second while the work goes on; when it answers True the work is cancelled.

    Returns:
        The outcome. A failure of the engine, or an answer that the checker refuses, is an outcome too: `crashed`.

    Raises:
        UsageError: the engine is not known, or the budget is not a time.
    """
    if budget is not None and not budget >= 0:
        raise UsageError(f"a budget is a number of seconds, 0 or more, not {budget}")
    wall, cpu = time.perf_counter(), time.process_time()
    chosen = engine_named(engine)
    attempt = _Attempt(puzzle, unique)
    attempt.run(chosen, Deadline(budget, beat))
    return Outcome(
        puzzle=puzzle,
        verdict=attempt.verdict,
        termination=attempt.termination,
        uniqueness=attempt.uniqueness,
        solution=attempt.solution,
        second=attempt.second,
        engine=attempt.engine,
        wall_ms=(time.perf_counter() - wall) * 1000,
        cpu_ms=(time.process_time() - cpu) * 1000,
        error=attempt.error,
        cuts=attempt.cuts,
        conflicts=attempt.conflicts,
    )


class _Refused(Exception):
    """An engine gave an answer that is none; the message is the evidence."""


@dataclass(slots=True)
class _Attempt:
    """What is known so far of a puzzle that is being solved; `Outcome` describes the attributes."""

    puzzle: Puzzle
    unique: bool
    verdict: Verdict = Verdict.UNKNOWN
    termination: Termination = Termination.COMPLETED
    uniqueness: Uniqueness = Uniqueness.UNCHECKED
    solution: Solution | None = None
    second: Solution | None = None
    engine: str = ""
    error: str | None = None
    cuts: int = 0
    conflicts: int = 0

    def run(self, engine: Engine, deadline: Deadline) -> None:
        """Find out what can be found out before the deadline; nothing but an interrupt gets out of here."""
        if self.unique:
            self.uniqueness = Uniqueness.UNKNOWN
        try:
            graph = self.puzzle.graph_while(deadline.check)
            self.error = infeasible_on_sight(self.puzzle)
            if self.error:
                self._infeasible()
                return
            deadline.check()
            self.engine = engine.name
            with engine.open(graph, deadline) as search:
                try:
                    self._search(search)
                finally:
                    self.cuts, self.conflicts = search.statistics.cuts, search.statistics.conflicts
        except OutOfTime:
            self.termination = Termination.TIMEOUT
        except Cancelled:
            self.termination = Termination.CANCELLED
        except _Refused as refused:
            self._crashed(str(refused))
        except Exception as error:  # noqa: BLE001 - whatever an engine raises, the batch goes on, and the row says so
            self._crashed(f"the engine {engine.name} failed: {type(error).__name__}: {error}")

    def _search(self, search: Search) -> None:
        """Ask for a solution, and for another one when that was asked for."""
        values = search.next_solution()
        if values is None:
            self._infeasible()
            return
        self.solution = self._checked(values)
        self.verdict = Verdict.SOLVED
        if not self.unique:
            return
        others = search.next_solution()
        if others is None:
            self.uniqueness = Uniqueness.UNIQUE
            return
        if others == values:
            raise _Refused(f"the engine {self.engine} gave the same solution twice: {_digits(values)}")
        self.second = self._checked(others)
        self.uniqueness = Uniqueness.MULTIPLE

    def _infeasible(self) -> None:
        self.verdict = Verdict.INFEASIBLE
        self.uniqueness = Uniqueness.UNCHECKED  # there is nothing that could be unique

    def _crashed(self, error: str) -> None:
        """Nothing that a broken engine said is shown as an answer."""
        self.verdict, self.termination, self.error = Verdict.UNKNOWN, Termination.CRASHED, error
        self.solution = self.second = None
        self.uniqueness = Uniqueness.UNKNOWN if self.unique else Uniqueness.UNCHECKED

    def _checked(self, values: bytes) -> Solution:
        """The solution with these values, once the judge has passed it."""
        channels = self.puzzle.graph.m
        if len(values) != channels:
            raise _Refused(f"the engine {self.engine} gave {len(values)} values for {channels} channels")
        solution = Solution(self.puzzle, values)
        violations = check(self.puzzle, solution.bridges)
        if violations:
            shown = "; ".join(f"{violation.code}: {violation.message}" for violation in violations[:_SHOWN_VIOLATIONS])
            more = len(violations) - _SHOWN_VIOLATIONS
            rest = f"; and {more} more" if more > 0 else ""
            found = f"{shown}{rest}: {_digits(values)}"
            raise _Refused(f"the checker refused the answer of the engine {self.engine}: {found}")
        return solution


def _digits(values: bytes) -> str:
    """The values of the channels as a row of digits, cut off where it gets long: enough to look into it."""
    shown = " ".join(map(str, values)) if max(values, default=0) > 9 else "".join(map(str, values))
    return shown if len(shown) <= _SHOWN_VALUES else f"{shown[:_SHOWN_VALUES]}..."
