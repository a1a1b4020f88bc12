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

PUZZLE_SECONDS = 0.5e-3
ISLAND_SECONDS = 0.06e-3
"""Expected cost of a puzzle: a constant for loading and storing it, and a part for each island. On the high side on
purpose (boards of 10x10 to 25x25 were measured at 0.013 ms an island with pysat): small shards keep all busy."""


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
