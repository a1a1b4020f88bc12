"""The tables. Typed models, used through Core statements: nothing here goes through an ORM session.

Times are DOUBLE seconds since the epoch by the database's own clock. Keys are known before writing: a puzzle and its
attempts are named by the position of the first entry that holds the puzzle. The bulk tables (entry, puzzle, attempt)
carry no foreign keys: they are written by one statement path only, beside the row that they would refer to.
"""

from __future__ import annotations

from typing import Any, cast

from sqlalchemy import (
    JSON,
    BigInteger,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    and_,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

_CLUSTERED = {"sqlite_with_rowid": False}
"""One tree in the order of the key, instead of a table and an index beside it."""

Identity = BigInteger().with_variant(Integer, "sqlite")
"""SQLite counts up INTEGER primary keys only."""


class Base(DeclarativeBase):
    """The base of the models; carries the naming convention, so that migrations can name every constraint."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {float: Double, bytes: LargeBinary, dict[str, Any]: JSON, str: Text}  # noqa: RUF012


class Batch(Base):
    """Puzzles that were submitted together. `entries` and `invalid` count what has been appended so far."""

    __tablename__ = "batch"

    id: Mapped[int] = mapped_column(Identity, primary_key=True)
    name: Mapped[str]
    source: Mapped[dict[str, Any]]
    """What was handed in, as the submitter wants to read it again when it resumes."""
    created_at: Mapped[float]
    sealed_at: Mapped[float | None]
    entries: Mapped[int] = mapped_column(default=0, server_default="0")
    invalid: Mapped[int] = mapped_column(default=0, server_default="0")


class Puzzle(Base):
    """A distinct puzzle of a batch. `best_run` points at the attempt that knows most; `best_rank` says how much."""

    __tablename__ = "puzzle"
    __table_args__ = _CLUSTERED

    batch: Mapped[int] = mapped_column(Identity, primary_key=True, autoincrement=False)
    pos: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    digest: Mapped[bytes]
    rows: Mapped[int] = mapped_column(SmallInteger)
    cols: Mapped[int] = mapped_column(SmallInteger)
    islands: Mapped[int]
    variant: Mapped[str] = mapped_column(String(16))
    touching: Mapped[str] = mapped_column(String(8))
    best_run: Mapped[int | None] = mapped_column(Identity)
    best_rank: Mapped[int | None] = mapped_column(SmallInteger)
    clues: Mapped[bytes]
    canonical: Mapped[bytes | None]
    """The digest of its class under the board's symmetries; only there where somebody wanted to know."""


class Entry(Base):
    """One puzzle as it was handed in. Either `puzzle` (a position in the same batch) or `error` is set."""

    __tablename__ = "entry"
    __table_args__ = _CLUSTERED

    batch: Mapped[int] = mapped_column(Identity, primary_key=True, autoincrement=False)
    pos: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    name: Mapped[str]
    source: Mapped[str]
    line: Mapped[int]
    error: Mapped[str | None]
    note: Mapped[str | None]
    puzzle: Mapped[int | None]


class Run(Base):
    """One pass over a batch, or over a part of it (then `parent` is the run that it follows)."""

    __tablename__ = "run"

    id: Mapped[int] = mapped_column(Identity, primary_key=True)
    batch: Mapped[int] = mapped_column(Identity, ForeignKey("batch.id"), index=True)
    parent: Mapped[int | None] = mapped_column(Identity, ForeignKey("run.id"))
    options: Mapped[dict[str, Any]]
    created_at: Mapped[float]
    sealed_at: Mapped[float | None]
    cancelled_at: Mapped[float | None]
    stops_at: Mapped[float | None]
    """From then on no new puzzle of it starts; None where it has no total budget."""


class Attempt(Base):
    """One distinct puzzle in one run; queued while `termination` is NULL, and final once it is set."""

    __tablename__ = "attempt"
    __table_args__ = _CLUSTERED

    run: Mapped[int] = mapped_column(Identity, primary_key=True, autoincrement=False)
    pos: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    budget: Mapped[float]
    deaths: Mapped[int] = mapped_column(SmallInteger, default=0, server_default="0")
    """How many workers died over it."""
    verdict: Mapped[str | None] = mapped_column(String(16))
    termination: Mapped[str | None] = mapped_column(String(16))
    uniqueness: Mapped[str | None] = mapped_column(String(16))
    wall_ms: Mapped[float | None]
    cpu_ms: Mapped[float | None]
    cuts: Mapped[int | None]
    conflicts: Mapped[int | None] = mapped_column(BigInteger)
    finished_at: Mapped[float | None]
    engine: Mapped[str | None]
    error: Mapped[str | None]
    solution: Mapped[bytes | None]
    confirmed_by: Mapped[str | None]
    confirm_ms: Mapped[float | None]
    known_from: Mapped[str | None]
    """The id of the entry that had this answer already, when the attempt was made: it was born final."""


class Shard(Base):
    """The unit of dispatch: the attempts of a run between `first` and `last` that have no termination yet.

    `attempts` is how many the shard owns and `solved` to `cancelled` how many of these ended how; when a shard is
    split, the parent keeps what it finished and the children own the rest, so the sums over a run are always exact.
    Attempts that were final at their birth are counted by a shard that is closed at its birth, and never claimed.
    """

    __tablename__ = "shard"

    id: Mapped[int] = mapped_column(Identity, primary_key=True)
    run: Mapped[int] = mapped_column(Identity, ForeignKey("run.id"))
    first: Mapped[int]
    last: Mapped[int]
    attempts: Mapped[int]
    budget: Mapped[float]
    token: Mapped[str | None] = mapped_column(String(32))
    owner: Mapped[str | None]
    lease_until: Mapped[float | None]
    tries: Mapped[int] = mapped_column(default=0, server_default="0")
    noted: Mapped[int | None]
    rung_at: Mapped[float | None]
    solved: Mapped[int] = mapped_column(default=0, server_default="0")
    infeasible: Mapped[int] = mapped_column(default=0, server_default="0")
    timeout: Mapped[int] = mapped_column(default=0, server_default="0")
    crashed: Mapped[int] = mapped_column(default=0, server_default="0")
    cancelled: Mapped[int] = mapped_column(default=0, server_default="0")
    claimed_at: Mapped[float | None]
    written_at: Mapped[float | None]
    closed_at: Mapped[float | None]


class Tally(Base):
    """A part of what a run has come to, by entries; `tallies.py` says why there are several, and keeps them."""

    __tablename__ = "tally"
    __table_args__ = _CLUSTERED

    run: Mapped[int] = mapped_column(Identity, primary_key=True, autoincrement=False)
    slot: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    attempts: Mapped[int] = mapped_column(default=0, server_default="0")
    solved: Mapped[int] = mapped_column(default=0, server_default="0")
    infeasible: Mapped[int] = mapped_column(default=0, server_default="0")
    timeout: Mapped[int] = mapped_column(default=0, server_default="0")
    crashed: Mapped[int] = mapped_column(default=0, server_default="0")
    cancelled: Mapped[int] = mapped_column(default=0, server_default="0")
    known: Mapped[int] = mapped_column(default=0, server_default="0")
    """Attempts that were born final, each counted once."""
    shards_open: Mapped[int] = mapped_column(default=0, server_default="0")
    """May be negative in one row, for another connection opened the shard; the sum is right."""
    first_claim: Mapped[float | None]
    """When the first of the shards was claimed that anything has come out of."""
    last_write: Mapped[float | None]


metadata = Base.metadata
batch = cast("Table", Batch.__table__)
puzzle = cast("Table", Puzzle.__table__)
entry = cast("Table", Entry.__table__)
run = cast("Table", Run.__table__)
attempt = cast("Table", Attempt.__table__)
shard = cast("Table", Shard.__table__)
tally = cast("Table", Tally.__table__)

Index("ix_puzzle_digest", puzzle.c.batch, puzzle.c.digest, unique=True)
# What a listing by status or size starts from.
Index("ix_puzzle_best", puzzle.c.batch, puzzle.c.best_rank, puzzle.c.pos)
Index("ix_puzzle_islands", puzzle.c.batch, puzzle.c.islands, puzzle.c.pos)


def _partial(name: str, *columns: Any, where: Any) -> Index:
    return Index(name, *columns, postgresql_where=where, sqlite_where=where)


# Entries beyond the first of their puzzle, and entries that are no puzzle: few, as a rule.
_partial("ix_entry_duplicate", entry.c.batch, entry.c.puzzle, entry.c.pos, where=entry.c.puzzle != entry.c.pos)
_partial("ix_entry_invalid", entry.c.batch, entry.c.pos, where=entry.c.puzzle.is_(None))
_partial(
    "ix_puzzle_canonical",
    puzzle.c.canonical,
    puzzle.c.best_rank,
    puzzle.c.batch,
    puzzle.c.pos,
    where=puzzle.c.canonical.is_not(None),
)
_partial("ix_attempt_slowest", attempt.c.run, attempt.c.wall_ms, where=attempt.c.wall_ms.is_not(None))
# The shards that wait for a bell, in the order in which they get one; what is left of a run; and the leases that may
# have run out.
_partial(
    "ix_shard_waiting",
    shard.c.rung_at,
    shard.c.id,
    where=and_(shard.c.closed_at.is_(None), shard.c.token.is_(None)),
)
_partial("ix_shard_open", shard.c.run, shard.c.id, where=shard.c.closed_at.is_(None))
_partial("ix_shard_leased", shard.c.lease_until, where=shard.c.token.is_not(None))
