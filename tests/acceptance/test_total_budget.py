"""`--total-budget`: no new puzzle of the run starts after it."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from kakehashi.storage import Repository, RunOptions
from kakehashi.worker.private_broker import PrivateBroker
from tests.acceptance.boards import write_marked
from tests.acceptance.place import QUICK, Place, a_place
from tests.support.storing import drain, fill, new, shards_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.acceptance.conftest import Cli

NOT_STARTED = "not started: the run's total budget of 0.01 s was over"


@pytest.fixture(scope="module")
def stopped() -> Iterator[Place]:
    """A run over three puzzles whose total budget was over before any of them could start."""
    with a_place(**QUICK) as place:
        write_marked(place.here / "puzzles", 0, plain=3)
        said = place.call("run", "puzzles", "--total-budget", "10ms", "--workers", "1", "--format", "json", expect=1)
        summary = json.loads(said.out)
        assert (summary["total"], summary["solved"], summary["cancelled"]) == (3, 0, 3)
        assert summary["total_budget_s"] == 0.01
        assert "the total budget of run 1, 0.01 s, is over: 3 puzzles were not started\n" in said.err
        assert "next: kakehashi rerun 1 --only cancelled --budget x1\n" in said.err
        assert place.leftovers() == []
        yield place


def test_what_did_not_start_is_cancelled_with_the_reason(cli: Cli, stopped: Place) -> None:
    rows = cli.lines("results", 1, "--status", "cancelled", "--db", stopped.db)
    assert [(row["verdict"], row["error"], row["wall_ms"]) for row in rows] == [("unknown", NOT_STARTED, None)] * 3
    status = cli.json("status", 1, "--db", stopped.db)
    assert (status["state"], status["cancelled"]) == ("finished", 3)
    assert status["stops_at"] == pytest.approx(status["created_at"] + 0.01, abs=0.001)


def test_a_rerun_takes_it_with_a_total_budget_of_its_own(cli: Cli, stopped: Place) -> None:
    with PrivateBroker() as broker:
        again = (
            "rerun", 1, "--only", "cancelled", "--budget", "x1", "--fleet", "--broker", broker.url, "--db", stopped.db
        )  # fmt: skip
        assert cli.json(*again, "--total-budget", "1h")["total"] == 3
        cli("cancel", 1, "--db", stopped.db)
        cli(*again)
    with Repository(str(stopped.db)) as repository:
        assert [run.options.total_budget for run in repository.runs(1)] == [0.01, 3600.0, None]


def test_submit_and_status_say_when_a_run_stops(cli: Cli, stopped: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(stopped.here)
    with PrivateBroker() as broker:
        cli("submit", "puzzles", "--total-budget", "3m", "--broker", broker.url, "--db", cli.folder / "new.db")
    said = cli("status", 1, "--db", cli.folder / "new.db")
    assert "stops in 2.9" in said.out or "stops in 3 min" in said.out


def test_resume_says_that_it_is_over_and_ends_what_is_open(place: Place, cli: Cli) -> None:
    with Repository(place.url, create=True) as repository:
        fill(repository, 1)
        drain(repository)
        batch, run = repository.begin("late", {"command": "run"}, RunOptions(total_budget=0.05))
        repository.append(batch, run, 0, [new(1), new(2)], shards_of(2))
        repository.seal_batch(batch)
        repository.seal_run(run)
    time.sleep(0.05)
    assert "stopped" in cli("status", batch, "--db", place.url).out
    said = place.call("resume", "--workers", "1", "--format", "json", expect=1)
    assert "the total budget of run 2, 0.05 s, is over: what it has not started is cancelled now\n" in said.err
    assert json.loads(said.out)["cancelled"] == 2


def test_a_total_budget_is_a_time(cli: Cli, place: Place) -> None:
    write_marked(place.here / "puzzles", 0, plain=1)
    for command in (["run", "puzzles"], ["rerun", "1", "--budget", "x1"]):
        said = place.call(*command, "--total-budget", "soon", expect=2)
        assert "'soon' is no duration" in said.err
    assert not place.db.exists()
