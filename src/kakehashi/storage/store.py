"""What every part of the repository stands on: the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Row

if TYPE_CHECKING:
    from sqlalchemy import Select

    from kakehashi.storage.database import Database


AnyRow = Row[*tuple[Any, ...]]
"""A row of a query, whatever its columns."""


class Store:
    """Holds the database; the parts of the repository derive from it."""

    _db: Database

    def _rows(self, statement: Select[Any], parameters: dict[str, Any] | None = None) -> list[AnyRow]:
        """All rows of one query, read in a transaction of its own."""
        return self._db.read(lambda connection: list(connection.execute(statement, parameters or {}).all()))
