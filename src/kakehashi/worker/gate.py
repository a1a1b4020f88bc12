"""What comes in: a message that names one shard. Anything else is thrown away before a process sees it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from celery.worker.consumer import Consumer

from kakehashi.producer.broker import BELL_TASK

if TYPE_CHECKING:
    from collections.abc import Callable

    from kombu.message import Message

MOST_BYTES = 4096
"""The longest body that is read; that of a bell has some hundred bytes."""

MOST_NUMBER = 2**63 - 1
"""The largest number that a column of the database holds."""

_SHOWN = 80
_EMPTY = ("callbacks", "errbacks", "chain", "chord")

_log = logging.getLogger(__name__)


class NoBell(Exception):
    """The message is none; with the reason, fit for a log."""


class Gate(Consumer):
    """Celery's consumer, which takes bells alone.

    Celery takes any registered task, its own ones included, with whatever is to follow it; and some headers that are
    no good end its loop, with the message still in the queue for the next worker.
    """

    def create_task_handler(self, *arguments: Any, **options: Any) -> Callable[[Message], None]:
        """What is called with each message."""
        take = super().create_task_handler(*arguments, **options)

        def receive(message: Message) -> None:
            try:
                message.headers = bell_headers(message)
            except NoBell as error:
                _log.warning("message thrown away", extra={"error": str(error)})
                message.reject_log_error(_log, self.connection_errors)
            else:
                take(message)

        return receive


def bell_headers(message: Message) -> dict[str, Any]:
    """The headers of a bell, those that are needed and no others.

    Raises:
        NoBell: the message is none.
    """
    headers = message.headers
    if not isinstance(headers, dict) or headers.get("task") != BELL_TASK:
        raise NoBell(f"it is no {BELL_TASK}")
    if (message.content_type, message.content_encoding) != ("application/json", "utf-8"):
        raise NoBell(f"its content is {_shown(message.content_type)}, not JSON in UTF-8")
    if not isinstance(message.body, str | bytes) or len(message.body) > MOST_BYTES:
        raise NoBell(f"its body is no text of at most {MOST_BYTES} bytes")
    try:
        args, kwargs, follows = message.payload
        shard = kwargs.pop("shard")
        more = args or kwargs or any(map(follows.get, _EMPTY))
    except Exception:  # noqa: BLE001 - whatever the decoders make of it, it is no bell
        raise NoBell("its body names no shard") from None
    if more:
        raise NoBell("it says more than the number of a shard")
    if type(shard) is not int or not 0 < shard <= MOST_NUMBER:
        raise NoBell(f"{_shown(shard)} is no number of a shard")
    if not isinstance(headers.get("id"), str):
        raise NoBell("it has no id")
    return {
        "task": BELL_TASK,
        "id": headers["id"],
        "lang": "py",
        "timelimit": [_hard_limit(headers.get("timelimit")), None],
        "argsrepr": "()",
        "kwargsrepr": repr({"shard": shard}),
    }


def _hard_limit(limits: Any) -> float | None:
    """The hard limit among Celery's two; None where there is none, and the worker's own holds."""
    match limits:
        case None | [None, None]:
            return None
        case [int() | float() as hard, None] if 0 < hard < float("inf"):
            return hard
    raise NoBell(f"{_shown(limits)} are no time limits of a bell")


def _shown(value: Any) -> str:
    return ascii(value)[:_SHOWN]
