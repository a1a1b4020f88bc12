"""Connections that break, locks that last, answers that get lost."""

from __future__ import annotations

import sqlite3
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy
from sqlalchemy import select

from kakehashi.errors import ServiceUnreachable
from kakehashi.storage import LeaseLost, Repository, RunOptions, Status, StorageError
from kakehashi.storage.database import Database, _PassingFault
from kakehashi.storage.schema import tally
from tests.support.accidents import Accident, Kind, Wire
from tests.support.storing import fill, new, outcomes, positions, shards_of, take

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def patient(database_url: str) -> Any:
    with Repository(database_url, patience=5.0) as made:
        yield made


def lose_the_next_answer(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next transaction is committed, but its caller hears of a broken connection."""
    once = database._once
    lost = False

    def broken(engine: sqlalchemy.Engine, work: Callable[[sqlalchemy.Connection], Any]) -> Any:
        nonlocal lost
        result = once(engine, work)
        if not lost and engine is not database._reading:
            lost = True
            raise _PassingFault(ServiceUnreachable("lost"))
        return result

    monkeypatch.setattr(database, "_once", broken)


def test_a_cut_connection_is_made_again(postgresql_url: str) -> None:
    with Repository(postgresql_url, patience=5.0) as repository:
        tries = 0

        def work(connection: sqlalchemy.Connection) -> int:
            nonlocal tries
            tries += 1
            if tries == 1:
                connection.exec_driver_sql("SELECT pg_terminate_backend(pg_backend_pid())")
            return int(connection.exec_driver_sql("SELECT 7").scalar_one())

        assert repository._db.write(work) == 7
        assert tries == 2


def test_without_patience_it_is_said_at_once(postgresql_url: str) -> None:
    with Repository(postgresql_url) as repository, pytest.raises(ServiceUnreachable, match="does not answer"):
        repository._db.write(
            lambda connection: connection.exec_driver_sql("SELECT pg_terminate_backend(pg_backend_pid())")
        )


def test_a_stale_connection_of_the_pool_is_replaced(postgresql_url: str) -> None:
    with Repository(postgresql_url) as repository, Repository(postgresql_url) as other:
        repository.create_batch("b", {})
        other._db.write(
            lambda connection: connection.exec_driver_sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        )
        assert repository.create_batch("c", {}) == 2


def test_a_locked_sqlite_file_is_waited_for(sqlite_url: str) -> None:
    path = sqlite_url.removeprefix("sqlite:///")
    blocker = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    blocker.execute("BEGIN IMMEDIATE")
    with Repository(f"{sqlite_url}?timeout=0.05") as hasty:
        assert hasty.latest_batch() is None  # readers do not care
        with pytest.raises(ServiceUnreachable, match="database is locked"):
            hasty.create_batch("b", {})
    timer = threading.Timer(0.3, lambda: blocker.execute("COMMIT"))
    timer.start()
    with Repository(f"{sqlite_url}?timeout=0.05", patience=10.0) as patient:
        assert patient.create_batch("b", {}) == 1
    timer.join()
    blocker.close()


def test_a_heartbeat_does_not_wait_for_a_lock_as_other_writes_do(sqlite_url: str) -> None:
    """It comes in the middle of a solve, which must not overrun its budget."""
    blocker = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None, check_same_thread=False)
    with Repository(sqlite_url, patience=60.0) as repository:
        fill(repository, 4)
        claim = take(repository)
        blocker.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        with pytest.raises(ServiceUnreachable, match="database is locked"):
            repository.extend(claim, 60.0)
        with pytest.raises(ServiceUnreachable, match="database is locked"):
            repository.shed(claim, [], [[3]], 60.0)
        assert time.monotonic() - began < 10
        timer = threading.Timer(0.5, lambda: blocker.execute("COMMIT"))
        timer.start()
        repository._db._once(repository._db._writing, lambda _: None)  # the same connection waits as before
        timer.join()
    blocker.close()


def test_a_heartbeat_does_not_wait_for_a_row_that_somebody_has_locked_who_froze(postgresql_url: str) -> None:
    with Repository(postgresql_url, patience=60.0) as repository, Repository(postgresql_url) as frozen:
        fill(repository, 4)
        claim = take(repository)
        with frozen._db.engine.begin() as connection:
            connection.execute(select(tally).with_for_update())
            connection.exec_driver_sql("SET idle_in_transaction_session_timeout = '5s'")
            began = time.monotonic()
            with pytest.raises(ServiceUnreachable, match=r"is busy: .*lock timeout; try again"):
                repository.shed(claim, outcomes(claim, positions=[0]), [[3]], 60.0)
            assert time.monotonic() - began < 2.0
        repository.shed(claim, outcomes(claim, positions=[0]), [[3]], 60.0)
        assert repository.progress(1).done == 1


def test_a_full_disk_is_said_and_waited_for(sqlite_url: str) -> None:
    most_pages = 2**30

    def limit(connection: sqlalchemy.Connection) -> None:
        connection.exec_driver_sql(f"PRAGMA max_page_count = {most_pages}")

    def make_room() -> None:
        nonlocal most_pages
        most_pages = 2**30

    entries = [new(number) for number in range(500)]
    with Repository(sqlite_url) as hasty, Repository(sqlite_url, patience=10.0) as patient:
        batch = hasty.create_batch("b", {})
        run = hasty.create_run(batch, RunOptions())
        for repository in (hasty, patient):
            sqlalchemy.event.listen(repository._db.engine, "begin", limit)
        most_pages = 1  # as many as there are
        with pytest.raises(
            ServiceUnreachable, match=r"cannot be written: .* is full; make room on its disk, or mend it$"
        ):
            hasty.append(batch, run, 0, entries, shards_of(100))
        assert hasty.batch_info(batch).entries == 0
        timer = threading.Timer(0.3, make_room)
        timer.start()
        patient.append(batch, run, 0, entries, shards_of(100))
        assert hasty.batch_info(batch).entries == 500
        timer.join()


def test_patience_ends() -> None:
    began = time.monotonic()
    with pytest.raises(ServiceUnreachable):
        Repository("postgresql://me@127.0.0.1:1/x", patience=0.3)
    assert 0.2 < time.monotonic() - began < 10


def test_an_error_of_ours_is_not_tried_again(patient: Repository) -> None:
    began = time.monotonic()
    with pytest.raises(sqlalchemy.exc.DBAPIError):
        patient._db.read(lambda connection: connection.exec_driver_sql("SELECT nonsense FROM nowhere"))
    assert time.monotonic() - began < 2


def test_a_lost_answer_to_append_adds_nothing_twice(patient: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = patient.create_batch("b", {})
    run = patient.create_run(batch, RunOptions())
    lose_the_next_answer(patient._db, monkeypatch)
    patient.append(batch, run, 0, [new(1), new(2)], shards_of(2))
    assert (patient.batch_info(batch).entries, patient.progress(run).shards_open) == (2, 1)
    with pytest.raises(StorageError):
        patient.append(batch, run, 0, [new(1), new(2)], shards_of(2))


def test_a_lost_answer_to_append_attempts(patient: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    batch, run = fill(patient, 3)
    claim = take(patient)
    patient.finish(claim, outcomes(claim, Status.TIMEOUT))
    again = patient.create_run(batch, RunOptions(), parent=run)
    jobs = [row.job for row in patient.rerun_jobs(batch, [Status.TIMEOUT])]
    lose_the_next_answer(patient._db, monkeypatch)
    patient.append_attempts(again, jobs, shards_of(3))
    assert patient.progress(again).total == 3


def test_a_lost_answer_to_claim_claims_once(patient: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(patient, 3)
    lose_the_next_answer(patient._db, monkeypatch)
    claim = patient.claim(1, "worker", 60.0)
    assert claim is not None
    assert claim.tries == 0
    assert patient.extend(claim, 60.0) is False


def test_a_claim_whose_answer_is_lost_while_the_run_is_cancelled_is_held_by_somebody_who_knows(
    patient: Repository,
) -> None:
    _, run = fill(patient, 3)
    Wire(patient).expect(Accident(Kind.LOST), lambda _: patient.cancel_run(run))
    claim = patient.claim(1, "worker", 60.0)
    assert claim is not None
    assert patient.extend(claim, 60.0) is True
    patient.release(claim)
    assert patient.cancel_rows() == 3


@pytest.mark.parametrize("way", ["record", "finish", "split", "shed", "release"])
def test_a_lost_answer_to_a_write_counts_once(patient: Repository, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    _, run = fill(patient, 4)
    claim = take(patient)
    done = outcomes(claim, positions=[0, 1])
    lose_the_next_answer(patient._db, monkeypatch)
    if way == "record":
        patient.record(claim, done, 60.0)
    elif way == "finish":
        patient.finish(claim, outcomes(claim))
    elif way == "split":
        patient.finish(claim, done, [[2], [3]])
    elif way == "shed":
        patient.shed(claim, done, [[3]], 60.0)
    else:
        patient.release(claim, done)
    progress = patient.progress(run)
    solved = 4 if way == "finish" else 2
    assert (progress.total, progress.counts[Status.SOLVED], progress.counts[Status.QUEUED]) == (4, solved, 4 - solved)
    assert progress.shards_open == {"record": 1, "finish": 0, "split": 2, "shed": 2, "release": 1}[way]


def test_a_lost_answer_to_shed_without_outcomes(patient: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(patient, 4)
    claim = take(patient)
    lose_the_next_answer(patient._db, monkeypatch)
    patient.shed(claim, [], [[2, 3]], 60.0)
    assert [positions(take(patient, bell.shard)) for bell in patient.due_bells(9)] == [[2, 3]]
    patient.finish(claim, outcomes(claim, positions=[0, 1]))


def test_a_lease_that_was_lost_for_good_is_no_lost_answer(patient: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(patient, 4)
    claim = take(patient, lease=-1.0)
    patient.expire_leases()
    with pytest.raises(LeaseLost):
        patient.finish(claim, outcomes(claim))
