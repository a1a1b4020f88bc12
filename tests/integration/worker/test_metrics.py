"""What a worker shows to Prometheus, beside what its database says."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest
from prometheus_client import values
from prometheus_client.parser import text_string_to_metric_families

from kakehashi.settings import Settings
from kakehashi.storage import Status
from kakehashi.worker.supervisor import Supervisor
from tests.support.fleet import Fleet, fleet
from tests.support.storing import apart, easy, marked

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(autouse=True)
def own_way_of_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The supervisor lives in this process, which goes on when it is gone."""
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "")
    monkeypatch.setattr(values, "ValueClass", values.ValueClass)


def get(running: Fleet, path: str) -> tuple[int, str]:
    """The status and the text of the answer."""
    exporter = running.supervisor._exporter
    assert exporter is not None
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", exporter.port, timeout=10)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def samples(running: Fleet) -> dict[str, float]:
    """All values, by name and labels but those of a bucket: `kakehashi_attempts_total completed solved`."""
    return {
        " ".join([sample.name, *(sample.labels[label] for label in sorted(sample.labels))]): sample.value
        for family in text_string_to_metric_families(get(running, "/metrics")[1])
        for sample in family.samples
    }


def wait(running: Fleet, until: Callable[[dict[str, float]], bool]) -> dict[str, float]:
    """What is shown as soon as it is so: a process counts when it has written, and somebody may have seen that."""
    ends = time.monotonic() + 20
    while not until(seen := samples(running)):
        assert time.monotonic() < ends, seen
        time.sleep(0.05)
    return seen


@pytest.mark.slow
def test_what_is_shown_is_what_the_database_has_however_often_processes_are_replaced(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fleet(sqlite_url, monkeypatch, metrics="127.0.0.1:0", max_tasks_per_child=1) as running:
        before = running.processes()
        runs = [running.submit([easy(i), apart(i), marked(i)], engine="slow-marked") for i in range(6)]
        for run in runs:
            counts = running.wait(run).counts
            assert (counts[Status.SOLVED], counts[Status.INFEASIBLE]) == (2, 1)
        seen = wait(running, lambda seen: seen.get("kakehashi_claims_ended_total finished", 0) == 6)
        assert not set(before) & set(running.processes())
        assert seen["kakehashi_attempts_total completed solved"] == 12
        assert seen["kakehashi_attempts_total completed infeasible"] == 6
        assert seen["kakehashi_solve_seconds_count"] == seen["kakehashi_solve_seconds_bucket +Inf"] == 18
        assert seen["kakehashi_solve_seconds_bucket 0.1"] == 12  # the marked ones take longer
        walls = [result.wall_ms for run in runs for result in running.repository.results(run)]
        assert seen["kakehashi_solve_seconds_sum"] == pytest.approx(sum(wall or 0 for wall in walls) / 1000)
        assert seen["kakehashi_shards_claimed_total"] == 6
        assert "kakehashi_bells_rung_total" in seen
        wait(running, lambda seen: seen["kakehashi_queue_depth"] == 0)
        assert seen["kakehashi_sweep_seconds_count"] > 0
        run = running.submit([marked(i) for i in range(8)], engine="slow-marked")
        running.wait(run, lambda progress: progress.done > 0)
        running.repository.cancel_run(run)
        counts = running.wait(run).counts
        seen = wait(running, lambda seen: "kakehashi_attempts_total cancelled unknown" in seen)
        assert seen["kakehashi_attempts_total cancelled unknown"] == counts[Status.CANCELLED]
        assert seen["kakehashi_attempts_total completed solved"] == 12 + counts[Status.SOLVED]
        # As many as there are places: two processes and the supervisor, each with counters and histograms.
        assert len(list(running.supervisor._counts.glob("*.db"))) == 6


@pytest.mark.fault
def test_deaths_are_counted_and_a_new_process_goes_on_counting(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fleet(sqlite_url, monkeypatch, metrics="127.0.0.1:0", concurrency=1) as running:
        first = running.submit([easy(0)])
        running.wait(first)
        wait(running, lambda seen: seen.get("kakehashi_attempts_total completed solved", 0) == 1)
        second = running.submit([marked(i) for i in range(4)], engine="slow-marked")
        running.wait(second, lambda progress: progress.shards_leased > 0)
        for pid in running.processes():
            os.kill(pid, signal.SIGKILL)
        running.wait(second)
        seen = wait(running, lambda seen: seen.get("kakehashi_attempts_total completed solved", 0) == 5)
        assert seen["kakehashi_deaths_total"] + seen["kakehashi_leases_expired_total"] == 1
        assert seen["kakehashi_processes"] == 1


def test_a_worker_shows_what_it_did_and_whether_it_is_well(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def health(running: Fleet) -> dict[str, Any]:
        status, text = get(running, "/health")
        found: dict[str, Any] = json.loads(text)
        assert status == (200 if found["healthy"] else 503)
        return found

    with fleet(sqlite_url, monkeypatch, metrics="127.0.0.1:0") as running:
        wait(running, lambda seen: seen["kakehashi_sweep_seconds_count"] > 0)
        assert health(running)["healthy"] is True
        running.wait(running.submit([easy(0), easy(1), apart(0)]))
        seen = wait(running, lambda seen: "kakehashi_claims_ended_total finished" in seen)
        assert seen["kakehashi_attempts_total completed solved"] == 2
        assert seen["kakehashi_attempts_total completed infeasible"] == 1
        assert seen["kakehashi_solve_seconds_count"] == 3
        os.killpg(running.celery, signal.SIGKILL)
        ends = time.monotonic() + 5
        while health(running)["healthy"] and time.monotonic() < ends:
            time.sleep(0.05)
        assert health(running) | {"swept_ago": 0} == {"healthy": False, "celery": False, "swept_ago": 0}
        wait(running, lambda seen: seen["kakehashi_celery_restarts_total"] == 1)
        assert health(running)["healthy"] is True
        assert get(running, "/elsewhere")[0] == 404


def test_an_address_that_is_taken_is_told(sqlite_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from kakehashi.errors import UsageError

    with fleet(sqlite_url, monkeypatch, metrics="127.0.0.1:0") as running:
        assert running.supervisor._exporter is not None
        address = f"127.0.0.1:{running.supervisor._exporter.port}"
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        with (
            pytest.raises(UsageError, match=f"metrics cannot be served on {address}: Address already in use"),
            Supervisor(Settings(db=sqlite_url, metrics=address)),
        ):
            pass
