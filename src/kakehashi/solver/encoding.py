"""From what propagation left to clauses: order encoding, degrees, crossings, the blocking of a solution.

Each undecided channel has a variable for each bridge that it may carry beyond its `lo`, least first: with the range
0..2 they are `a` (at least one) and `b` (at least two). Channels that may connect two groups come first, so the
beginning of a model says how the islands hang together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kakehashi.solver.degree_clauses import degree_clauses

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kakehashi.puzzle import Graph
    from kakehashi.solver.deadline import Deadline
    from kakehashi.solver.propagation import Residual

STRIDE = 64
"""Islands or channels that are encoded between two looks at the deadline."""


class Encoding:
    """The variables of a residual and the clauses over them.

    Attributes:
        connecting: the undecided channels between two groups, in the order of their first variables 1, 2, ...
        first: for each undecided channel its first variable.
        variables: how many there are.
    """

    def __init__(self, graph: Graph, residual: Residual, deadline: Deadline) -> None:
        self._graph = graph
        self._residual = residual
        self._deadline = deadline
        group, lo = residual.group, residual.lo
        end_a, end_b = graph.channel_a, graph.channel_b
        self.connecting = [e for e in residual.undecided if group[end_a[e]] != group[end_b[e]]]
        within = [e for e in residual.undecided if group[end_a[e]] == group[end_b[e]]]
        deadline.check()
        self.first = {e: variable for variable, e in enumerate(self.connecting, 1)}
        self._second: dict[int, int] = {}
        last = len(self.connecting)
        for e in within:
            last += 1
            self.first[e] = last
        for e in residual.undecided:
            if residual.hi[e] - lo[e] > 1:
                last += 1
                self._second[e] = last
        self.variables = last

    @property
    def phases(self) -> list[int]:
        """The literals to try first: one bridge more, but not two."""
        return [*self.first.values(), *(-variable for variable in self._second.values())]

    def clauses(self) -> Iterator[Sequence[int]]:
        """All clauses but those for connectivity, which come when a model asks for them.

        Raises:
            Stopped: the deadline ended, or the work was cancelled.
        """
        yield from ((-b, self.first[e]) for e, b in self._second.items())
        yield from self._degrees()
        yield from self._crossings()

    def _degrees(self) -> Iterator[Sequence[int]]:
        incident, need = self._residual.incident, self._residual.need
        first, second = self.first, self._second
        end_a, end_b = self._graph.channel_a, self._graph.channel_b
        islands = {i for e in first for i in (end_a[e], end_b[e])}
        for count, i in enumerate(islands):
            if not count % STRIDE:
                self._deadline.check()
            ladder, widths = [], []
            for e in incident[i]:
                variable = first.get(e)
                if variable is not None:
                    ladder.append(variable)
                    higher = second.get(e)
                    if higher is None:
                        widths.append(1)
                    else:
                        ladder.append(higher)
                        widths.append(2)
            # Number k of the clauses stands at k; number -k, as Python counts, at k from the end.
            literal = [0, *ladder, *(-variable for variable in reversed(ladder))].__getitem__
            for clause in degree_clauses(tuple(widths), need[i]):
                yield list(map(literal, clause))

    def _crossings(self) -> Iterator[Sequence[int]]:
        start, crossing = self._graph.crossing_start.tolist(), self._graph.crossing.tolist()
        first, hi = self.first, self._residual.hi
        for count, e in enumerate(self._residual.undecided):
            if not count % STRIDE:
                self._deadline.check()
            for f in crossing[start[e] : start[e + 1]]:
                if f > e and hi[f]:
                    yield (-first[e], -first[f])

    def values(self, model: Sequence[int]) -> bytes:
        """The bridges of every channel in a model (`model[v - 1]` is the literal of variable `v`)."""
        values = bytearray(self._residual.lo)
        for e, variable in self.first.items():
            values[e] += model[variable - 1] > 0
        for e, variable in self._second.items():
            values[e] += model[variable - 1] > 0
        return bytes(values)

    def blocking(self, values: bytes) -> list[int]:
        """A clause that allows every solution but the one with these values: some channel carries fewer bridges.

        In another solution some channel differs. If it carries more, then at each of its ends another channel carries
        fewer, since the bridges of an island always add up to its clue. Decided channels cannot differ.
        """
        lo, second = self._residual.lo, self._second
        return [
            -variable if values[e] - lo[e] == 1 else -second[e]
            for e, variable in self.first.items()
            if values[e] > lo[e]
        ]  # fmt: skip
