"""Commands on the puzzles of a batch: results, rerun, resume, cancel."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kakehashi.cli import filters, options
from kakehashi.cli.exits import DECIDED, UNDECIDED
from kakehashi.cli.output import Format, emit, emit_object, note
from kakehashi.cli.total_budget import is_over
from kakehashi.errors import UsageError
from kakehashi.puzzle import Confirm
from kakehashi.render import PictureFormat, Theme
from kakehashi.storage.records import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kakehashi.settings import Settings
    from kakehashi.storage import Repository
    from kakehashi.storage.records import BatchInfo, RunInfo

TABLE_LIMIT = 100
"""Rows of a table of results unless --limit says otherwise; the machine-readable formats print all."""


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    for command in (results, rerun, resume, cancel):
        app.command()(command)


def results(
    batch: options.Batch,
    statuses: filters.Statuses = None,
    min_islands: filters.MinIslands = None,
    max_islands: filters.MaxIslands = None,
    slower_than: filters.SlowerThan = None,
    name: filters.NameGlob = None,
    run: filters.OfRun = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, max=options.LARGEST, help="At most so many.")
    ] = None,
    after: Annotated[
        int,
        typer.Option(
            "--after",
            metavar="N",
            min=-1,
            max=options.LARGEST,
            help="Go on behind this position, the number behind the id's colon.",
            show_default=False,
        ),
    ] = -1,
    pictures: Annotated[
        Path | None, typer.Option("--pictures", metavar="DIR", help="Draw them into this folder, and print nothing.")
    ] = None,
    picture_format: Annotated[
        PictureFormat, typer.Option("--picture-format", help="What the pictures are made of.")
    ] = PictureFormat.SVG,
    theme: options.PictureTheme = Theme.LIGHT,
    force: options.Force = False,
    db: options.Db = None,
    output: options.OutputFormat = Format.TABLE,
) -> None:
    """List the puzzles of a batch with their best known results.

    In the order in which they were handed in. A table shows the first 100 unless --limit says otherwise. --format
    ndjson prints one result object a line, with answer grid and bridges, and streams. --pictures draws all of them,
    each into a file named after its id and name; other files there are only replaced with --force.
    """
    from kakehashi.cli.picture_files import Brush
    from kakehashi.cli.pictures import save_results
    from kakehashi.cli.results import COLUMNS, CSV_COLUMNS, result_object, table_row
    from kakehashi.settings import load
    from kakehashi.storage import Repository

    where = filters.result_filter(statuses, min_islands, max_islands, slower_than, name, run)
    if limit is None and output is Format.TABLE and pictures is None:
        limit = TABLE_LIMIT
    with Repository(load({"db": db}).settings.db) as repository:
        entries = repository.batch_info(batch).entries
        if pictures is not None:
            found = repository.results(batch, where, limit=limit, after=after)
            save_results(found, entries, pictures, Brush(picture_format, theme), force=force)
            return
        listed = repository.results(batch, where, limit=None if limit is None else limit + 1, after=after)
        last = None

        def rows() -> Iterator[dict[str, Any]]:
            nonlocal last
            for last in itertools.islice(listed, limit):
                row = result_object(last)
                yield table_row(row) if output is Format.TABLE else row

        emit(rows(), output, CSV_COLUMNS if output is Format.CSV else COLUMNS)
        if last is None:
            note(f"batch {batch} has no such puzzle")
        elif limit is not None and next(listed, None) is not None:
            note(f"there are more: go on with --after {last.pos}, or raise --limit")


def rerun(
    batch: options.Batch,
    budget: Annotated[
        str, typer.Option("--budget", metavar="TIME|xN", help="60s, or x4: four times the largest so far.")
    ],
    only: Annotated[str, typer.Option("--only", metavar="STATUS,...", help="Which puzzles.")] = "timeout,crashed",
    max_budget: Annotated[
        str | None, typer.Option("--max-budget", metavar="TIME", help="Never more than this.")
    ] = None,
    total_budget: options.TotalBudget = None,
    unique: Annotated[
        bool | None, typer.Option("--unique/--no-unique", help="By default as in the run before.")
    ] = None,
    engine: options.EngineName = None,
    confirm: Annotated[
        Confirm | None,
        typer.Option("--confirm", help="What a second engine has to confirm; by default as in the run before."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the puzzles with their new budgets; do nothing.")
    ] = False,
    here: options.Here = None,
    workers: options.Workers = None,
    db: options.Db = None,
    broker: options.BrokerUrl = None,
    output: options.OutputFormat = Format.TABLE,
) -> None:
    """Try puzzles of a batch again, with a longer budget.

    This is a new run: history stays, and the best known answer counts. `--only timeout` takes solved puzzles along
    whose uniqueness ran out of time. Exit code 0: every puzzle of the new run was decided, or there was none.
    """
    from kakehashi.cli.submission import check_engine
    from kakehashi.producer.rerun import NewBudget, selected
    from kakehashi.producer.rerun import rerun as make_rerun
    from kakehashi.settings import duration, load
    from kakehashi.storage import Repository

    settings = load(
        {"db": db, "broker": broker, "engine": engine, "concurrency": workers, "max_budget": max_budget}
    ).settings
    chosen = filters.statuses_of(only)
    if not chosen or chosen & {Status.QUEUED, Status.INVALID}:
        raise UsageError(
            "--only takes statuses of puzzles that were tried: solved, infeasible, timeout, crashed, cancelled"
        )
    new_budget = NewBudget.parse(budget, settings.max_budget)
    total_seconds = None if total_budget is None else duration(total_budget)
    with Repository(settings.db) as repository:
        info, parent = repository.batch_info(batch), repository.runs(batch)[-1]
        nothing = next(selected(repository, batch, chosen, new_budget), None) is None
        if nothing:
            asked = " or ".join(status for status in Status if status in chosen)
            note(f"no puzzle of batch {batch} is {asked}: nothing to do")
        if dry_run:
            rows = ({"id": f"{batch}:{job.pos}", "name": name, "islands": job.islands, "budget_s": job.budget}
                    for job, name in selected(repository, batch, chosen, new_budget))  # fmt: skip
            emit(rows, output, ("id", "name", "islands", "budget_s"))
        elif nothing and output is not Format.TABLE:
            emit_object({"batch": batch, "run": None, "total": 0}, output)
    if nothing or dry_run:
        return
    check_engine(settings, engine or parent.options.engine)
    run_options = dataclasses.replace(
        parent.options,
        budget=new_budget.after(parent.options.budget),
        unique=parent.options.unique if unique is None else unique,
        engine=engine or parent.options.engine,
        confirm=confirm or parent.options.confirm,
        total_budget=total_seconds,  # that of the run before was for the run before
    )

    def produce(repository: Repository, attend: Callable[[int], None]) -> int | None:
        return make_rerun(
            repository, batch, chosen, new_budget, run_options, parent.id, on_chunk=lambda run, attempts: attend(run)
        )

    _carry_out(settings, info, here, produce, output)


def _carry_out(
    settings: Settings,
    info: BatchInfo,
    here: bool | None,
    produce: Callable[[Repository, Callable[[int], None]], int | None],
    output: Format,
) -> None:
    """Work on this machine and wait, or leave it to the fleet: as asked, else as the batch was made."""
    if here is None:
        here = info.source.get("command") == "run"
    if here:
        from kakehashi.cli.drive import drive

        drive(settings, produce, output)
        return

    from kakehashi.producer.bells import Ringer
    from kakehashi.producer.broker import Broker
    from kakehashi.storage import Repository

    with Broker(settings) as bells, Repository(settings.db) as repository:
        bells.depth()  # a broker that is away is told before anything is stored
        run = produce(repository, Ringer(repository, bells, settings))
        if run is not None:
            progress = repository.progress(run)
            emit_object({"batch": info.id, "run": run, "total": progress.total}, output)
            note(f"next: kakehashi status {info.id} --watch")


def resume(
    batch: options.OptionalBatch = None,
    here: options.Here = None,
    workers: options.Workers = None,
    db: options.Db = None,
    broker: options.BrokerUrl = None,
    output: options.OutputFormat = Format.TABLE,
) -> None:
    """Go on with a batch that was interrupted.

    What was not read yet is read, and what is open is solved, unless the run's total budget is over: then it is
    cancelled. Without BATCH: the newest one that is not finished.
    """
    from kakehashi.cli.submission import must_be_resumable
    from kakehashi.settings import load
    from kakehashi.storage import Repository

    settings = load({"db": db, "broker": broker, "concurrency": workers}).settings
    with Repository(settings.db) as repository:
        info, run = _unfinished(repository, batch)
        progress = repository.progress(run.id)
    if progress.stopped:
        note(f"{is_over(progress)}: what it has not started is cancelled now")
    reading = info.sealed_at is None and run.parent is None
    if reading:
        must_be_resumable(info.id, info.source)

    def produce(repository: Repository, attend: Callable[[int], None]) -> int:
        attend(run.id)
        if reading:
            _go_on_reading(repository, settings, info, run, attend)
        elif run.sealed_at is None:
            note(f"run {run.id} was cut short while its puzzles were chosen; those that it has are finished now")
            repository.seal_run(run.id)
        return run.id

    _carry_out(settings, info, here, produce, output)


def _unfinished(repository: Repository, batch: int | None) -> tuple[BatchInfo, RunInfo]:
    infos = repository.batches(100) if batch is None else [repository.batch_info(batch)]
    for info in infos:
        for run in reversed(repository.runs(info.id)):
            if run.cancelled_at is None and not repository.progress(run.id).finished:
                return info, run
    if batch is None:
        raise UsageError("no batch is unfinished: there is nothing to resume")
    raise UsageError(f"batch {batch} is finished or cancelled: `kakehashi rerun {batch}` tries its puzzles again")


def _go_on_reading(
    repository: Repository, settings: Settings, info: BatchInfo, run: RunInfo, attend: Callable[[int], None]
) -> None:
    from kakehashi.cli.submission import resumable_entries
    from kakehashi.producer.known import Memory
    from kakehashi.producer.submit import fill, unread

    try:
        entries = unread(repository, info.id, resumable_entries(settings, info.source))
    except UsageError as error:
        raise UsageError(f"batch {info.id} cannot be read to its end: {error}") from None
    fill(
        repository, entries, batch=info.id, run=run.id, at=info.entries,
        on_chunk=lambda batch, run, entries: attend(run),
        memory=Memory(repository, run.options) if info.source.get("skip_known") else None,
    )  # fmt: skip


def cancel(
    batch: options.Batch,
    db: options.Db = None,
    output: options.OutputFormat = Format.TABLE,
) -> None:
    """Cancel all unfinished runs of a batch.

    Puzzles in hand are given up within seconds; answers that exist stay. Exit code 1: there was nothing to cancel.
    """
    from kakehashi.settings import load
    from kakehashi.storage import Repository

    def rows(repository: Repository) -> Iterator[dict[str, Any]]:
        for run in repository.runs(batch):
            if repository.progress(run.id).finished:
                continue
            repository.cancel_run(run.id)
            cancelled = 0
            while more := repository.cancel_rows(run.id):
                cancelled += more
            leased = repository.progress(run.id).shards_leased
            yield {"batch": batch, "run": run.id, "cancelled": cancelled, "shards_in_hand": leased}

    with Repository(load({"db": db}).settings.db) as repository:
        done = list(rows(repository))
    emit(done, output, ("batch", "run", "cancelled", "shards_in_hand"))
    if not done:
        note(f"batch {batch} has no unfinished run")
    raise typer.Exit(DECIDED if done else UNDECIDED)
