"""The process that a supervisor starts: Celery with this project's options (`python -m kakehashi.worker`)."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

from kakehashi.worker import logs
from kakehashi.worker.interrupts import let_in
from kakehashi.worker.private_broker import pid_in

ORPHAN_SECONDS = 5.0
"""How long the shards in hand may take to be written when the supervisor is gone. The broker may be gone too, and
Celery would wait for it for ever."""


def main() -> None:
    """Run Celery until it is told to stop, or until the supervisor's end of standard input is closed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log-level", default="INFO")
    parser.add_argument("--folder", type=Path, help="to be removed when the supervisor is gone, with a broker in it")
    arguments = parser.parse_args()
    let_in()

    from celery.exceptions import CPendingDeprecationWarning

    warnings.filterwarnings("ignore", message="You're running the worker with superuser privileges")
    # Announces at each loss of the connection what a later Celery will do with the tasks in hand; here it is set.
    warnings.filterwarnings("ignore", category=CPendingDeprecationWarning)
    logs.take_uncaught()

    from kakehashi.worker.app import app, settings, tell_processes

    class Worker(app.Worker):
        """Celery that ends by itself ("Unrecoverable error") waits for the shards in hand and takes no others."""

        def stop(self, *arguments: Any, **options: Any) -> None:
            tell_processes()
            super().stop(*arguments, **options)

    logs.configure(arguments.log_level, settings.log_format)

    orphaned = threading.Event()
    threading.Thread(target=_watch_supervisor, args=(orphaned, arguments.folder), name="watch", daemon=True).start()
    # The application's own worker, without Celery's command line around it: that takes 0.3 s to import.
    worker = Worker(
        pool_cls="prefork",
        concurrency=settings.concurrency,
        queues=[settings.queue],
        loglevel=arguments.log_level,
        # Workers do not talk to each other: the database knows who does what. Saves a second at start.
        without_gossip=True,
        without_mingle=True,
        quiet=True,
    )
    try:
        worker.start()
    finally:
        # Celery that ends in time takes the watching thread along, before that has come to remove the folder.
        if orphaned.is_set() and arguments.folder is not None:
            shutil.rmtree(arguments.folder, ignore_errors=True)
    sys.exit(worker.exitcode)


def _watch_supervisor(orphaned: threading.Event, folder: Path | None) -> None:
    """Stop when the supervisor is gone, whatever ended it: its end of the pipe is closed then."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    orphaned.set()
    os.kill(os.getpid(), signal.SIGTERM)
    if folder is not None:
        with contextlib.suppress(OSError):
            os.kill(pid_in(folder), signal.SIGKILL)
    time.sleep(ORPHAN_SECONDS)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    os.killpg(os.getpgid(0), signal.SIGKILL)


if __name__ == "__main__":
    main()
