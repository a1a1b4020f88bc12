"""Keeping some bells in the broker: never a backlog, never none while shards wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kakehashi.errors import ServiceUnreachable

if TYPE_CHECKING:
    from kakehashi.producer.broker import Broker
    from kakehashi.settings import Settings
    from kakehashi.storage import Repository


OVERDUE = 100
"""A bell this many times older than `ring_again` comes before new ones, whatever waits in the broker."""


def refill(repository: Repository, broker: Broker, settings: Settings, run: int | None = None) -> int:
    """Ring the oldest shards that wait when fewer than the low-water mark of bells are in the broker.

    A bell that was rung long ago counts as lost only when the broker is empty: as long as bells wait there, an old one
    may be among them, and ringing it again would let the backlog grow with every sweep. But a fleet that is never out
    of work never has an empty broker: so a bell that is `OVERDUE` is rung again before new ones, in half of the room.

    Args:
        run: ring for this run only.

    Returns:
        How many bells were rung.

    Raises:
        ServiceUnreachable: the broker or the database is away; nothing is marked as rung then.
    """
    depth = broker.depth()
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
