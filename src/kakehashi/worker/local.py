"""A fleet on this machine with nothing installed beside it: private broker, workers, sweeper; gone at the end."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Self

from kakehashi.errors import KakehashiError
from kakehashi.worker.interrupts import held_back
from kakehashi.worker.private_broker import PrivateBroker
from kakehashi.worker.supervisor import Supervisor

if TYPE_CHECKING:
    from collections.abc import Callable

    from kakehashi.producer.bells import Ringer
    from kakehashi.settings import Settings
    from kakehashi.storage import Repository

LOG_LINES = 15
"""How much of the workers' log is shown when they end by themselves."""


MOST_RESTARTS = 3
"""How often workers that ended by themselves are started again before a run is given up."""


class WorkersEnded(KakehashiError):
    """The workers of a local fleet end by themselves, again and again."""


class LocalFleet:
    """Everything that `kakehashi run` starts. The workers start at once; the sweeper starts with `attend`.

    Args:
        settings: database, number of workers and the rest; the broker's URL in it is replaced by the private one's.
        log_level: of the workers' log, a file in the private folder.
    """

    def __init__(self, settings: Settings, *, log_level: str = "WARNING") -> None:
        self._given = settings
        self._log_level = log_level
        self._restarts = 0
        self._stack = contextlib.ExitStack()
        self._ringer: Ringer | None = None
        self._supervisor: Supervisor | None = None

    def __enter__(self) -> Self:
        with self._stack:
            with held_back():  # a Ctrl-C in between would leave the folder
                private = PrivateBroker()
                self._stack.callback(private.stop)
            self._log_path = private.folder / "workers.log"
            output = self._stack.enter_context(self._log_path.open("wb"))
            self.settings = dataclasses.replace(self._given, broker=private.url, metrics="")
            # Celery first: it takes longest, and waits for its broker.
            self._supervisor = Supervisor(self.settings, output=output, log_level=self._log_level, broker=private)
            self._stack.enter_context(self._supervisor)
            self._stack.enter_context(private)
            self._stack = self._stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def attend(self, run: int) -> None:
        """Start sweeping this run, and no other."""
        self._running.sweep(run)

    def ring(self, repository: Repository, run: int) -> None:
        """Ring for shards of the run, from the thread that submits."""
        from kakehashi.producer.bells import Ringer
        from kakehashi.producer.broker import Broker

        if self._ringer is None:
            broker = self._stack.enter_context(Broker(self.settings))
            self._ringer = Ringer(repository, broker, self.settings, run)
        self._ringer()

    def check(self) -> None:
        """See that the workers are there; start them again when they ended by themselves.

        Raises:
            WorkersEnded: they did so too often; with the end of their log.
            WrongVersion: the database was upgraded meanwhile.
        """
        self._running.check()
        code = self._running.exit_code
        if code is None:
            return
        self._restarts += 1
        if self._restarts > MOST_RESTARTS:
            lines = self._log_path.read_text(errors="replace").splitlines()[-LOG_LINES:]
            raise WorkersEnded("\n".join([f"the workers end by themselves (exit code {code}):", *lines]))
        self._running.start()

    def stop(self, idle: Callable[[], bool] = lambda: False) -> None:
        """Stop the workers warmly: what they have in hand is written or given back. Shorter when they are `idle`."""
        self._running.stop(idle)

    def hurry(self) -> None:
        """Do not wait for that: what the workers had in hand is taken from them."""
        if self._supervisor is not None:
            self._supervisor.hurry()

    @property
    def _running(self) -> Supervisor:
        if self._supervisor is None:
            raise RuntimeError("the fleet was not started")
        return self._supervisor
