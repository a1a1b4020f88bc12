"""How many propagations a SAT solver may make before the deadline is looked at again."""

from __future__ import annotations

TARGET = 0.04
"""Seconds that a slice should take: well below the 0.25 s by which a budget may be overshot."""

FIRST = 1 << 18
FEWEST = 1 << 10
MOST = 1 << 30


class Slices:
    """A budget of propagations that adapts to the time that the last slices took.

    Propagations, not conflicts: on a huge board a hundred thousand of them may lie between two conflicts, and MiniSat
    looks at either budget at each decision.
    """

    __slots__ = ("propagations",)

    def __init__(self) -> None:
        self.propagations = FIRST

    def record(self, seconds: float, conflicts: int) -> None:
        """Note how long a slice took that used its propagations up, and how many conflicts it came to.

        One without a conflict has taught the solver nothing, and the next one goes the same way: it has to get further,
        however long that takes, or the search would never end.
        """
        if not conflicts:
            self.propagations *= 2
        elif seconds > TARGET:
            self.propagations = max(FEWEST, int(self.propagations * TARGET / seconds))
        elif seconds < TARGET / 2:
            self.propagations = min(MOST, 2 * self.propagations)
