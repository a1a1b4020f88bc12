"""What a run has come to, kept up to date by whoever changes it, so that a look at it costs the same for every run.

A tally counts entries: an attempt at a puzzle that the batch holds three times counts as three. A run's numbers are the
sums over its rows. On PostgreSQL there are several rows and a connection adds to one of them, or all workers would wait
in one line; SQLite has one writer at a time, and one row.

The order of steps makes the counts exact. An entry that repeats a puzzle may come in while the puzzle's attempt ends.
Who ends attempts adds to a row first and looks for such entries then; who appends such entries locks all rows first and
looks at the attempts then. Whoever comes second waits, and sees what the first one did.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from sqlalchemy import Double, Integer, bindparam, case, func, insert, or_, select, update
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from kakehashi.puzzle import Termination, Verdict
from kakehashi.storage.database import now
from kakehashi.storage.outcomes import COUNTED
from kakehashi.storage.records import status_of
from kakehashi.storage.schema import attempt, entry, run, tally

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlalchemy import Connection

    from kakehashi.storage.records import Status

SLOTS = 16
"""Rows of a run on PostgreSQL."""

_LOOK_UP_AT_ONCE = 500


class _slot(FunctionElement[int]):  # noqa: N801 (an SQL function)
    """The row that this connection adds to."""

    type = Integer()
    inherit_cache = True


@compiles(_slot, "sqlite")
def _slot_sqlite(*_: Any, **__: Any) -> str:
    return "0"


@compiles(_slot, "postgresql")
def _slot_postgresql(*_: Any, **__: Any) -> str:
    return f"mod(pg_backend_pid(), {SLOTS})"


_mine = (tally.c.run == bindparam("at_run"), tally.c.slot == _slot())
_SUMS = ("attempts", *map(str, COUNTED), "known", "shards_open")
_add = (
    update(tally).where(*_mine).values({name: tally.c[name] + bindparam(f"add_{name}") for name in _SUMS})
)  # fmt: skip
_claimed = bindparam("claimed_at", type_=Double)
_add_ended = _add.values(
    first_claim=case(
        (or_(tally.c.first_claim.is_(None), tally.c.first_claim > _claimed), _claimed), else_=tally.c.first_claim
    ),
    last_write=now(),
)
_lock = (
    select(tally.c.run)
    .where(tally.c.run.in_(select(run.c.id).where(run.c.batch == bindparam("at_batch"))))
    .order_by(tally.c.run, tally.c.slot)
    .with_for_update()
)
_copies = (
    select(entry.c.puzzle, func.count())
    .where(
        entry.c.batch == bindparam("at_batch"),
        entry.c.puzzle != entry.c.pos,
        entry.c.puzzle.between(bindparam("first"), bindparam("last")),
    )
    .group_by(entry.c.puzzle)
)
_attempts = select(attempt.c.run, attempt.c.pos, attempt.c.verdict, attempt.c.termination).where(
    attempt.c.run.in_(bindparam("runs", expanding=True)), attempt.c.pos.in_(bindparam("positions", expanding=True))
)


def begin(connection: Connection, run: int) -> None:
    """The rows of a new run."""
    slots = SLOTS if connection.dialect.name == "postgresql" else 1
    connection.execute(insert(tally), [{"run": run, "slot": slot} for slot in range(slots)])


def add(connection: Connection, run: int, **numbers: int) -> None:
    """Add to a run's sums: `attempts`, `known`, `shards_open`, or a status."""
    connection.execute(_add, {"at_run": run, **_numbers(numbers)})


def add_ended(
    connection: Connection, batch: int, run: int, ended: Mapping[int, Status], claimed_at: float | None = None
) -> None:
    """Attempts ended just now: their statuses by position, and when their shard was claimed first."""
    if not ended:
        return
    times = {"at_run": run, "claimed_at": claimed_at}
    connection.execute(_add_ended, {**times, **_numbers(Counter(map(str, ended.values())))})
    again: Counter[str] = Counter()
    for pos, count in copies(connection, batch, ended).items():
        again[str(ended[pos])] += count
    if again:
        connection.execute(_add, {"at_run": run, **_numbers(again)})


def add_copies(connection: Connection, batch: int, again: Mapping[int, int]) -> None:
    """New entries that repeat puzzles of the batch: how many, by the puzzle's position. Call it when all is written."""
    runs = list(dict.fromkeys(connection.execute(_lock, {"at_batch": batch}).scalars()))
    positions = list(again)
    sums: dict[int, Counter[str]] = {number: Counter() for number in runs}
    for start in range(0, len(positions), _LOOK_UP_AT_ONCE):
        here = {"runs": runs, "positions": positions[start : start + _LOOK_UP_AT_ONCE]}
        for number, pos, verdict, termination in connection.execute(_attempts, here):
            sums[number]["attempts"] += again[pos]
            if termination is not None:
                sums[number][str(status_of(Verdict(verdict), Termination(termination)))] += again[pos]
    for number, counted in sums.items():
        if counted:
            connection.execute(_add, {"at_run": number, **_numbers(counted)})


def copies(connection: Connection, batch: int, positions: Collection[int]) -> dict[int, int]:
    """How many entries repeat these puzzles, where any do."""
    here = {"at_batch": batch, "first": min(positions), "last": max(positions)}
    return {pos: count for pos, count in connection.execute(_copies, here) if pos in positions}


def _numbers(numbers: Mapping[str, int]) -> dict[str, int]:
    return {f"add_{name}": numbers.get(name, 0) for name in _SUMS}
