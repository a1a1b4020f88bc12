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
            self._check_version(url, create)
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

    def _check_version(self, url: str, create: bool) -> None:
        shown, path = self._db.shown, self._db.path
        missing = path is not None and not path.exists()
        version = None if missing else migrate.version_of(self._db)
        if version == migrate.HEAD:
            return
        if version is not None and version not in migrate.VERSIONS:
            raise StorageError(
                f"the database {shown} was made by a newer version of kakehashi (schema {version}, this program has "
                f"{migrate.HEAD}): upgrade the program"
            )
        if version is None and create:
            migrate.upgrade(url, patience=self._db.patience)
        elif version is None:
            what = "there is no database" if missing else "there are no tables in the database"
            raise StorageError(f"{what} {shown}: make them with `kakehashi db upgrade`, or check --db / KAKEHASHI_DB")
        else:
            raise StorageError(
                f"the database {shown} has the older schema {version}, this program needs {migrate.HEAD}: "
                "run `kakehashi db upgrade`"
            )
