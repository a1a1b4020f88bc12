"""A run with a total budget: the time from which on no new puzzle of it starts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. Neither database writes a row for that."""
    op.add_column("run", sa.Column("stops_at", sa.Double(), nullable=True))
