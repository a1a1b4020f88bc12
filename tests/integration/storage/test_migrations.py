from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from kakehashi.storage import migrate
from kakehashi.storage.database import Database
from kakehashi.storage.schema import metadata


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


def test_upgrading_twice_changes_nothing(database_url: str) -> None:
    migrate.upgrade(database_url)
    assert migrate.current(database_url) == migrate.HEAD


@pytest.mark.parametrize("version", migrate.VERSIONS)
def test_versions_sort_by_age(version: str) -> None:
    assert len(version) == 4
    assert version.isdigit()
