"""Commands for a fleet: submit to the configured broker and database, and be a worker."""

from __future__ import annotations

import logging
from enum import StrEnum
from typing import Annotated

import typer

from kakehashi.cli import options
from kakehashi.cli.output import Format, count_of, emit_object, note
from kakehashi.puzzle import Touching
from kakehashi.settings import LogFormat

_log = logging.getLogger(__name__)


class LogLevel(StrEnum):
    """What is worth a line of a worker's log."""

    DEBUG = "DEBUG"
    INFO = "INFO"
    WARNING = "WARNING"
    ERROR = "ERROR"


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command()(submit)
    app.command()(worker)


def submit(
    paths: options.Paths,
    budget: options.Budget = None,
    total_budget: options.TotalBudget = None,
    unique: options.Unique = False,
    skip_known: options.SkipKnown = False,
    name: options.Name = None,
    db: options.Db = None,
    broker: options.BrokerUrl = None,
    engine: options.EngineName = None,
    confirm: options.Confirmed = None,
    input_format: options.InputFormat = None,
    touching: options.TouchingPolicy = Touching.JOIN,
    max_bridges: options.MaxBridges = None,
    no_loops: options.NoLoops = False,
    output: options.OutputFormat = Format.TABLE,
) -> None:
    """Hand puzzle files to the fleet, and return.

    They are stored in the configured database and enqueued in the configured broker; workers do the rest.
    """
    from kakehashi.cli.submission import batch_name, describe, new_entries, run_options
    from kakehashi.producer.bells import Ringer
    from kakehashi.producer.broker import Broker
    from kakehashi.producer.submit import submit as submit_entries
    from kakehashi.settings import load
    from kakehashi.storage import Repository

    settings = load({"db": db, "broker": broker, "engine": engine, "confirm": confirm, "budget": budget}).settings
    source = describe(paths, input_format, touching, "submit", max_bridges=max_bridges, no_loops=no_loops)
    source["skip_known"] = skip_known
    chosen = run_options(settings, unique, total_budget)
    with Broker(settings) as bells:
        bells.depth()  # a broker that is away is told before anything is made or stored
        with Repository(settings.db, create=True) as repository:
            submitted = submit_entries(
                repository,
                new_entries(settings, source),
                name=batch_name(name, paths),
                source=source,
                options=chosen,
                skip_known=skip_known,
                on_chunk=Ringer(repository, bells, settings),
            )
            known = repository.progress(submitted.run).known if skip_known else 0
    row = {"batch": submitted.batch, "run": submitted.run, "total": submitted.entries}
    emit_object(row | ({"known": known} if known else {}), output)
    note(f"next: kakehashi status {submitted.batch} --watch")


def worker(
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", metavar="N", min=1, help="Processes; by default one a core.")
    ] = None,
    db: options.Db = None,
    broker: options.BrokerUrl = None,
    log_level: Annotated[
        LogLevel, typer.Option("--log-level", case_sensitive=False, help="What is worth a line on standard error.")
    ] = LogLevel.INFO,
    log_format: Annotated[
        LogFormat | None,
        typer.Option("--log-format", help="How the lines look: for people (text, the default), or a JSON object each."),
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option("--metrics", metavar="HOST:PORT", help="Serve /metrics (Prometheus) and /health here."),
    ] = None,
) -> None:
    """Work for the fleet until told to stop.

    Ctrl-C or SIGTERM stops it when the puzzles in hand are written or given back; a second one stops it at once.
    """
    from kakehashi.producer.broker import Broker
    from kakehashi.settings import load
    from kakehashi.storage import Repository
    from kakehashi.worker import logs
    from kakehashi.worker.interrupts import handled
    from kakehashi.worker.supervisor import Supervisor

    given = {"db": db, "broker": broker, "concurrency": concurrency, "log_format": log_format, "metrics": metrics}
    settings = load(given).settings
    logs.configure(log_level.value, settings.log_format)
    if settings.engines:  # Celery would only log that one cannot be imported, and work without it
        from kakehashi.cli.submission import check_engine

        check_engine(settings, settings.engine)
    with Broker(settings) as bells:
        bells.depth()
    Repository(settings.db, create=True).close()
    supervisor = Supervisor(settings, log_level=log_level.value)

    with handled(supervisor.request_stop), supervisor:
        supervisor.sweep()
        if settings.log_format is LogFormat.TEXT:
            processes = count_of(settings.concurrency, "process", "processes")
            note(f"worker with {processes} on queue {settings.queue}; Ctrl-C stops it")
        _log.info("worker started", extra={"processes": settings.concurrency, "queue": settings.queue})
        supervisor.wait()
        _log.info("worker stopping")
