"""What people are told of a run's total budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kakehashi.storage.total_budget import in_words

if TYPE_CHECKING:
    from kakehashi.storage.records import Progress


def left(progress: Progress) -> str:
    """`stops in 3 min`, or that it stopped; empty where there is no total budget, or where nothing is left to start."""
    if progress.stops_at is None or progress.finished:
        return ""
    return "stopped" if progress.stopped else f"stops in {in_words(progress.stops_at - progress.now)}"


def is_over(progress: Progress) -> str:
    """The beginning of a sentence, where it is so."""
    return f"the total budget of run {progress.run}, {in_words(progress.total_budget or 0)}, is over"
