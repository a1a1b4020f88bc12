"""What the soak does to its fleet, again and again; each tool leaves a fleet that can go on."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.faults.scenario import BOTH, POSTGRESQL, SQLITE
from tests.faults.scenarios.workers import kill_one

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.faults.arena import Worker
    from tests.faults.soak import Soak

AWAY = (0.5, 6.0)
"""Seconds for which something is away or frozen: up to two leases."""

HOUR = 3600
BELLS = 100
"""How many shards are rung for, of all that there ever were."""


@dataclass(frozen=True)
class Tool:
    """A fault that is done and undone.

    Attributes:
        name: what happens.
        use: does it.
        kills: whether the puzzles in hand may count it as a death.
        databases: where there is such a fault.
    """

    name: str
    use: Callable[[Soak], object]
    kills: bool = False
    databases: tuple[str, ...] = BOTH


def one_of(soak: Soak) -> Worker:
    return soak.arena.rng.choice(soak.workers)


def wait_a_while(soak: Soak) -> None:
    time.sleep(soak.arena.rng.uniform(*AWAY))


def kill_celery(soak: Soak) -> None:
    with contextlib.suppress(ValueError, ProcessLookupError):  # the supervisor starts it at the moment
        os.killpg(one_of(soak).celery, signal.SIGKILL)


def kill_worker(soak: Soak) -> None:
    """The supervisor alone, which leaves it to the others to end."""
    worker = one_of(soak)
    worker.process.kill()
    worker.process.wait()
    soak.replace(worker)


def stop_worker(soak: Soak) -> None:
    worker = one_of(soak)
    worker.stop()
    soak.replace(worker)


def freeze_process(soak: Soak) -> None:
    for pid in one_of(soak).processes()[:1]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
            wait_a_while(soak)
            os.kill(pid, signal.SIGCONT)


def freeze_worker(soak: Soak) -> None:
    worker = one_of(soak)
    with contextlib.suppress(ProcessLookupError):
        worker.send(signal.SIGSTOP)
        wait_a_while(soak)
        worker.send(signal.SIGCONT)


def restart_broker(soak: Soak, *, empty: bool) -> None:
    broker = soak.arena.broker
    broker.kill()
    if empty:
        broker.forget()
    wait_a_while(soak)
    broker.start()


def freeze_broker(soak: Soak) -> None:
    with soak.arena.broker.frozen():
        wait_a_while(soak)


def repeat_bells(soak: Soak) -> None:
    """In any order, for closed and open shards, three times each."""
    shards = [number for (number,) in soak.arena.books.rows("SELECT id FROM shard")]
    bells = 3 * soak.arena.rng.sample(shards, min(BELLS, len(shards)))
    soak.arena.rng.shuffle(bells)
    soak.arena.ring(bells)


def restart_database(soak: Soak, mode: str) -> None:
    soak.arena.postgresql().restart(mode, away=soak.arena.rng.uniform(*AWAY))


def lock_database(soak: Soak) -> None:
    with contextlib.closing(sqlite3.connect(soak.arena.settings.db, isolation_level=None, timeout=30.0)) as other:
        other.execute("BEGIN IMMEDIATE")
        wait_a_while(soak)
        other.execute("ROLLBACK")


def set_clock(soak: Soak) -> None:
    """An hour ahead or back, and then right again."""
    soak.clock.set(soak.arena.rng.choice((HOUR, -HOUR)))
    wait_a_while(soak)
    soak.clock.set(0)


TOOLS = (
    Tool("a process is killed", lambda soak: kill_one(soak.arena, one_of(soak).processes()), kills=True),
    Tool("Celery and its processes are killed", kill_celery, kills=True),
    Tool("a supervisor is killed, and a new worker comes", kill_worker, kills=True),
    Tool("a worker is stopped, and a new one comes", stop_worker),
    Tool("a process is frozen", freeze_process, kills=True),
    Tool("a worker is frozen", freeze_worker, kills=True),
    Tool("the broker loses its messages", lambda soak: soak.arena.broker.empty()),
    Tool("the broker is killed and comes back", lambda soak: restart_broker(soak, empty=False)),
    Tool("the broker is killed and comes back empty", lambda soak: restart_broker(soak, empty=True)),
    Tool("the broker is frozen", freeze_broker),
    Tool("old bells are rung again", repeat_bells),
    Tool("the database is restarted", lambda soak: restart_database(soak, "fast"), databases=(POSTGRESQL,)),
    Tool("the database crashes", lambda soak: restart_database(soak, "immediate"), databases=(POSTGRESQL,)),
    Tool(
        "all connections to the database end",
        lambda soak: soak.arena.postgresql().end_connections(),
        databases=(POSTGRESQL,),
    ),
    Tool("another program locks the database", lock_database, databases=(SQLITE,)),
    Tool("the workers' clock jumps", set_clock, kills=True),
)
