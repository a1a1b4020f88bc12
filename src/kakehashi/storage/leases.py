"""Leases that ran out: what becomes of a shard whose worker died.

A death costs the shard a try. From then on the shard is careful: its worker notes each attempt before it starts, so
that the next death names its culprit. `bury` sorts the culprit out, and sees to it that no shard is retaken for ever.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, select, update

from kakehashi.puzzle import Termination, Uniqueness, Verdict
from kakehashi.storage import outcomes, tallies
from kakehashi.storage.database import now
from kakehashi.storage.records import Status
from kakehashi.storage.schema import attempt, run, shard
from kakehashi.storage.shards import FREE, add_shards, at_shard, close, open_work

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from kakehashi.storage.store import AnyRow

_log = logging.getLogger(__name__)

MOST_DEATHS = 3
"""So many workers may die over a puzzle before it is given up as crashed."""

_look = (
    select(
        shard.c.id,
        shard.c.run,
        shard.c.first,
        shard.c.last,
        shard.c.tries,
        shard.c.noted,
        shard.c.claimed_at,
        run.c.batch,
    )
    .join_from(shard, run, run.c.id == shard.c.run)
    .where(at_shard, shard.c.token == bindparam("at_token"))
    .with_for_update(of=shard)
)  # fmt: skip
_take_away = update(shard).where(at_shard).values(**FREE, rung_at=None, tries=shard.c.tries + 1)
_count_crash = update(shard).where(at_shard).values(crashed=shard.c.crashed + 1, written_at=now())
_count_death = (
    update(attempt)
    .where(attempt.c.run == bindparam("at_run"), attempt.c.pos == bindparam("at_pos"))
    .values(deaths=attempt.c.deaths + 1)
    .returning(attempt.c.deaths)
)


def bury(connection: Connection, number: int, token: str, cause: str = "") -> bool:
    """Take a shard away from a dead claim, if that still has it. Whether it did. `cause`: what killed it, where known.

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
    if culprit is not None and _died(connection, found, culprit, cause):
        del left[culprit]
        culprit = None
    elif culprit is None and found.tries > 0 and len(left) > 1:
        positions = list(left)
        middle = len(positions) // 2
        _replace(connection, found, left, [(positions[:middle], True), (positions[middle:], True)])
    if not left:
        close(connection, number)
    elif culprit is not None and len(left) > 1:
        before = [pos for pos in left if pos < culprit]
        after = [pos for pos in left if pos > culprit]
        _replace(connection, found, left, [(before, False), ([culprit], True), (after, False)])
    return True


def _died(connection: Connection, found: AnyRow, culprit: int, cause: str) -> bool:
    """Count a death of the attempt; whether that was its last."""
    deaths = connection.execute(_count_death, {"at_run": found.run, "at_pos": culprit}).scalar_one()
    if deaths < MOST_DEATHS:
        return False
    reason = f"the worker died {deaths} times while it solved this puzzle"
    if cause:
        reason += f" (the last time: {cause})"
    _log.error(
        "puzzle %d:%d is given up: %s", found.batch, culprit, reason, extra={"attempt": f"{found.batch}:{culprit}"}
    )
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
        "set_error": reason,
        "set_solution": None,
        "set_confirmed_by": None,
        "set_confirm_ms": None,
    }
    rank = outcomes.RANK[Status.CRASHED]
    outcomes.write(connection, [row])
    outcomes.point_at_best(
        connection, [{"at_batch": found.batch, "at_run": found.run, "at_pos": culprit, "set_rank": rank}]
    )
    connection.execute(_count_crash, {"at_shard": found.id})
    tallies.add_ended(connection, found.batch, found.run, {culprit: Status.CRASHED}, found.claimed_at)
    return True


def _replace(
    connection: Connection, found: AnyRow, left: dict[int, float], parts: list[tuple[list[int], bool]]
) -> None:
    """Close the shard, and put shards of these positions in its place; a careful one inherits the tries."""
    tries = found.tries + 1
    add_shards(connection, found.run, [(part, tries if careful else 0) for part, careful in parts], left)
    close(connection, found.id)
