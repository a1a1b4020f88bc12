"""A copy of an SQLite database, made while others work on it."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from kakehashi.errors import UsageError
from kakehashi.storage.database import parse_url
from kakehashi.storage.errors import StorageError


def backup(url: str, target: Path) -> None:
    """Copy all that is committed, the write-ahead log included, as it is at one moment. Nobody has to wait for it.

    Raises:
        UsageError: it is a PostgreSQL database, which has tools of its own.
        StorageError: there is no such database, or it cannot be read.
    """
    address = parse_url(url)
    if not address.drivername.startswith("sqlite"):
        raise UsageError("this copies SQLite databases; for PostgreSQL: `pg_dump --format=custom --file=FILE URL`")
    path = Path(str(address.database))
    if not path.is_file():
        raise StorageError(f"there is no database {path}: check --db / KAKEHASHI_DB")
    try:
        with (
            contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as source,
            contextlib.closing(sqlite3.connect(target)) as copy,
        ):
            source.backup(copy)
    except sqlite3.Error as error:
        raise StorageError(f"the database {path} cannot be copied: {error}") from error
