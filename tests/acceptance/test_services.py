"""A database or a broker that is away or cannot be used: exit code 3, one sentence, no traceback, no password."""

from __future__ import annotations

import contextlib
import socket
import sqlite3
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Cli


@pytest.fixture
def closed() -> int:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


NEED_A_DATABASE = [
    ["status"], ["results", "1"], ["show", "1:0"], ["rerun", "1", "--budget", "x4"], ["resume"], ["cancel", "1"],
]  # fmt: skip
MAKE_A_DATABASE = [["run", "puzzles"], ["db", "upgrade"]]


class TestDatabase:
    @pytest.mark.parametrize("command", [*NEED_A_DATABASE, *MAKE_A_DATABASE, ["db", "current"]])
    def test_postgresql_is_away(self, cli: Cli, puzzles: Path, closed: int, command: list[str]) -> None:
        said = cli(*command, "--db", f"postgresql://bob:secret@127.0.0.1:{closed}/x", expect=3)
        assert said.err.startswith(f"kakehashi: the database postgresql://bob:***@127.0.0.1:{closed}/x does not answer")
        assert "start PostgreSQL" in said.err
        assert "secret" not in said.err
        assert said.err.count("\n") == 1
        assert said.out == ""

    @pytest.mark.parametrize("command", NEED_A_DATABASE)
    def test_is_not_there(self, cli: Cli, tmp_path: Path, command: list[str]) -> None:
        said = cli(*command, expect=3)
        assert f"there is no database {tmp_path}/kakehashi.db" in said.err
        assert "--db / KAKEHASHI_DB" in said.err
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("command", [*NEED_A_DATABASE, *MAKE_A_DATABASE])
    def test_is_a_folder(self, cli: Cli, puzzles: Path, command: list[str]) -> None:
        said = cli(*command, "--db", puzzles, expect=3)
        assert f"the database {puzzles}" in said.err
        assert said.err.count("\n") == 1

    @pytest.mark.parametrize("command", [*NEED_A_DATABASE, *MAKE_A_DATABASE])
    def test_is_no_database(self, cli: Cli, puzzles: Path, command: list[str]) -> None:
        (puzzles / "note.db").write_text("this is text, and long enough for the head of a database file " * 20)
        said = cli(*command, "--db", puzzles / "note.db", expect=3)
        assert "note.db is not an SQLite database" in said.err
        assert said.err.count("\n") == 1

    @pytest.mark.parametrize("command", [*NEED_A_DATABASE, *MAKE_A_DATABASE])
    def test_was_made_by_a_newer_version(self, cli: Cli, puzzles: Path, sqlite_url: str, command: list[str]) -> None:
        with contextlib.closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as connection:
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
            connection.commit()
        said = cli(*command, "--db", sqlite_url, expect=3)
        assert "was made by a newer version of kakehashi (schema 9999" in said.err
        assert said.err.count("\n") == 1

    def test_the_folder_is_not_there(self, cli: Cli, puzzles: Path) -> None:
        assert "does its folder exist" in cli("run", "puzzles", "--db", "no/such/folder.db", expect=3).err


class TestBroker:
    @pytest.mark.parametrize("command", [["submit", "puzzles"], ["worker"]])
    @pytest.mark.parametrize("scheme", ["redis", "amqp"])
    def test_is_away(
        self, cli: Cli, puzzles: Path, tmp_path: Path, closed: int, scheme: str, command: list[str]
    ) -> None:
        said = cli(*command, "--broker", f"{scheme}://bob:secret@127.0.0.1:{closed}/", expect=3)
        assert said.err.startswith(f"kakehashi: the broker {scheme}://bob:***@127.0.0.1:{closed}/ does not answer")
        assert [path.name for path in tmp_path.iterdir()] == ["puzzles"]
        assert "valkey-server" in said.err
        assert "kakehashi run" in said.err
        assert "secret" not in said.err
        assert said.err.count("\n") == 1

    def test_nothing_was_stored_when_it_is_away(self, cli: Cli, puzzles: Path, sqlite_url: str, closed: int) -> None:
        cli("submit", "puzzles", "--db", sqlite_url, "--broker", f"redis://127.0.0.1:{closed}/", expect=3)
        assert cli.json("status", "--db", sqlite_url) == []

    def test_the_database_is_away_where_the_broker_is_not(self, cli: Cli, puzzles: Path, closed: int) -> None:
        said = cli(
            "submit", "puzzles", "--broker", "memory://", "--db", f"postgresql://127.0.0.1:{closed}/x", expect=3
        )  # fmt: skip
        assert said.err.startswith("kakehashi: the database ")

    @pytest.mark.parametrize(
        "address", ["ftp://bob:secret@host/", "redis://:sec/ret@host/0", "redis://host:x/0", "host"]
    )
    def test_is_no_address(self, cli: Cli, puzzles: Path, address: str) -> None:
        for command in (["submit", "puzzles"], ["worker"]):
            said = cli(*command, "--broker", address, expect=2)
            assert "is no address of a broker: expected redis://" in said.err
            assert "sec" not in said.err

    def test_a_level_of_the_log_that_is_none(self, cli: Cli) -> None:
        assert "'nope' is not one of 'debug', 'info'" in cli("worker", "--log-level", "nope", expect=2).err
