"""The version of the schema: what it is, and how it is brought up to date."""

from __future__ import annotations

from sqlalchemy import inspect, text

from kakehashi.storage.database import Database
from kakehashi.storage.schema import metadata

HEAD = "0001"
"""The version that this program works with."""


def current(database: Database) -> str | None:
    """The version of the database, or None where there are no tables of ours."""

    def work(connection):  # type: ignore[no-untyped-def]
        if not inspect(connection).has_table("alembic_version"):
            return None
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()

    return database.read(work)


def upgrade(database: Database) -> None:
    with database._writing.begin() as c:
        if inspect(c).has_table("alembic_version"):
            return
        metadata.create_all(c)
        c.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))
        c.execute(text("INSERT INTO alembic_version VALUES ('0001')"))
