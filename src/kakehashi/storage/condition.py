"""What state a database is in, for whoever looks after it. Works on one without tables, too; nothing here writes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select, text

from kakehashi.storage.database import now
from kakehashi.storage.migrate import version_of
from kakehashi.storage.schema import shard

if TYPE_CHECKING:
    from sqlalchemy import Connection, Select

    from kakehashi.storage.database import Database

MOST = 10_000
"""Shards are counted up to so many."""


@dataclass(frozen=True)
class Condition:
    """A database that answers.

    Attributes:
        server: what it is, and its version.
        schema: the version of our tables; None where there are none.
        round_trip: seconds that a small question took.
        skew: seconds by which its clock is ahead of this machine's, known to half a round trip.
        size: its bytes.
        journal_mode: of SQLite; None elsewhere.
        connections: how many there are, and may be, of a server; None on SQLite.
    """

    server: str
    schema: str | None
    round_trip: float
    skew: float
    size: int
    journal_mode: str | None
    connections: tuple[int, int] | None


@dataclass(frozen=True)
class Backlog:
    """Shards that are not closed; counts end at MOST. Ages are in seconds, None where there is no such shard.

    Attributes:
        waiting: nobody works on them.
        without_bell: those of them that were never rung for.
        oldest_bell: the age of the oldest bell of those that wait.
        leased: somebody works on them.
        expired: the age of the lease that ran out first.
    """

    waiting: int
    without_bell: int
    oldest_bell: float | None
    leased: int
    expired: float | None


def examine(database: Database) -> Condition:
    """Look at the database as a whole. Raises as `Database.read`."""
    schema = version_of(database)  # connects, so that what follows is no measure of that
    began = time.time()
    clock = database.read(lambda connection: float(connection.execute(select(now())).scalar_one()))
    ended = time.time()
    facts = database.read(_sqlite_facts if database.sqlite else _postgresql_facts)
    return Condition(schema=schema, round_trip=ended - began, skew=clock - (began + ended) / 2, **facts)


def backlog(database: Database) -> Backlog:
    """Look at what waits. Raises as `Database.read`."""

    def work(connection: Connection) -> Backlog:
        clock, oldest, expired = connection.execute(_ages).one()
        waiting, without_bell, leased = (
            connection.execute(statement).scalar_one() for statement in (_waiting, _without_bell, _leased)
        )
        return Backlog(
            waiting=waiting,
            without_bell=without_bell,
            oldest_bell=None if oldest is None else clock - oldest,
            leased=leased,
            expired=None if expired is None or expired > clock else clock - expired,
        )

    return database.read(work)


def damages(database: Database) -> list[str]:
    """What SQLite's own check finds wrong, at most ten; reads the whole file. Raises as `Database.read`."""
    found = database.read(lambda connection: connection.execute(text("PRAGMA quick_check(10)")).scalars().all())
    return [] if found == ["ok"] else list(found)


def _count(*conditions: Any) -> Select[Any]:
    some = select(shard.c.id).where(*conditions).limit(MOST).subquery()
    return select(func.count()).select_from(some)


_waits = (shard.c.closed_at.is_(None), shard.c.token.is_(None))
_waiting = _count(*_waits)
_without_bell = _count(*_waits, shard.c.rung_at.is_(None))
_leased = _count(shard.c.token.is_not(None))
_ages = select(
    now(),
    select(func.min(shard.c.rung_at)).where(*_waits).scalar_subquery(),
    select(func.min(shard.c.lease_until)).where(shard.c.token.is_not(None)).scalar_subquery(),
)


def _sqlite_facts(connection: Connection) -> dict[str, Any]:
    def ask(pragma: str) -> Any:
        return connection.exec_driver_sql(f"PRAGMA {pragma}").scalar_one()

    version = connection.exec_driver_sql("SELECT sqlite_version()").scalar_one()
    return {
        "server": f"SQLite {version}",
        "size": ask("page_count") * ask("page_size"),
        "journal_mode": ask("journal_mode"),
        "connections": None,
    }


def _postgresql_facts(connection: Connection) -> dict[str, Any]:
    version, size, used, most = connection.exec_driver_sql(
        "SELECT current_setting('server_version'), pg_database_size(current_database()), "
        "(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'), "
        "current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int"
    ).one()
    return {
        "server": f"PostgreSQL {version.split()[0]}",
        "size": size,
        "journal_mode": None,
        "connections": (used, most),
    }
