"""What can go wrong at the storage layer's border."""

from __future__ import annotations

from kakehashi.errors import KakehashiError, UsageError


class StorageError(KakehashiError):
    """The database cannot be used as asked: the schema, the file, or the order of the calls does not fit."""


class WrongVersion(StorageError):
    """The schema is not the one that this program works with: it leaves the database alone."""


class NotFound(StorageError, UsageError):
    """There is no batch, run or entry with this number."""


class RunCancelled(KakehashiError):
    """Somebody cancelled the run while puzzles were still added to it: no more are."""


class LeaseLost(StorageError):
    """The shard was taken away from this claim: nothing was written, and the work on it has to stop."""

    def __init__(self, shard: int) -> None:
        super().__init__(f"the lease on shard {shard} is lost: it was closed, or taken over after the lease ran out")
        self.shard = shard

    def __reduce__(self) -> tuple[type[LeaseLost], tuple[int]]:
        return LeaseLost, (self.shard,)
