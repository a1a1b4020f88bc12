"""Drive a run on this machine from its first entry to its summary: the body of `run`, and of local reruns."""

from __future__ import annotations

import contextlib
import shlex
import sys
import time
from typing import TYPE_CHECKING, Any, TypeAlias

import typer

from kakehashi.cli.exits import DECIDED, INTERRUPTED, UNDECIDED
from kakehashi.cli.output import Format, count_of, emit_object, note
from kakehashi.cli.progress import STARTING, ProgressBar
from kakehashi.cli.total_budget import is_over
from kakehashi.settings import load, without_password
from kakehashi.storage.errors import RunCancelled
from kakehashi.storage.records import Status
from kakehashi.worker import logs
from kakehashi.worker.interrupts import handled
from kakehashi.worker.local import LocalFleet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kakehashi.settings import Settings
    from kakehashi.storage import Repository
    from kakehashi.storage.records import Progress

Produce: TypeAlias = "Callable[[Repository, Callable[[int], None]], int | None]"
"""Puts work in and returns the run, or None when there is nothing to do. It calls its second argument with the run as
soon as there is one, and whenever it has stored more."""

LOOK_SECONDS = 0.2
"""Pause between two looks at the progress."""


def drive(settings: Settings, produce: Produce, output: Format) -> None:
    """Start a fleet on this machine, put work in, wait for its end, print the summary; raises the exit.

    Args:
        settings: database, workers, and the rest.
        produce: puts the work in.
        output: how the summary is printed.
    """
    logs.configure("WARNING", settings.log_format)
    fleet = LocalFleet(settings)
    stop = _Stop(fleet)
    with handled(stop), _no_word_of_dropped_interrupts(), fleet:
        try:
            code = _drive(settings, produce, output, fleet, stop)
        finally:
            stop.armed = False
    raise typer.Exit(code)


class _Stop:
    """What a Ctrl-C does: the first one ends the work, later ones only make the fleet stop at once.

    Nothing is raised once the cleaning up has begun, so that it cannot be cut short. Python drops what is raised while
    it is in a finalizer or in the callback of a weak reference: so `check` raises it again.
    """

    def __init__(self, fleet: LocalFleet) -> None:
        self.armed = True
        self._asked = False
        self._fleet = fleet

    def __call__(self) -> None:
        if not self.armed:
            self._fleet.hurry()
            return
        self.armed = False
        self._asked = True
        raise KeyboardInterrupt

    def check(self) -> None:
        """See whether the work is to end.

        Raises:
            KeyboardInterrupt: it is.
        """
        if self._asked:
            raise KeyboardInterrupt


@contextlib.contextmanager
def _no_word_of_dropped_interrupts() -> Iterator[None]:
    """Let Python print nothing of an interrupt that it drops: `_Stop.check` raises it again."""
    before = sys.unraisablehook

    def hook(dropped: sys.UnraisableHookArgs) -> None:
        if dropped.exc_type is not KeyboardInterrupt:
            before(dropped)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


def _drive(settings: Settings, produce: Produce, output: Format, fleet: LocalFleet, stop: _Stop) -> int:
    """The part of `drive` in which the fleet runs; the exit code."""
    started = time.monotonic()
    run: int | None = None
    flag = db_flag(settings)
    # Workers take longest to start, so SQLAlchemy and the database have their turn meanwhile.
    from kakehashi.storage import Repository

    with contextlib.ExitStack() as stack:
        repository = stack.enter_context(Repository(settings.db, create=True))
        # They must be gone before the database is closed: who closes an SQLite file last removes what lies beside it.
        stack.callback(fleet.stop)
        note(f"starting {count_of(settings.concurrency, 'worker')}, results in {without_password(settings.db)}")
        bar = stack.enter_context(ProgressBar())
        bar.draw(STARTING, 0, None)

        def attend(current: int) -> None:
            nonlocal run
            stop.check()
            if run is None:
                run = current
                batch = repository.run_info(current).batch
                bar.note(f"batch {batch}, run {current}")
                fleet.attend(current)
            fleet.ring(repository, current)
            bar.show(repository.progress(current))

        interrupted = False
        try:
            try:
                run = produce(repository, attend)
            except RunCancelled as error:  # by somebody else, so it ends as any other does
                bar.note(str(error))
            if run is not None:
                attend(run)
                _wait(repository, fleet, run, bar, stop)
        except KeyboardInterrupt:
            interrupted = True
            bar.note("stopping: the puzzles in hand are given back (once more stops at once)")
        stop.armed = False
        # Nothing is in hand any more, or soon: no reason to wait for Celery's good-byes.
        fleet.stop(idle=lambda: run is None or not repository.progress(run).shards_leased)
        bar.stop()
        code = DECIDED
        if run is not None:
            code = summarize(repository, run, time.monotonic() - started, output, flag, interrupted=interrupted)
        return INTERRUPTED if interrupted else code


def _wait(repository: Repository, fleet: LocalFleet, run: int, bar: ProgressBar, stop: _Stop) -> None:
    while True:
        stop.check()
        before = time.monotonic()
        progress = repository.progress(run)
        cost = time.monotonic() - before
        bar.show(progress)
        if progress.finished:
            return
        fleet.check()
        time.sleep(max(LOOK_SECONDS, 20 * cost))  # a batch of a million is not looked at for its own sake


def summarize(
    repository: Repository, run: int, wall: float, output: Format, flag: str = "", *, interrupted: bool = False
) -> int:
    """Print what a run came to, and how to look closer (with `flag` behind each command); returns the exit code."""
    progress = repository.progress(run)
    row = summary_object(progress, wall)
    emit_object(row, output)
    batch, counts = progress.batch, progress.counts
    hints = [f"kakehashi results {batch}"]
    if progress.stopped and counts[Status.CANCELLED] and not progress.cancelled:
        note(f"{is_over(progress)}: {count_of(counts[Status.CANCELLED], 'puzzle was', 'puzzles were')} not started")
        hints.append(f"kakehashi rerun {batch} --only cancelled --budget x1")
    if interrupted:
        hints = [f"kakehashi resume {batch}"]
    elif counts[Status.TIMEOUT] or counts[Status.CRASHED]:
        hints.append(f"kakehashi rerun {batch} --budget x4")
    elif counts[Status.INVALID]:
        hints = [f"kakehashi results {batch} --status invalid"]
    for hint in hints:
        note(f"next: {hint}{flag}")
    undecided = progress.total - counts[Status.SOLVED] - counts[Status.INFEASIBLE]
    return UNDECIDED if undecided or not progress.total else DECIDED


def summary_object(progress: Progress, wall: float) -> dict[str, Any]:
    """The object that `run --format json` prints."""
    counts = progress.counts
    row: dict[str, Any] = {"batch": progress.batch, "run": progress.run, "total": progress.total}
    for status in Status:
        if status is not Status.QUEUED or counts[status]:
            row[str(status)] = counts[status]
    if progress.known:
        row["known"] = progress.known
    if progress.total_budget is not None:
        row["total_budget_s"] = round(progress.total_budget, 3)
    row["wall_s"] = round(wall, 3)
    if progress.first_claim is not None and progress.last_write is not None:
        row["work_s"] = round(max(0.0, progress.last_write - progress.first_claim), 3)  # the clock may be set back
    return row


def db_flag(settings: Settings) -> str:
    """The flag that a next command needs to find the same database; empty for the default one.

    An address with a password stands for itself: it is not printed, and without the password it would be of no use.
    """
    if settings.db == load(environ={}).settings.db:
        return ""
    shown = shlex.quote(settings.db) if without_password(settings.db) == settings.db else "URL"
    return f" --db {shown}"
