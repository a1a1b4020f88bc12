"""Findings, made from facts: what is said of them, and how bad they are."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kakehashi.producer.broker_state import BrokerState
from kakehashi.settings import Settings
from kakehashi.solver.engines import engine_named
from kakehashi.storage import migrate
from kakehashi.storage.condition import Backlog, Condition
from kakehashi.storage.database import Database
from kakehashi.worker import checkup
from kakehashi.worker.checkup import State
from kakehashi.worker.rollcall import Present, shared_settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kakehashi.worker.checkup import Check

SETTINGS = Settings(db="/x/kakehashi.db", concurrency=1)
BROKER = BrokerState("Redis 7", 0.001, 3, "noeviction", 0.1, persistent=True)
CONDITION = Condition("SQLite 3", migrate.HEAD, 0.001, 0.0, 1000, "wal", None)
QUIET = Backlog(0, 0, None, 0, None)
PRESENT = Present(
    "celery@a", version("kakehashi"), engine_named().name, 4, shared_settings(SETTINGS), skew=0.0, within=0.01
)


def bad(checks: Iterable[Check]) -> list[tuple[State, str]]:
    """What is not as it should be."""
    return [(check.state, check.message) for check in checks if check.state is not State.OK]


def only(checks: Iterable[Check]) -> tuple[State, str]:
    (found,) = bad(checks)
    return found


def test_nothing_is_wrong_where_nothing_is() -> None:
    database = Database("/x/kakehashi.db")
    found = [
        *checkup.check_settings(SETTINGS),
        *checkup.check_broker(SETTINGS, BROKER),
        *checkup.check_workers(SETTINGS, [PRESENT]),
        *checkup.check_database(database, CONDITION, [PRESENT]),
        *checkup.check_work(SETTINGS, QUIET, BROKER, [PRESENT]),
    ]
    assert [check.subject for check in found] == ["settings", "broker", "workers", "database", "work"]
    assert bad(found) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"concurrency": 10_000}, "concurrency is 10000, and this machine has"),
        ({"memory_limit": 10**9}, "processes of up to 1000000000 MB do not fit into the"),
        ({"lease": 4.0, "pulse": 1.0, "db": "postgresql://far.example/x"}, "a lease of 4 s is short over a network"),
    ],
)
def test_settings_that_do_not_fit_the_machine(changed: dict[str, object], said: str) -> None:
    messages = bad(checkup.check_settings(replace(SETTINGS, **changed)))  # type: ignore[arg-type]
    assert any(said in message for _, message in messages)
    assert {state for state, _ in messages} == {State.WARNING}


def test_a_short_lease_on_this_machine_is_fine() -> None:
    for db in ("x.db", "postgresql:///x", "postgresql://localhost/x"):
        assert bad(checkup.check_settings(replace(SETTINGS, lease=4.0, pulse=1.0, db=db))) == []


def test_a_file_with_a_password_is_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "kakehashi.toml"
    file.write_text('broker = "redis://:secret@host/0"\n')
    file.chmod(0o640)
    assert only(checkup.check_settings(SETTINGS, [file]))[1].endswith(f"others may read it: chmod 600 {file}")
    file.chmod(0o600)
    assert bad(checkup.check_settings(SETTINGS, [file])) == []
    file.write_text('broker = "redis://host/0"\n')
    file.chmod(0o644)
    assert bad(checkup.check_settings(SETTINGS, [file])) == []


def test_a_broker_that_may_lose_bells_one_by_one() -> None:
    assert "maxmemory-policy is allkeys-lru" in only(
        checkup.check_broker(SETTINGS, replace(BROKER, eviction="allkeys-lru"))
    )[1]  # fmt: skip
    assert "91% of its memory" in only(checkup.check_broker(SETTINGS, replace(BROKER, fullness=0.91)))[1]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"version": "0.0.1"}, "celery@a: version is 0.0.1, here"),
        ({"engine": "other"}, "celery@a: engine is other, here"),
        ({"settings": {**PRESENT.settings, "lease": 7.0}}, "celery@a: lease is 7.0, here 15.0"),
        ({"settings": {}}, "db is None, here /x/kakehashi.db"),
        ({"skew": -60.0}, "celery@a: its clock is off by -60.0 s"),
    ],
)
def test_a_worker_that_differs(changed: dict[str, object], said: str) -> None:
    assert said in only(checkup.check_workers(SETTINGS, [replace(PRESENT, **changed)]))[1]  # type: ignore[arg-type]


def test_a_clock_that_is_not_known_well_is_not_blamed() -> None:
    assert bad(checkup.check_workers(SETTINGS, [replace(PRESENT, skew=2.5, within=1.0)])) == []


def test_no_worker_is_a_warning_until_something_waits() -> None:
    assert only(checkup.check_workers(SETTINGS, []))[0] is State.WARNING
    assert bad(checkup.check_work(SETTINGS, QUIET, BROKER, [])) == []
    state, message = only(checkup.check_work(SETTINGS, replace(QUIET, waiting=10_000), BROKER, []))
    assert (state, message[:40]) == (State.PROBLEM, "10000 or more shards wait, and no worker")
    assert bad(checkup.check_work(SETTINGS, replace(QUIET, waiting=1), None, None)) == [], "the broker is away"


def test_work_that_does_not_go_on() -> None:
    late = only(checkup.check_work(SETTINGS, replace(QUIET, expired=60.0), BROKER, [PRESENT]))
    assert late[0] is State.PROBLEM
    assert "a lease ran out 60 s ago, and nobody sweeps" in late[1]
    assert bad(checkup.check_work(SETTINGS, replace(QUIET, expired=2.0), BROKER, [PRESENT])) == []
    silent = replace(QUIET, waiting=5, without_bell=5)
    assert "without a bell" in only(checkup.check_work(SETTINGS, silent, BROKER, [PRESENT]))[1]
    assert bad(checkup.check_work(SETTINGS, silent, replace(BROKER, depth=200), [PRESENT])) == [], "it is full"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"schema": None}, "has no tables, this program needs"),
        ({"schema": "0001"}, "has the schema 0001, this program needs"),
        ({"schema": "9999"}, "upgrade the program"),
        ({"skew": 30.0}, "ahead of this machine's by +30.0 s"),
        ({"connections": (90, 97)}, "90 of 97 connections are taken"),
        ({"connections": (1, 4)}, "the workers need 5"),
    ],
)
def test_a_database_that_is_not_as_it_should_be(changed: dict[str, object], said: str) -> None:
    changed_condition = replace(CONDITION, **changed)  # type: ignore[arg-type]
    assert said in only(checkup.check_database(Database("/x/kakehashi.db"), changed_condition, [PRESENT]))[1]


def test_a_file_in_a_bad_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "x.db"
    file.touch(0o644)
    monkeypatch.setattr(checkup, "LITTLE_ROOM", 0)
    monkeypatch.setattr(checkup, "NO_ROOM", 0)
    assert bad(checkup.check_file(file, CONDITION)) == []
    assert "not wal" in only(checkup.check_file(file, replace(CONDITION, journal_mode="delete")))[1]
    file.chmod(0o666)
    assert "everybody on this machine may write to it" in only(checkup.check_file(file, CONDITION))[1]
    file.chmod(0o644)
    monkeypatch.setattr(checkup, "file_system", lambda path: "nfs4")
    assert only(checkup.check_file(file, CONDITION))[0] is State.PROBLEM
    monkeypatch.setattr(checkup, "file_system", lambda path: "ext4")
    monkeypatch.setattr(checkup, "NO_ROOM", 1 << 62)
    assert only(checkup.check_file(file, CONDITION))[0] is State.PROBLEM


@pytest.mark.skipif(not Path("/proc/self/mounts").exists(), reason="no /proc")
def test_the_file_system_is_that_of_the_nearest_mount() -> None:
    assert checkup.file_system(Path("/proc/self/status")) == "proc"
