"""What holds of the rows at any moment, whatever workers, sweepers and submitters do, and what holds at the end."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from kakehashi.storage.leases import MOST_DEATHS
from kakehashi.storage.outcomes import RANK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from kakehashi.storage import Repository

Row = Any
_ENDED = "solved + infeasible + timeout + crashed + cancelled AS ended"


@dataclass(frozen=True)
class Rows:
    """All that matters of a database with a ledger (`tests.faults.audit`), as it was at one moment."""

    attempts: Sequence[Row]
    shards: Sequence[Row]
    puzzles: Sequence[Row]
    cancelled: Sequence[Row]
    doubled: Sequence[Row]

    @classmethod
    def of(cls, repository: Repository) -> Rows:
        """Read them."""

        def read(connection: Connection) -> Rows:
            return cls(
                *(
                    connection.exec_driver_sql(query).all()
                    for query in (
                        "SELECT * FROM attempt ORDER BY run, pos",
                        f"SELECT *, {_ENDED} FROM shard ORDER BY run, first",
                        "SELECT pos, best_run, best_rank FROM puzzle ORDER BY pos",
                        "SELECT id FROM run WHERE cancelled_at IS NOT NULL",
                        "SELECT run, pos FROM ledger GROUP BY run, pos HAVING count(*) > 1",
                    )
                )
            )

        return repository._db.read(read)

    @property
    def final(self) -> dict[tuple[int, int], Row]:
        """The attempts that have ended."""
        return {(row.run, row.pos): row for row in self.attempts if row.termination is not None}

    def check(self) -> None:
        """See that all is well at this moment."""
        assert not self.doubled
        for run in {row.run for row in self.attempts}:
            _check_shards(
                [row for row in self.attempts if row.run == run], [row for row in self.shards if row.run == run]
            )
        for row in self.attempts:
            assert (row.deaths == MOST_DEATHS) is (row.error is not None and row.error.startswith("the worker died"))
            assert row.deaths <= MOST_DEATHS
            assert row.deaths < MOST_DEATHS or row.termination == "crashed"
        _check_best(self)

    def check_end(self) -> None:
        """See that nothing is left to be done, and nobody holds anything."""
        self.check()
        assert len(self.final) == len(self.attempts)
        for row in self.shards:
            assert row.closed_at is not None
            assert row.token is row.owner is row.lease_until is row.noted is None


def _check_shards(attempts: Sequence[Row], shards: Sequence[Row]) -> None:
    """The open shards of a run share out its open attempts, and the counts of all add up."""
    waiting = [row.pos for row in attempts if row.termination is None]
    are_open = [row for row in shards if row.closed_at is None]
    assert all(before.last < after.first for before, after in pairwise(are_open))
    owned = [[pos for pos in waiting if row.first <= pos <= row.last] for row in are_open]
    assert [pos for part in owned for pos in part] == waiting
    assert [len(part) for part in owned] == [row.attempts - row.ended for row in are_open]
    assert all(row.attempts == row.ended and row.token is None for row in shards if row.closed_at is not None)
    assert sum(row.attempts for row in shards) == len(attempts)


def _check_best(rows: Rows) -> None:
    """Each puzzle points at the attempt that knows most; of equal ones at the newest."""
    ends: dict[int, list[tuple[int, int]]] = {row.pos: [] for row in rows.puzzles}
    for row in rows.final.values():
        status = row.termination if row.verdict == "unknown" else row.verdict
        ends[row.pos].append((RANK[status], row.run))
    assert [(row.best_rank, row.best_run) for row in rows.puzzles] == [
        max(ends[row.pos], default=(None, None)) for row in rows.puzzles
    ]
