"""Bridges that an answer grid cannot show: those between touching islands, inferred from what it does show.

Exact: the bridges found make the answer right whenever any choice of them does. What the shown bridges leave open at
each island must be met by the bridges to its touching neighbours. First bounds are drawn together to a fixpoint; what
is still open falls apart into small clusters. In each cluster only the connections that a choice makes between the
groups around it matter, and of two choices the one that connects more is never worse: so the choices with the largest
sets of connections are kept, and one of each is picked such that all islands hang together. Where loops are forbidden
more can be worse: then one choice for each set of connections is kept, and the picked ones must not close a loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kakehashi.errors import KakehashiError
from kakehashi.puzzle.model import SIDES, UNKNOWN_CLUE, Bridge, Cell

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kakehashi.puzzle.model import Puzzle

STEP_LIMIT = 5_000_000
"""How many edges and groups the search may look at (about a second) before it says that it cannot tell."""


class TooManyWays(KakehashiError):
    """Too many ways to choose the bridges between touching islands, which a bare answer grid cannot show.

    Give the answer with its list of bridges (JSON) instead.
    """

    def __init__(self) -> None:
        super().__init__(
            "the answer grid cannot show the bridges between touching islands, and there are too many ways to choose "
            "them: give the answer as JSON with its list of bridges"
        )


class _Contradiction(Exception):
    """No choice of hidden bridges gives these islands what they need."""


class _Groups:
    """A union-find structure over numbers 0..n-1."""

    def __init__(self, n: int) -> None:
        self.parent = list(range(n))
        self.count = n

    def find(self, x: int) -> int:
        parent = self.parent
        while parent[x] != x:
            parent[x] = x = parent[parent[x]]
        return x

    def join(self, x: int, y: int) -> bool:
        """Whether they were apart until now."""
        x, y = self.find(x), self.find(y)
        if x == y:
            return False
        self.parent[x] = y
        self.count -= 1
        return True

    def copy(self) -> _Groups:
        other = _Groups(0)
        other.parent, other.count = self.parent.copy(), self.count
        return other


def infer_hidden(puzzle: Puzzle, shown: Iterable[Bridge], *, step_limit: int = STEP_LIMIT) -> list[Bridge]:
    """The bridges between touching islands that go with the shown ones.

    Where no choice satisfies every clue, as many bridges as fit are put in, so that the checker reports what is left.

    Raises:
        TooManyWays: the search took more than `step_limit` steps.
    """
    if puzzle.first_touching_pair is None:
        return []
    return _Inference(puzzle, shown, step_limit).solve()


class _Inference:
    """The search for one puzzle. Islands are numbers in row-major order, edges are pairs of touching islands.

    `least[i]` and `most[i]` are the fewest and the most hidden bridges that island `i` may have; the edges of `sure`
    carry one in any case, and the groups at their ends are joined already.
    """

    def __init__(self, puzzle: Puzzle, shown: Iterable[Bridge], step_limit: int) -> None:
        self.steps_left = step_limit
        self.cells = [Cell(row, col) for row, col, _ in puzzle.islands]
        self.loops = puzzle.loops
        self.capacity = puzzle.max_bridges
        self.least = [1 if clue == UNKNOWN_CLUE else clue for _, _, clue in puzzle.islands]
        self.most = [SIDES * self.capacity if clue == UNKNOWN_CLUE else clue for _, _, clue in puzzle.islands]
        number = {cell: i for i, cell in enumerate(self.cells)}
        self.groups = _Groups(len(self.cells))
        for start, end, count in shown:
            a, b = number.get(start), number.get(end)
            if a is not None and b is not None:
                for i in (a, b):
                    self.least[i] -= count
                    self.most[i] -= count
                self.groups.join(a, b)
        self.edges: list[tuple[int, int]] = []
        self.edges_at: list[list[int]] = [[] for _ in self.cells]
        for a, (row, col) in enumerate(self.cells):
            for neighbour in (Cell(row, col + 1), Cell(row + 1, col)):
                b = number.get(neighbour)
                if b is not None:
                    self.edges_at[a].append(len(self.edges))
                    self.edges_at[b].append(len(self.edges))
                    self.edges.append((a, b))
        self.low = [0] * len(self.edges)
        self.high = [self.capacity] * len(self.edges)
        self.sure: set[int] = set()

    def solve(self) -> list[Bridge]:
        try:
            self._draw_together(range(len(self.cells)))
            choices = [self._choices(cluster) for cluster in self._clusters()]
        except _Contradiction:
            return self._bridges(self._as_many_as_fit())
        values = self.low.copy()
        for choice in self._pick(choices):
            for e, value in choice.items():
                values[e] = value
        return self._bridges(values)

    def _bridges(self, values: Iterable[int]) -> list[Bridge]:
        return [
            Bridge(self.cells[a], self.cells[b], value)
            for (a, b), value in zip(self.edges, values, strict=True)
            if value > 0
        ]

    def _spend(self, steps: int) -> None:
        self.steps_left -= steps
        if self.steps_left < 0:
            raise TooManyWays

    def _as_many_as_fit(self) -> list[int]:
        left = self.most.copy()
        values = []
        for a, b in self.edges:
            value = max(0, min(left[a], left[b], self.capacity))
            left[a] -= value
            left[b] -= value
            values.append(value)
        return values

    def _draw_together(self, islands: Iterable[int]) -> list[tuple[int, int, int]]:
        """Tighten the bounds of all edges to a fixpoint from these islands on; returns the trail of (edge, low, high).

        An edge can carry at most what its island takes beyond the lower bounds of the others, and must carry what the
        upper bounds of the others leave.
        """
        low, high = self.low, self.high
        trail: list[tuple[int, int, int]] = []
        queue = [i for i in islands if self.edges_at[i]]
        while queue:
            i = queue.pop()
            edges = self.edges_at[i]
            slack_down = self.most[i] - sum(low[e] for e in edges)
            slack_up = sum(high[e] for e in edges) - self.least[i]
            if slack_down < 0 or slack_up < 0:
                self._undo(trail)
                raise _Contradiction
            for e in edges:
                new_high, new_low = min(high[e], low[e] + slack_down), max(low[e], high[e] - slack_up)
                if (new_low, new_high) != (low[e], high[e]):
                    trail.append((e, low[e], high[e]))
                    low[e], high[e] = new_low, new_high
                    queue.extend(self.edges[e])
        return trail

    def _undo(self, trail: list[tuple[int, int, int]]) -> None:
        while trail:
            e, self.low[e], self.high[e] = trail.pop()

    def _clusters(self) -> list[list[int]]:
        """The edges that are still open, by connected component; those that surely carry a bridge join their groups."""
        clusters = _Groups(len(self.cells))
        open_edges = []
        for e, (a, b) in enumerate(self.edges):
            if self.low[e] > 0:
                self.sure.add(e)
                if not self.groups.join(a, b) and not self.loops:
                    raise _Contradiction
            if self.low[e] < self.high[e]:
                clusters.join(a, b)
                open_edges.append(e)
        by_root: dict[int, list[int]] = {}
        for e in open_edges:
            by_root.setdefault(clusters.find(self.edges[e][0]), []).append(e)
        return list(by_root.values())

    def _choices(self, cluster: list[int]) -> list[dict[int, int]]:
        """The values of a cluster's edges that connect the most: none of them connects a part of what another does.

        Where loops are forbidden, the values for each way to connect.
        """
        found: dict[tuple[int, ...], dict[int, int]] = {}
        islands = sorted({self.groups.find(i) for e in cluster for i in self.edges[e]})
        stack: list[tuple[int, int, list[tuple[int, int, int]]]] = []  # edge, value tried, trail
        candidate: tuple[int, int] | None = self._open_edge(cluster)
        if candidate is None:  # pragma: no cover - a cluster has an open edge
            raise AssertionError(cluster)
        while True:
            self._spend(len(cluster))
            advanced = False
            if candidate is not None:
                e, value = candidate
                trail = [(e, self.low[e], self.high[e])]
                self.low[e] = self.high[e] = value
                try:
                    trail += self._draw_together(self.edges[e])
                    advanced = True
                except _Contradiction:
                    pass
                stack.append((e, value, trail))
            if advanced:
                candidate = self._open_edge(cluster)
                if candidate is not None:
                    continue
                partition = self._partition(cluster, islands)
                if partition is not None:
                    found.setdefault(partition, {e: self.low[e] for e in cluster})
                if self.loops and partition and not any(partition):  # everything is joined: no choice can be better
                    found = {partition: found[partition]}
                    while stack:
                        self._undo(stack.pop()[2])
                    break
            candidate = None
            while stack and candidate is None:
                e, value, trail = stack.pop()
                self._undo(trail)
                if value > self.low[e]:
                    candidate = (e, value - 1)
            if candidate is None:
                break
        if not found:
            raise _Contradiction
        if not self.loops:
            return list(found.values())
        return [
            values
            for partition, values in found.items()
            if not any(other != partition and _refines(partition, other) for other in found)
        ]

    def _open_edge(self, cluster: list[int]) -> tuple[int, int] | None:
        """The first edge of the cluster that is open, and the largest value that it may have."""
        return next(((e, self.high[e]) for e in cluster if self.low[e] < self.high[e]), None)

    def _partition(self, cluster: list[int], islands: list[int]) -> tuple[int, ...] | None:
        """Which of these groups the current values of the cluster connect: the number of the first equal one, each.

        None when they close a loop that is forbidden.
        """
        index = {island: i for i, island in enumerate(islands)}
        joined = _Groups(len(islands))
        for e in cluster:
            if self.low[e] and e not in self.sure:
                a, b = self.edges[e]
                apart = joined.join(index[self.groups.find(a)], index[self.groups.find(b)])
                if not apart and not self.loops:
                    return None
        first: dict[int, int] = {}
        return tuple(first.setdefault(joined.find(i), i) for i in range(len(islands)))

    def _pick(self, choices: list[list[dict[int, int]]]) -> list[dict[int, int]]:
        """One choice of each cluster such that all islands hang together, or the first of each where none does."""
        for only in [options[0] for options in choices if len(options) == 1]:
            self._join(self.groups, only)
        undecided = [options for options in choices if len(options) > 1]
        picked = [options[0] for options in choices if len(options) == 1]
        stack: list[tuple[_Groups, list[dict[int, int]]]] = [(self.groups, [])]
        while stack:
            self._spend(len(self.cells))
            groups, so_far = stack.pop()
            if len(so_far) == len(undecided):
                if groups.count == 1:
                    return picked + so_far
                continue
            best = groups.copy()
            for options in undecided[len(so_far) :]:
                for option in options:
                    self._join(best, option)
            if best.count > 1:
                continue  # even all options together would leave the islands apart
            for option in reversed(undecided[len(so_far)]):
                after = groups.copy()
                if self._join(after, option) or self.loops:
                    stack.append((after, [*so_far, option]))
        return picked + [options[0] for options in undecided]

    def _join(self, groups: _Groups, choice: dict[int, int]) -> bool:
        """Connect what a choice connects; whether that closed no loop."""
        closed = [not groups.join(*self.edges[e]) for e, value in choice.items() if value and e not in self.sure]
        return not any(closed)


def _refines(fine: tuple[int, ...], coarse: tuple[int, ...]) -> bool:
    """Whether every pair that `fine` connects is connected by `coarse` too."""
    return all(coarse[i] == coarse[first] for i, first in enumerate(fine))
