"""The version of the schema: what it is, and how it is brought up to date.

Alembic is imported only when something has to be changed: opening a database must not pay for it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    Column,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    column,
    inspect,
    select,
    table,
    text,
)

from kakehashi.storage import schema
from kakehashi.storage.database import Database
from kakehashi.storage.errors import WrongVersion

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection, Select

VERSIONS = ("0001", "0002", "0003", "0004", "0005")
"""All versions of the schema, oldest first."""

HEAD = VERSIONS[-1]
"""The version that this program works with."""

_LOCK = 0x4B414B45
"""The number of PostgreSQL's advisory lock under which the schema is changed."""

_TABLE = "alembic_version"

VERSION: Select[str] = select(column("version_num", String)).select_from(table(_TABLE))
"""Reads the version that a database has."""


def version_of(database: Database) -> str | None:
    """The schema's version; None where there are no tables of ours yet. Raises as `Database.read`."""

    def work(connection: Connection) -> str | None:
        if not inspect(connection).has_table(_TABLE):
            return None
        version: str | None = connection.execute(VERSION).scalar()
        return version

    return database.read(work)


def check(version: str, shown: str) -> None:
    """See that this program works with the database `shown`, whose schema is `version`. Raises WrongVersion."""
    if version == HEAD:
        return
    if version in VERSIONS:
        raise WrongVersion(
            f"the database {shown} has the older schema {version}, this program needs {HEAD}: "
            "run `kakehashi db upgrade`"
        )
    raise WrongVersion(
        f"the database {shown} was made by a newer version of kakehashi (schema {version}, this program has {HEAD}): "
        "upgrade the program"
    )


def current(url: str, *, patience: float = 0.0) -> str | None:
    """The version of the schema at this address; None where there is no database or no table of ours."""
    database = Database(url, patience=patience)
    try:
        if database.path is not None and not database.path.exists():
            return None
        return version_of(database)
    finally:
        database.close()


def upgrade(url: str, *, patience: float = 0.0) -> None:
    """Bring the schema up to date, or make it. When several do it at once, one does and the others wait.

    Raises:
        ServiceUnreachable: the database does not answer.
        StorageError: it cannot be used.
    """
    database = Database(url, patience=patience)
    try:
        database.prepare()
        database.write(_upgrade)
    finally:
        database.close()


def config(**attributes: Any) -> Config:
    """Alembic's configuration; there is no ini file, since an installed program has no place for one."""
    from alembic.config import Config

    made = Config()
    made.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    made.attributes.update(attributes)
    return made


def by_alembic(connection: Connection) -> None:
    """Run the migrations that are still to be run."""
    from alembic import command

    command.upgrade(config(connection=connection), "head")


def _upgrade(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})
    if inspect(connection).has_table(_TABLE):
        by_alembic(connection)
    else:
        _make(connection)


def _make(connection: Connection) -> None:
    """Make a new schema from the models: as the migrations would, but without the third of a second for Alembic."""
    schema.metadata.create_all(connection)
    versions = Table(
        _TABLE, MetaData(), Column("version_num", String(32), nullable=False),
        PrimaryKeyConstraint("version_num", name=f"{_TABLE}_pkc"),
    )  # fmt: skip
    versions.create(connection)
    connection.execute(versions.insert().values(version_num=HEAD))
