"""A million rows: what a run has come to is kept, not added up, and listings start from indexes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

SLOTS = 16
"""Rows of a run on PostgreSQL."""

_STATUSES = ("solved", "infeasible", "timeout", "crashed", "cancelled")


def upgrade() -> None:
    """Make the table of tallies from shards and repeated entries, and the indexes."""
    counts = (sa.Column(name, sa.Integer(), server_default="0", nullable=False)
              for name in ("attempts", *_STATUSES, "known", "shards_open"))  # fmt: skip
    op.create_table(
        "tally",
        sa.Column("run", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("slot", sa.SmallInteger(), autoincrement=False, nullable=False),
        *counts,
        sa.Column("first_claim", sa.Double(), nullable=True),
        sa.Column("last_write", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("run", "slot", name=op.f("pk_tally")),
        sqlite_with_rowid=False,
    )
    # A worker of an older version that was not stopped does not know the sums: what it has in hand it may not write,
    # for its token fits no more.
    op.execute("UPDATE shard SET token = 'upgraded' WHERE token IS NOT NULL")
    _fill(op.get_bind())
    op.drop_index("ix_shard_run", table_name="shard")
    op.create_index(
        "ix_shard_open",
        "shard",
        ["run", "id"],
        unique=False,
        postgresql_where=sa.text("closed_at IS NULL"),
        sqlite_where=sa.text("closed_at IS NULL"),
    )
    op.create_index("ix_puzzle_best", "puzzle", ["batch", "best_rank", "pos"], unique=False)
    op.create_index("ix_puzzle_islands", "puzzle", ["batch", "islands", "pos"], unique=False)


def _fill(connection: sa.Connection) -> None:
    """A row of each run gets all: the sums over its shards, and the entries that repeat a puzzle."""
    sums = ", ".join(f"coalesce(sum(shard.{status}), 0)" for status in _STATUSES)
    connection.exec_driver_sql(
        f"""
        INSERT INTO tally (run, slot, attempts, {", ".join(_STATUSES)}, known, shards_open, first_claim, last_write)
        SELECT run.id, 0, coalesce(sum(shard.attempts), 0), {sums},
               coalesce(sum(CASE WHEN shard.claimed_at IS NULL THEN shard.solved + shard.infeasible END), 0),
               coalesce(sum(CASE WHEN shard.id IS NOT NULL AND shard.closed_at IS NULL THEN 1 END), 0),
               min(shard.claimed_at), max(shard.written_at)
        FROM run LEFT JOIN shard ON shard.run = run.id GROUP BY run.id
        """  # noqa: S608 (names of our own columns)
    )
    connection.exec_driver_sql(
        """
        CREATE TEMPORARY TABLE again AS
        SELECT attempt.run AS run, attempt.verdict AS verdict, attempt.termination AS termination, count(*) AS copies
        FROM entry JOIN run ON run.batch = entry.batch
        JOIN attempt ON attempt.run = run.id AND attempt.pos = entry.puzzle
        WHERE entry.puzzle <> entry.pos GROUP BY attempt.run, attempt.verdict, attempt.termination
        """
    )
    decided = "verdict IN ('solved', 'infeasible')"
    which = {
        "attempts": "1 = 1",
        "solved": "verdict = 'solved'",
        "infeasible": "verdict = 'infeasible'",
        "timeout": f"NOT {decided} AND termination = 'timeout'",
        "cancelled": f"NOT {decided} AND termination = 'cancelled'",
        "crashed": f"NOT {decided} AND termination NOT IN ('timeout', 'cancelled')",
    }
    for name, condition in which.items():
        connection.exec_driver_sql(
            f"""
            UPDATE tally SET {name} = {name}
                + coalesce((SELECT sum(copies) FROM again WHERE again.run = tally.run AND {condition}), 0)
            """  # noqa: S608 (the same)
        )
    connection.exec_driver_sql("DROP TABLE again")
    if connection.dialect.name == "postgresql":
        slots = f"generate_series(1, {SLOTS - 1}) AS slot"
        connection.exec_driver_sql(f"INSERT INTO tally (run, slot) SELECT run.id, slot FROM run, {slots}")  # noqa: S608
