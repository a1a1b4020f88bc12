"""What a worker writes when services refuse it: no password, whatever the way of a line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from kakehashi.settings import LogFormat

if TYPE_CHECKING:
    from pathlib import Path

    from tests.services import PostgreSQL

EXPECTED = ("database not opened", "Cannot connect")


@pytest.mark.parametrize("form", LogFormat)
def test_a_worker_whose_services_refuse_it_writes_no_password(
    postgresql: PostgreSQL, form: LogFormat, tmp_path: Path
) -> None:
    """It runs already when they do: the commands look before they start one."""
    socket = postgresql.url("shared").partition("?")[2]
    environment = os.environ | {
        "KAKEHASHI_BROKER": "redis://bob:s3cr%2Ft@127.0.0.1:1/0",
        "KAKEHASHI_DB": f"postgresql://bob:s3cr%2Ft@/no_such_database?{socket}",
        "KAKEHASHI_LOG_FORMAT": form.value,
        "KAKEHASHI_CONCURRENCY": "1",
        "KAKEHASHI_PATIENCE": "100ms",
    }
    log = tmp_path / "log"
    with log.open("wb") as output:
        worker = subprocess.Popen(
            [sys.executable, "-m", "kakehashi.worker", "--log-level", "DEBUG"],
            cwd=tmp_path, env=environment, stdin=subprocess.PIPE, stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip
        try:
            ends = time.monotonic() + 30
            while not all(said in log.read_text() for said in EXPECTED) and time.monotonic() < ends:
                time.sleep(0.05)
        finally:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.communicate()
    text = log.read_text()
    assert all(said in text for said in EXPECTED)
    assert "s3cr" not in text
    if form is LogFormat.JSON:
        assert all("event" in json.loads(line) for line in text.splitlines())
