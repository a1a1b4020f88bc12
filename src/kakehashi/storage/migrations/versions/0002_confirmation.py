"""What a second engine said: the columns confirmed_by and confirm_ms of an attempt."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. Neither database writes a row for that."""
    op.add_column("attempt", sa.Column("confirmed_by", sa.Text(), nullable=True))
    op.add_column("attempt", sa.Column("confirm_ms", sa.Double(), nullable=True))
