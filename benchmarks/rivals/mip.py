"""HiGHS with one thread: a mixed integer program, connectivity as lazy cuts between whole solves."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from benchmarks.rivals.groups import borders
from benchmarks.rivals.rival import INFEASIBLE, TIMEOUT, Answer, Claim

if TYPE_CHECKING:
    import highspy

    from kakehashi.puzzle import Graph, Puzzle


class Highs:
    """Columns 0..m-1 say whether a channel carries a bridge, m..2m-1 whether it carries a second one."""

    name = "highs"

    @property
    def version(self) -> str:
        """The version of HiGHS."""
        from importlib.metadata import version

        return f"highspy {version('highspy')}"

    def solve(self, puzzle: Puzzle, budget: float) -> Answer:
        """Solve, cut, solve again.

        Raises:
            RuntimeError: HiGHS ended in a way that is no answer.
        """
        import highspy

        ends_at = time.monotonic() + budget
        graph = puzzle.graph
        if not graph.m:
            return INFEASIBLE  # a clue without a channel, and to HiGHS an empty program, which has a status of its own
        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        highs.setOptionValue("threads", 1)
        highs.passModel(program(graph))
        end_a, end_b = graph.channel_a.tolist(), graph.channel_b.tolist()
        while True:
            left = ends_at - time.monotonic()
            if left <= 0:
                return TIMEOUT
            highs.setOptionValue("time_limit", left)  # for this run, not for all of them
            highs.run()
            status = highs.getModelStatus()
            if status == highspy.HighsModelStatus.kInfeasible:
                return INFEASIBLE
            if status == highspy.HighsModelStatus.kTimeLimit:
                return TIMEOUT
            if status != highspy.HighsModelStatus.kOptimal:
                raise RuntimeError(f"HiGHS ended with {highs.modelStatusToString(status)}")
            found = highs.getSolution().col_value
            cuts = borders(graph.n, end_a, end_b, [e for e in range(graph.m) if found[e] > 0.5])
            if not cuts:
                return Answer(Claim.SOLVED, bytes([round(found[e] + found[graph.m + e]) for e in range(graph.m)]))
            for cut in cuts:
                highs.addRow(1.0, highspy.kHighsInf, len(cut), cut, [1.0] * len(cut))


def program(graph: Graph) -> highspy.HighsLp:
    """The program without cuts: clues, ladders, crossings, and at least n - 1 channels in use."""
    import highspy
    import numpy as np

    m, start, crossing = graph.m, graph.crossing_start, graph.crossing
    low: list[float] = []
    high: list[float] = []
    rows: list[list[int]] = []
    values: list[float] = []
    for i, clue in enumerate(graph.clue_least):
        channels = [e for e in graph.neighbours[4 * i : 4 * i + 4] if e >= 0]
        rows.append([*channels, *(m + e for e in channels)])
        low.append(clue)
        high.append(clue)
        values += [1.0] * (2 * len(channels))
    for e in range(m):
        rows.append([e, m + e])
        low.append(0.0)
        high.append(highspy.kHighsInf)
        values += [1.0, -1.0]
        for f in crossing[start[e] : start[e + 1]]:
            if f > e:
                rows.append([e, f])
                low.append(-highspy.kHighsInf)
                high.append(1.0)
                values += [1.0, 1.0]
    rows.append(list(range(m)))
    low.append(graph.n - 1)
    high.append(highspy.kHighsInf)
    values += [1.0] * m
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = 2 * m, len(rows)
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = np.zeros(2 * m), np.zeros(2 * m), np.ones(2 * m)
    lp.row_lower_, lp.row_upper_ = np.array(low), np.array(high)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.cumsum([0, *map(len, rows)])
    lp.a_matrix_.index_ = np.array([e for row in rows for e in row], np.int32)
    lp.a_matrix_.value_ = np.array(values)
    lp.integrality_ = [highspy.HighsVarType.kInteger] * (2 * m)
    return lp
