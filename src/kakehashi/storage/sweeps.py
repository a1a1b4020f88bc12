"""The sweeper's part of the repository: bells to ring, leases that ran out, runs that were cancelled or are over."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, bindparam, func, not_, or_, select, update

from kakehashi.puzzle import Termination, Uniqueness, Verdict
from kakehashi.storage import outcomes, schema, tallies
from kakehashi.storage.database import now
from kakehashi.storage.errors import NotFound
from kakehashi.storage.leases import bury
from kakehashi.storage.records import Bell, Status
from kakehashi.storage.schema import attempt, puzzle, shard
from kakehashi.storage.shards import starts_nothing
from kakehashi.storage.store import Store
from kakehashi.storage.total_budget import not_started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sqlalchemy import Connection, Select

BURY_PATIENCE = 0.2
"""Seconds for which a burial waits for a database that is busy."""

LONGEST_PAUSE = 0.1
"""Seconds that `cancel_rows` leaves to other writers of an SQLite file, at most; as a rule, as long as it wrote."""

_waiting = and_(shard.c.closed_at.is_(None), shard.c.token.is_(None))
_of_live_run = shard.c.run.in_(select(schema.run.c.id).where(not_(starts_nothing)))
_never_rung = (
    select(shard.c.id)
    .where(_waiting, _of_live_run, shard.c.rung_at.is_(None))
    .order_by(shard.c.id)
    .limit(bindparam("most"))
)
_rung_before = (
    select(shard.c.id)
    .where(_waiting, _of_live_run, shard.c.rung_at < now() - bindparam("again_after"))
    .order_by(shard.c.rung_at, shard.c.id)
    .limit(bindparam("most"))
)
_expired = (
    select(shard.c.id, shard.c.token)
    .where(shard.c.token.is_not(None), shard.c.lease_until < now())
    .order_by(shard.c.lease_until)
    .limit(bindparam("most"))
)
_ahead = now() + bindparam("longest")
_leased_ahead = (
    select(shard.c.id)
    .where(shard.c.token.is_not(None), shard.c.lease_until > _ahead)
    .order_by(shard.c.lease_until.desc())
    .limit(bindparam("most"))
)
_rung_ahead = (
    select(shard.c.id)
    .where(_waiting, shard.c.rung_at > _ahead)
    .order_by(shard.c.rung_at.desc())
    .limit(bindparam("most"))
)
_of_run = shard.c.run == bindparam("at_run")

# Asked first and by itself: as a rule there is no such run, and then nobody walks over the shards that wait.
_cancelled_runs = select(schema.run.c.id).where(
    starts_nothing,
    select(shard.c.id).where(shard.c.run == schema.run.c.id, _waiting).correlate(schema.run).exists(),
)
_cancelled_shards = (
    select(
        shard.c.id, shard.c.run, shard.c.first, shard.c.last, shard.c.attempts,
        schema.run.c.batch, schema.run.c.created_at, schema.run.c.cancelled_at, schema.run.c.stops_at,
    )
    .join_from(shard, schema.run, schema.run.c.id == shard.c.run)
    .where(_waiting, shard.c.run.in_(bindparam("runs", expanding=True)))
    .order_by(shard.c.id)
    .limit(bindparam("most"))
    .with_for_update(of=shard, skip_locked=True)
)  # fmt: skip
_within = attempt.c.pos.between(bindparam("first"), bindparam("last"))
_cancel_attempts = (
    update(attempt)
    .where(attempt.c.run == bindparam("at_run"), _within, attempt.c.termination.is_(None))
    .values(
        verdict=Verdict.UNKNOWN.value,
        termination=Termination.CANCELLED.value,
        uniqueness=Uniqueness.UNCHECKED.value,
        error=bindparam("set_error"),
        finished_at=now(),
    )
    .returning(attempt.c.pos)
)
_cancelled_positions = select(attempt.c.pos).where(
    attempt.c.run == bindparam("at_run"), _within, attempt.c.termination == Termination.CANCELLED.value
)
_point_at_cancelled = (
    update(puzzle)
    .where(
        puzzle.c.batch == bindparam("at_batch"),
        puzzle.c.pos.in_(_cancelled_positions),
        or_(
            puzzle.c.best_run.is_(None),
            and_(puzzle.c.best_rank == outcomes.RANK[Status.CANCELLED], puzzle.c.best_run < bindparam("at_run")),
        ),
    )
    .values(best_run=bindparam("at_run"), best_rank=outcomes.RANK[Status.CANCELLED])
)
_close_cancelled = (
    update(shard)
    .where(shard.c.id == bindparam("at_shard"))
    .values(
        cancelled=shard.c.cancelled + bindparam("ended"),
        attempts=shard.c.solved
        + shard.c.infeasible
        + shard.c.timeout
        + shard.c.crashed
        + shard.c.cancelled
        + bindparam("ended"),
        closed_at=now(),
        written_at=now(),
        noted=None,
    )
)


class Sweeps(Store):
    """What keeps a run going, whoever died, and what ends it.

    Whatever rings, buries or pulls back raises WrongVersion when the database was upgraded meanwhile.
    """

    def due_bells(
        self,
        limit: int,
        *,
        again_after: float | None = None,
        overdue_after: float | None = None,
        run: int | None = None,
    ) -> list[Bell]:
        """Shards to ring for, oldest first, marked as rung: no other caller gets the same.

        Shards that were never rung for come first; with `again_after`, then those whose last bell is that many seconds
        old (a broker may have lost it). With `overdue_after`, up to half of the limit goes before all to those whose
        last bell is so old: new shards may never cease to come. Ring for them, or `unring` them.
        """

        def work(connection: Connection) -> list[Bell]:
            self._current(connection)
            numbers: list[int] = []
            if overdue_after is not None:
                parameters = {"most": (limit + 1) // 2, "again_after": overdue_after}
                numbers = _choose(connection, _rung_before, parameters, run)
            numbers += _choose(connection, _never_rung, {"most": limit - len(numbers)}, run)
            if again_after is not None and len(numbers) < limit:
                parameters = {"most": limit - len(numbers), "again_after": again_after}
                again = _choose(connection, _rung_before, parameters, run)
                numbers += [number for number in again if number not in numbers]
            return _ring(connection, numbers)

        return self._db.write(work)

    def unring(self, shards: Iterable[int]) -> None:
        """Take bells back that could not be sent, where the shard still waits."""
        numbers = list(shards)
        statement = update(shard).where(_waiting, shard.c.id.in_(bindparam("numbers", expanding=True)))

        def work(connection: Connection) -> None:
            for start in range(0, len(numbers), 500):
                connection.execute(statement.values(rung_at=None), {"numbers": numbers[start : start + 500]})

        if numbers:
            self._db.write(work)

    def expire_leases(
        self, run: int | None = None, limit: int = 500, *, trusted: Callable[[float], bool] = lambda _: True
    ) -> int:
        """Bury the claims whose lease has run out (`leases.bury`), each in a transaction; how many.

        It does not wait long for the lock on an SQLite file: workers that wait for it as well are alive.

        Args:
            run: of this run only.
            limit: at most so many.
            trusted: told what the database's clock says, in seconds since the epoch; whether that can be believed.
        """

        def look(connection: Connection) -> tuple[Sequence[Any], float]:
            self._current(connection)
            expired = connection.execute(*_within_run(_expired, {"most": limit}, run)).all()
            # The clock comes second: one that leaps in between is noticed, too.
            return expired, connection.execute(select(now())).scalar_one()

        expired, there = self._db.read(look)
        if not trusted(there):
            return 0
        buried = 0
        for number, token in expired:
            bury_it = partial(_bury_expired, number=number, token=token)
            buried += self._db.write(bury_it, patience=BURY_PATIENCE)
        return buried

    def pull_back(self, lease: float, longest: float, run: int | None = None, limit: int = 500) -> int:
        """Bring back what lies more than `longest` seconds ahead, since the clock was set back; how many.

        A lease then ends in `lease` seconds: a dead worker's would hold its shard until the clock has caught up. A bell
        counts as rung now: it would never be old enough to be rung again.
        """
        parameters = {"longest": longest, "most": limit}

        def look(connection: Connection) -> bool:
            self._current(connection)
            return any(
                connection.execute(*_within_run(which, parameters, run)).first()
                for which in (_leased_ahead, _rung_ahead)
            )

        def work(connection: Connection) -> int:
            leased = _choose(connection, _leased_ahead, parameters, run)
            connection.execute(_shorten, {"numbers": leased, "lease": lease})
            return len(leased) + len(_ring(connection, _choose(connection, _rung_ahead, parameters, run)))

        # As a rule there is nothing, and then nobody waits for the lock on an SQLite file.
        return self._db.write(work) if self._db.read(look) else 0

    def cancel_run(self, run: int) -> None:
        """Ask the run to end. Workers see it when they extend their lease; `cancel_rows` ends what nobody works on.

        Idempotent. NotFound: there is no such run.
        """
        runs = schema.run

        def work(connection: Connection) -> None:
            known = connection.execute(select(runs.c.cancelled_at).where(runs.c.id == run)).one_or_none()
            if known is None:
                raise NotFound(f"there is no run {run}")
            if known.cancelled_at is None:
                connection.execute(update(runs).where(runs.c.id == run).values(cancelled_at=now()))

        self._db.write(work)

    def cancel_rows(self, run: int | None = None, limit: int = 1000) -> int:
        """End open attempts that nobody holds, of runs that are cancelled or whose total budget is over.

        About `limit` of them; how many. Call it until 0.
        """
        which = _cancelled_runs if run is None else _cancelled_runs.where(schema.run.c.id == run)
        runs = [number for (number,) in self._rows(which)]
        if not runs:
            return 0

        def work(connection: Connection) -> tuple[int, int]:
            ended: dict[tuple[int, int], list[int]] = defaultdict(list)
            closed: Counter[tuple[int, int]] = Counter()
            for found in connection.execute(_cancelled_shards, {"most": 100, "runs": runs}).all():
                ended[found.run, found.batch] += _cancel_shard(connection, found)
                closed[found.run, found.batch] += 1
                if sum(map(len, ended.values())) >= limit:
                    break
            for of_run, of_batch in sorted(closed):  # one order for all, or two sweepers wait for each other
                positions = ended[of_run, of_batch]
                tallies.add(connection, of_run, shards_open=-closed[of_run, of_batch])
                tallies.add_ended(connection, of_batch, of_run, dict.fromkeys(positions, Status.CANCELLED))
            return sum(map(len, ended.values())), closed.total()

        while True:
            began = time.monotonic()
            ended, closed = self._db.write(work)
            if self._db.sqlite:  # who waits for the one lock looks for it now and then, and has to find it free
                time.sleep(min(time.monotonic() - began, LONGEST_PAUSE))
            if ended or not closed:
                return ended


def _within_run(which: Select[Any], parameters: dict[str, Any], run: int | None) -> tuple[Select[Any], dict[str, Any]]:
    """The statement with its parameters, for one run or for all."""
    return (which, parameters) if run is None else (which.where(_of_run), {**parameters, "at_run": run})


def _choose(connection: Connection, which: Select[Any], parameters: dict[str, Any], run: int | None) -> list[int]:
    which, parameters = _within_run(which, parameters, run)
    # Only PostgreSQL has row locks: two sweepers skip each other's shards there; on SQLite one waits for the other.
    return list(connection.execute(which.with_for_update(skip_locked=True, of=shard), parameters).scalars())


def _ring(connection: Connection, numbers: list[int]) -> list[Bell]:
    budgets: dict[int, float] = {}
    for start in range(0, len(numbers), 500):
        rung = connection.execute(_mark_rung, {"numbers": numbers[start : start + 500]})
        budgets.update((row.id, row.budget) for row in rung)
    return [Bell(number, budgets[number]) for number in numbers]


_mark_rung = (
    update(shard)
    .where(_waiting, shard.c.id.in_(bindparam("numbers", expanding=True)))
    .values(rung_at=now())
    .returning(shard.c.id, shard.c.budget)
)
_shorten = (
    update(shard)
    .where(shard.c.id.in_(bindparam("numbers", expanding=True)))
    .values(lease_until=now() + bindparam("lease"))
)
_still_expired = select(func.count()).where(
    shard.c.id == bindparam("at_shard"), shard.c.token == bindparam("at_token"), shard.c.lease_until < now()
)


def _bury_expired(connection: Connection, number: int, token: str) -> bool:
    """Bury it if its lease has not been extended meanwhile.

    Where somebody writes to it, that is not waited for: a worker that was frozen, or cut off, in the middle of a write
    would hold up all sweeps.
    """
    locked = select(shard.c.id).where(shard.c.id == number).with_for_update(skip_locked=True)
    if connection.execute(locked).first() is None:
        return False
    if not connection.execute(_still_expired, {"at_shard": number, "at_token": token}).scalar():
        return False
    return bury(connection, number, token)


def _cancel_shard(connection: Connection, found: Any) -> Sequence[int]:
    place = {"at_run": found.run, "first": found.first, "last": found.last}
    error = None if found.cancelled_at is not None else not_started(found.stops_at - found.created_at)
    ended = connection.execute(_cancel_attempts, {**place, "set_error": error}).scalars().all()
    connection.execute(_point_at_cancelled, {**place, "at_batch": found.batch})
    connection.execute(_close_cancelled, {"at_shard": found.id, "ended": len(ended)})
    return ended
