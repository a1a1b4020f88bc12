"""Our own engines as rivals, and the two questions that only they are asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.rivals.rival import INFEASIBLE, TIMEOUT, Answer, Claim
from kakehashi.puzzle import Verdict
from kakehashi.solver import Deadline, OutOfTime, engine_named, solve

if TYPE_CHECKING:
    from kakehashi.puzzle import Puzzle


class EngineRival:
    """An engine by its name, without what `kakehashi.solve` does around it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._engine = engine_named(name)

    @property
    def version(self) -> str:
        """The version of this package."""
        import kakehashi

        return f"kakehashi {kakehashi.__version__}"

    def solve(self, puzzle: Puzzle, budget: float) -> Answer:
        """Graph, then the engine's first solution."""
        return self._ask(puzzle, budget, unique=False)

    def solve_unique(self, puzzle: Puzzle, budget: float) -> Answer:
        """Two solutions, or the proof that there is one only."""
        return self._ask(puzzle, budget, unique=True)

    def solve_whole(self, puzzle: Puzzle, budget: float) -> Answer:
        """`kakehashi.solve`: with the look at the clues before it and the checker behind it.

        Raises:
            RuntimeError: it crashed.
        """
        outcome = solve(puzzle, budget=budget, engine=self.name)
        if outcome.verdict is Verdict.SOLVED and outcome.solution is not None:
            return Answer(Claim.SOLVED, outcome.solution.values)
        if outcome.verdict is Verdict.INFEASIBLE:
            return INFEASIBLE
        if outcome.error:
            raise RuntimeError(outcome.error)
        return TIMEOUT

    def _ask(self, puzzle: Puzzle, budget: float, *, unique: bool) -> Answer:
        deadline = Deadline(budget)
        try:
            with self._engine.open(puzzle.graph_while(deadline.check), deadline) as search:
                values = search.next_solution()
                if values is None:
                    return INFEASIBLE
                return Answer(Claim.SOLVED, values, search.next_solution() if unique else None)
        except OutOfTime:
            return TIMEOUT
