"""Alembic's entry point: migrate over the connection that `kakehashi.storage.migrate` hands in."""

from __future__ import annotations

from alembic import context

from kakehashi.storage.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
