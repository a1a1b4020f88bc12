"""`submit` and `worker` with a broker and a database that stand by themselves."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from kakehashi.storage import Repository
from kakehashi.storage.records import Status
from kakehashi.worker.private_broker import PrivateBroker
from tests.acceptance.boards import EXPECTED, write_all, write_marked
from tests.acceptance.place import wait
from tests.support.storing import outcomes, take

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

    from tests.acceptance.conftest import Cli
    from tests.acceptance.place import Place


@pytest.fixture(scope="module")
def broker() -> Iterator[str]:
    """The address of a Valkey."""
    with PrivateBroker() as server:
        yield server.url


@pytest.fixture
def fleet(place: Place, broker: str, database_url: str, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A place whose settings name the broker and the database; the command line in this process knows them too."""
    place.url = database_url
    settings = {
        "KAKEHASHI_BROKER": broker,
        "KAKEHASHI_DB": database_url,
        "KAKEHASHI_QUEUE": f"test-{place.mark}",
    }
    place.environment |= settings
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(place.here)
    return place


@pytest.fixture
def worker(fleet: Place) -> Iterator[subprocess.Popen[str]]:
    """A worker with two processes, which ends with 0 when it is told to, and leaves nothing behind."""
    process = fleet.start("worker", "--concurrency", "2", "--log-format", "json")
    yield process
    process.send_signal(signal.SIGINT)
    said = fleet.end(process, expect=0)
    assert said.out == ""
    lines = [json.loads(line) for line in said.err.splitlines()]
    assert {"celery started", "worker started", "shard claimed", "worker stopping"} <= {line["event"] for line in lines}
    assert all({"batch", "run", "shard", "worker", "pid"} <= line.keys() for line in lines if "shard" in line["event"])
    wait(fleet.leftovers, lambda left: not left, seconds=5)


def submitted(fleet: Place, cli: Cli) -> None:
    """Hand in a batch, and see that it waits."""
    write_all(fleet.here)
    said = cli("submit", "puzzles", "--name", "mine", "--format", "json")
    assert json.loads(said.out) == {"batch": 1, "run": 1, "total": 17}
    assert said.err == "next: kakehashi status 1 --watch\n"
    (row,) = cli.json("status")
    assert (row["name"], row["state"], row["queued"], row["invalid"]) == ("mine", "queued", 13, 4)


def test_what_is_known_is_not_handed_out_again(fleet: Place, cli: Cli) -> None:
    submitted(fleet, cli)
    with Repository(fleet.url) as repository:
        for bell in repository.due_bells(100, again_after=-1.0):
            claim = take(repository, bell.shard)
            repository.finish(claim, outcomes(claim, Status.INFEASIBLE))
    said = cli("submit", "puzzles", "--skip-known", "--confirm", "none", "--format", "json")
    assert json.loads(said.out) == {"batch": 2, "run": 2, "total": 17, "known": 12}
    row = cli.json("status", 2)
    assert (row["state"], row["queued"], row["infeasible"], row["invalid"]) == ("finished", 0, 13, 4)
    assert (row["known"], row["rate"], row["shards_open"]) == (12, None, 0)


def test_submit_and_work(fleet: Place, cli: Cli, request: pytest.FixtureRequest) -> None:
    submitted(fleet, cli)
    request.getfixturevalue("worker")
    states = [json.loads(line)["state"] for line in cli("status", 1, "--watch", "--format", "ndjson").out.splitlines()]
    assert states[-1] == "finished"
    assert set(states) <= {"queued", "running", "finished"}
    assert [(row["name"], row["status"]) for row in cli.lines("results", 1)] == EXPECTED


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_cancel_and_try_again(fleet: Place, worker: subprocess.Popen[str], cli: Cli) -> None:
    write_marked(fleet.here / "slow", 12)
    fleet.call("submit", "slow", "--engine", "slow-marked")
    fleet.wait_for(1, lambda progress: progress.counts[Status.SOLVED] >= 1)

    (cancelled,) = cli.json("cancel", 1)
    assert (cancelled["batch"], cancelled["run"]) == (1, 1)
    counts = fleet.wait_for(1, lambda progress: progress.finished).counts
    assert counts[Status.CANCELLED] >= 1
    assert counts[Status.CANCELLED] + counts[Status.SOLVED] == 12
    assert cli.json("status", 1)["state"] == "cancelled"
    assert len(cli.lines("results", 1, "--status", "cancelled")) == counts[Status.CANCELLED]
    assert "has no unfinished run" in cli("cancel", 1, expect=1).err
    assert "finished or cancelled" in cli("resume", 1, expect=2).err

    again = cli.json("rerun", 1, "--only", "cancelled", "--budget", "x1", "--engine", "pysat")
    assert again == {"batch": 1, "run": 2, "total": counts[Status.CANCELLED]}
    assert fleet.wait_for(2, lambda progress: progress.finished).counts[Status.SOLVED] == again["total"]
    assert {row["status"] for row in cli.lines("results", 1)} == {"solved"}


def test_a_worker_ends_when_its_database_is_upgraded(place: Place, broker: str, sqlite_url: str) -> None:
    place.environment |= {"KAKEHASHI_BROKER": broker, "KAKEHASHI_DB": sqlite_url}
    worker = place.start("worker", "--concurrency", "1", "--log-level", "warning")
    assert worker.stderr is not None
    assert worker.stderr.readline().startswith("worker with 1 process on queue")
    with Repository(sqlite_url) as repository:
        newer = text("UPDATE alembic_version SET version_num = '9999'")
        repository._db.write(lambda connection: connection.execute(newer))
    said = place.end(worker, expect=3)
    assert "was made by a newer version of kakehashi (schema 9999" in said.err


def test_a_worker_with_settings_that_clash_does_not_start(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKEHASHI_VISIBILITY_TIMEOUT", "10m")
    said = cli("worker", expect=2)
    assert "visibility_timeout (600 s) must be above the longest hard limit" in said.err
    assert said.err.count("\n") == 1


def test_a_worker_does_not_start_without_the_engines_that_are_set(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKEHASHI_ENGINES", "no_such_module")
    said = cli("worker", expect=2)
    assert said.err == (
        "kakehashi: setting engines: the module 'no_such_module' cannot be imported: No module named 'no_such_module'\n"
    )
