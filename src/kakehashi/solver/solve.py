"""From a puzzle to its outcome: budget, engine, judge."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kakehashi.errors import UsageError
from kakehashi.puzzle import Confirm, Solution, Termination, Uniqueness, Verdict
from kakehashi.solver.answer import Refused, checked, digits
from kakehashi.solver.confirmation import confirmed
from kakehashi.solver.deadline import Cancelled, Deadline, OutOfTime
from kakehashi.solver.engines import AUTO, engine_named
from kakehashi.solver.outcome import OUT_OF_MEMORY, Outcome
from kakehashi.solver.sight import infeasible_at_once, infeasible_on_sight

if TYPE_CHECKING:
    from collections.abc import Callable

    from kakehashi.puzzle import Puzzle
    from kakehashi.solver.engine import Engine, Search


def solve(
    puzzle: Puzzle,
    *,
    budget: float | None = None,
    unique: bool = False,
    engine: str = AUTO,
    confirm: Confirm = Confirm.NONE,
    beat: Callable[[], bool] | None = None,
) -> Outcome:
    """Solve a puzzle, and check what comes out.

    Args:
        puzzle: what to solve.
        budget: seconds of wall clock for all of it but the confirmation, None for no limit.
        unique: also find out whether the solution is the only one, within the same budget.
        engine: the name of an engine (`kakehashi.solver.engine_names`).
        confirm: what a second engine is asked too, for at most the budget again (`kakehashi.solver.confirmation`).
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
    outcome = Outcome(
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
    return confirmed(outcome, confirm, unique=unique, budget=budget, beat=beat)


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
            self.error = infeasible_at_once(self.puzzle)
            if self.error:
                self._infeasible()
                return
            deadline.check()
            self.engine = engine.name
            with engine.open(graph, deadline) as search:
                try:
                    self._search(search, deadline)
                finally:
                    self.cuts, self.conflicts = search.statistics.cuts, search.statistics.conflicts
        except OutOfTime:
            self.termination = Termination.TIMEOUT
        except Cancelled:
            self.termination = Termination.CANCELLED
        except Refused as refused:
            self._crashed(str(refused))
        except MemoryError:
            self._crashed(OUT_OF_MEMORY)
        except Exception as error:  # noqa: BLE001 - whatever an engine raises, the batch goes on, and the row says so
            self._crashed(f"the engine {engine.name} failed: {type(error).__name__}: {error}")

    def _search(self, search: Search, deadline: Deadline) -> None:
        """Ask for a solution, and for another one when that was asked for."""
        values = search.next_solution()
        if values is None:
            self._infeasible()
            self.error = infeasible_on_sight(self.puzzle)
            if self.error:
                self.engine = ""  # which was not needed: it was only quicker to ask
            return
        self.solution = checked(self.puzzle, values, self.engine, deadline)
        self.verdict = Verdict.SOLVED
        if not self.unique:
            return
        others = search.next_solution()
        if others is None:
            self.uniqueness = Uniqueness.UNIQUE
            return
        if others == values:
            raise Refused(f"the engine {self.engine} gave the same solution twice: {digits(values)}")
        self.second = checked(self.puzzle, others, self.engine, deadline)
        self.uniqueness = Uniqueness.MULTIPLE

    def _infeasible(self) -> None:
        self.verdict = Verdict.INFEASIBLE
        self.uniqueness = Uniqueness.UNCHECKED  # there is nothing that could be unique

    def _crashed(self, error: str) -> None:
        """Nothing that a broken engine said is shown as an answer."""
        self.verdict, self.termination, self.error = Verdict.UNKNOWN, Termination.CRASHED, error
        self.solution = self.second = None
        self.uniqueness = Uniqueness.UNKNOWN if self.unique else Uniqueness.UNCHECKED
