"""The Celery application of a worker: its one task, and what every worker process makes for itself after the fork.

`celery -A kakehashi.worker.app worker` finds `app` here; `kakehashi worker` starts it with a sweeper beside it.
"""

from __future__ import annotations

import importlib
import logging
import mmap
import os
import signal
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

from billiard.process import current_process
from celery.signals import (
    setup_logging,
    worker_init,
    worker_process_init,
    worker_process_shutdown,
    worker_shutting_down,
)

from kakehashi import settings as settings_module
from kakehashi.errors import KakehashiError
from kakehashi.producer.broker import BELL_TASK, make_app
from kakehashi.solver import engine_named
from kakehashi.solver.engines import missing_judge
from kakehashi.storage import Repository
from kakehashi.worker import deaths, logs
from kakehashi.worker.interrupts import lives
from kakehashi.worker.memory import limit_memory, memory_limit
from kakehashi.worker.meter import FOLDER, NO_METER, Meter
from kakehashi.worker.rollcall import answer
from kakehashi.worker.shard_runner import ShardRunner

WORKER_ID = os.environ.get("KAKEHASHI_WORKER_ID") or f"{socket.gethostname()}-{os.getpid()}"
"""Names this worker, the parent of its processes; read once, before the fork."""

_log = logging.getLogger(__name__)
settings = settings_module.load().settings
settings = replace(settings, memory_limit=memory_limit(settings))

# One byte that the parent and the processes forked from it share: set when the worker was told to stop. Signals do not
# reach the processes while Celery shuts down warmly, and a message would not be read during a solve.
_stop_flag = mmap.mmap(-1, 1)

app = make_app(settings)
app.conf.worker_consumer = "kakehashi.worker.gate:Gate"
# A process that needed half of what it may take is replaced: nothing of it can be in the way of the next shard.
app.conf.worker_max_memory_per_child = min(settings.max_memory_per_child, settings.memory_limit // 2) * 1024
app.steps["worker"].add(deaths.DeathWatch)


class _Process:
    """What one worker process holds. Made after the fork: a connection must not cross it (celery#1564)."""

    runner: ShardRunner | None = None
    repository: Repository | None = None
    meter: Meter = NO_METER


def _owner(pid: int) -> str:
    return f"{WORKER_ID}/{pid}"


def _death(owner: str) -> str | None:
    """What killed the owner, if it was a process of this very worker and is dead; of others nothing is known."""
    worker, _, pid = owner.rpartition("/")
    if worker != WORKER_ID or int(pid) == os.getpid():
        return None
    cause = deaths.cause(int(pid))
    # One that was killed counts as dead even if it is not gone yet: the hard limit's bell comes back before that.
    if not cause and lives(int(pid)):
        return None
    _Process.meter.died()
    return cause


@setup_logging.connect(weak=False)
def _set_up_logging(loglevel: int, **_: Any) -> None:
    """Celery asks who is interested; where nobody is, it sets up a log of its own."""
    logs.configure(logging.getLevelName(loglevel), settings.log_format)


def _alarm(lease: float) -> None:
    """Have the kernel kill this process unless this is called again in time; 0 calls that off.

    An engine that neither ends nor looks at the deadline may hold the GIL, or never come back to Python: nothing in
    this process can end it then. One that uses up CPU time is ended well before its lease, so that nobody takes the
    shard over while it spins. One that only waits, or that a busy machine does not let on, has twice the lease: when it
    comes back in time, it hears that the lease was lost.
    """
    signal.setitimer(signal.ITIMER_PROF, lease / 3)
    signal.setitimer(signal.ITIMER_REAL, 2 * lease)


@worker_init.connect(weak=False)
def _prepare(sender: Any = None, **_: Any) -> None:
    """Import in the parent what every process needs, so that a replaced process starts at once."""
    pool = getattr(getattr(sender, "pool_cls", None), "__module__", "")
    if pool and not pool.endswith("prefork"):
        # Threads, gevent and solo have none at all (celery#9203): budgets hold, but nothing ends an engine that hangs.
        _log.warning("no hard time limit", extra={"pool": pool})
    answer(settings, engine_named().name)
    # The pysat engine imports it with the first puzzle that needs it, whose budget would pay for that.
    importlib.import_module("pysat.solvers")
    for module in settings.engines:
        importlib.import_module(module)
    if FOLDER in os.environ:
        importlib.import_module("kakehashi.worker.metrics")
    if hint := missing_judge():
        _log.warning("no second engine", extra={"hint": hint})


@worker_shutting_down.connect(weak=False)
def tell_processes(**_: Any) -> None:
    """Let the processes write and give back what they have in hand."""
    _stop_flag[0] = 1


@worker_process_init.connect(weak=False)
def _start_process(**_: Any) -> None:
    """Limit the memory and connect early.

    A database that is away, or not made yet, is no reason to die: the next bell tries again.
    """
    deaths.forget(os.getpid())
    limit_memory(settings.memory_limit)
    try:
        _runner()
    except KakehashiError as error:
        _log.error("database not opened", extra={"error": str(error)})


def _runner() -> ShardRunner:
    """This process's runner; made when it is first needed."""
    if _Process.runner is None:
        _Process.meter = _meter()
        _Process.repository = Repository(settings.db, patience=settings.patience, on_retry=_retried)
        _Process.runner = ShardRunner(
            _Process.repository,
            settings,
            _owner(os.getpid()),
            death=_death,
            alarm=_alarm,
            stopping=lambda: bool(_stop_flag[0]),
            meter=_Process.meter,
        )
    return _Process.runner


def _meter() -> Meter:
    """What this process counts with. Its place in the pool is free again when the process is dead."""
    if FOLDER not in os.environ:
        return NO_METER
    from kakehashi.worker.metrics import PROCESS, Metrics

    try:
        return Metrics(Path(os.environ[FOLDER]), f"{PROCESS}{current_process().index}")
    except OSError as error:  # counting is no reason to stop working
        _log.warning("metrics not counted", extra={"error": str(error)})
        return NO_METER


def _retried(fault: str) -> None:
    _Process.meter.retried()
    _log.debug("database tried again", extra={"error": fault})


@worker_process_shutdown.connect(weak=False)
def _end_process(**_: Any) -> None:
    if _Process.repository is not None:
        _Process.repository.close()


@app.task(name=BELL_TASK, Request="kakehashi.worker.deaths:BellRequest")
def bell(shard: int) -> None:
    """Look at a shard."""
    if _stop_flag[0]:
        return
    try:
        _runner().run(shard)
    except KakehashiError as error:
        _log.error("shard left to its lease", extra={"shard": shard, "error": str(error)})
    except MemoryError:  # which Celery would let its parent die of
        os._exit(deaths.OUT_OF_MEMORY)
