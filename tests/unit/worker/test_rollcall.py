from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, cast

from kakehashi.worker.rollcall import QUESTION, ask

if TYPE_CHECKING:
    from collections.abc import Callable

    from kakehashi.producer.broker import Broker


class Answers:
    """A broker on which these workers answer."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self._answers = answers

    def ask(self, question: str, wait: float, heard: Callable[[dict[str, Any]], None]) -> None:
        assert question == QUESTION
        for name, said in self._answers.items():
            heard({name: said})


def test_workers_of_other_versions_keep_nobody_from_being_heard() -> None:
    known = {
        "version": "1",
        "engine": "native",
        "processes": 2,
        "settings": {"lease": 15.0},
        "clock": time.time() + 5.0,
    }
    answers = {
        "celery@newer": known | {"mood": "good"},
        "celery@none": {"error": "no such command"},
        "celery@older": {name: said for name, said in known.items() if name != "settings"},
        "celery@same": known,
    }
    newer, same = ask(cast("Broker", Answers(answers)))
    assert (newer.name, same.name) == ("celery@newer", "celery@same")
    assert (newer.version, newer.engine, newer.processes, newer.settings) == ("1", "native", 2, {"lease": 15.0})
    assert 4.0 < same.skew < 6.0
