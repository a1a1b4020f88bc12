"""The sweeper: expired leases, cancelled runs, missing bells. It makes sure that no shard waits for ever."""

from __future__ import annotations

import logging
import math
import threading
import time
from typing import TYPE_CHECKING

from kakehashi.errors import KakehashiError, ServiceUnreachable
from kakehashi.producer.bells import refill
from kakehashi.producer.broker import Broker
from kakehashi.storage import Repository, WrongVersion
from kakehashi.worker.meter import NO_METER, Meter

if TYPE_CHECKING:
    from collections.abc import Callable

    from kakehashi.settings import Settings

PAUSE_AFTER_FAILURE = 2.0
"""Seconds before the next try when the database or the broker was away."""

_log = logging.getLogger(__name__)


class Leaps:
    """Tells whether leases had no chance to be extended: the database was away, or its clock has just leapt ahead.

    It leaps when it is set, and when the machine sleeps. Every lease seems to have run out then. One lease later those
    who live have extended theirs.
    """

    def __init__(self, lease: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._lease = lease
        self._clock = clock
        self._ahead = math.inf
        self._lost = False
        self._settles_at = -math.inf

    def lost(self) -> None:
        """The database cannot be used: whoever holds a lease cannot extend it either."""
        self._lost = True

    def over(self, there: float) -> bool:
        """Whether no leap is less than a lease ago; `there` is what the database's clock says now."""
        here = self._clock()
        ahead = there - here
        # Who lives has at least two thirds of a lease left (Settings: three pulses).
        if ahead > self._ahead + self._lease / 3:
            _log.warning("clock leapt ahead", extra={"seconds": round(ahead - self._ahead, 1)})
            self._settles_at = here + self._lease
        if self._lost:
            self._settles_at = here + self._lease
        self._lost = False
        self._ahead = ahead
        return here >= self._settles_at


def sweep(
    repository: Repository,
    broker: Broker,
    settings: Settings,
    leaps: Leaps,
    run: int | None = None,
    meter: Meter = NO_METER,
) -> None:
    """One sweep, of one run or of all; `meter` counts what it comes to.

    The database is put in order first, so that a broker that is away does not keep leases from expiring.

    Raises:
        ServiceUnreachable: the database or the broker is away.
    """
    started = time.monotonic()

    def trusted(there: float) -> bool:
        if time.monotonic() - started > settings.lease / 3:  # it stood still: nobody could extend a lease meanwhile
            leaps.lost()
        return leaps.over(there)

    try:
        if pulled := repository.pull_back(settings.lease, settings.longest_lease, run):
            _log.warning("clock was set back", extra={"pulled_back": pulled})
        expired = repository.expire_leases(run, trusted=trusted)
        meter.expired(expired)
        if expired:
            _log.warning("leases expired", extra={"leases": expired})
        while ended := repository.cancel_rows(run):
            meter.cancelled(ended)
    except ServiceUnreachable:
        leaps.lost()
        raise
    meter.rang(refill(repository, broker, settings, run, on_depth=meter.queued))
    meter.swept(time.monotonic() - started)


class Sweeper:
    """Sweeps in a thread of a process that never forks, with connections of its own.

    Attributes:
        refusal: why it sweeps no more: the database was upgraded, and this version leaves it alone.
    """

    def __init__(self, settings: Settings, run: int | None = None, meter: Meter = NO_METER) -> None:
        self._settings = settings
        self._run = run
        self._leaps = Leaps(settings.lease)
        self._meter = meter
        self.refusal: WrongVersion | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="sweeper", daemon=True)

    def start(self) -> None:
        """Begin to sweep."""
        self._thread.start()

    def stop(self) -> None:
        """End after the sweep in hand."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10.0)

    def _opened(self) -> Repository:
        try:
            return Repository(self._settings.db)
        except ServiceUnreachable:
            self._leaps.lost()
            raise

    def _loop(self) -> None:
        away = False
        while not self._stop.is_set():
            try:
                with self._opened() as repository, Broker(self._settings) as broker:
                    while not self._stop.is_set():
                        sweep(repository, broker, self._settings, self._leaps, self._run, self._meter)
                        away = False
                        self._stop.wait(self._settings.sweep_every)
            except WrongVersion as error:
                self.refusal = error
                return
            except KakehashiError as error:
                if not away:
                    _log.warning("sweeping pauses", extra={"error": str(error)})
                away = True
                self._meter.sweep_failed()
                self._stop.wait(PAUSE_AFTER_FAILURE)
            except Exception:  # noqa: BLE001 - a sweeper that dies would strand every shard; the log has the traceback
                _log.exception("sweep failed")
                self._meter.sweep_failed()
                self._stop.wait(PAUSE_AFTER_FAILURE)
