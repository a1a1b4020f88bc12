"""What batches and runs there are."""

from __future__ import annotations

from sqlalchemy import select

from kakehashi.storage import schema
from kakehashi.storage.errors import NotFound
from kakehashi.storage.records import BatchInfo, RunInfo, RunOptions
from kakehashi.storage.store import AnyRow, Store

_batches = select(
    schema.batch.c.id,
    schema.batch.c.name,
    schema.batch.c.source,
    schema.batch.c.created_at,
    schema.batch.c.sealed_at,
    schema.batch.c.entries,
    schema.batch.c.invalid,
)
_runs = select(
    schema.run.c.id,
    schema.run.c.batch,
    schema.run.c.parent,
    schema.run.c.options,
    schema.run.c.created_at,
    schema.run.c.sealed_at,
    schema.run.c.cancelled_at,
)


class Catalogue(Store):
    """Look-ups of batches and runs. Numbers that do not exist raise NotFound."""

    def batch_info(self, batch: int) -> BatchInfo:
        """The batch with this number."""
        rows = self._rows(_batches.where(schema.batch.c.id == batch))
        if not rows:
            raise NotFound(f"there is no batch {batch}")
        return BatchInfo(*rows[0])

    def latest_batch(self) -> BatchInfo | None:
        """The newest batch, or None when there is none yet."""
        return next(iter(self.batches(1)), None)

    def batches(self, limit: int = 20) -> list[BatchInfo]:
        """The newest batches, newest first."""
        return [BatchInfo(*row) for row in self._rows(_batches.order_by(schema.batch.c.id.desc()).limit(limit))]

    def run_info(self, run: int) -> RunInfo:
        """The run with this number."""
        rows = self._rows(_runs.where(schema.run.c.id == run))
        if not rows:
            raise NotFound(f"there is no run {run}")
        return _run_info(rows[0])

    def runs(self, batch: int) -> list[RunInfo]:
        """The runs of a batch, oldest first."""
        rows = self._rows(_runs.where(schema.run.c.batch == batch).order_by(schema.run.c.id))
        if not rows:
            self.batch_info(batch)
        return [_run_info(row) for row in rows]


def _run_info(row: AnyRow) -> RunInfo:
    number, batch, parent, options, created_at, sealed_at, cancelled_at = row
    return RunInfo(number, batch, parent, RunOptions.from_json(options), created_at, sealed_at, cancelled_at)
