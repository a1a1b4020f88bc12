"""`kakehashi doctor`: is everything as it should be, and if not, what is to be done?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kakehashi.cli import options
from kakehashi.cli.exits import DECIDED, UNDECIDED, UNREACHABLE
from kakehashi.cli.output import Format, emit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kakehashi.cli.output import Row
    from kakehashi.worker.checkup import Check, State


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(doctor)


def doctor(
    deep: Annotated[bool, typer.Option("--deep", help="Read a whole SQLite database for damage, too.")] = False,
    db: options.Db = None,
    broker: options.BrokerUrl = None,
    output: options.OutputFormat = Format.TABLE,
) -> None:
    """Look whether all that a fleet needs is well, or what to do.

    Settings, engines, broker, workers, database, and the work that waits: a line for each.

    Exit code 0: no problem, though there may be warnings; 1: a problem; 3: the broker or the database is unreachable.
    """
    from kakehashi.settings import load
    from kakehashi.worker.checkup import State, checkup

    loaded = load({"db": db, "broker": broker})
    files = {Path(source) for source in loaded.sources.values() if source.endswith(".toml")}
    seen: set[State] = set()
    emit(_rows(checkup(loaded.settings, files, deep=deep), seen), output, ("subject", "state", "message"))
    raise typer.Exit(UNREACHABLE if State.UNREACHABLE in seen else UNDECIDED if State.PROBLEM in seen else DECIDED)


def _rows(checks: Iterator[Check], seen: set[State]) -> Iterator[Row]:
    for check in checks:
        seen.add(check.state)
        yield check._asdict()
