"""OR-Tools' CP-SAT with one worker, connectivity as lazy cuts: it keeps nothing between two solves."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from benchmarks.rivals.groups import borders
from benchmarks.rivals.rival import INFEASIBLE, TIMEOUT, Answer, Claim

if TYPE_CHECKING:
    from kakehashi.puzzle import Puzzle


class CpSat:
    """Two Booleans for each channel.

    Without presolving, which every round would pay for again, without linear relaxations, and without the sum that says
    that n islands need n - 1 channels: each of the three made boards of 400 islands take several times as long.
    """

    name = "cp-sat"

    @property
    def version(self) -> str:
        """The version of OR-Tools."""
        import ortools

        return f"ortools {ortools.__version__}"

    def solve(self, puzzle: Puzzle, budget: float) -> Answer:
        """Solve, cut, solve again."""
        from ortools.sat.python import cp_model

        ends_at = time.monotonic() + budget
        graph = puzzle.graph
        model = cp_model.CpModel()
        one = [model.new_bool_var("") for _ in range(graph.m)]
        two = [model.new_bool_var("") for _ in range(graph.m)]
        for a, b in zip(one, two, strict=True):
            model.add_implication(b, a)
        for i, clue in enumerate(graph.clue_least):
            channels = [e for e in graph.neighbours[4 * i : 4 * i + 4] if e >= 0]
            model.add(cp_model.LinearExpr.sum([v for e in channels for v in (one[e], two[e])]) == clue)
        start, crossing = graph.crossing_start, graph.crossing
        for e in range(graph.m):
            for f in crossing[start[e] : start[e + 1]]:
                if f > e:
                    model.add_at_most_one(one[e], one[f])
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.linearization_level = 0
        solver.parameters.cp_model_presolve = False
        end_a, end_b = graph.channel_a.tolist(), graph.channel_b.tolist()
        while True:
            left = ends_at - time.monotonic()
            if left <= 0:
                return TIMEOUT
            solver.parameters.max_time_in_seconds = left
            status = solver.solve(model)
            if status == cp_model.INFEASIBLE:
                return INFEASIBLE
            if status not in {cp_model.OPTIMAL, cp_model.FEASIBLE}:
                return TIMEOUT
            used = [solver.boolean_value(variable) for variable in one]
            cuts = borders(graph.n, end_a, end_b, [e for e, carries in enumerate(used) if carries])
            if not cuts:
                twice = [solver.boolean_value(variable) for variable in two]
                return Answer(Claim.SOLVED, bytes([a + b for a, b in zip(used, twice, strict=True)]))
            for cut in cuts:
                model.add_bool_or([one[e] for e in cut])
