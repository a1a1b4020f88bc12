"""From what propagation left to clauses: order encoding, degrees, crossings, the blocking of a solution.

Each undecided channel has a ladder of variables, one for each bridge that it may carry beyond its `lo`, least first:
with the range 0..2 they are `a` (at least one) and `b` (at least two). The first variables of the channels that may
connect two groups come before all others, so the beginning of a model says how the islands hang together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING

from kakehashi.solver.degree_clauses import degree_clauses

if TYPE_CHECKING:
    from kakehashi.puzzle import Graph
    from kakehashi.solver.deadline import Deadline
    from kakehashi.solver.propagation import Residual

STRIDE = 64
"""Islands or channels that are encoded between two looks at the deadline."""

Ladder = tuple[int, ...]
AddClause = Callable[[Sequence[int]], object]


@cache
def _pickers(widths: tuple[int, ...], least: int, most: int) -> tuple[Callable[[list[int]], Ladder], ...]:
    """The degree clauses as functions that pick their literals out of a list: most of the encoding's time goes there.

    An `itemgetter` of a single item would give no tuple; but a clause of one literal says that a range is not as narrow
    as the degree rule makes it, and that of an empty one that propagation overlooked a contradiction.
    """
    return tuple(itemgetter(*clause) for clause in degree_clauses(widths, least, most))


class Encoding:
    """The variables of a residual and the clauses over them.

    Attributes:
        connecting: the undecided channels between two groups; the first variable of the k-th of them is k + 1.
        ladders: length m, the variables of each channel; empty for a decided one.

    Raises:
        Stopped: the deadline ended, or the work was cancelled; `phases` and `add_clauses` raise it too.
    """

    def __init__(self, graph: Graph, residual: Residual, deadline: Deadline) -> None:
        self._graph = graph
        self._residual = residual
        self._deadline = deadline
        group, lo, hi = residual.group, residual.lo, residual.hi
        end_a, end_b = graph.channel_a, graph.channel_b
        self.connecting: list[int] = []
        within: list[int] = []
        for count, e in enumerate(residual.undecided):
            if not count % STRIDE:
                deadline.check()
            (self.connecting if group[end_a[e]] != group[end_b[e]] else within).append(e)
        self.ladders: list[Ladder] = [()] * graph.m
        last = len(residual.undecided)
        for count, e in enumerate(chain(self.connecting, within)):
            if not count % STRIDE:
                deadline.check()
            more = hi[e] - lo[e] - 1
            self.ladders[e] = (count + 1, *range(last + 1, last + more + 1))
            last += more

    @property
    def phases(self) -> list[int]:
        """The literals to try first: one bridge more, but not two."""
        literals = []
        for count, e in enumerate(self._residual.undecided):
            if not count % STRIDE:
                self._deadline.check()
            lowest, *higher = self.ladders[e]
            literals += [lowest, *(-variable for variable in higher)]
        return literals

    def add_clauses(self, add: AddClause) -> None:
        """Hand over all clauses but those for connectivity, which come when a model asks for them."""
        for count, e in enumerate(self._residual.undecided):
            if not count % STRIDE:
                self._deadline.check()
            ladder = self.ladders[e]
            for lower, higher in pairwise(ladder):
                add((-higher, lower))
        self._add_degrees(add)
        self._add_crossings(add)

    def _add_degrees(self, add: AddClause) -> None:
        """For every island that may take more bridges: the open channels give no less than it needs, and no more."""
        ladders, need, spare = self.ladders, self._residual.need, self._residual.spare
        for i, channels in enumerate(self._residual.incident):
            if not i % STRIDE:
                self._deadline.check()
            if need[i]:
                steps = [ladders[e] for e in channels]
                literals = [0, *chain(*steps)]
                literals += [-variable for variable in literals[:0:-1]]
                # Literal k of a clause stands at k, literal -k at -k: Python counts from the end.
                widths = tuple(map(len, steps))
                for pick in _pickers(widths, sum(widths) - spare[i], need[i]):
                    add(pick(literals))

    def _add_crossings(self, add: AddClause) -> None:
        """Of two channels that share a cell at most one carries bridges."""
        ladders = self.ladders
        start, crossing = self._graph.crossing_start, self._graph.crossing
        for count, e in enumerate(self._residual.undecided):
            if not count % STRIDE:
                self._deadline.check()
            # A channel that crosses an undecided one is undecided too, or empty: else propagation had emptied this one.
            for f in crossing[start[e] : start[e + 1]]:
                if f > e and ladders[f]:
                    add((-ladders[e][0], -ladders[f][0]))

    def values(self, model: Sequence[int]) -> bytes:
        """The bridges of every channel in a model (`model[v - 1]` is the literal of variable `v`)."""
        values = bytearray(self._residual.lo)
        ladders = self.ladders
        for e in self._residual.undecided:
            for variable in ladders[e]:
                if model[variable - 1] > 0:
                    values[e] += 1
        return bytes(values)

    def blocking(self, values: bytes) -> list[int]:
        """A clause that allows every solution but the one with these values: some channel carries fewer bridges.

        In another solution some channel differs. If it carries more, then at each of its ends another channel carries
        fewer, since the bridges of an island always add up to its clue. Where an island has no number, a channel that
        carries more is a way out too. Decided channels cannot differ.
        """
        lo, hi, undecided = self._residual.lo, self._residual.hi, self._residual.undecided
        clause = [-self.ladders[e][values[e] - lo[e] - 1] for e in undecided if values[e] > lo[e]]
        if not self._graph.has_exact_clues:
            clause += [self.ladders[e][values[e] - lo[e]] for e in undecided if values[e] < hi[e]]
        return clause
