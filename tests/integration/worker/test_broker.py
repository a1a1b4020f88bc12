"""Bells on a real Valkey."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import stat
from typing import TYPE_CHECKING, Any

import pytest
import redis

from kakehashi.errors import ServiceUnreachable
from kakehashi.producer.broker import BELL_TASK, Broker
from kakehashi.settings import Settings
from kakehashi.storage import Bell, Repository
from kakehashi.worker.private_broker import PrivateBroker
from kakehashi.worker.sweeper import Leaps, sweep
from tests.support.fleet import alive
from tests.support.storing import fill
from tests.support.valkey import Valkey

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def private() -> Iterator[PrivateBroker]:
    with PrivateBroker() as broker:
        yield broker


def messages(private: PrivateBroker) -> list[dict[str, Any]]:
    with redis.Redis(unix_socket_path=str(private.folder / "broker.sock")) as client:
        raw = client.lrange("kakehashi", 0, -1)
        assert isinstance(raw, list)
        return [json.loads(message) for message in raw]


def test_a_bell_names_a_shard_and_carries_its_hard_limit(private: PrivateBroker) -> None:
    settings = Settings(broker=private.url)
    with Broker(settings) as broker:
        assert broker.depth() == 0
        broker.ring([Bell(7, 2.0), Bell(8, 600.0)])
        assert broker.depth() == 2
    found = {
        message["headers"]["argsrepr"] + message["headers"]["kwargsrepr"]: message for message in messages(private)
    }
    assert set(found) == {"(){'shard': 7}", "(){'shard': 8}"}
    headers = found["(){'shard': 7}"]["headers"]
    assert headers["task"] == BELL_TASK
    assert headers["timelimit"] == [settings.hard_limit(2.0), None]  # hard, soft
    assert headers["eta"] is None
    assert len(json.dumps(found)) < 4000


def test_sweepers_of_a_fleet_that_stands_still_do_not_ring_its_backlog_again_and_again(
    private: PrivateBroker, sqlite_url: str
) -> None:
    settings = Settings(broker=private.url, db=sqlite_url, low_water=3, high_water=7, ring_again=0.001)
    with contextlib.ExitStack() as stack:
        sweepers = [
            (stack.enter_context(Repository(sqlite_url)), stack.enter_context(Broker(settings))) for _ in range(2)
        ]
        fill(sweepers[0][0], 40, shard=1)
        for _ in range(10):
            for repository, broker in sweepers:
                sweep(repository, broker, settings, Leaps(settings.lease))
    shards = [json.loads(base64.b64decode(message["body"]))[1]["shard"] for message in messages(private)]
    assert sorted(shards) == list(range(1, 8))


def test_a_broker_that_is_frozen_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kakehashi.producer.broker.ANSWER_SECONDS", 0.5)
    with Valkey() as valkey, Broker(Settings(broker=valkey.url)) as broker:
        assert broker.depth() == 0
        with valkey.frozen():
            for ask in (broker.depth, lambda: broker.ring([Bell(1, 2.0)])):
                with pytest.raises(ServiceUnreachable, match="does not answer"):
                    ask()
        assert broker.depth() in (0, 1)  # whether the bell came through, nobody can say


def test_a_private_broker_is_private_and_leaves_nothing() -> None:
    with PrivateBroker() as private:
        assert stat.S_IMODE(private.folder.stat().st_mode) == 0o700
        with redis.Redis(unix_socket_path=str(private.folder / "broker.sock")) as client:
            assert client.config_get("port") == {"port": "0"}
            assert client.config_get("save") == {"save": ""}
        pid = private.pid
        assert alive(pid)
    assert not alive(pid)
    assert not private.folder.exists()


def test_a_ctrl_c_in_the_terminal_does_not_reach_it(private: PrivateBroker) -> None:
    import signal

    os.kill(private.pid, signal.SIGINT)
    with redis.Redis(unix_socket_path=str(private.folder / "broker.sock")) as client:
        assert client.ping()
    assert alive(private.pid)


def test_a_long_temporary_folder_does_not_break_the_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = tmp_path / ("x" * 100)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    with PrivateBroker() as private:
        assert len(os.fsencode(private.folder)) < 100
        assert Broker(Settings(broker=private.url)).depth() == 0
    assert not list(long.iterdir())
