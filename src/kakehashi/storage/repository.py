"""The repository: everything that the program asks of its database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from kakehashi.storage import migrate
from kakehashi.storage.catalogue import Catalogue
from kakehashi.storage.claims import Claims
from kakehashi.storage.database import Database
from kakehashi.storage.errors import StorageError
from kakehashi.storage.known import KnownAnswers
from kakehashi.storage.queries import Queries
from kakehashi.storage.submission import Submission
from kakehashi.storage.sweeps import Sweeps

if TYPE_CHECKING:
    from collections.abc import Callable


class Repository(Submission, KnownAnswers, Claims, Sweeps, Queries, Catalogue):
    """The contract between the program and its database; SQLite and PostgreSQL keep it alike.

    Args:
        url: `sqlite:///PATH`, a path, or `postgresql://...`.
        patience: seconds for which a call is tried again when the database is away or locked; then ServiceUnreachable.
            A call whose commit arrived while its answer got lost is recognised, and takes effect once; only `begin`,
            `create_batch` and `create_run` leave an empty batch or run then.
        on_retry: is told of each such fault.
        create: make the tables where there are none. An older schema is never upgraded in passing: workers of the older
            version may be running.

    Raises:
        ServiceUnreachable: the database does not answer.
        StorageError: there are no tables.
        WrongVersion: they are of another version. So may `claim` and what a sweeper calls say, when the database is
            upgraded meanwhile; what a worker has in hand by then is still written.
        UsageError: the address makes no sense, or the driver is missing.

    Who may share it. One object per process, made after the fork, since connections do not survive one; the threads of
    the process may share it. Any number of processes may use the database at once.

    Who writes what:

    - A submitter appends to a batch and its run until it seals them, or somebody cancels the run. Only one submits to a
      batch: a second one is noticed by the position it starts at. Attempts whose answer is known come in final. It may
      also fill in the classes of puzzles, which are the same whoever reckons them.
    - A worker writes to the shards that it has claimed and to their attempts. The claim's token stands in every
      write; where it does not fit any more (the lease ran out and the claim was buried, or the shard is closed), the
      call raises LeaseLost and nothing was written. A lease that ran out unnoticed still holds.
    - A sweeper rings, buries claims whose lease ran out, and ends what is left of runs that were cancelled or whose
      total budget is over. There may be many.

    What is atomic. Each call is one transaction: all of it happened or nothing did (`expire_leases` and `cancel_rows`
    are several, each of which is whole). A call that reads sees one state, except that a listing sees one state for
    each page.

    What never changes. An entry and a puzzle; an attempt once it has a termination. The open shards of a run never
    overlap, and hold exactly its open attempts; the counts of all its shards add up to its attempts, and its
    tally, by entries, to the same.

    Times are seconds since the epoch by the database's clock: clocks of workers play no part.
    """

    def __init__(
        self,
        url: str,
        *,
        patience: float = 0.0,
        on_retry: Callable[[str], None] = lambda fault: None,
        create: bool = False,
    ) -> None:
        self._db = Database(url, patience=patience, on_retry=on_retry)
        try:
            self._open(url, create)
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

    def _open(self, url: str, create: bool) -> None:
        shown, path = self._db.shown, self._db.path
        missing = path is not None and not path.exists()
        version = None if missing else migrate.version_of(self._db)
        if version is not None:
            migrate.check(version, shown)
            return
        if not create:
            what = f"there is no database {shown} yet" if missing else f"the database {shown} has no tables yet"
            raise StorageError(
                f"{what}: `kakehashi run` and `kakehashi db upgrade` make them; or check --db / KAKEHASHI_DB"
            )
        migrate.upgrade(url, patience=self._db.patience)
