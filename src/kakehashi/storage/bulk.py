"""Writing many rows at once: COPY on PostgreSQL, one prepared INSERT on SQLite."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

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


@cache
def _copy(table: str, columns: tuple[str, ...]) -> str:
    return f"COPY {table} ({_quoted(columns)}) FROM STDIN"


@cache
def _insert(table: str, columns: tuple[str, ...]) -> str:
    marks = ", ".join("?" * len(columns))
    return f"INSERT INTO {table} ({_quoted(columns)}) VALUES ({marks})"  # noqa: S608 (names of our own tables)


def _quoted(columns: tuple[str, ...]) -> str:
    return ", ".join(f'"{name}"' for name in columns)
