"""Leases that ran out: what becomes of a shard whose worker died.

A death costs the shard a try. From then on the shard is careful: its worker notes each attempt before it starts, so
that the next death names its culprit. `bury` sorts the culprit out, and sees to it that no shard is retaken for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, insert, select, update

from kakehashi.puzzle import Termination, Uniqueness, Verdict
from kakehashi.storage import outcomes
from kakehashi.storage.database import now
from kakehashi.storage.records import Status
from kakehashi.storage.schema import attempt, run, shard

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from kakehashi.storage.store import AnyRow

MOST_DEATHS = 3
"""So many workers may die over a puzzle before it is given up as crashed."""

_at_shard = shard.c.id == bindparam("at_shard")
_free: dict[str, Any] = {"token": None, "owner": None, "lease_until": None, "rung_at": None, "noted": None}
_ended = sum((shard.c[status.value] for status in outcomes.COUNTED[1:]), shard.c.solved)

_look = (
    select(shard.c.id, shard.c.run, shard.c.first, shard.c.last, shard.c.tries, shard.c.noted, run.c.batch)
    .join_from(shard, run, run.c.id == shard.c.run)
    .where(_at_shard, shard.c.token == bindparam("at_token"))
    .with_for_update(of=shard)
)
_take_away = update(shard).where(_at_shard).values(**_free, tries=shard.c.tries + 1)
_close = update(shard).where(_at_shard).values(closed_at=now(), attempts=_ended)
_count_crash = update(shard).where(_at_shard).values(crashed=shard.c.crashed + 1, written_at=now())
_count_death = (
    update(attempt)
    .where(attempt.c.run == bindparam("at_run"), attempt.c.pos == bindparam("at_pos"))
    .values(deaths=attempt.c.deaths + 1)
    .returning(attempt.c.deaths)
)
_open_work = (
    select(attempt.c.pos, attempt.c.budget)
    .where(
        attempt.c.run == bindparam("at_run"),
        attempt.c.pos.between(bindparam("first"), bindparam("last")),
        attempt.c.termination.is_(None),
    )
    .order_by(attempt.c.pos)
)
_add_shards = insert(shard)


def open_work(connection: Connection, run: int, first: int, last: int) -> dict[int, float]:
    """The positions of a shard's attempts that have not ended, in ascending order, with their budgets."""
    rows = connection.execute(_open_work, {"at_run": run, "first": first, "last": last})
    return {row.pos: row.budget for row in rows}


def bury(connection: Connection, number: int, token: str) -> bool:
    """Take a shard away from a dead claim, if that still has it. Whether it did.

    - A try is counted, and the shard is free again.
    - An attempt was noted: it is the culprit. It goes on alone, in a shard of its own that stays careful; its
      neighbours are innocent and go on without tries. After `MOST_DEATHS` deaths it ends as crashed.
    - Nothing was noted, at the first death: the shard is careful from now on.
    - Nothing was noted, and the shard was careful already (it died before it could note anything): it is cut in halves
      that stay careful; a single attempt counts the death as its own.
    """
    found = connection.execute(_look, {"at_shard": number, "at_token": token}).one_or_none()
    if found is None:
        return False
    left = open_work(connection, found.run, found.first, found.last)
    connection.execute(_take_away, {"at_shard": number})
    culprit = found.noted if found.noted in left else None
    if culprit is None and found.tries > 0 and len(left) == 1:
        culprit = next(iter(left))
    if culprit is not None and _died(connection, found, culprit):
        del left[culprit]
        culprit = None
    elif culprit is None and found.tries > 0 and len(left) > 1:
        positions = list(left)
        middle = len(positions) // 2
        _replace(connection, found, left, [(positions[:middle], True), (positions[middle:], True)])
    if not left:
        connection.execute(_close, {"at_shard": number})
    elif culprit is not None and len(left) > 1:
        before = [pos for pos in left if pos < culprit]
        after = [pos for pos in left if pos > culprit]
        _replace(connection, found, left, [(before, False), ([culprit], True), (after, False)])
    return True


def _died(connection: Connection, found: AnyRow, culprit: int) -> bool:
    """Count a death of the attempt; whether that was its last."""
    deaths = connection.execute(_count_death, {"at_run": found.run, "at_pos": culprit}).scalar_one()
    if deaths < MOST_DEATHS:
        return False
    row = {
        "at_run": found.run,
        "at_pos": culprit,
        "set_verdict": Verdict.UNKNOWN.value,
        "set_termination": Termination.CRASHED.value,
        "set_uniqueness": Uniqueness.UNCHECKED.value,
        "set_wall_ms": None,
        "set_cpu_ms": None,
        "set_cuts": 0,
        "set_conflicts": 0,
        "set_engine": None,
        "set_error": f"the worker died {deaths} times while it solved this puzzle",
        "set_solution": None,
    }
    rank = outcomes.RANK[Status.CRASHED]
    outcomes.write(connection, [row])
    outcomes.point_at_best(
        connection, [{"at_batch": found.batch, "at_run": found.run, "at_pos": culprit, "set_rank": rank}]
    )
    connection.execute(_count_crash, {"at_shard": found.id})
    return True


def _replace(
    connection: Connection, found: AnyRow, left: dict[int, float], parts: list[tuple[list[int], bool]]
) -> None:
    """Close the shard, and put shards of these positions in its place; a careful one inherits the tries."""
    rows = [
        {
            "run": found.run,
            "first": part[0],
            "last": part[-1],
            "attempts": len(part),
            "budget": max(left[pos] for pos in part),
            "tries": found.tries + 1 if careful else 0,
        }
        for part, careful in parts
        if part
    ]
    connection.execute(_add_shards, rows)
    connection.execute(_close, {"at_shard": found.id})
