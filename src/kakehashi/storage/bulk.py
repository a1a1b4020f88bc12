"""Many rows at once: written by COPY on PostgreSQL and by one prepared INSERT on SQLite; looked up by many keys."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection, Table


def insert_many(
    connection: Connection, table: Table, columns: tuple[str, ...], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert rows of plain values (no expressions); the columns that are not named get the defaults of the table."""
    if not rows:
        return
    if connection.dialect.name == "postgresql":
        cursor = connection.connection.cursor()
        try:
            with cursor.copy(_copy(table.name, columns)) as copy:
                for row in rows:
                    copy.write_row(row)
        finally:
            cursor.close()
    else:
        connection.exec_driver_sql(_insert(table.name, columns), list(rows))


@contextmanager
def planned_afresh(connection: Connection) -> Iterator[None]:
    """Have PostgreSQL plan the look-ups within for the very keys that they ask for.

    The driver prepares what it sends often. The generic plan for hundreds of unknown keys walks over the whole batch;
    planned for these, the look-up is as many steps down the index.
    """
    if connection.dialect.name != "postgresql":
        yield
        return
    connection.exec_driver_sql("SET LOCAL plan_cache_mode = force_custom_plan")
    yield
    connection.exec_driver_sql("SET LOCAL plan_cache_mode = auto")


@cache
def _copy(table: str, columns: tuple[str, ...]) -> str:
    return f"COPY {table} ({_quoted(columns)}) FROM STDIN"


@cache
def _insert(table: str, columns: tuple[str, ...]) -> str:
    marks = ", ".join("?" * len(columns))
    return f"INSERT INTO {table} ({_quoted(columns)}) VALUES ({marks})"  # noqa: S608 (names of our own tables)


def _quoted(columns: tuple[str, ...]) -> str:
    return ", ".join(f'"{name}"' for name in columns)
