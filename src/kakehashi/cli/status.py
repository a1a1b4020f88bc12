"""`kakehashi status`: how far batches are."""

from __future__ import annotations

import sys
import time
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kakehashi.cli import options
from kakehashi.cli.output import Format, dumps, emit, emit_object, note
from kakehashi.cli.total_budget import left
from kakehashi.errors import UsageError
from kakehashi.storage.records import Status

if TYPE_CHECKING:
    from kakehashi.storage import Repository
    from kakehashi.storage.records import BatchInfo, Progress

WATCH_SECONDS = 1.0
"""Pause between two looks of `status --watch`."""

STATUS_COLUMNS = ("batch", "run", "name", "state", "total", *map(str, Status), "rate", "eta_s")


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(status)


def status(
    batch: options.OptionalBatch = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Look again every second until the batch is finished.")
    ] = False,
    db: options.Db = None,
    output: options.OutputFormat = Format.TABLE,
) -> None:
    """Show how far a batch is.

    Counts by status, puzzles a second, seconds to go, the slowest puzzles, and the runs where there are several.
    Without BATCH: the runs of the latest batches, a line for each.
    """
    from kakehashi.settings import load
    from kakehashi.storage import Repository

    with Repository(load({"db": db}).settings.db) as repository:
        if batch is None and not watch:
            infos = repository.batches(20)
            if not infos:
                note("there is no batch yet: `kakehashi run PATH` or `kakehashi submit PATH` makes one")
            rows = (row for info in infos for row in reversed(_run_rows(repository, info.id)))
            emit(rows, output, STATUS_COLUMNS)
            return
        number = _existing(repository, batch).id
        while True:
            progress = _latest_progress(repository, number)
            _print_status(repository, progress, output, redraw=watch)
            if not watch or progress.finished:
                return
            time.sleep(WATCH_SECONDS)


def _existing(repository: Repository, batch: int | None) -> BatchInfo:
    """The batch that was named, or the newest."""
    if batch is not None:
        return repository.batch_info(batch)
    latest = repository.latest_batch()
    if latest is None:
        raise UsageError("there is no batch yet")
    return latest


def _latest_progress(repository: Repository, batch: int) -> Progress:
    return repository.progress(repository.runs(batch)[-1].id)


def _run_rows(repository: Repository, batch: int) -> list[dict[str, Any]]:
    """The runs of a batch, oldest first: a rerun is about some of its puzzles, and says nothing of the others."""
    return [_status_row(repository.progress(run.id)) for run in repository.runs(batch)]


def _status_row(progress: Progress) -> dict[str, Any]:
    """Progress as a row: the state, the counts, how many puzzles end in a second, seconds to go."""
    rate = eta = None
    queued = progress.counts[Status.QUEUED]
    # Invalid entries were settled by reading, and some answers were known; the rate is that of the workers.
    worked = progress.done - progress.counts[Status.INVALID] - progress.known
    if progress.first_claim is not None and progress.last_write is not None and worked:
        # The clock may have been set back since.
        until = progress.last_write if progress.finished else max(progress.now, progress.last_write)
        if until >= progress.first_claim:
            rate = worked / max(until - progress.first_claim, 1e-3)
            eta = queued / rate
    return {
        "batch": progress.batch,
        "run": progress.run,
        "name": progress.name,
        "state": _state(progress),
        "total": progress.total,
        **{str(status): progress.counts[status] for status in Status},
        "known": progress.known,
        "rate": rate and round(rate, 1),
        "eta_s": eta and round(eta, 1),
        "shards_open": progress.shards_open,
        "shards_leased": progress.shards_leased,
        "created_at": progress.created_at,
        "stops_at": progress.stops_at,
    }


def _state(progress: Progress) -> str:
    if progress.cancelled:
        return "cancelled"
    if not progress.sealed:
        return "incomplete"
    if progress.finished:
        return "finished"
    return "running" if progress.shards_leased or progress.first_claim else "queued"


def _as_text(time: float) -> str:
    return datetime.fromtimestamp(time).astimezone().isoformat(" ", "seconds")


def _print_status(repository: Repository, progress: Progress, output: Format, *, redraw: bool) -> None:
    row = _status_row(progress)
    slowest = [
        {
            "id": result.id,
            "name": result.name,
            "islands": result.islands,
            "wall_ms": result.wall_ms,
            "status": str(result.status),
        }
        for result in repository.slowest(progress.run)
    ]
    runs = _run_rows(repository, progress.batch)
    if output is Format.JSON:
        print(dumps({**row, "slowest": slowest, "runs": runs}), flush=True)
    elif output is not Format.TABLE:
        emit([row], output, STATUS_COLUMNS)
        sys.stdout.flush()
    else:
        if redraw and sys.stdout.isatty():
            print("\033[H\033[2J", end="")
        shown = {key: value for key, value in row.items() if value or key in ("total", "queued")}
        shown["created_at"] = _as_text(progress.created_at)
        if progress.stops_at is not None:
            shown["stops_at"] = ", ".join(filter(None, (_as_text(progress.stops_at), left(progress))))
        emit_object(shown, output)
        if slowest:
            print("\nslowest")
            emit(slowest, output, ("id", "name", "islands", "wall_ms", "status"))
        if len(runs) > 1:
            print("\nruns")
            emit(runs, output, STATUS_COLUMNS[1:])
        sys.stdout.flush()
    if not progress.sealed and not progress.cancelled and not redraw:
        note(f"not all of it was read yet; if nobody is submitting it any more: kakehashi resume {progress.batch}")
