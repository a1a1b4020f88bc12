"""The worker's half of the repository: claim a shard, write what comes out, and give it back or close it.

Fencing: every statement that writes begins with an UPDATE of the shard that is conditional on the claim's token. Where
the token does not fit any more, nothing is written and LeaseLost is raised.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, func, select, update

from kakehashi.storage import migrate, outcomes, tallies
from kakehashi.storage.codec import clean, stored_puzzle
from kakehashi.storage.database import now
from kakehashi.storage.errors import LeaseLost, StorageError
from kakehashi.storage.leases import bury
from kakehashi.storage.records import Claim, RunOptions, Work, status_of
from kakehashi.storage.schema import attempt, puzzle, run, shard
from kakehashi.storage.shards import FREE, add_shards, at_shard, close, open_work, starts_nothing
from kakehashi.storage.store import AnyRow, Store

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

    from kakehashi.solver.outcome import Outcome

HEARTBEAT_PATIENCE = 0.2
"""Seconds for which a heartbeat tries again; enough for a new connection after one was lost."""

Finished = Sequence[tuple[int, "Outcome"]]

_held = (at_shard, shard.c.token == bindparam("at_token"))
_added = {status.value: shard.c[status.value] + bindparam(f"add_{status.value}") for status in outcomes.COUNTED}
_lease = now() + bindparam("lease")
_cancelled_at = select(run.c.cancelled_at).where(run.c.id == shard.c.run).scalar_subquery().label("cancelled_at")
_place = (shard.c.run, shard.c.first, shard.c.last, shard.c.tries, shard.c.claimed_at, _cancelled_at)

_look = (
    select(
        shard.c.id, shard.c.run, shard.c.first, shard.c.last, shard.c.token, shard.c.owner, shard.c.tries,
        shard.c.closed_at, now().label("now"),
        run.c.batch, run.c.options, run.c.stops_at, starts_nothing.label("starts_nothing"),
        migrate.VERSION.scalar_subquery().label("version"),
    )
    .join_from(shard, run, run.c.id == shard.c.run)
    .where(at_shard)
    .with_for_update(of=shard)
)  # fmt: skip
_take = (
    update(shard)
    .where(at_shard)
    .values(
        token=bindparam("set_token"),
        owner=bindparam("set_owner"),
        lease_until=_lease,
        noted=None,
        claimed_at=func.coalesce(shard.c.claimed_at, now()),
    )
)
_load = (
    select(
        attempt.c.pos,
        attempt.c.budget,
        attempt.c.deaths,
        puzzle.c.rows,
        puzzle.c.cols,
        puzzle.c.variant,
        puzzle.c.touching,
        puzzle.c.clues,
    )
    .join_from(attempt, puzzle, puzzle.c.pos == attempt.c.pos)
    .where(
        attempt.c.run == bindparam("at_run"),
        attempt.c.pos.between(bindparam("first"), bindparam("last")),
        attempt.c.termination.is_(None),
        puzzle.c.batch == bindparam("at_batch"),
    )
    .order_by(attempt.c.pos)
)
_extend = update(shard).where(*_held).values(lease_until=_lease).returning(*_place)
_note = update(shard).where(*_held).values(noted=bindparam("set_noted"))
_record = (
    update(shard).where(*_held).values(**_added, noted=None, written_at=now(), lease_until=_lease).returning(*_place)
)
_keep = update(shard).where(*_held).values(**_added, written_at=now(), lease_until=_lease).returning(*_place)
_shrink = (
    update(shard).where(at_shard).values(last=bindparam("set_last"), attempts=shard.c.attempts - bindparam("moved"))
)
_add = update(shard).where(*_held).values(**_added, noted=None, written_at=now()).returning(*_place)
_give_back = update(shard).where(at_shard).values(**FREE, rung_at=None)
_take_back = update(shard).where(shard.c.token.is_not(None)).values(**FREE, rung_at=None)
_touch = update(shard).where(*_held).values(noted=None).returning(*_place)


class Claims(Store):
    """What a worker does with a shard."""

    def claim(
        self,
        shard: int,
        owner: str,
        lease: float,
        death: Callable[[str], str | None] = lambda _: None,
    ) -> Claim | None:
        """Take a shard for `lease` seconds, with its open work.

        A shard whose owner is dead is buried first (`leases.bury`), and what is left of it is taken, if anything is;
        `death` gives the cause of an owner's death, None where it may be alive. None is returned where there is nothing
        to do (closed, unknown, cancelled, the run's total budget is over, or somebody has it). A lease that seems to
        have run out is for the sweeper to judge, who knows whether the clock leapt or the database was away.

        Raises:
            StorageError: the run has options that this version does not know; the shard is left to who knows them.
            WrongVersion: the database was upgraded meanwhile; the shard is left to workers that were, too.
        """
        token = secrets.token_hex(8)

        def work(connection: Connection) -> Claim | None:
            found = connection.execute(_look, {"at_shard": shard}).one_or_none()
            if found is None or found.closed_at is not None:
                return None
            ours = found.token == token  # the commit arrived, its answer did not
            if found.starts_nothing and not ours:
                return None
            migrate.check(found.version, self._db.shown)
            if found.token is not None and not ours:
                cause = death(found.owner)
                if cause is None:
                    return None
                bury(connection, shard, found.token, cause)
                found = connection.execute(_look, {"at_shard": shard}).one()
                if found.closed_at is not None:
                    return None
            place = {"at_run": found.run, "at_batch": found.batch, "first": found.first, "last": found.last}
            rows = connection.execute(_load, place).all()
            if not rows:
                close(connection, shard)
                return None
            # Read before it is taken: what this version cannot read must not look like the death of a worker.
            options = RunOptions.from_json(found.options)
            left = None if found.stops_at is None else found.stops_at - found.now
            claim = Claim(
                shard, token, found.run, found.batch, options, found.tries, [_work(row) for row in rows], left
            )
            taken = {"at_shard": shard, "set_token": token, "set_owner": clean(owner), "lease": lease}
            connection.execute(_take, taken)
            return claim

        return self._db.write(work)

    def extend(self, claim: Claim, lease: float) -> bool:
        """Keep the shard for `lease` seconds from now. True: the run was cancelled, so stop. Raises LeaseLost.

        It is called during a solve, which must not overrun its budget when the database is away: it gives up soon, and
        so does `shed`.
        """
        held = {**_holder(claim), "lease": lease}

        def work(connection: Connection) -> bool:
            place = connection.execute(_extend, held).one_or_none()
            if place is None:
                raise LeaseLost(claim.shard)
            return place.cancelled_at is not None

        return self._db.write(work, patience=HEARTBEAT_PATIENCE)

    def note(self, claim: Claim, pos: int) -> None:
        """Write down that the attempt at `pos` starts now, so that a death names its culprit. Raises LeaseLost."""
        noted = {**_holder(claim), "set_noted": pos}

        def work(connection: Connection) -> None:
            if connection.execute(_note, noted).rowcount != 1:
                raise LeaseLost(claim.shard)

        self._db.write(work)

    def record(self, claim: Claim, finished: Finished, lease: float) -> bool:
        """Write outcomes in one transaction and keep the shard for `lease` seconds from now.

        True: the run was cancelled, so stop.

        Raises:
            LeaseLost: nothing was written.
            StorageError: an attempt is not of this shard, or has ended already; nothing was written.
        """
        change = _Change(claim, finished)
        return self._db.write(lambda connection: _stop(change.apply(connection, _record, {"lease": lease})))

    def shed(self, claim: Claim, finished: Finished, rest: Sequence[Sequence[int]], lease: float) -> bool:
        """Write outcomes and split the rest off into new shards, but go on with what is neither: the puzzle in hand.

        The rest has to come after everything that is kept. What was noted stays noted. Otherwise as `record`.
        """
        change = _Change(claim, finished)
        moved = [pos for part in rest for pos in part]

        def work(connection: Connection) -> bool:
            place = change.apply(connection, _keep, {"lease": lease})
            if place is not None and moved and not (change.tries > 1 and place.last < moved[0]):
                left = open_work(connection, place.run, place.first, place.last)
                kept = [pos for pos in left if pos < moved[0]]
                if not kept:
                    raise StorageError(f"shard {claim.shard} would be empty: finish it instead")
                _split(connection, place, {pos: left[pos] for pos in left if pos >= moved[0]}, rest)
                smaller = {"at_shard": claim.shard, "set_last": kept[-1], "moved": len(moved)}
                connection.execute(_shrink, smaller)
            return _stop(place)

        return self._db.write(work, patience=HEARTBEAT_PATIENCE)

    def finish(self, claim: Claim, finished: Finished, rest: Sequence[Sequence[int]] = ()) -> None:
        """Write outcomes, split what is left into new shards, and close this one, in one transaction.

        Each part of `rest` becomes a shard: positions in ascending order, and together with `finished` and what was
        recorded before they are all of the shard's work. The new shards stay careful if this one was.

        Raises:
            LeaseLost: nothing was written.
            StorageError: outcomes and rest do not make the shard's open work; nothing was written.
        """
        change = _Change(claim, finished)

        def work(connection: Connection) -> None:
            place = change.apply(connection, _add)
            if place is not None:
                _split(connection, place, open_work(connection, place.run, place.first, place.last), rest)
                close(connection, claim.shard)

        self._db.write(work)

    def release(self, claim: Claim, finished: Finished = ()) -> None:
        """Write outcomes and give the shard back, to be rung for again. It counts as no death. Raises as `record`."""
        change = _Change(claim, finished)

        def work(connection: Connection) -> None:
            place = change.apply(connection, _add if finished else _touch)
            if place is not None:
                left = open_work(connection, place.run, place.first, place.last)
                if left:
                    connection.execute(_give_back, {"at_shard": claim.shard})
                else:
                    close(connection, claim.shard)

        self._db.write(work)

    def take_back(self, worker: str) -> int:
        """Free the shards that the processes of a worker hold, which was killed on purpose; how many.

        It counts as no death. It gives up soon when the database is away: then the leases have to run out.
        """
        statement = _take_back.where(shard.c.owner.startswith(f"{clean(worker)}/", autoescape=True))
        return self._db.write(lambda connection: connection.execute(statement).rowcount, patience=HEARTBEAT_PATIENCE)


class _Change:
    """Outcomes on their way in. It notices when an earlier try of the same transaction had been committed after all."""

    def __init__(self, claim: Claim, finished: Finished) -> None:
        self.claim = claim
        finished = [(pos, outcomes.settled(outcome)) for pos, outcome in finished]
        self.rows = outcomes.encode(claim.run, finished)
        self.ranks = outcomes.rank(claim.batch, claim.run, finished)
        self.disputed = frozenset(pos for pos, outcome in finished if outcome.disputed)
        self.ended = {pos: status_of(outcome.verdict, outcome.termination) for pos, outcome in finished}
        self.counts = outcomes.count(self.ended.values())
        self.tries = 0

    def apply(self, connection: Connection, fence: Any, more: dict[str, Any] | None = None) -> AnyRow | None:
        """Pass the fence and write the outcomes; None when that had been done. The place of the shard."""
        self.tries += 1
        parameters = {**_holder(self.claim), **self.counts, **(more or {})}
        place = connection.execute(fence, parameters).one_or_none()
        if place is None:
            if self.tries > 1 and self._arrived(connection):
                return None
            raise LeaseLost(self.claim.shard)
        outside = [row["at_pos"] for row in self.rows if not place.first <= row["at_pos"] <= place.last]
        written = 0 if outside else outcomes.write(connection, self.rows)
        if written != len(self.rows):
            if written == 0 and self.tries > 1 and self._arrived(connection):
                connection.rollback()
                return None
            raise StorageError(
                f"{len(self.rows)} outcomes for shard {self.claim.shard}, but {written} of them are open attempts of it"
            )
        outcomes.point_at_best(connection, self.ranks, self.disputed)
        tallies.add_ended(connection, self.claim.batch, place.run, self.ended, place.claimed_at)
        return place

    def _arrived(self, connection: Connection) -> bool:
        """Whether the first of the attempts has ended just as it was to be written."""
        if not self.rows:
            return False
        row = self.rows[0]
        columns = (attempt.c.termination, attempt.c.verdict, attempt.c.wall_ms, attempt.c.solution)
        statement = select(*columns).where(attempt.c.run == row["at_run"], attempt.c.pos == row["at_pos"])
        found = connection.execute(statement).one_or_none()
        wanted = (row["set_termination"], row["set_verdict"], row["set_wall_ms"], row["set_solution"])
        return found is not None and tuple(found) == wanted


def _split(connection: Connection, place: AnyRow, left: dict[int, float], rest: Iterable[Sequence[int]]) -> None:
    parts = [list(part) for part in rest if part]
    if [pos for part in parts for pos in part] != list(left):
        raise StorageError(
            f"the rest of the shard is given as {sum(map(len, parts))} attempts in order, "
            f"but {len(left)} are open between {place.first} and {place.last}"
        )
    add_shards(connection, place.run, [(part, place.tries) for part in parts], left)


def _stop(place: AnyRow | None) -> bool:
    return place is not None and place.cancelled_at is not None


def _holder(claim: Claim) -> dict[str, Any]:
    return {"at_shard": claim.shard, "at_token": claim.token}


def _work(row: AnyRow) -> Work:
    pos, budget, deaths, *board = row
    return Work(pos, budget, stored_puzzle(*board), deaths)
