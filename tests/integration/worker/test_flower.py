"""Flower, the page that watches Celery, works beside a worker."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from typing import TYPE_CHECKING, Any
from urllib.error import URLError

import pytest

from kakehashi.producer.broker import BELL_TASK
from tests.support.fleet import fleet
from tests.support.storing import easy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PATIENCE = 40.0


@pytest.fixture
def port() -> int:
    """A port that is free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.slow
def test_flower_sees_the_worker_and_its_bells(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, port: int, tmp_path: Path
) -> None:
    def ask(path: str, until: Callable[[Any], bool]) -> Any:
        """What Flower answers as soon as it is so; it learns by events."""
        ends = time.monotonic() + PATIENCE
        seen: Any = None
        while time.monotonic() < ends:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
                    seen = answer.read().decode()
                if until(seen):
                    return seen
            except URLError as error:
                seen = error
            time.sleep(0.2)
        raise AssertionError(f"it never came so far: {seen}")

    with fleet(sqlite_url, monkeypatch, concurrency=1) as running:
        # As docker-compose.yml starts it; its API answers whom it knows only, unless it is told otherwise.
        environment = os.environ | running.settings.environ() | {"FLOWER_UNAUTHENTICATED_API": "true"}
        flower = subprocess.Popen(
            [sys.executable, "-m", "celery", "-A", "kakehashi.worker.app", "flower",
             "--address=127.0.0.1", f"--port={port}"],
            cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            ask("/healthcheck", lambda seen: seen == "OK")
            workers = json.loads(ask("/api/workers?refresh=1", lambda seen: BELL_TASK in seen))
            ((name, worker),) = workers.items()
            assert name.startswith("celery@")
            assert worker["registered"] == [BELL_TASK]
            assert [queue["name"] for queue in worker["active_queues"]] == [running.settings.queue]
            running.wait(running.submit([easy(0)]))
            tasks = json.loads(ask("/api/tasks", lambda seen: "SUCCESS" in seen))
            assert {task["name"] for task in tasks.values()} == {BELL_TASK}
        finally:
            flower.terminate()
            flower.wait(timeout=20)
