"""Keeping some bells in the broker: never a backlog, never none while shards wait."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from kakehashi.errors import ServiceUnreachable

if TYPE_CHECKING:
    from collections.abc import Callable

    from kakehashi.producer.broker import Broker
    from kakehashi.settings import Settings
    from kakehashi.storage import Repository


_log = logging.getLogger(__name__)

OVERDUE = 100
"""A bell this many times older than `ring_again` comes before new ones, whatever waits in the broker."""


def refill(
    repository: Repository,
    broker: Broker,
    settings: Settings,
    run: int | None = None,
    on_depth: Callable[[int], None] = lambda depth: None,
) -> int:
    """Ring the oldest shards that wait when fewer than the low-water mark of bells are in the broker.

    A bell that was rung long ago counts as lost only when the broker is empty: as long as bells wait there, an old one
    may be among them, and ringing it again would let the backlog grow with every sweep. But a fleet that is never out
    of work never has an empty broker: so a bell that is `OVERDUE` is rung again before new ones, in half of the room.

    Args:
        run: ring for this run only.
        on_depth: is told how many bells waited.

    Returns:
        How many bells were rung.

    Raises:
        ServiceUnreachable: the broker or the database is away; nothing is marked as rung then.
    """
    depth = broker.depth()
    on_depth(depth)
    if depth >= settings.low_water:
        return 0
    again_after = settings.ring_again if depth == 0 else None
    bells = repository.due_bells(
        settings.high_water - depth, again_after=again_after, overdue_after=OVERDUE * settings.ring_again, run=run
    )
    try:
        broker.ring(bells)
    except ServiceUnreachable:
        repository.unring([bell.shard for bell in bells])
        raise
    return len(bells)


class Ringer:
    """Rings for whoever submits. A broker that is away ends no submission: the sweepers ring when it is back."""

    def __init__(self, repository: Repository, broker: Broker, settings: Settings, run: int | None = None) -> None:
        self._repository = repository
        self._broker = broker
        self._settings = settings
        self._run = run
        self._told = False

    def __call__(self, *_: int) -> None:
        """Refill; what is handed in (a batch, a run, how far the submission is) is of no interest here."""
        try:
            refill(self._repository, self._broker, self._settings, self._run)
        except ServiceUnreachable as error:
            if not self._told:
                _log.warning("the workers are told later: %s", error)
            self._told = True
