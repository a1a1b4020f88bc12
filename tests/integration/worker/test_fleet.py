"""The whole way from a batch to its answers, with real processes, on both databases."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import redis

from kakehashi.puzzle import Confirm, Solution, check
from kakehashi.solver import engine_named
from kakehashi.storage import Status
from tests.support.fleet import Fleet, alive, fleet
from tests.support.storing import apart, easy, marked, take

if TYPE_CHECKING:
    from kakehashi.storage import Progress


def assert_whole(running: Fleet, run: int, total: int) -> Progress:
    """Every entry has one final row, every answer passes the checker, and nobody holds anything any more."""
    progress = running.repository.progress(run)
    assert progress.finished
    assert progress.total == total
    assert progress.counts[Status.QUEUED] == 0
    results = list(running.repository.results(progress.batch))
    assert [result.pos for result in results] == list(range(total))
    for result in results:
        assert result.termination is not None
        if result.status is Status.SOLVED:
            assert result.puzzle is not None
            assert result.values is not None
            assert check(result.puzzle, Solution(result.puzzle, result.values).bridges) == []
    assert running.repository.open_leases() == 0
    return progress


def test_a_batch_is_solved(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with fleet(database_url, monkeypatch) as running:
        run = running.submit([easy(i % 40) for i in range(60)] + [marked()])
        running.wait(run)
        progress = assert_whole(running, run, 61)
        assert progress.counts[Status.SOLVED] == 61
        assert {result.attempts for result in running.repository.results(progress.batch)} == {1}
        if database_url.startswith("sqlite"):  # whose connections show as files
            opened = [has_open(pid, "kakehashi.db") for pid in (running.celery, *running.processes())]
            assert opened == [False, True, True], "each process connects after the fork, their parent never"


def has_open(pid: int, name: str) -> bool:
    return any(file.readlink().name == name for file in Path(f"/proc/{pid}/fd").iterdir())


def test_engines_that_disagree_give_no_verdict(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with fleet(database_url, monkeypatch) as running:
        run = running.submit([easy(0), apart(0), apart(1)], engine="liar", confirm=Confirm.AUTO)
        running.wait(run)
        progress = assert_whole(running, run, 3)
        assert (progress.counts[Status.INFEASIBLE], progress.counts[Status.CRASHED]) == (2, 1)
        wrong, *right = running.repository.results(progress.batch)
        best = engine_named().name
        assert wrong.error == f"the engines disagree: liar says infeasible; {best} found the solution 2"
        assert (wrong.values, wrong.confirmed_by) == (None, None)
        assert [result.confirmed_by for result in right] == [best, best]


def test_a_worker_process_is_killed_in_the_middle(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with fleet(database_url, monkeypatch) as running:
        run = running.submit([marked(i) for i in range(12)], engine="slow-marked")
        running.wait(run, lambda progress: progress.shards_leased > 0)
        victims = running.processes()
        for victim in victims:
            os.kill(victim, signal.SIGKILL)
        running.wait(run)
        assert assert_whole(running, run, 12).counts[Status.SOLVED] == 12
        assert not set(victims) & set(running.processes())


def test_the_broker_is_flushed_in_the_middle(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with fleet(sqlite_url, monkeypatch, concurrency=1, low_water=1, high_water=100) as running:
        run = running.submit([marked(i) for i in range(6)], engine="slow-marked")
        running.wait(run, lambda progress: progress.done > 0)
        with redis.Redis(unix_socket_path=str(running.broker.folder / "broker.sock")) as client:
            client.flushall()
        running.wait(run)
        assert assert_whole(running, run, 6).counts[Status.SOLVED] == 6


def test_cancelling_ends_the_work_in_hand(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with fleet(sqlite_url, monkeypatch) as running:
        run = running.submit([*map(easy, range(5)), marked()], engine="spin-marked", budget=300.0)
        running.wait(run, lambda progress: progress.counts[Status.SOLVED] == 5)
        running.repository.cancel_run(run)
        running.wait(run)
        progress = assert_whole(running, run, 6)
        assert (progress.counts[Status.SOLVED], progress.counts[Status.CANCELLED]) == (5, 1)


@pytest.mark.parametrize("hurry", [False, True])
def test_a_stop_gives_back_what_is_in_hand(sqlite_url: str, monkeypatch: pytest.MonkeyPatch, hurry: bool) -> None:
    with fleet(sqlite_url, monkeypatch) as running:
        run = running.submit([*map(easy, range(5)), marked()], engine="spin-marked", budget=300.0)
        running.wait(run, lambda progress: progress.counts[Status.SOLVED] == 5)
        celery, processes = running.celery, running.processes()
        if hurry:
            running.supervisor.hurry()
            monkeypatch.setattr("kakehashi.worker.supervisor.STOP_LOOK", 0.0)  # too soon for anybody to give it back
        running.supervisor.stop()
        progress = running.repository.progress(run)
        assert (progress.counts[Status.QUEUED], progress.shards_leased, progress.shards_open) == (1, 0, 1)
        assert not any(map(alive, [celery, *processes]))
        assert not take(running.repository).careful
