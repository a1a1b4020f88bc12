"""What somebody who can write into the broker may do to a worker: waste its time, and nothing else."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
import redis

from kakehashi.producer.broker import Broker, make_app
from kakehashi.worker.rollcall import ask
from tests.support.fleet import fleet
from tests.support.messages import BAD, PICKLE, headers, raw
from tests.support.storing import easy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.fleet import Fleet


@pytest.fixture(scope="module")
def running(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """A fleet for all tests here: none may do it any harm."""
    db = shutil.copy(sqlite_template, tmp_path_factory.mktemp("intruders") / "kakehashi.db")
    with pytest.MonkeyPatch.context() as patch, fleet(str(db), patch) as made:
        work_goes_on(made)
        yield made


def work_goes_on(running: Fleet) -> None:
    running.wait(running.submit([easy(0)]))


def queue(running: Fleet) -> redis.Redis:
    return redis.Redis(unix_socket_path=str(running.broker.folder / "broker.sock"))


def test_messages_that_are_no_bells_cost_no_process(running: Fleet) -> None:
    before = running.celery, running.processes()
    with queue(running) as client:
        client.lpush("kakehashi", *(raw(body, given) for body, given, _ in BAD.values()))
        client.lpush("kakehashi", raw(PICKLE, headers(), "application/x-python-serialize"))
        work_goes_on(running)
        assert client.llen("kakehashi") == 0
    assert (running.celery, running.processes()) == before


def test_a_worker_answers_questions_and_obeys_nobody(running: Fleet) -> None:
    before = running.celery, running.processes()
    with Broker(running.settings) as broker:
        (present,) = ask(broker)
    assert (present.processes, present.settings["queue"]) == (2, "kakehashi")
    assert abs(present.skew) <= present.within + 0.01
    with make_app(running.settings) as app:
        for command in ("shutdown", "pool_grow", "cancel_consumer", "revoke", "time_limit", "rate_limit"):
            (reply,) = app.control.broadcast(command, reply=True, limit=1, timeout=5)
            assert reply == {present.name: {"error": f"KeyError('{command}')"}}
    work_goes_on(running)
    assert (running.celery, running.processes()) == before


@pytest.mark.fault
def test_what_is_no_message_at_all_is_gone_with_one_start_of_celery(running: Fleet) -> None:
    """Kombu ends on it, before anything of ours sees it."""
    with queue(running) as client:
        client.lpush("kakehashi", "garbage")
        work_goes_on(running)
        assert client.llen("kakehashi") == 0
