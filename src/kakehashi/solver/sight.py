"""Puzzles that are infeasible on sight, each with the reason that a person would give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kakehashi.puzzle import MAX_BRIDGES

if TYPE_CHECKING:
    from kakehashi.puzzle import Graph


def infeasible_on_sight(graph: Graph) -> str | None:
    """One sentence that proves that there is no solution, or None when nothing is seen at a glance.

    Looked for are a lone island, an odd sum of clues, an island without a neighbour, and a clue above what the channels
    of its island can carry.
    """
    if graph.n == 1:
        return f"the only island, {graph.clue[0]} at {_place(graph, 0)}, has nothing to be bridged to"
    total = sum(graph.clue)
    if total % 2:
        return f"the clues add up to {total}, an odd number, but each bridge has two ends"
    limit = [min(MAX_BRIDGES, clue) for clue in graph.clue]
    capacity = [0] * graph.n
    for a, b in zip(graph.channel_a, graph.channel_b, strict=True):
        most = limit[a] if limit[a] < limit[b] else limit[b]  # noqa: FURB136 - min() takes three times as long
        capacity[a] += most
        capacity[b] += most
    for island, (clue, most) in enumerate(zip(graph.clue, capacity, strict=True)):
        if most < clue:
            found = f"can have {most} bridges at most" if most else "sees no other island"
            return f"the island {clue} at {_place(graph, island)} {found}"
    return None


def _place(graph: Graph, island: int) -> str:
    return f"row {graph.island_row[island] + 1}, column {graph.island_col[island] + 1}"
