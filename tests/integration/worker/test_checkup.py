"""A check-up of real services."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import redis

from kakehashi.producer.broker import Broker
from kakehashi.settings import Settings
from kakehashi.storage import Repository, migrate
from kakehashi.storage.condition import backlog, examine
from kakehashi.storage.database import Database
from kakehashi.worker.checkup import State, checkup
from kakehashi.worker.private_broker import PrivateBroker
from tests.support.fleet import fleet
from tests.support.storing import easy, fill, take

if TYPE_CHECKING:
    import pytest

    from kakehashi.worker.checkup import Check


def by_subject(settings: Settings, *, deep: bool = False) -> dict[str, list[Check]]:
    found: dict[str, list[Check]] = {}
    for check in checkup(settings, deep=deep, pause=lambda seconds: None):
        found.setdefault(check.subject, []).append(check)
    return found


def test_a_fleet_is_well(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with fleet(database_url.removeprefix("sqlite:///"), monkeypatch) as running:
        running.wait(running.submit([easy(0)]))
        found = by_subject(running.settings)
        assert "Valkey" in found["broker"][0].message
        assert [check.message for check in found["workers"]] == ["1 worker with 2 processes answer"]
        assert [check.state for check in found["database"]] == [State.OK]
        assert found["work"][0].message == "0 shards wait; 0 in work"
        other = replace(running.settings, lease=99.0)
        assert "lease is 3.0, here 99.0" in by_subject(other)["workers"][0].message


def test_a_broker_without_workers(sqlite_url: str) -> None:
    with PrivateBroker() as private:
        settings = Settings(db=sqlite_url, broker=private.url)
        with redis.Redis(unix_socket_path=str(private.folder / "broker.sock")) as client:
            client.config_set("maxmemory-policy", "allkeys-lru")
        with Repository(sqlite_url) as repository:
            fill(repository, 8)
        found = by_subject(settings)
        assert "maxmemory-policy is allkeys-lru" in found["broker"][0].message
        assert found["workers"][0].state is State.WARNING
        assert found["work"][0].message.startswith("2 shards wait, and no worker answers: start a worker")
        with Broker(settings) as broker:
            assert broker.state().depth == 0


def test_what_is_away_is_told_and_the_rest_is_looked_at(sqlite_url: str, tmp_path: Path) -> None:
    away = Settings(db="postgresql://bob:secret@127.0.0.1:1/x", broker="redis://:secret@127.0.0.1:1/0")
    found = by_subject(away)
    assert [check.state for check in found["broker"] + found["database"]] == [State.UNREACHABLE] * 2
    assert "secret" not in str(found)
    found = by_subject(replace(away, db=sqlite_url))
    assert found["broker"][0].state is State.UNREACHABLE
    assert found["work"][0].state is State.OK
    missing = tmp_path / "none" / "x.db"
    assert by_subject(replace(away, db=str(missing)))["database"][0].state is State.WARNING
    assert not missing.parent.exists()


def test_a_damaged_file_is_found(sqlite_url: str) -> None:
    with Repository(sqlite_url) as repository:
        fill(repository, 500)
    path = Path(sqlite_url.removeprefix("sqlite:///"))
    settings = Settings(db=sqlite_url, broker="redis://127.0.0.1:1/0")
    assert [check.message for check in by_subject(settings, deep=True)["database"]][-1] == "no damage found"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"x" * 20_000)
    found = by_subject(settings, deep=True)["database"][-1]
    assert found.state is State.PROBLEM
    assert "damaged" in found.message or "cannot be used" in found.message


def test_a_database_of_any_kind_is_examined(database_url: str) -> None:
    database = Database(database_url)
    with contextlib.closing(database):
        condition = examine(database)
        assert condition.schema == migrate.HEAD
        assert condition.server.startswith(("SQLite 3", "PostgreSQL "))
        assert abs(condition.skew) < 0.5
        assert (condition.journal_mode == "wal") == database.sqlite
        assert condition.size > 10_000
        with Repository(database_url) as repository:
            fill(repository, 12)
            take(repository, lease=-5.0)
        found = backlog(database)
        assert (found.waiting, found.without_bell, found.leased) == (2, 2, 1)
        assert found.oldest_bell is None
        assert found.expired is not None
        assert 4.0 < found.expired < 60.0
