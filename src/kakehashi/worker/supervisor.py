"""`kakehashi worker`: Celery as a child process, the sweeper beside it, and a clean end for both."""

from __future__ import annotations

import contextlib
import logging
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self

from kakehashi.errors import KakehashiError
from kakehashi.worker.interrupts import held_back
from kakehashi.worker.meter import FOLDER, NO_METER, Meter

if TYPE_CHECKING:
    from collections.abc import Callable

    from kakehashi.settings import Settings
    from kakehashi.worker.metrics import Exporter
    from kakehashi.worker.private_broker import PrivateBroker
    from kakehashi.worker.sweeper import Sweeper

WARM_SECONDS = 15.0
"""How long the shards in hand may take to be written and released; they look at the stop flag four times a second."""

GROUP_SECONDS = 1.0
"""How long killed processes are waited for."""

STOP_LOOK = 0.2
"""Seconds between two looks at a Celery that was told to stop. In the first ones every process sees the stop flag, so
whatever is idle then stays idle."""

RESTART_PAUSE = 2.0
"""Seconds before Celery is started again after it ended by itself."""

_log = logging.getLogger(__name__)


class Supervisor:
    """Runs Celery with `settings.concurrency` processes until it is stopped.

    Celery is a process group of its own, so a Ctrl-C in the terminal reaches the supervisor alone, which then stops
    Celery warmly. It holds the write end of a pipe whose closing tells Celery that the supervisor is gone, however
    that came about.

    Args:
        settings: handed to the child through its environment.
        output: where the child's log goes; None for this process's stderr.
        log_level: of the child.
        broker: a private broker, which the child ends when the supervisor is gone.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        output: IO[bytes] | None = None,
        log_level: str = "INFO",
        broker: PrivateBroker | None = None,
    ) -> None:
        self._settings = settings
        self._output = output
        self._log_level = log_level
        self._broker = broker
        self._sweeper: Sweeper | None = None
        self._meter: Meter = NO_METER
        self._exporter: Exporter | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._own_folder: Path | None = None
        self._worker_id = ""
        self._gone = -1
        self._stopping = threading.Event()
        self._hurry = threading.Event()

    def __enter__(self) -> Self:
        try:
            if self._settings.metrics:
                self._export()
            self.start()
        except BaseException:  # a Ctrl-C that was held back while the child was started comes right after it
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start Celery; what is left of an earlier one is ended."""
        if self._child is not None:
            _end(self._child, self._gone)
        environment = os.environ | self._settings.environ()
        self._worker_id = environment["KAKEHASHI_WORKER_ID"] = f"{socket.gethostname()}-{uuid.uuid4().hex[:8]}"
        command = [sys.executable, "-m", "kakehashi.worker", "--log-level", self._log_level]
        # What a killed Celery leaves there goes with the folder, which the child removes if it has to.
        environment["TMPDIR"] = str(self._folder())
        command += ["--folder", environment["TMPDIR"]]
        if self._exporter is not None:
            environment[FOLDER] = str(self._counts)
        with held_back():
            gone, held = os.pipe()
            self._child = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.PIPE,
                # Celery says good-bye there, past the log.
                stdout=subprocess.DEVNULL,
                stderr=self._output,
                start_new_session=True,
                pass_fds=[held],
            )
            os.close(held)
            self._gone = gone
        _log.info("celery started", extra={"worker": environment["KAKEHASHI_WORKER_ID"], "celery_pid": self._child.pid})

    def _folder(self) -> Path:
        if self._broker is not None:
            return self._broker.folder
        if self._own_folder is None:
            self._own_folder = Path(tempfile.mkdtemp(prefix="kakehashi-worker-"))
        return self._own_folder

    @property
    def _counts(self) -> Path:
        return self._folder() / "metrics"

    def _export(self) -> None:
        from kakehashi.worker.metrics import Exporter, Metrics

        self._counts.mkdir()
        self._meter = metrics = Metrics(self._counts, "supervisor")
        self._exporter = Exporter(self._settings.metrics, self._counts, metrics, lambda: self.exit_code is None)

    def sweep(self, run: int | None = None) -> None:
        """Start the sweeper, for one run or for all.

        Apart from `start`, so that Celery can start before the run that is swept exists.
        """
        from kakehashi.worker.sweeper import Sweeper

        self._sweeper = Sweeper(self._settings, run, self._meter)
        self._sweeper.start()

    @property
    def exit_code(self) -> int | None:
        """How Celery ended, or None while it runs."""
        return self._child.poll() if self._child else None

    def check(self) -> None:
        """See that the sweeper can do its work.

        Raises:
            WrongVersion: the database was upgraded meanwhile. Workers of this version would only use up its bells.
        """
        if self._sweeper is not None and self._sweeper.refusal is not None:
            raise self._sweeper.refusal

    def wait(self) -> None:
        """Return when somebody called `stop`; start Celery again when it ended by itself. Raises as `check`.

        It does: with a Redis broker, Celery 5.7 ends with "Unrecoverable error" when the connection is lost and the
        broker is not back at once.
        """
        while not self._stopping.wait(0.5):
            self.check()
            if self.exit_code is not None:
                _log.error("celery ended", extra={"exit_code": self.exit_code})
                if not self._stopping.wait(RESTART_PAUSE):
                    self.start()
                    self._meter.restarted()

    def request_stop(self) -> None:
        """Make `wait` return, and when called again, `stop` not wait; safe in a signal handler."""
        if self._stopping.is_set():
            self.hurry()
        self._stopping.set()

    def hurry(self) -> None:
        """Let `stop` kill instead of waiting; safe in a signal handler."""
        self._hurry.set()

    def stop(self, idle: Callable[[], bool] = lambda: False) -> None:
        """End Celery and the sweeper: warmly, unless somebody is in a hurry. May be called twice.

        Args:
            idle: whether nothing is in hand any more. Then Celery is not waited for, which takes two seconds to say
                good-bye to an idle pool.
        """
        self._stopping.set()
        if self._sweeper is not None:
            self._sweeper.stop()
        if self._exporter is not None:
            self._exporter.close()
            self._exporter = None
        child, self._child = self._child, None
        if child is not None:
            with contextlib.suppress(ProcessLookupError):
                child.send_signal(signal.SIGTERM)
            ends = time.monotonic() + WARM_SECONDS
            in_hand = True
            try:
                while child.poll() is None and time.monotonic() < ends and not self._hurry.wait(STOP_LOOK):
                    if idle():
                        in_hand = False
                        break
            finally:
                in_hand = in_hand and child.poll() is None
                _end(child, self._gone)
                if in_hand:
                    self._take_back()
        if self._own_folder is not None:
            shutil.rmtree(self._own_folder, ignore_errors=True)
            self._own_folder = None

    def _take_back(self) -> None:
        """Free what the killed processes had in hand, for nobody died over it."""
        from kakehashi.storage import Repository

        # Where the database does not answer, the leases have to run out.
        with contextlib.suppress(KakehashiError), Repository(self._settings.db) as repository:
            repository.take_back(self._worker_id)


def _end(child: subprocess.Popen[bytes], gone: int) -> None:
    """End whatever is left of the child's process group, and close our ends of its pipes.

    `gone` can be read when no process of the group lives any more: each holds the other end open.
    """
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    # Its own children die on their own time. Until they have, they hold files open: an SQLite database that is closed
    # meanwhile keeps its write-ahead log.
    select.select([gone], [], [], GROUP_SECONDS)
    os.close(gone)
    if child.stdin:
        child.stdin.close()
