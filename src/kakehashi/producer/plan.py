"""How many attempts go into one shard: about a second of work, so that shards are neither many nor long."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kakehashi.storage.records import Job

SHARD_SECONDS = 1.0
"""Expected work of a shard. Its worst case is bounded by the time slice, after which a worker gives the rest away."""

SHARD_ATTEMPTS = 500
"""Most attempts of a shard, whatever they cost: what a worker loads at once, and loses at most."""

SHARD_CELLS = 4_000_000
"""Most cells of a shard, a byte each: its boards are in memory at once."""

PUZZLE_SECONDS = 0.2e-3
ISLAND_SECONDS = 0.005e-3
"""Expected cost of a puzzle: a constant for loading, starting and storing it, and a part for each island.

Measured with the native engine, in milliseconds an island: easy boards of 34 to 827 islands 0.0013, puzzles of Coelho
and others 0.002, 1,000 islands with clues of 1 and 2 0.014; pysat takes 0.005 to 0.009 where propagation decides most.
On the high side on purpose for most boards: small shards keep all busy. What takes longer is cut by the time slice."""


def expected_seconds(job: Job) -> float:
    """What an attempt is likely to take, in seconds; never more than its budget."""
    return PUZZLE_SECONDS + min(ISLAND_SECONDS * job.islands, job.budget)


def cut(jobs: Iterable[Job], pace: float = 1.0) -> Iterator[int]:
    """Cut consecutive attempts into shards and yield how many belong to each.

    Args:
        pace: how many times longer than expected such attempts were seen to take.
    """
    size, seconds, cells = 0, 0.0, 0
    for job in jobs:
        size += 1
        cells += job.cells
        seconds += pace * expected_seconds(job)
        if seconds >= SHARD_SECONDS or size == SHARD_ATTEMPTS or cells >= SHARD_CELLS:
            yield size
            size, seconds, cells = 0, 0.0, 0
    if size:
        yield size
