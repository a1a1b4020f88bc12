"""What is counted in a worker; `kakehashi.worker.metrics` shows it to Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kakehashi.solver.outcome import Outcome

FOLDER = "KAKEHASHI_METRICS_FOLDER"
"""The environment variable by which a supervisor tells Celery's processes where to count; not set where nobody asks."""


class Meter:
    """Counts nothing, for a worker whose metrics nobody wants to know."""

    def claimed(self) -> None:
        """A shard was claimed."""

    def written(self, outcomes: Sequence[Outcome]) -> None:
        """The database has taken these outcomes of attempts."""

    def split(self, shards: int) -> None:
        """So many new shards were made of what was left of one."""

    def ended(self, how: str) -> None:
        """A claim ended: `finished`, `released`, or its lease was `lost`."""

    def died(self) -> None:
        """A process of this worker was found dead with a shard in its hands."""

    def retried(self) -> None:
        """A transaction was tried again, for the database was away, or locked."""

    def expired(self, leases: int) -> None:
        """Leases had run out, and were taken back."""

    def cancelled(self, attempts: int) -> None:
        """Attempts were ended that nobody had begun, for their run was cancelled."""

    def rang(self, bells: int) -> None:
        """Bells were sent."""

    def swept(self, seconds: float) -> None:
        """A sweep came to its end."""

    def sweep_failed(self) -> None:
        """A sweep did not."""

    def queued(self, bells: int) -> None:
        """So many bells wait in the broker."""

    def restarted(self) -> None:
        """Celery ended by itself and is started again."""


NO_METER = Meter()
