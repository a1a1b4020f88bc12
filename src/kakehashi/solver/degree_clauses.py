"""Minimal clauses for the sum of a few channels, in the order encoding.

A channel with w bridges left to give has w literals, "at least 1 more" ... "at least w more". The clauses that say that
the channels of an island give `least` to `most` more are computed once for each pattern of widths and bounds.

Why these: a clause over order literals forbids a box (a range for each channel). A box holds sums without gaps, so it
may be forbidden exactly when all of its sums are too small or all are too large; the largest boxes with sums that are
too small reach from zero to a point with the sum `least - 1`, and the others from a point with `most + 1` to the top.
Each of these boxes alone holds the point that it comes from, so none can be left out.
"""

from __future__ import annotations

from functools import cache
from itertools import product

Clause = tuple[int, ...]


@cache
def degree_clauses(widths: tuple[int, ...], least: int, most: int) -> tuple[Clause, ...]:
    """The prime implicates of `least <= x_1 + ... + x_k <= most` with `0 <= x_j <= widths[j]`, given the ladder.

    The literals of all channels are numbered in a row from 1, a channel's lower ones first; negative means not. The
    ladder (`at least 2` implies `at least 1`) is not among the clauses.

    Returns:
        The clauses; one empty clause when no choice has such a sum.
    """
    if most < 0 or least > sum(widths) or least > most:
        return ((),)
    first = [1 + sum(widths[:j]) for j in range(len(widths))]
    clauses: list[Clause] = []
    for point in product(*(range(width + 1) for width in widths)):
        if sum(point) == least - 1:
            clauses.append(tuple(first[j] + x for j, x in enumerate(point) if x < widths[j]))
        elif sum(point) == most + 1:
            clauses.append(tuple(-(first[j] + x - 1) for j, x in enumerate(point) if x > 0))
    return tuple(clauses)
