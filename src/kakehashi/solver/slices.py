"""How many conflicts a SAT solver may have before the deadline is looked at again."""

from __future__ import annotations

TARGET = 0.04
"""Seconds that a slice should take: well below the 0.25 s by which a budget may be overshot."""

FIRST = 256
FEWEST = 16
MOST = 1 << 20


class Slices:
    """A conflict budget that adapts to the time that the last slices took.

    A conflict costs microseconds on a small board and a millisecond on a huge one, so a fixed number of them would
    either miss the deadline on one or waste the time on restarts on the other.
    """

    __slots__ = ("conflicts",)

    def __init__(self) -> None:
        self.conflicts = FIRST

    def record(self, seconds: float) -> None:
        """Note how long a slice took that used its conflicts up."""
        if seconds > TARGET:
            self.conflicts = max(FEWEST, int(self.conflicts * TARGET / seconds))
        elif seconds < TARGET / 2:
            self.conflicts = min(MOST, 2 * self.conflicts)
