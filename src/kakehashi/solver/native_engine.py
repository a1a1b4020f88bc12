"""The compiled engine: CDCL with connectivity as a propagator and a tile sweep, in C++ (the folder `native/`).

It is there when the package was built where a C++ compiler is; importing this module raises ImportError otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from kakehashi.solver import _native
from kakehashi.solver.deadline import BEAT_INTERVAL, Cancelled
from kakehashi.solver.engine import Statistics

if TYPE_CHECKING:
    from kakehashi.puzzle import Graph
    from kakehashi.solver.deadline import Deadline

TILE = 20
"""Cells along the side of a tile of the sweep; a board that is hardly larger is searched as a whole."""

HOPS = 2
"""Islands that are at most so many channels away from a tile are free while it is settled."""

BUDGET = 1500
"""Conflicts of a search before the sweep frees more of the board, and in the end begins anew in another order."""


class NativeEngine:
    """Solves with the C++ core.

    Args:
        tile, hops, budget: of the sweep; other values change the way, never the answer.
        beat_interval: seconds between two looks at the deadline from inside the core; 0 for as many as there can be.
        memory: bytes that the clauses of one search may take, 0 for no limit; beyond it there is a MemoryError.
        proof: log a proof (`NativeSearch.proof`); slower, for there is no propagation before the search then.
    """

    name = "native"

    def __init__(
        self,
        tile: int = TILE,
        hops: int = HOPS,
        budget: int = BUDGET,
        beat_interval: float = BEAT_INTERVAL,
        *,
        memory: int = 0,
        proof: bool = False,
    ) -> None:
        self.tile = tile
        self.hops = hops
        self.budget = budget
        self.beat_interval = beat_interval
        self.memory = memory
        self.proof = proof

    def open(self, graph: Graph, deadline: Deadline) -> NativeSearch:
        """Hand the graph's arrays over, as they are; propagation and encoding wait for the first question.

        Raises:
            Stopped: the deadline ended, or the work was cancelled.
        """
        deadline.check()
        solver = _native.Solver(
            graph.island_row,
            graph.island_col,
            graph.channel_a,
            graph.channel_b,
            graph.vertical,
            graph.neighbours,
            graph.crossing_start,
            graph.crossing,
            clue_least=graph.clue_least,
            clue_most=graph.clue_most,
            capacity=graph.capacity,
            loops=graph.loops,
            tile=self.tile,
            hops=self.hops,
            budget=self.budget,
            memory=self.memory,
            proof=self.proof,
        )
        return NativeSearch(solver, deadline, self.beat_interval)


class NativeSearch:
    """The search on one graph: a solver object of the core, which keeps all that it learns."""

    def __init__(self, solver: _native.Solver, deadline: Deadline, beat_interval: float) -> None:
        self.statistics = Statistics()
        self._solver: _native.Solver | None = solver
        self._deadline = deadline
        self._beat_interval = beat_interval

    def next_solution(self) -> bytes | None:
        """Find a solution that was not found before; None when there is none (see `Search`).

        Raises:
            Stopped: the deadline ended, or the work was cancelled.
        """
        solver = self._solver
        if solver is None:
            return None
        deadline = self._deadline
        try:
            return solver.next_solution(deadline.check, deadline.left, self._beat_interval)
        except _native.Cancelled:
            raise Cancelled from None
        finally:
            self._note_statistics(solver)

    @property
    def proof(self) -> str | None:
        """What was logged so far, in the format that native/src/proof.hpp explains; None without a log."""
        return self._solver.proof if self._solver is not None else None

    def cancel(self) -> None:
        """End the question that another thread is waiting for: it raises `Cancelled` there."""
        if self._solver is not None:
            self._solver.cancel()

    def _note_statistics(self, solver: _native.Solver) -> None:
        """Copy the core's own counts."""
        counts = solver.statistics
        self.statistics.rounds = counts["searches"]
        self.statistics.cuts = counts["cuts"] + counts["loops"]
        self.statistics.conflicts = counts["conflicts"]
        self.statistics.decisions = counts["decisions"]
        self.statistics.propagations = counts["propagations"]

    def close(self) -> None:
        """Free the core's memory; there is no further solution to be had then."""
        self._solver = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
