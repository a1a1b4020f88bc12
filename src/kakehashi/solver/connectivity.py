"""Connectivity, added lazily: which groups a model leaves apart, and the cuts that forbid it; and loops likewise."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kakehashi.puzzle import Graph
    from kakehashi.solver.deadline import Deadline
    from kakehashi.solver.propagation import Residual


STRIDE = 256
"""Channels of a model between two looks at the deadline, where each may take long."""


class Connectivity:
    """The groups that propagation left and the undecided channels between them.

    Variable `k + 1` of the encoding says that channel `connecting[k]` carries a bridge. A group of islands that are
    connected already is one node here, so no cut ever holds a channel inside of one.

    `cuts` and `loops` look at the deadline, and raise Stopped when it ended.
    """

    def __init__(self, graph: Graph, residual: Residual, connecting: Sequence[int], deadline: Deadline) -> None:
        self._deadline = deadline
        node: dict[int, int] = {}
        for group in residual.group:
            node.setdefault(group, len(node))
        self._nodes = len(node)
        self._end_a = [node[residual.group[graph.channel_a[e]]] for e in connecting]
        self._end_b = [node[residual.group[graph.channel_b[e]]] for e in connecting]

    def cuts(self, model: Sequence[int]) -> list[list[int]]:
        """For every group of islands that the model leaves apart, a clause that asks for a bridge out of it.

        Returns:
            The clauses, all of them false in the model; none when it connects all islands.
        """
        self._deadline.check()
        parent = list(range(self._nodes))
        parts = self._nodes
        for literal, p, q in zip(model, self._end_a, self._end_b, strict=False):
            if literal > 0:
                while parent[p] != p:
                    parent[p] = p = parent[parent[p]]
                while parent[q] != q:
                    parent[q] = q = parent[parent[q]]
                if p != q:
                    parent[q] = p
                    parts -= 1
        if parts == 1:
            return []
        self._deadline.check()
        for p in range(self._nodes):
            root = p
            while parent[root] != root:
                root = parent[root]
            parent[p] = root
        borders: dict[int, list[int]] = {p: [] for p in range(self._nodes) if parent[p] == p}
        for variable, (p, q) in enumerate(zip(self._end_a, self._end_b, strict=True), 1):
            p, q = parent[p], parent[q]
            if p != q:
                borders[p].append(variable)
                borders[q].append(variable)
        cuts = list(borders.values())
        return cuts if parts > 2 else cuts[:1]  # two groups have the same border

    def loops(self, model: Sequence[int]) -> list[list[int]]:
        """For every channel of the model that closes a loop with those before it, a clause that forbids this loop.

        Returns:
            The clauses, all of them false in the model; none when its bridges form no loop.
        """
        above = list(range(self._nodes))  # the neighbour on the way to the root of its tree
        via = [0] * self._nodes  # the variable of the channel to there
        clauses = []
        for literal, p, q in zip(model, self._end_a, self._end_b, strict=False):
            if literal < 0:
                continue
            if not literal % STRIDE:
                self._deadline.check()
            way, met = self._ways(above, p, q)
            if met is not None:
                clauses.append([-literal, *(-via[node] for node in way)])
                continue
            # Hang the tree of p, turned round so that p is its root, below q.
            node, parent, variable = p, q, literal
            while True:
                above[node], next_node = parent, above[node]
                via[node], next_variable = variable, via[node]
                if next_node == node:
                    break
                node, parent, variable = next_node, node, next_variable
        return clauses

    @staticmethod
    def _ways(above: Sequence[int], p: int, q: int) -> tuple[list[int], int | None]:
        """The nodes below the place where the ways up from p and q meet, and this place; None where they do not."""
        up = [p]
        while above[up[-1]] != up[-1]:
            up.append(above[up[-1]])
        place = {node: k for k, node in enumerate(up)}
        down = []
        while q not in place:
            if above[q] == q:
                return [], None
            down.append(q)
            q = above[q]
        return up[: place[q]] + down, q
