"""The groups that an assignment leaves apart, for the rivals that ask for connectivity lazily."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def borders(n: int, end_a: Sequence[int], end_b: Sequence[int], used: Iterable[int]) -> list[list[int]]:
    """For each group of islands, the channels that lead out of it: one of them has to carry a bridge.

    Args:
        n: how many islands there are.
        end_a, end_b: the islands of each channel.
        used: the channels that carry bridges.

    Returns:
        Lists of channels, an empty one for a group that nothing leads out of; no list at all when all islands are
        connected. Two groups have the same border, which is given once.
    """
    parent = list(range(n))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = i = parent[parent[i]]
        return i

    groups = n
    for e in used:
        p, q = root(end_a[e]), root(end_b[e])
        if p != q:
            parent[q] = p
            groups -= 1
    if groups == 1:
        return []
    found: dict[int, list[int]] = {root(i): [] for i in range(n)}
    for e, (a, b) in enumerate(zip(end_a, end_b, strict=True)):
        p, q = root(a), root(b)
        if p != q:
            found[p].append(e)
            found[q].append(e)
    cuts = list(found.values())
    return cuts if groups > 2 else cuts[:1]
