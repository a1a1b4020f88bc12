"""The one clock of a solve: budget, cancel flag and heartbeat, looked at from inside every stage."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

BEAT_INTERVAL = 0.25
"""Seconds between two calls of the heartbeat."""


class Stopped(Exception):
    """The work has to end before it is done."""


class OutOfTime(Stopped):
    """The budget is used up."""


class Cancelled(Stopped):
    """Somebody wants no answer any more."""


class Deadline:
    """The end of a budget, on a monotonic clock, and what has to happen on the way there.

    Args:
        budget: seconds from now; None for no limit.
        beat: called at most every `BEAT_INTERVAL` seconds while the solver works; it tells others that this process is
            alive, and answers True when the work is to be cancelled.
        clock: a monotonic clock in seconds.
    """

    __slots__ = ("_beat", "_clock", "_next_beat", "ends_at")

    def __init__(
        self,
        budget: float | None = None,
        beat: Callable[[], bool] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        now = clock()
        self._clock = clock
        self._beat = beat
        self._next_beat = now + BEAT_INTERVAL
        self.ends_at = math.inf if budget is None else now + budget

    @property
    def left(self) -> float:
        """Seconds until the budget ends; negative when it has; infinite when there is no limit."""
        return self.ends_at - self._clock()

    @property
    def now(self) -> float:
        """The clock's time in seconds, to measure how long something took."""
        return self._clock()

    def check(self) -> None:
        """Look at the clock; beat when it is time to. Cheap enough (0.1 us) to call every few hundred steps.

        Raises:
            OutOfTime: the budget is used up.
            Cancelled: the heartbeat says so.
        """
        now = self._clock()
        if now >= self.ends_at:
            raise OutOfTime
        if now >= self._next_beat and self._beat is not None:
            self._next_beat = now + BEAT_INTERVAL
            if self._beat():
                raise Cancelled
