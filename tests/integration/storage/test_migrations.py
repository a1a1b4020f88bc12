from __future__ import annotations

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


def test_the_migrations_make_the_models(database_url: str) -> None:
    database = Database(database_url)

    def work(connection: Any) -> list[Any]:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        return list(compare_metadata(context, metadata))

    assert database.read(work) == []
    database.close()


def test_sqlite_gets_exactly_the_statements_of_the_models(sqlite_url: str, tmp_path: Any) -> None:
    """Beyond what Alembic compares: conditions of indexes, tables without row ids."""
    models = str(tmp_path / "models.db")
    database = Database(models)
    database.write(metadata.create_all)
    database.close()
    assert _statements(sqlite_url) == _statements(models)


def _statements(url: str) -> list[tuple[str, str]]:
    query = "SELECT name, sql FROM sqlite_master WHERE tbl_name <> 'alembic_version' AND sql IS NOT NULL ORDER BY name"
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
