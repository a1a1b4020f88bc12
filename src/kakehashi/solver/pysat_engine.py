"""The engine that is always there: propagation, then a SAT solver of PySAT with lazy cuts for connectivity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from kakehashi.solver.connectivity import Connectivity
from kakehashi.solver.encoding import Encoding
from kakehashi.solver.engine import Statistics
from kakehashi.solver.propagation import propagate
from kakehashi.solver.slices import Slices

if TYPE_CHECKING:
    from pysat.solvers import Solver

    from kakehashi.puzzle import Graph
    from kakehashi.solver.deadline import Deadline
    from kakehashi.solver.propagation import Residual

DEFAULT_SOLVER = "minisat22"
"""It keeps a small budget, which Glucose does not: docs/adr/0002-sat-engine.md."""


class PysatEngine:
    """Solves with PySAT; `solver` is the name of one of its solvers that keeps a budget of propagations."""

    name = "pysat"

    def __init__(self, solver: str = DEFAULT_SOLVER) -> None:
        self.solver = solver

    def open(self, graph: Graph, deadline: Deadline) -> PysatSearch:
        """Propagate; encoding waits for the first question that propagation leaves open.

        Raises:
            Stopped: the deadline ended, or the work was cancelled.
        """
        return PysatSearch(graph, propagate(graph, deadline), deadline, self.solver)


class PysatSearch:
    """The search on one graph: one solver object that keeps its cuts and all that it learns."""

    def __init__(self, graph: Graph, residual: Residual | None, deadline: Deadline, solver: str) -> None:
        self.statistics = Statistics()
        self._graph = graph
        self._residual = residual
        self._deadline = deadline
        self._solver_name = solver
        self._sat: _SatSearch | None = None
        self._exhausted = residual is None

    def next_solution(self) -> bytes | None:
        """Find a solution that was not found before; None when there is none (see `Search`).

        Raises:
            Stopped: the deadline ended, or the work was cancelled.
        """
        if self._exhausted or self._residual is None:
            return None
        if not self._residual.undecided:
            self._exhausted = True
            return bytes(self._residual.lo)
        if self._sat is None:
            self._sat = _SatSearch(self._graph, self._residual, self._deadline, self._solver_name, self.statistics)
        values = self._sat.next_solution()
        self._exhausted = values is None
        return values

    def close(self) -> None:
        """Free the solver's memory; there is no further solution to be had then."""
        self._exhausted = True
        if self._sat is not None:
            self._sat.close()
            self._sat = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _SatSearch:
    """The part of a search that needs a SAT solver."""

    def __init__(
        self, graph: Graph, residual: Residual, deadline: Deadline, solver: str, statistics: Statistics
    ) -> None:
        from pysat.solvers import Solver

        self._encoding = Encoding(graph, residual, deadline)
        self._connectivity = Connectivity(graph, residual, self._encoding.connecting, deadline)
        self._loops = graph.loops
        self._deadline = deadline
        self._slices = Slices()
        self._statistics = statistics
        self._solver: Solver = Solver(name=solver)
        try:
            self._solver.set_phases(self._encoding.phases)
            self._encoding.add_clauses(self._solver.solver.add_clause)  # the one below: thousands of calls
        except BaseException:
            self._solver.delete()
            raise

    def next_solution(self) -> bytes | None:
        """Solve, cut, solve again, until a model is connected or there is none."""
        try:
            return self._next_solution()
        finally:
            self._note_statistics()

    def _next_solution(self) -> bytes | None:
        add = self._solver.add_clause
        while self._solve():
            self._statistics.rounds += 1
            model = self._solver.get_model()
            cuts = self._connectivity.cuts(model)
            if not self._loops:
                cuts += self._connectivity.loops(model)
            if not cuts:
                values = self._encoding.values(model)
                add(self._encoding.blocking(values))
                return values
            self._deadline.check()
            for cut in cuts:
                add(cut)
            self._statistics.cuts += len(cuts)
        return None

    def _solve(self) -> bool:
        """Solve in slices; whether there is a model.

        `expect_interrupt` is set though nothing ever interrupts: it makes PySAT release the GIL and leave the signal
        handlers alone. Without it, PySAT answers Ctrl-C with a jump out of the running solver.

        Raises:
            Stopped: the deadline ended, or the work was cancelled, between two slices.
        """
        deadline, slices, solver = self._deadline, self._slices, self._solver
        while True:
            deadline.check()
            started = deadline.now
            solver.prop_budget(slices.propagations)
            answer = solver.solve_limited(expect_interrupt=True)
            if answer is not None:
                return bool(answer)
            before = self._statistics.conflicts
            self._note_statistics()
            slices.record(deadline.now - started, self._statistics.conflicts - before)

    def _note_statistics(self) -> None:
        """Copy the solver's own counts."""
        counts = self._solver.accum_stats()
        self._statistics.conflicts = counts["conflicts"]
        self._statistics.decisions = counts["decisions"]
        self._statistics.propagations = counts["propagations"]

    def close(self) -> None:
        """Free the solver."""
        self._solver.delete()
