"""Who is there: a question that every worker answers through the broker, and the few others that it still answers.

Whoever can write into the broker could also have a worker stop, kill its processes, or read another queue: Celery has
commands for that. They are taken away; a worker is stopped by a signal on its own machine.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from celery.worker.control import Panel

from kakehashi.settings import without_password

if TYPE_CHECKING:
    from kakehashi.producer.broker import Broker
    from kakehashi.settings import Settings

QUESTION = "kakehashi"
"""The name of the question."""

ANSWERED = {
    QUESTION, "ping", "stats", "conf", "active", "active_queues", "registered", "reserved", "revoked", "scheduled",
    "query_task", "enable_events", "heartbeat",
}  # fmt: skip
"""What health checks and Flower ask: nothing that changes what a worker does."""

COMPARED = ("db", "queue", "lease", "pulse", "time_slice", "max_budget", "visibility_timeout", "max_rows", "max_cols")
"""Settings that the whole fleet should have alike."""

WAIT = 1.0
"""Seconds that answers are waited for."""

_TELLS = frozenset({"version", "engine", "processes", "settings"})


@dataclass(frozen=True)
class Present:
    """A worker that answered.

    Attributes:
        name: Celery's name of it, `celery@HOST`.
        version: of the program that it runs.
        engine: the one that `auto` is there.
        processes: how many solve.
        settings: those in COMPARED.
        skew: seconds by which its clock is ahead of ours, known to `within` seconds either way.
    """

    name: str
    version: str
    engine: str
    processes: int
    settings: dict[str, Any]
    skew: float
    within: float


def shared_settings(settings: Settings) -> dict[str, Any]:
    """The settings in COMPARED, without passwords."""
    found = {name: getattr(settings, name) for name in COMPARED}
    return found | {"db": without_password(settings.db)}


def answer(settings: Settings, engine: str) -> None:
    """Have the worker of this process answer, and answer nothing else than what is in ANSWERED."""

    def kakehashi(state: Any) -> dict[str, Any]:  # noqa: ARG001 - what Celery hands to every question
        """Tell who is there."""
        return {
            "version": version("kakehashi"),
            "engine": engine,
            "processes": settings.concurrency,
            "settings": shared_settings(settings),
            "clock": time.time(),
        }

    Panel.register(name=QUESTION, type="inspect")(kakehashi)
    for name in Panel.data.keys() - ANSWERED:
        del Panel.data[name]


def ask(broker: Broker, wait: float = WAIT) -> list[Present]:
    """Ask all workers on the broker, and wait for their answers; by name.

    Workers of an older version, which do not know the question, do not show; what those of a newer one say beyond it is
    left out.

    Raises:
        ServiceUnreachable: the broker is away.
    """
    found = []
    asked = time.time()

    def heard(reply: dict[str, dict[str, Any]]) -> None:
        now = time.time()
        for name, said in reply.items():
            if said.keys() >= _TELLS | {"clock"}:
                told = {field: said[field] for field in _TELLS}
                skew = said["clock"] - (asked + now) / 2
                found.append(Present(name, **told, skew=skew, within=(now - asked) / 2))

    broker.ask(QUESTION, wait, heard)
    return sorted(found, key=lambda present: present.name)
