"""What every part of the repository stands on: the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Row

from kakehashi.storage import migrate

if TYPE_CHECKING:
    from sqlalchemy import Connection, Select

    from kakehashi.storage.database import Database


AnyRow = Row[*tuple[Any, ...]]
"""A row of a query, whatever its columns."""


class Store:
    """Holds the database; the parts of the repository derive from it."""

    _db: Database

    def _rows(self, statement: Select[Any], parameters: dict[str, Any] | None = None) -> list[AnyRow]:
        """All rows of one query, read in a transaction of its own."""
        return self._db.read(lambda connection: list(connection.execute(statement, parameters or {}).all()))

    def _current(self, connection: Connection) -> None:
        """See that the database was not upgraded while this program runs. Raises WrongVersion."""
        migrate.check(connection.execute(migrate.VERSION).scalar_one(), self._db.shown)
