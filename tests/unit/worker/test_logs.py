from __future__ import annotations

import ast
import contextlib
import io
import json
import logging
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Self

import pytest

from kakehashi.settings import LogFormat
from kakehashi.worker import logs

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "src" / "kakehashi"
PAGE = (ROOT / "docs" / "operate.md").read_text(encoding="utf-8")

log = logging.getLogger("kakehashi.worker.test")


class Log:
    """Logging as a worker sets it up, while a test runs: pytest has handlers of its own for each phase of one."""

    def __init__(self, form: LogFormat) -> None:
        self._form = form
        self._stream = io.StringIO()

    def __enter__(self) -> Self:
        root = logging.getLogger()
        self._before, self._level = root.handlers[:], root.level
        root.handlers = []
        with contextlib.redirect_stderr(self._stream):
            logs.configure("INFO", self._form)
        return self

    def __exit__(self, *_: object) -> None:
        root = logging.getLogger()
        root.handlers = self._before
        root.setLevel(self._level)
        logging.captureWarnings(capture=False)

    @property
    def lines(self) -> list[str]:
        return self._stream.getvalue().splitlines()

    @property
    def objects(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]


def test_a_line_is_an_object_with_what_it_is_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKEHASHI_WORKER_ID", "here-1")
    with Log(LogFormat.JSON) as written, logs.bound(batch=1, run=2), logs.bound(shard=3):
        log.warning("heartbeat failed", extra={"attempt": "1:17", "error": 'no "answer"\nat all'})
    (line,) = written.objects
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "heartbeat failed", "level": "warning", "logger": "kakehashi.worker.test", "pid": os.getpid(),
        "worker": "here-1", "batch": 1, "run": 2, "shard": 3, "attempt": "1:17", "error": 'no "answer"\nat all',
    }  # fmt: skip


def test_a_line_for_people_says_the_same_without_colours_where_no_terminal_is() -> None:
    with Log(LogFormat.TEXT) as written, logs.bound(shard=3):
        log.info("shard claimed", extra={"attempts": 5})
    (line,) = written.lines
    assert "[info     ] shard claimed" in line
    assert "attempts=5" in line
    assert "shard=3" in line
    assert "\x1b" not in line


def test_what_is_bound_ends_with_its_block_and_is_of_one_thread() -> None:
    with Log(LogFormat.JSON) as written:
        with logs.bound(shard=3):
            other = threading.Thread(target=log.info, args=("elsewhere",))
            other.start()
            other.join()
        log.info("later")
    assert [("shard" in line, line["event"]) for line in written.objects] == [(False, "elsewhere"), (False, "later")]


def test_an_exception_is_one_field() -> None:
    with Log(LogFormat.JSON) as written:
        try:
            _ = 1 // 0
        except ZeroDivisionError:
            log.exception("sweep failed")
    (line,) = written.objects
    assert line["exception"].startswith("Traceback (most recent call last):\n")
    assert line["exception"].endswith("\nZeroDivisionError: integer division or modulo by zero")


def test_libraries_go_the_same_way_from_warnings_on() -> None:
    with Log(LogFormat.JSON) as written:
        for library in logs.LIBRARIES:
            logging.getLogger(f"{library}.part").info("not worth a line")
            logging.getLogger(f"{library}.part").warning("%s of\n%s\n", 1, 2, extra={"data": "as long as a task"})
    lines = written.objects
    assert [line["event"] for line in lines] == ["1 of 2"] * len(logs.LIBRARIES)
    assert not any("data" in line for line in lines)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("redis://:secret@host/0", "redis://:***@host/0"),
        ("amqp://bob:sec/r@et@host//: refused", "amqp://bob:***@host//: refused"),
        ("('postgresql://bob:secret@host/x', 1)", "('postgresql://bob:***@host/x', 1)"),
        ("host=h password=secret port=5432", "host=h password=*** port=5432"),
        ("redis://host/0?password=secret&db=1", "redis://host/0?password=***&db=1"),
        ("{'host': 'h', 'password': 'secret'}", "{'host': 'h', 'password': '***'}"),
        ('{"PGPASSWORD": "secret"}', '{"PGPASSWORD": "***"}'),
        ("redis://host:6379/0 and bob@host", "redis://host:6379/0 and bob@host"),
        ("password authentication failed for user bob", "password authentication failed for user bob"),
    ],
)
@pytest.mark.parametrize("form", LogFormat)
def test_passwords_are_hidden(text: str, shown: str, form: LogFormat) -> None:
    assert logs.redacted(text) == shown
    with Log(form) as written:
        log.error("event %s", text, extra={"error": text, "more": {"deep": [text]}})
        log.error("failed", exc_info=ValueError(text))
    assert not any("sec" in line for line in written.lines)
    if form is LogFormat.JSON:
        first, second = written.objects
        assert first["error"] == shown
        assert second["exception"] == f"ValueError: {shown}"


def test_what_nobody_caught_becomes_a_line() -> None:
    code = """
import threading
from kakehashi.worker import logs
logs.configure("INFO", logs.LogFormat.JSON)
logs.take_uncaught()
thread = threading.Thread(target=lambda: 1 / 0)
thread.start()
thread.join()
raise ValueError("amqp://bob:secret@host")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    lines: list[dict[str, Any]] = [json.loads(line) for line in done.stderr.splitlines()]
    assert done.returncode == 1
    assert [line["event"] for line in lines] == ["exception not caught"] * 2
    assert "ZeroDivisionError" in lines[0]["exception"]
    assert lines[1]["exception"].endswith("ValueError: amqp://bob:***@host")


def test_nothing_is_loaded_before_there_is_a_line_or_a_number() -> None:
    """structlog takes as long as a third of Celery."""
    code = """
import sys
from kakehashi.worker import logs, shard_runner, supervisor, sweeper
logs.configure("INFO", logs.LogFormat.JSON)
print({"structlog", "prometheus_client"} & sys.modules.keys())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_every_event_is_explained_and_no_other() -> None:
    logged = {
        (call.args[0].value, "error" if call.func.attr == "exception" else call.func.attr)
        for path in [*(SOURCE / "worker").glob("*.py"), SOURCE / "cli" / "fleet.py"]
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in {"debug", "info", "warning", "error", "critical", "exception"}
        and isinstance(call.args[0], ast.Constant)
    }
    assert set(re.findall(r"^\| `([a-z ]+)` \| ([a-z]+) \|", PAGE, re.MULTILINE)) == logged
