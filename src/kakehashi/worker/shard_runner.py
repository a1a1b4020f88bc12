"""One shard, from its bell to its last write.

The rules that keep a batch whole stand in the storage layer (tokens, leases, burials). This file keeps to them: a claim
is ended by `finish` or `release`, or it is lost and then nothing more is written.
"""

from __future__ import annotations

import contextlib
import logging
import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from kakehashi.errors import ServiceUnreachable, UsageError
from kakehashi.producer.plan import cut, expected_seconds
from kakehashi.puzzle import Confirm, Termination, Verdict
from kakehashi.solver import solve
from kakehashi.solver.outcome import OUT_OF_MEMORY, Outcome
from kakehashi.storage import LeaseLost, StorageError
from kakehashi.storage.records import Job
from kakehashi.worker.logs import bound
from kakehashi.worker.meter import NO_METER, Meter

if TYPE_CHECKING:
    from collections.abc import Callable

    from kakehashi.settings import Settings
    from kakehashi.storage import Repository
    from kakehashi.storage.records import Claim, Work

WRITE_SECONDS = 0.5
WRITE_ATTEMPTS = 100
"""Finished attempts are written after so long, or when so many wait: one transaction costs as much as many rows."""

LONG_ISLANDS = 2000
"""A board from this size on is noted before it is tried even in a first claim: it is where memory runs out."""

_log = logging.getLogger(__name__)


class ShardRunner:
    """Works on shards, one at a time, for one worker process.

    Args:
        repository: this process's own.
        settings: lease, pulse, time slice and memory limit are used.
        owner: the name of this process, stored with each claim.
        death: what killed the process with that name, as part of a sentence, empty where that is not known; None unless
            it is known to be dead.
        stopping: whether this worker was told to stop; the shard in hand is then written and released.
        meter: counts what happens.
        alarm: called with the lease before a solve and at each sign of life during it, with 0 afterwards: has this
            process killed when a call is overdue.
    """

    def __init__(
        self,
        repository: Repository,
        settings: Settings,
        owner: str,
        *,
        death: Callable[[str], str | None] = lambda owner: None,
        stopping: Callable[[], bool] = lambda: False,
        alarm: Callable[[float], object] = lambda seconds: None,
        clock: Callable[[], float] = time.monotonic,
        meter: Meter = NO_METER,
    ) -> None:
        self._repository = repository
        self._settings = settings
        self._owner = owner
        self._death = death
        self._stopping = stopping
        self._alarm = alarm
        self._clock = clock
        self._meter = meter

    def run(self, shard: int) -> None:
        """Answer a bell. A shard that somebody else holds, or that is closed, is left alone."""
        claim = self._repository.claim(shard, self._owner, self._settings.lease, self._death)
        if claim is None:
            _log.debug("nothing to do", extra={"shard": shard})
            return
        self._meter.claimed()
        with bound(batch=claim.batch, run=claim.run, shard=shard):
            _log.info("shard claimed", extra={"attempts": len(claim.work), "tries": claim.tries})
            self._work(claim)

    def _work(self, claim: Claim) -> None:
        try:
            _Shift(
                claim, self._repository, self._settings, self._stopping, self._alarm, self._clock, self._meter
            ).work()
        except LeaseLost:
            # What was not written is left to the new owner.
            _log.warning("lease lost")
            self._meter.ended("lost")
        except StorageError as error:
            # A heartbeat's write was lost on its way, or only its answer was, and now the two sides do not agree. The
            # database is right: what it has stays, and what it has not is given back. That is nobody's death.
            _log.error("shard given back", extra={"error": str(error)})
            self._meter.ended("released")
            with contextlib.suppress(LeaseLost):
                self._repository.release(claim)


class _Shift:
    """The state of one claim while it is worked on."""

    def __init__(
        self,
        claim: Claim,
        repository: Repository,
        settings: Settings,
        stopping: Callable[[], bool],
        alarm: Callable[[float], object],
        clock: Callable[[], float],
        meter: Meter,
    ) -> None:
        self._claim = claim
        self._repository = repository
        self._settings = settings
        self._stopping = stopping
        self._alarm = alarm
        self._clock = clock
        self._meter = meter
        self._left = claim.work[::-1]  # the next one stands at the end
        self._finished: list[tuple[int, Outcome]] = []
        self._pos = -1  # of the attempt in hand
        self._noted = False  # it, before it was tried
        self._cancelled = False
        self._broken: Exception | None = None
        self._expected = 0.0
        now = self._clock()
        self._started = now
        self._slice_ends = now + self._settings.time_slice
        self._run_stops = math.inf if claim.seconds_left is None else now + claim.seconds_left
        self._next_pulse = now + self._settings.pulse
        self._next_write = now + WRITE_SECONDS

    def work(self) -> None:
        """Solve one attempt after the other until none is left, the slice is over, or somebody says stop."""
        while self._left:
            if self._stopping() or self._cancelled or self._clock() >= self._run_stops:
                self._repository.release(self._claim, self._finished)
                self._written()
                self._meter.ended("released")
                _log.info("shard released", extra={"left": len(self._left)})
                return
            if self._clock() >= self._slice_ends:
                break
            work = self._left.pop()
            outcome = self._attempt(work)
            if self._broken is not None:
                raise self._broken
            if outcome.termination is Termination.CANCELLED:
                self._left.append(work)
                continue
            if outcome.disputed:
                _log.error("engines disagree", extra=self._in_hand(outcome.error))
            if outcome.error == OUT_OF_MEMORY:
                outcome = replace(outcome, error=f"out of memory: more than {self._settings.memory_limit} MB")
                self._finished.append((work.pos, outcome))
                break  # this process may have to be replaced before it is fit for another one
            self._finished.append((work.pos, outcome))
            self._write_when_due()
        rest = self._rest()
        self._repository.finish(self._claim, self._finished, rest)
        self._written()
        self._meter.split(len(rest))
        self._meter.ended("finished")
        _log.info("shard finished", extra={"seconds": round(self._clock() - self._started, 3), "split": len(rest)})

    def _attempt(self, work: Work) -> Outcome:
        claim = self._claim
        self._pos = work.pos
        self._expected += expected_seconds(_job(work))
        risky = claim.careful or work.puzzle.island_count >= LONG_ISLANDS
        if risky or self._noted:  # which wipes the note of an attempt that has ended
            self._flush()
        if risky:
            self._repository.note(claim, work.pos)
        self._noted = risky
        options = claim.options
        self._alarm(self._settings.lease)
        try:
            return solve(
                work.puzzle,
                budget=work.budget,
                unique=options.unique,
                engine=options.engine,
                # A second engine that takes the process down must not cost the verdict of the first.
                confirm=Confirm.NONE if work.deaths else options.confirm,
                beat=self._beat,
            )
        except UsageError as error:  # an engine that this machine does not have
            return Outcome(work.puzzle, Verdict.UNKNOWN, Termination.CRASHED, error=str(error))
        finally:
            self._alarm(0)

    def _beat(self) -> bool:
        """What happens a few times a second during a solve; True ends it.

        It must not raise: what is raised inside a solve would be taken for a failure of the engine.
        """
        if self._stopping():
            return True
        self._alarm(self._settings.lease)
        now = self._clock()
        if now >= self._next_pulse or (self._finished and now >= self._next_write):
            self._next_pulse = now + self._settings.pulse
            self._next_write = now + WRITE_SECONDS
            try:
                self._pulse(slice_is_over=now >= self._slice_ends)
            except (ServiceUnreachable, MemoryError) as error:
                # A solve must not end because the database is away; a lease that runs out meanwhile is found by the
                # next write. And whether there is memory enough for the solve shows in the solve.
                _log.warning("heartbeat failed", extra=self._in_hand(str(error)))
            except Exception as error:  # noqa: BLE001 - raised again as soon as the solve has returned
                self._broken = error
        return self._cancelled or self._broken is not None

    def _pulse(self, *, slice_is_over: bool) -> None:
        """Extend the lease; write what is finished; let others have what waits behind a slow puzzle."""
        rest = self._rest() if slice_is_over else []
        if self._finished or rest:
            self._cancelled = self._repository.shed(self._claim, self._finished, rest, self._settings.lease)
            self._written()
            if rest:
                self._meter.split(len(rest))
                _log.info("shard split", extra={"split": len(rest)})
                self._left = []
        else:
            self._cancelled = self._repository.extend(self._claim, self._settings.lease)

    def _write_when_due(self) -> None:
        if len(self._finished) >= WRITE_ATTEMPTS or self._clock() >= self._next_write:
            self._flush()

    def _flush(self) -> None:
        if self._finished:
            self._cancelled = self._repository.record(self._claim, self._finished, self._settings.lease)
            self._written()
        now = self._clock()
        self._next_write = now + WRITE_SECONDS
        self._next_pulse = now + self._settings.pulse

    def _written(self) -> None:
        self._meter.written([outcome for _, outcome in self._finished])
        self._finished = []

    def _in_hand(self, error: str | None) -> dict[str, str | None]:
        """The fields of a line about the attempt in hand."""
        return {"attempt": f"{self._claim.batch}:{self._pos}", "error": error}

    def _rest(self) -> list[list[int]]:
        """The positions that are left, cut into new shards: smaller ones where the work took longer than expected."""
        jobs = [_job(work) for work in reversed(self._left)]
        pace = max(1.0, (self._clock() - self._started) / self._expected) if self._expected else 1.0
        shards, start = [], 0
        for size in cut(jobs, pace):
            shards.append([job.pos for job in jobs[start : start + size]])
            start += size
        return shards


def _job(work: Work) -> Job:
    """What the planner wants to know of an attempt."""
    return Job(work.pos, work.puzzle.island_count, work.budget, len(work.puzzle.cells))
