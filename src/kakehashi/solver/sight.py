"""Puzzles that are infeasible on sight, each with the reason that a person would give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kakehashi.puzzle import clue_text

if TYPE_CHECKING:
    from kakehashi.puzzle import Puzzle


def infeasible_at_once(puzzle: Puzzle) -> str | None:
    """One sentence for a lone island or an odd sum of clues: what an engine must not be asked.

    That a sum is odd has no short proof by resolution: an engine would not come to an end.
    """
    graph = puzzle.graph
    if graph.n == 1:
        return f"the only island, {_island(puzzle, 0)}, has nothing to be bridged to"
    total = sum(graph.clue_most)
    if total % 2 and graph.has_exact_clues:
        return f"the clues add up to {total}, an odd number, but each bridge has two ends"
    return None


def infeasible_on_sight(puzzle: Puzzle) -> str | None:
    """One sentence that proves that there is no solution, or None when nothing is seen at a glance.

    Looked for are a lone island, an odd sum of clues, an island without a neighbour, and a clue above what the channels
    of its island can carry. An engine sees the last two sooner than this does; here is the reason for a person.
    """
    reason = infeasible_at_once(puzzle)
    if reason:
        return reason
    graph = puzzle.graph
    limit = [min(graph.capacity, clue) for clue in graph.clue_most]
    capacity = [0] * graph.n
    for a, b in zip(graph.channel_a, graph.channel_b, strict=True):
        most = limit[a] if limit[a] < limit[b] else limit[b]  # noqa: FURB136 - min() takes three times as long
        capacity[a] += most
        capacity[b] += most
    for island, (least, most) in enumerate(zip(graph.clue_least, capacity, strict=True)):
        if most < least:
            bridges = "1 bridge" if most == 1 else f"{most} bridges"
            found = f"can have {bridges} at most" if most else "sees no other island"
            return f"the island {_island(puzzle, island)} {found}"
    return None


def _island(puzzle: Puzzle, island: int) -> str:
    row, col = puzzle.graph.island_row[island], puzzle.graph.island_col[island]
    return f"{clue_text(puzzle.cells[row * puzzle.cols + col])} at row {row + 1}, column {col + 1}"
