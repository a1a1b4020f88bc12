"""Answers that are known already: the class of a puzzle, and where an attempt took its answer from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns and the index. No row is written for that, and the index begins empty."""
    op.add_column("puzzle", sa.Column("canonical", sa.LargeBinary(), nullable=True))
    op.add_column("attempt", sa.Column("known_from", sa.Text(), nullable=True))
    op.create_index(
        "ix_puzzle_canonical",
        "puzzle",
        ["canonical", "best_rank", "batch", "pos"],
        unique=False,
        postgresql_where=sa.text("canonical IS NOT NULL"),
        sqlite_where=sa.text("canonical IS NOT NULL"),
    )
