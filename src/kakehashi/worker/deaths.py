"""Why a worker process died: seen by Celery's parent, told to the processes that bury it.

The parent learns how its child ended and gives the bell back; the child that answers the bell next finds the owner of
the shard dead, and wants to say what killed it. So the two share a table in memory, made before the fork.
"""

from __future__ import annotations

import errno
import mmap
import re
import signal
import struct
from typing import Any

from billiard.exceptions import TimeLimitExceeded, WorkerLostError
from celery import bootsteps
from celery.worker.request import Request

OUT_OF_MEMORY = errno.ENOMEM
"""The exit code of a process that had no memory left even to say so."""

ALARMS = (signal.SIGPROF, signal.SIGALRM)
"""End a process that gives no sign of life (`kakehashi.worker.app`)."""

LOOK_EVERY = 0.25
"""Seconds between two looks for dead processes."""

_HARD_LIMIT = 256  # no exit code
_ENTRY = struct.Struct("ii")  # process id, how it ended
_ENTRIES = 1024

_table = mmap.mmap(-1, _ENTRIES * _ENTRY.size)


def note(pid: int, ended: int) -> None:
    """Write down how a process ended: its exit code, or the number of a signal, negative."""
    _ENTRY.pack_into(_table, pid % _ENTRIES * _ENTRY.size, pid, ended)


def forget(pid: int) -> None:
    """Wipe out what was noted of an earlier process with the same number."""
    _ENTRY.pack_into(_table, pid % _ENTRIES * _ENTRY.size, 0, 0)


def cause(pid: int) -> str:
    """What ended a process, as part of a sentence; empty where nothing is known."""
    noted, ended = _ENTRY.unpack_from(_table, pid % _ENTRIES * _ENTRY.size)
    if noted != pid:
        return ""
    if ended == _HARD_LIMIT:
        return "killed at the hard time limit"
    if ended == OUT_OF_MEMORY:
        return "out of memory"
    if -ended in ALARMS:
        return "killed since it gave no sign of life"
    if ended < 0:
        return f"killed by signal {-ended}, {signal.Signals(-ended).name}"
    return f"it ended itself with exit code {ended}"


def ending(error: BaseException) -> int | None:
    """How a process ended, by what Celery says of the bell that it had in hand; None where that does not tell."""
    if isinstance(error, TimeLimitExceeded):
        return _HARD_LIMIT
    ended = re.search(r"(signal|exitcode) (\d+)", str(error)) if isinstance(error, WorkerLostError) else None
    return None if ended is None else int(ended[2]) * (-1 if ended[1] == "signal" else 1)


class BellRequest(Request):
    """A bell in hand, as Celery's parent sees it."""

    def on_failure(self, exc_info: Any, *arguments: Any, **options: Any) -> Any:
        """Note the death, before Celery gives the bell back."""
        ended = ending(getattr(exc_info.exception, "exc", exc_info.exception))  # wrapped, to carry its traceback
        if ended is not None and self.worker_pid:
            note(self.worker_pid, ended)
        return super().on_failure(exc_info, *arguments, **options)


class DeathWatch(bootsteps.StartStopStep):
    """Has Celery look for dead processes often.

    It looks when a process closes its files, which is a moment before it can be seen to be dead; who is missed then is
    found five seconds later.
    """

    requires = ("celery.worker.components:Pool",)

    def include_if(self, worker: Any) -> bool:
        """Other pools have no processes."""
        return str(worker.pool_cls.__module__).endswith("prefork")

    def register_with_event_loop(self, worker: Any, hub: Any) -> None:
        """Called by Celery."""
        hub.call_repeatedly(LOOK_EVERY, worker.pool._pool.maintain_pool)  # noqa: SLF001 - Celery's own timer calls it
