from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from kakehashi.puzzle import Confirm, Uniqueness
from kakehashi.storage import Repository, RunOptions, Status, migrate
from kakehashi.storage.codec import pack
from kakehashi.storage.database import Database
from kakehashi.storage.schema import metadata
from tests.support.storing import outcome, take

FIRST_ROWS = {
    "batch": "(id, name, source, created_at, sealed_at, entries) VALUES (1, 'old', '{}', 1.5, 2.5, 4)",
    "run": "(id, batch, created_at, options) VALUES "
    """(1, 1, 1.5, '{"budget": 10.0, "unique": true, "engine": "auto"}')""",
    "puzzle": "(batch, pos, digest, rows, cols, islands, variant, touching, best_run, best_rank, clues) VALUES "
    "(1, 0, :first, 1, 3, 2, 'classic', 'join', 1, 6, :solved), "
    "(1, 1, :second, 1, 3, 2, 'classic', 'join', NULL, NULL, :waiting)",
    "entry": "(batch, pos, name, source, line, puzzle) VALUES "
    "(1, 0, 'a', 'a.txt', 1, 0), (1, 1, 'b', 'b.txt', 1, 1), (1, 2, 'c', 'c.txt', 1, 0), (1, 3, 'd', 'd.txt', 1, 1)",
    "attempt": "(run, pos, budget, verdict, termination, uniqueness, wall_ms, cpu_ms, engine, solution) VALUES "
    "(1, 0, 10.0, 'solved', 'completed', 'unique', 1.25, 1.0, 'native', :values), "
    "(1, 1, 10.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
    "shard": "(id, run, first, last, attempts, budget, solved) VALUES (1, 1, 0, 1, 2, 10.0, 1)",
}
"""A batch as the first version of the schema holds it: one puzzle is solved, one waits, and each is there twice."""


def test_the_versions_are_alembics() -> None:
    scripts = ScriptDirectory.from_config(migrate.config())
    assert [script.revision for script in scripts.walk_revisions()][::-1] == list(migrate.VERSIONS)
    assert scripts.get_current_head() == migrate.HEAD


@pytest.fixture(params=["sqlite", "postgresql"])
def migrated_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database whose tables were made by the migrations, one after the other."""
    if request.param == "sqlite":
        url = str(tmp_path / "migrated.db")
    else:
        url = request.getfixturevalue("postgresql_url_without_tables")
    database = Database(url)
    database.write(migrate.by_alembic)
    database.close()
    return url


def test_the_migrations_make_the_models(migrated_url: str) -> None:
    database = Database(migrated_url)

    def work(connection: Any) -> list[Any]:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        return list(compare_metadata(context, metadata))

    assert database.read(work) == []
    database.close()


def test_a_new_database_is_exactly_what_the_migrations_make(tmp_path: Path) -> None:
    """Beyond what Alembic compares: conditions of indexes, tables without row ids, the table of the version."""
    migrated = Database(str(tmp_path / "migrated.db"))
    migrated.write(migrate.by_alembic)
    migrated.close()
    migrate.upgrade(str(tmp_path / "new.db"))
    assert _statements(str(tmp_path / "new.db")) == _statements(str(tmp_path / "migrated.db"))
    assert migrate.current(str(tmp_path / "migrated.db")) == migrate.HEAD


def test_a_new_postgresql_database_passes_for_migrated(postgresql_url: str) -> None:
    migrate.upgrade(postgresql_url)  # Alembic looks at it and finds nothing to do
    assert migrate.current(postgresql_url) == migrate.HEAD


def _statements(url: str) -> list[tuple[str, str]]:
    query = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
    database = Database(url)
    rows = database.read(lambda connection: list(connection.exec_driver_sql(query).all()))
    database.close()
    return [(row.name, " ".join(row.sql.replace('"', "").split())) for row in rows]


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_batch_of_the_first_version_goes_on(request: pytest.FixtureRequest, tmp_path: Path, kind: str) -> None:
    url = str(tmp_path / "old.db")
    if kind == "postgresql":
        url = request.getfixturevalue("postgresql_url_without_tables")
    database = Database(url)
    database.prepare()
    database.write(_first_version)
    database.close()
    assert migrate.current(url) == "0001"
    migrate.upgrade(url)
    assert migrate.current(url) == migrate.HEAD
    with Repository(url) as repository:
        progress = repository.progress(1)
        assert (progress.counts[Status.SOLVED], progress.counts[Status.QUEUED], progress.shards_open) == (2, 2, 1)
        solved, waiting, _, _ = repository.results(1)
        assert (solved.status, solved.uniqueness, solved.values) == (Status.SOLVED, Uniqueness.UNIQUE, b"\x02")
        assert (solved.wall_ms, solved.engine, solved.attempts) == (1.25, "native", 1)
        assert (solved.confirmed_by, solved.confirm_ms, solved.known_from) == (None, None, None)
        assert repository.name_classes() == 1
        assert waiting.status is Status.QUEUED
        claim = take(repository)
        assert claim.options == RunOptions(budget=10.0, unique=True, confirm=Confirm.NONE)
        (work,) = claim.work
        done = replace(outcome(work.puzzle, Status.INFEASIBLE), confirmed_by="pysat", confirm_ms=2.5)
        repository.finish(claim, [(work.pos, done)])
        after = repository.result(1, 1)
        assert (after.status, after.confirmed_by, after.confirm_ms) == (Status.INFEASIBLE, "pysat", 2.5)
        progress = repository.progress(1)
        assert (progress.counts[Status.SOLVED], progress.counts[Status.INFEASIBLE], progress.finished) == (2, 2, False)


def test_a_worker_of_an_older_version_that_was_not_stopped_writes_before_the_sums_are_made_or_not_at_all(
    postgresql_url_without_tables: str,
) -> None:
    url = postgresql_url_without_tables
    database = Database(url)
    database.write(_first_version)
    database.write(lambda connection: command.upgrade(migrate.config(connection=connection), "0004"))
    database.write(lambda connection: connection.exec_driver_sql("UPDATE shard SET token = 't', lease_until = 1e10"))
    write = "UPDATE shard SET solved = solved + 1 WHERE id = 1 AND token = 't'"
    with ThreadPoolExecutor(1) as pool:
        with database.engine.begin() as old:
            old.exec_driver_sql(write)
            old.exec_driver_sql("UPDATE attempt SET verdict = 'solved', termination = 'completed' WHERE pos = 1")
            upgrading = pool.submit(migrate.upgrade, url)
            time.sleep(0.5)
        upgrading.result()
    assert database.write(lambda connection: connection.exec_driver_sql(write).rowcount) == 0
    database.close()
    with Repository(url) as repository:
        assert repository.progress(1).counts[Status.SOLVED] == 4


def _first_version(connection: Any) -> None:
    """Make the tables of the first version, with rows in each."""
    command.upgrade(migrate.config(connection=connection), "0001")
    values = {"solved": b"\x02\x00\x02", "waiting": b"\x01\x00\x03", "values": b"\x02", "first": b"1", "second": b"2"}
    for table, row in FIRST_ROWS.items():
        statement = sqlalchemy.text(f"INSERT INTO {table} {row}")
        used = {name: pack(value) for name, value in values.items() if f":{name}" in row}
        connection.execute(statement, used)


def test_upgrading_twice_changes_nothing(database_url: str) -> None:
    migrate.upgrade(database_url)
    assert migrate.current(database_url) == migrate.HEAD


@pytest.mark.parametrize("version", migrate.VERSIONS)
def test_versions_sort_by_age(version: str) -> None:
    assert len(version) == 4
    assert version.isdigit()
