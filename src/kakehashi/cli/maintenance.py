"""Commands for whoever runs the program: db, config."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kakehashi.cli import options
from kakehashi.cli.output import Format, emit, note


def add_to(app: typer.Typer) -> None:
    """Register the command groups."""
    db_app = typer.Typer(no_args_is_help=True, help="Make, upgrade and copy the database.", rich_markup_mode=None)
    db_app.command("upgrade")(db_upgrade)
    db_app.command("current")(db_current)
    db_app.command("backup")(db_backup)
    app.add_typer(db_app, name="db")
    config_app = typer.Typer(no_args_is_help=True, help="Look at the settings.", rich_markup_mode=None)
    config_app.command("show")(config_show)
    app.add_typer(config_app, name="config")


def db_upgrade(db: options.Db = None) -> None:
    """Make the database, or bring it to this program's schema.

    Safe to run twice, and at once on several machines.
    """
    from kakehashi.settings import load, without_password
    from kakehashi.storage import StorageError, migrate

    url = load({"db": db}).settings.db
    found = migrate.current(url)
    if found is not None and found not in migrate.VERSIONS:
        raise StorageError(
            f"the database {without_password(url)} was made by a newer version of kakehashi (schema {found}, this "
            f"program has {migrate.HEAD}): upgrade the program"
        )
    migrate.upgrade(url)
    note(f"{without_password(url)} has schema {migrate.current(url)}")


def db_current(db: options.Db = None) -> None:
    """Print the schema of the database, and this program's.

    Exit code 0: they are the same.
    """
    from kakehashi.cli.exits import DECIDED, UNDECIDED
    from kakehashi.settings import load
    from kakehashi.storage import migrate

    current = migrate.current(load({"db": db}).settings.db)
    print(f"{current or 'none'} (this program: {migrate.HEAD})")
    raise typer.Exit(DECIDED if current == migrate.HEAD else UNDECIDED)


def db_backup(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="Where the copy goes.")],
    db: options.Db = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Copy an SQLite database while it is in use.

    The copy is of one moment, and appears when it is whole. For PostgreSQL there is pg_dump.
    """
    from kakehashi.cli.atomic_files import whole_file
    from kakehashi.settings import load
    from kakehashi.storage.backup import backup

    url = load({"db": db}).settings.db
    with whole_file(out, force=force) as part:
        backup(url, part)
    note(f"{out} is a copy of {url}; `kakehashi status --db {out}` reads it")


def config_show(output: options.OutputFormat = Format.TABLE) -> None:
    """Print every setting, its value and its source.

    The source is `environment`, the path of a `kakehashi.toml`, or `default`.
    """
    from dataclasses import fields

    from kakehashi.settings import PREFIX, load, without_password

    loaded = load()
    rows = []
    for field in fields(loaded.settings):
        value = getattr(loaded.settings, field.name)
        shown = without_password(value) if isinstance(value, str) else value
        rows.append(
            {
                "setting": field.name,
                "value": ",".join(shown) if isinstance(shown, tuple) else shown,
                "source": loaded.sources[field.name],
                "variable": PREFIX + field.name.upper(),
                "meaning": field.metadata["help"],
            }
        )
    if loaded.settings.engine == "auto":
        from kakehashi.solver.engines import engine_named, missing_engine

        note(f"engine auto: {missing_engine() or engine_named().name}")
    columns = ("setting", "value", "source", "variable", "meaning")
    emit(rows, output, [name for name in columns if name != "variable"] if output is Format.TABLE else columns)
