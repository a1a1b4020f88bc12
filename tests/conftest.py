"""Fixtures for every test: services that are started once, databases that are made for each test."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.services import PostgreSQL

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A running PostgreSQL server."""
    server = PostgreSQL()
    yield server
    server.stop()


@pytest.fixture
def postgresql_url(postgresql: PostgreSQL) -> str:
    """A PostgreSQL database with our tables and nothing in them."""
    return postgresql.emptied()


@pytest.fixture
def postgresql_url_without_tables(postgresql: PostgreSQL) -> Iterator[str]:
    """A new PostgreSQL database without tables."""
    yield from postgresql.without_tables()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite database with our tables, to be copied."""
    from kakehashi.storage.migrate import upgrade

    path = tmp_path_factory.mktemp("template") / "kakehashi.db"
    upgrade(str(path))
    return path


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """A fresh SQLite database with our tables."""
    return f"sqlite:///{shutil.copy(sqlite_template, tmp_path / 'kakehashi.db')}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """A fresh database with our tables: the test runs on SQLite and on PostgreSQL."""
    return str(request.getfixturevalue(f"{request.param}_url"))
