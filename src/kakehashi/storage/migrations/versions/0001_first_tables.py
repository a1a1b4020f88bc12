"""The first tables: batch, entry, puzzle, run, attempt, shard."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables and their indexes."""
    op.create_table(
        "attempt",
        sa.Column("run", _number, autoincrement=False, nullable=False),
        sa.Column("pos", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("budget", sa.Double(), nullable=False),
        sa.Column("deaths", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("verdict", sa.String(length=16), nullable=True),
        sa.Column("termination", sa.String(length=16), nullable=True),
        sa.Column("uniqueness", sa.String(length=16), nullable=True),
        sa.Column("wall_ms", sa.Double(), nullable=True),
        sa.Column("cpu_ms", sa.Double(), nullable=True),
        sa.Column("cuts", sa.Integer(), nullable=True),
        sa.Column("conflicts", sa.BigInteger(), nullable=True),
        sa.Column("finished_at", sa.Double(), nullable=True),
        sa.Column("engine", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("solution", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("run", "pos", name="pk_attempt"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_attempt_slowest",
        "attempt",
        ["run", "wall_ms"],
        unique=False,
        postgresql_where=sa.text("wall_ms IS NOT NULL"),
        sqlite_where=sa.text("wall_ms IS NOT NULL"),
    )
    op.create_table(
        "batch",
        sa.Column("id", _number, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("source", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("sealed_at", sa.Double(), nullable=True),
        sa.Column("entries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("invalid", sa.Integer(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_batch"),
    )
    op.create_table(
        "entry",
        sa.Column("batch", _number, autoincrement=False, nullable=False),
        sa.Column("pos", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("puzzle", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("batch", "pos", name="pk_entry"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_entry_duplicate",
        "entry",
        ["batch", "puzzle", "pos"],
        unique=False,
        postgresql_where=sa.text("puzzle != pos"),
        sqlite_where=sa.text("puzzle != pos"),
    )
    op.create_index(
        "ix_entry_invalid",
        "entry",
        ["batch", "pos"],
        unique=False,
        postgresql_where=sa.text("puzzle IS NULL"),
        sqlite_where=sa.text("puzzle IS NULL"),
    )
    op.create_table(
        "puzzle",
        sa.Column("batch", _number, autoincrement=False, nullable=False),
        sa.Column("pos", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("rows", sa.SmallInteger(), nullable=False),
        sa.Column("cols", sa.SmallInteger(), nullable=False),
        sa.Column("islands", sa.Integer(), nullable=False),
        sa.Column("variant", sa.String(length=16), nullable=False),
        sa.Column("touching", sa.String(length=8), nullable=False),
        sa.Column("best_run", _number, nullable=True),
        sa.Column("best_rank", sa.SmallInteger(), nullable=True),
        sa.Column("clues", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("batch", "pos", name="pk_puzzle"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_puzzle_digest", "puzzle", ["batch", "digest"], unique=True)
    op.create_table(
        "run",
        sa.Column("id", _number, nullable=False),
        sa.Column("batch", _number, nullable=False),
        sa.Column("parent", _number, nullable=True),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("sealed_at", sa.Double(), nullable=True),
        sa.Column("cancelled_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["batch"], ["batch.id"], name="fk_run_batch_batch"),
        sa.ForeignKeyConstraint(["parent"], ["run.id"], name="fk_run_parent_run"),
        sa.PrimaryKeyConstraint("id", name="pk_run"),
    )
    op.create_index("ix_run_batch", "run", ["batch"], unique=False)
    op.create_table(
        "shard",
        sa.Column("id", _number, nullable=False),
        sa.Column("run", _number, nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("budget", sa.Double(), nullable=False),
        sa.Column("token", sa.String(length=32), nullable=True),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.Double(), nullable=True),
        sa.Column("tries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("noted", sa.Integer(), nullable=True),
        sa.Column("rung_at", sa.Double(), nullable=True),
        sa.Column("solved", sa.Integer(), server_default="0", nullable=False),
        sa.Column("infeasible", sa.Integer(), server_default="0", nullable=False),
        sa.Column("timeout", sa.Integer(), server_default="0", nullable=False),
        sa.Column("crashed", sa.Integer(), server_default="0", nullable=False),
        sa.Column("cancelled", sa.Integer(), server_default="0", nullable=False),
        sa.Column("claimed_at", sa.Double(), nullable=True),
        sa.Column("written_at", sa.Double(), nullable=True),
        sa.Column("closed_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["run"], ["run.id"], name="fk_shard_run_run"),
        sa.PrimaryKeyConstraint("id", name="pk_shard"),
    )
    op.create_index(
        "ix_shard_leased",
        "shard",
        ["lease_until"],
        unique=False,
        postgresql_where=sa.text("token IS NOT NULL"),
        sqlite_where=sa.text("token IS NOT NULL"),
    )
    op.create_index("ix_shard_run", "shard", ["run"], unique=False)
    op.create_index(
        "ix_shard_waiting",
        "shard",
        ["rung_at", "id"],
        unique=False,
        postgresql_where=sa.text("closed_at IS NULL AND token IS NULL"),
        sqlite_where=sa.text("closed_at IS NULL AND token IS NULL"),
    )
