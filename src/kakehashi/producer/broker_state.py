"""What state the broker is in, for whoever looks after it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from redis.exceptions import ResponseError

if TYPE_CHECKING:
    from kombu.connection import Connection
    from redis import Redis


@dataclass(frozen=True)
class BrokerState:
    """A broker that answers.

    Attributes:
        server: what it is, and its version.
        round_trip: seconds that a small question took.
        depth: bells that wait in the queue.
        eviction: what Redis or Valkey does when its memory is full; None elsewhere.
        fullness: the part of its memory limit that is taken; None without a limit.
        persistent: whether it writes messages down; None where it does not say.
    """

    server: str
    round_trip: float
    depth: int
    eviction: str | None = None
    fullness: float | None = None
    persistent: bool | None = None


def look(connection: Connection, depth: int) -> BrokerState:
    """Look at the broker behind a connection that is up. Raises the transport's errors."""
    if connection.transport.driver_type == "redis":
        client: Redis = connection.default_channel.client  # type: ignore[attr-defined]
        began = time.perf_counter()
        client.ping()
        round_trip = time.perf_counter() - began
        try:
            facts = _redis_facts(client.info())
        except ResponseError:  # its users may be allowed little
            facts = {"server": "Redis, which does not let this user ask more"}
        return BrokerState(round_trip=round_trip, depth=depth, **facts)
    began = time.perf_counter()
    connection.channel().close()
    round_trip = time.perf_counter() - began
    said = getattr(connection.connection, "server_properties", {})
    server = f"{said.get('product', connection.transport.driver_type)} {said.get('version', '')}".strip()
    return BrokerState(server, round_trip, depth)


def _redis_facts(info: dict[str, Any]) -> dict[str, Any]:
    """Facts from INFO, which managed services answer, too, where they refuse CONFIG."""
    valkey = info.get("valkey_version")
    most = info.get("maxmemory", 0)
    return {
        "server": f"Valkey {valkey}" if valkey else f"Redis {info['redis_version']}",
        "eviction": info.get("maxmemory_policy"),
        "fullness": info["used_memory"] / most if most else None,
        "persistent": bool(info.get("aof_enabled")),
    }
