"""`kakehashi run`: the whole pipeline on this machine, with nothing installed beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kakehashi.cli import options
from kakehashi.cli.output import Format, note
from kakehashi.puzzle import Touching

if TYPE_CHECKING:
    from collections.abc import Callable

    import typer

    from kakehashi.storage import Repository


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(run)


def run(
    paths: options.Paths,
    budget: options.Budget = None,
    total_budget: options.TotalBudget = None,
    unique: options.Unique = False,
    skip_known: options.SkipKnown = False,
    workers: options.Workers = None,
    name: options.Name = None,
    db: options.Db = None,
    engine: options.EngineName = None,
    confirm: options.Confirmed = None,
    input_format: options.InputFormat = None,
    touching: options.TouchingPolicy = Touching.JOIN,
    max_bridges: options.MaxBridges = None,
    no_loops: options.NoLoops = False,
    output: options.OutputFormat = Format.TABLE,
) -> None:
    """Solve puzzle files on this machine, with nothing to install.

    Starts a private broker and workers, submits, shows the progress, prints a summary, and stops what it started.
    Results go to kakehashi.db in the current folder unless --db says otherwise. Ctrl-C loses nothing: `kakehashi
    resume` goes on. Exit code 0: every puzzle was decided.
    """
    from kakehashi.cli.drive import drive
    from kakehashi.cli.submission import batch_name, describe, missing, new_entries, run_options
    from kakehashi.producer.submit import submit
    from kakehashi.settings import load

    settings = load({"db": db, "engine": engine, "confirm": confirm, "budget": budget, "concurrency": workers}).settings
    source = describe(paths, input_format, touching, "run", max_bridges=max_bridges, no_loops=no_loops)
    source["skip_known"] = skip_known
    chosen = run_options(settings, unique, total_budget)
    for hint in missing(settings):
        note(hint)

    def produce(repository: Repository, attend: Callable[[int], None]) -> int:
        submitted = submit(
            repository,
            new_entries(settings, source),
            name=batch_name(name, paths),
            source=source,
            options=chosen,
            skip_known=skip_known,
            on_chunk=lambda batch, run, entries: attend(run),
        )
        return submitted.run

    drive(settings, produce, output)
