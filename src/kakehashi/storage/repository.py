"""The repository: everything that the program asks of its database."""

from __future__ import annotations

from typing import Self

from kakehashi.storage import migrate
from kakehashi.storage.catalogue import Catalogue
from kakehashi.storage.claims import Claims
from kakehashi.storage.database import Database
from kakehashi.storage.errors import StorageError
from kakehashi.storage.queries import Queries
from kakehashi.storage.submission import Submission
from kakehashi.storage.sweeps import Sweeps


class Repository(Submission, Claims, Sweeps, Queries, Catalogue):
    """One object per process, made after the fork; its threads may share it."""

    def __init__(self, url: str, *, patience: float = 0.0, create: bool = False) -> None:
        self._db = Database(url, patience=patience)
        try:
            self._check_version(create)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close all connections."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_version(self, create: bool) -> None:
        path = self._db.path
        missing = path is not None and not path.exists()
        if missing and not create:
            raise StorageError(f"there is no database {self._db.shown}: make it with `kakehashi db upgrade`")
        version = None if missing else migrate.current(self._db)
        if version is None and create:
            migrate.upgrade(self._db)
        elif version is None:
            raise StorageError(f"the database {self._db.shown} has no tables: make them with `kakehashi db upgrade`")
