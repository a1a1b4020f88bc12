"""Shards as rows: what is open in one, how new ones come in, how one ends. Claims and burials build on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, bindparam, insert, or_, select, update

from kakehashi.storage import outcomes, tallies
from kakehashi.storage.database import now
from kakehashi.storage.schema import attempt, run, shard

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Connection

at_shard = shard.c.id == bindparam("at_shard")

starts_nothing = or_(run.c.cancelled_at.is_not(None), and_(run.c.stops_at.is_not(None), run.c.stops_at <= now()))
"""Of a run: it is cancelled or its total budget is over, so no puzzle of it starts any more. Never NULL."""

FREE: dict[str, Any] = {"token": None, "owner": None, "lease_until": None, "noted": None}
"""The columns of a shard that nobody holds."""

_ended = sum((shard.c[status.value] for status in outcomes.COUNTED[1:]), shard.c.solved)
_close = update(shard).where(at_shard).values(**FREE, closed_at=now(), attempts=_ended).returning(shard.c.run)
_open_work = (
    select(attempt.c.pos, attempt.c.budget)
    .where(
        attempt.c.run == bindparam("at_run"),
        attempt.c.pos.between(bindparam("first"), bindparam("last")),
        attempt.c.termination.is_(None),
    )
    .order_by(attempt.c.pos)
)
_add = insert(shard)


def open_work(connection: Connection, run: int, first: int, last: int) -> dict[int, float]:
    """The positions of a shard's attempts that have not ended, in ascending order, with their budgets."""
    rows = connection.execute(_open_work, {"at_run": run, "first": first, "last": last})
    return {row.pos: row.budget for row in rows}


def add_shards(
    connection: Connection, run: int, parts: Iterable[tuple[Sequence[int], int]], budgets: Mapping[int, float]
) -> None:
    """New shards of a run: positions in ascending order, and the tries that they inherit; empty parts are none."""
    rows = [
        {
            "run": run,
            "first": part[0],
            "last": part[-1],
            "attempts": len(part),
            "budget": max(budgets[pos] for pos in part),
            "tries": tries,
        }
        for part, tries in parts
        if part
    ]
    if rows:
        connection.execute(_add, rows)
        tallies.add(connection, run, shards_open=len(rows))


def close(connection: Connection, number: int) -> None:
    """End a shard; it keeps the attempts that ended in it, and no others."""
    run = connection.execute(_close, {"at_shard": number}).scalar_one()
    tallies.add(connection, run, shards_open=-1)
