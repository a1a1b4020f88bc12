"""Plain PySAT: what one writes first, and what the engines' gain is counted from.

Order encoding with two variables for each channel, the minimal clauses of each clue from a cache, no propagation before
the search, a cut for every group of a model, glucose4 as it comes.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING

from benchmarks.rivals.groups import borders
from benchmarks.rivals.rival import INFEASIBLE, TIMEOUT, Answer, Claim
from kakehashi.puzzle import MAX_BRIDGES
from kakehashi.solver.degree_clauses import degree_clauses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pysat.solvers import Solver

    from kakehashi.puzzle import Graph, Puzzle


class PlainPysat:
    """Variable `2e + 1` says that channel `e` carries a bridge, `2e + 2` that it carries two."""

    name = "plain-pysat"

    @property
    def version(self) -> str:
        """The version of PySAT."""
        import pysat

        return f"python-sat {pysat.__version__}, glucose4"

    def solve(self, puzzle: Puzzle, budget: float) -> Answer:
        """Solve, cut, solve again."""
        from pysat.solvers import Solver

        graph = puzzle.graph
        clauses = encode(graph)
        if not all(clauses):
            return INFEASIBLE
        # The whole budget, though some of it is used up: the search is nearly all of a long one.
        with Solver(name="glucose4", bootstrap_with=clauses) as solver, _alarm(solver, budget) as ended:
            end_a, end_b = graph.channel_a.tolist(), graph.channel_b.tolist()
            while solver.solve_limited(expect_interrupt=True):
                model = solver.get_model()
                bridges = model[::2]
                cuts = borders(graph.n, end_a, end_b, [e for e, literal in enumerate(bridges) if literal > 0])
                if not cuts:
                    second = model[1::2]
                    values = bytes([(a > 0) + (b > 0) for a, b in zip(bridges, second, strict=True)])
                    return Answer(Claim.SOLVED, values)
                if not all(cuts):
                    return INFEASIBLE
                for cut in cuts:
                    solver.add_clause([2 * e + 1 for e in cut])
            return TIMEOUT if ended.is_set() else INFEASIBLE


def encode(graph: Graph) -> list[list[int]]:
    """All clauses but the cuts; an empty one where an island cannot have its bridges."""
    clauses = [[-(2 * e + 2), 2 * e + 1] for e in range(graph.m)]
    sides = graph.neighbours.tolist()
    for i, clue in enumerate(graph.clue_least):
        channels = [e for e in sides[4 * i : 4 * i + 4] if e >= 0]
        literals = [0, *chain.from_iterable((2 * e + 1, 2 * e + 2) for e in channels)]
        literals += [-variable for variable in literals[:0:-1]]
        # Literal k of a clause stands at k, literal -k at -k: Python counts from the end.
        minimal = degree_clauses((MAX_BRIDGES,) * len(channels), clue, clue)
        clauses += [[literals[k] for k in clause] for clause in minimal]
    start, crossing = graph.crossing_start, graph.crossing
    for e in range(graph.m):
        clauses += [[-(2 * e + 1), -(2 * f + 1)] for f in crossing[start[e] : start[e + 1]] if f > e]
    return clauses


@contextmanager
def _alarm(solver: Solver, seconds: float) -> Iterator[threading.Event]:
    """Interrupt a solver when its time is over, and say so; glucose looks at its own limits between restarts only."""
    ended = threading.Event()

    def ring() -> None:
        ended.set()
        solver.interrupt()

    timer = threading.Timer(seconds, ring)
    timer.start()
    try:
        yield ended
    finally:
        timer.cancel()
        timer.join()
