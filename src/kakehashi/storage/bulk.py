"""Many rows at once: written by COPY on PostgreSQL, by a prepared INSERT on SQLite; looked up and listed by key."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import case

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement, Connection, Select, Table

    from kakehashi.storage.store import AnyRow

T = TypeVar("T")


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


_OFF = ("hashjoin", "mergejoin", "material", "sort", "bitmapscan", "seqscan")

# The conditions of a listing are on columns that a run changes all the time, so PostgreSQL's statistics are out of
# date as a rule. It then expects next to no row to match and sorts a join of the whole batch for each page. Along the
# key, as here, a listing reads the batch once, whatever the statistics say.
_ALONG_THE_KEY = "; ".join(
    [
        *(f"SET LOCAL enable_{what} = off" for what in _OFF),
        "SET LOCAL plan_cache_mode = force_custom_plan",
    ]
)


def along_the_key(connection: Connection) -> None:
    """From now on in this transaction, have PostgreSQL go along keys and indexes, and plan for the values at hand."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(_ALONG_THE_KEY)


def page_along_the_key(connection: Connection, statement: Select[Any], parameters: dict[str, Any]) -> list[AnyRow]:
    """A page of a listing that goes along a key."""
    along_the_key(connection)
    return list(connection.execute(statement, parameters).all())


def behind(first: ColumnElement[Any], value: ColumnElement[T]) -> ColumnElement[T]:
    """A value, which is not to be had before the column `first` is; NULL where that is.

    It is a fence, for no database sees through a CASE. A condition on what an outer join adds does not make it an inner
    one, so the tables are read in the order in which they are written. And the part of a key that is the same for all
    rows is not looked up by itself: where the statistics know nothing of a batch, one row is expected of it. Take a
    column that may be NULL, or one of a subquery: through `IS NOT NULL` of any other a database may see one day.
    """
    return case((first.is_not(None), value))


@cache
def _copy(table: str, columns: tuple[str, ...]) -> str:
    return f"COPY {table} ({_quoted(columns)}) FROM STDIN"


@cache
def _insert(table: str, columns: tuple[str, ...]) -> str:
    marks = ", ".join("?" * len(columns))
    return f"INSERT INTO {table} ({_quoted(columns)}) VALUES ({marks})"  # noqa: S608 (names of our own tables)


def _quoted(columns: tuple[str, ...]) -> str:
    return ", ".join(f'"{name}"' for name in columns)
