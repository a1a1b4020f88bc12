"""A fleet of real processes for a test: Valkey, Celery, the sweeper, on a database of the test's."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from kakehashi.producer.bells import refill
from kakehashi.producer.broker import Broker
from kakehashi.producer.submit import submit
from kakehashi.puzzle import Confirm
from kakehashi.settings import Settings
from kakehashi.storage import Repository, RunOptions
from kakehashi.worker.private_broker import PrivateBroker
from kakehashi.worker.supervisor import Supervisor
from tests.support.storing import entries_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pytest

    from kakehashi.puzzle import Puzzle
    from kakehashi.storage import Progress

ROOT = Path(__file__).parents[2]

QUICK = {
    "concurrency": 2,
    "lease": 3.0,
    "pulse": 0.5,
    "time_slice": 1.0,
    "sweep_every": 0.2,
    "ring_again": 1.0,
    "engines": ("tests.support.worker_engines",),
}
"""Settings with which a fault shows, and is mended, within seconds."""


class Fleet:
    """What a test needs to put work in, do harm, and look at what came out."""

    def __init__(self, settings: Settings, broker: PrivateBroker, supervisor: Supervisor) -> None:
        self.settings = settings
        self.broker = broker
        self.supervisor = supervisor
        self.repository = Repository(settings.db)

    def submit(
        self,
        puzzles: Iterable[Puzzle],
        *,
        engine: str = "auto",
        budget: float = 10.0,
        confirm: Confirm = Confirm.NONE,
    ) -> int:
        """A batch with these puzzles, whose bells are rung; its run."""
        with Broker(self.settings) as bells:

            def ring(*_: int) -> None:
                refill(self.repository, bells, self.settings)

            return submit(
                self.repository,
                entries_of(puzzles),
                name="b",
                source={},
                options=RunOptions(budget=budget, engine=engine, confirm=confirm),
                on_chunk=ring,
            ).run

    def wait(self, run: int, until: Callable[[Progress], bool] = lambda progress: progress.finished) -> Progress:
        """Look until it is so; fail after a minute."""
        ends = time.monotonic() + 60
        while not until(progress := self.repository.progress(run)):
            if time.monotonic() > ends:
                break
            time.sleep(0.05)
        else:
            return progress
        raise AssertionError(f"it never came so far: {progress}")

    @property
    def celery(self) -> int:
        """The process id of Celery."""
        assert self.supervisor._child is not None
        return self.supervisor._child.pid

    def processes(self) -> list[int]:
        """The process ids of Celery's children, the ones that solve."""
        return children(self.celery)


def children(pid: int) -> list[int]:
    """The children of a process."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def alive(pid: int) -> bool:
    """Whether the process lives (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def fleet(db: str, monkeypatch: pytest.MonkeyPatch, **settings: object) -> Iterator[Fleet]:
    """Start a fleet; stop it at the end."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    with PrivateBroker() as broker:
        chosen = Settings(**{**QUICK, **settings, "db": db, "broker": broker.url})  # type: ignore[arg-type]
        with Supervisor(chosen, log_level="WARNING") as supervisor:
            supervisor.sweep()
            keeper = threading.Thread(target=supervisor.wait)
            keeper.start()
            running = Fleet(chosen, broker, supervisor)
            yield running
        keeper.join()
        running.repository.close()
