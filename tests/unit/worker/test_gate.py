"""What is a bell, and what is thrown away."""

from __future__ import annotations

from typing import Any

import pytest
from kombu.message import Message

from kakehashi.worker.gate import NoBell, bell_headers
from tests.support.messages import BAD, BELL, PICKLE, headers


def message(body: bytes, headers: Any, content_type: str = "application/json", encoding: str = "utf-8") -> Message:
    made = Message(body=body, content_type=content_type, content_encoding=encoding)
    made.headers = headers
    return made


def test_of_a_bell_only_what_is_needed_is_kept() -> None:
    given = headers(eta="2030-01-01", expires="now", retries=7, origin="x", stamps={"a": 1}, unknown=[])
    assert bell_headers(message(BELL, given)) == {
        "task": "kakehashi.bell",
        "id": given["id"],
        "lang": "py",
        "timelimit": [100.0, None],
        "argsrepr": "()",
        "kwargsrepr": "{'shard': 1}",
    }


@pytest.mark.parametrize("limits", [None, [None, None]])
def test_a_bell_without_a_limit_gets_that_of_the_worker(limits: Any) -> None:
    assert bell_headers(message(BELL, headers(timelimit=limits)))["timelimit"] == [None, None]


@pytest.mark.parametrize("case", BAD)
def test_anything_else_is_no_bell(case: str) -> None:
    body, given, reason = BAD[case]
    with pytest.raises(NoBell) as caught:
        bell_headers(message(body, given))
    assert str(caught.value).startswith(reason)
    assert len(str(caught.value)) < 200
    assert str(caught.value).isprintable()


def test_nor_is_what_is_not_json() -> None:
    with pytest.raises(NoBell, match="its content is 'application/x-python-serialize', not JSON"):
        bell_headers(message(PICKLE, headers(), "application/x-python-serialize", "binary"))
    with pytest.raises(NoBell, match="not JSON in UTF-8"):
        bell_headers(message(BELL, headers(), encoding="rot13"))
