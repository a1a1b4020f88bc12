"""Puzzles that kill their worker, each in its way: they cost themselves and nothing else."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from kakehashi.puzzle import Termination
from kakehashi.storage import Status
from tests.support.fleet import fleet
from tests.support.storing import easy, marked

if TYPE_CHECKING:
    from collections.abc import Sequence

DIED = "the worker died 3 times while it solved this puzzle"
HANGS = f"{DIED} (the last time: killed since it gave no sign of life)"


def assert_costs_only_itself(
    db: str, monkeypatch: pytest.MonkeyPatch, engine: str, errors: Sequence[str], **settings: object
) -> None:
    """Among innocent puzzles there is one for each of these errors."""
    poison = [marked(number) for number in range(len(errors))]
    with fleet(db, monkeypatch, **settings) as running:
        run = running.submit([*map(easy, range(10)), *poison, *map(easy, range(10, 20))], engine=engine, budget=0.5)
        results = list(running.repository.results(running.wait(run).batch))
        assert [result.error for result in results if result.termination is Termination.CRASHED] == errors
        assert sum(result.status is Status.SOLVED for result in results) == 20
        assert running.repository.open_leases() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps the limit of memory")
def test_those_that_end_their_process_or_eat_its_memory(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    errors = [
        f"{DIED} (the last time: it ended itself with exit code 3)",
        f"{DIED} (the last time: killed by signal 11, SIGSEGV)",
        "out of memory: more than 256 MB",
        f"{DIED} (the last time: killed by signal 6, SIGABRT)",
    ]
    assert_costs_only_itself(sqlite_url, monkeypatch, "poison", errors, memory_limit=256)


@pytest.mark.fault
@pytest.mark.parametrize("engine", ["spin-in-c-marked", "spin-without-gil-marked"])
def test_one_that_spins_is_ended_before_its_lease(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    assert_costs_only_itself(sqlite_url, monkeypatch, engine, [HANGS], lease=6.0)


@pytest.mark.fault
def test_one_that_waits_loses_its_lease_before_it_is_ended(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_costs_only_itself(sqlite_url, monkeypatch, "sleep-marked", [DIED], concurrency=4)


@pytest.mark.fault
def test_the_hard_limit_ends_what_nothing_else_ends(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    error = f"{DIED} (the last time: killed at the hard time limit)"
    assert_costs_only_itself(
        sqlite_url, monkeypatch, "sleep-marked", [error], lease=60.0, patience=0.5, hard_limit_margin=0.5
    )
