"""Messages as they stand in the broker: bells, and what is none."""

from __future__ import annotations

import base64
import json
import pickle
import uuid
from typing import Any

from kakehashi.producer.broker import BELL_TASK


def headers(**changed: Any) -> dict[str, Any]:
    """The headers of a bell, with some changed."""
    return {"task": BELL_TASK, "id": uuid.uuid4().hex, "lang": "py", "timelimit": [100.0, None], **changed}


def body(kwargs: Any, args: Any = (), **follows: Any) -> bytes:
    """The body of a message with these arguments, and what is to follow it."""
    return json.dumps([args, kwargs, follows]).encode()


BELL = body({"shard": 1})

BAD: dict[str, tuple[bytes, Any, str]] = {
    "a text": (body({"shard": "1"}), headers(), "'1' is no number of a shard"),
    "a truth": (body({"shard": True}), headers(), "True is no number of a shard"),
    "a fraction": (body({"shard": 1.0}), headers(), "1.0 is no number of a shard"),
    "nought": (body({"shard": 0}), headers(), "0 is no number of a shard"),
    "a negative number": (body({"shard": -1}), headers(), "-1 is no number of a shard"),
    "a number that no column holds": (body({"shard": 2**70}), headers(), "1180591620717411303424 is no number"),
    "no shard": (body({}), headers(), "its body names no shard"),
    "a second argument": (body({"shard": 1, "x": 2}), headers(), "it says more than the number of a shard"),
    "an argument without a name": (body({"shard": 1}, [1]), headers(), "it says more than the number of a shard"),
    "something to follow": (body({"shard": 1}, callbacks=[{"task": "x"}]), headers(), "it says more than"),
    "no list": (b"{}", headers(), "its body names no shard"),
    "no JSON": (b"}{", headers(), "its body names no shard"),
    "no UTF-8": (b"\xff\xfe", headers(), "its body names no shard"),
    "deep JSON": (b"[" * 2000 + b"]" * 2000, headers(), "its body names no shard"),
    "a long body": (body({"shard": 1, "x": "y" * 1_000_000}), headers(), "its body is no text of at most 4096 bytes"),
    "another task": (BELL, headers(task="os.system"), "it is no kakehashi.bell"),
    "a task of Celery": (body({}), headers(task="celery.backend_cleanup"), "it is no kakehashi.bell"),
    "a task that is no name": (BELL, headers(task=[]), "it is no kakehashi.bell"),
    "no headers": (BELL, {}, "it is no kakehashi.bell"),
    "no id": (BELL, headers(id=None), "it has no id"),
    "a soft limit": (BELL, headers(timelimit=[100, 1]), "[100, 1] are no time limits of a bell"),
    "a limit in the past": (BELL, headers(timelimit=[-1, None]), "[-1, None] are no time limits of a bell"),
    "limits that are none": (BELL, headers(timelimit="soon"), "'soon' are no time limits of a bell"),
}
"""Messages that are no bells, each with its body, its headers and the beginning of what is said of it."""

PICKLE = pickle.dumps(([], {"shard": 1}, {}))


def raw(body: bytes, headers: Any, content_type: str = "application/json") -> str:
    """A message as the Redis transport writes it into the list that is its queue."""
    place = {"exchange": "kakehashi", "routing_key": "kakehashi"}
    properties = {"body_encoding": "base64", "delivery_info": place, "delivery_tag": uuid.uuid4().hex}
    return json.dumps(
        {
            "body": base64.b64encode(body).decode(),
            "content-encoding": "utf-8",
            "content-type": content_type,
            "headers": headers,
            "properties": properties,
        }
    )
