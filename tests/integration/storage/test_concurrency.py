"""Several processes at once, each with its own repository; threads stand for most of them, real processes for one."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from kakehashi.storage import (
    Claim,
    Job,
    LeaseLost,
    Repository,
    RunOptions,
    Status,
    StorageError,
    migrate,
    tallies,
)  # fmt: skip
from tests.support.storing import drain, fill, new, outcomes, shards_of, take

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

T = TypeVar("T")


def at_once(url: str, count: int, call: Callable[[Repository, int], T]) -> list[T]:
    """Call a function in so many threads that begin together, each with its own repository."""
    barrier = threading.Barrier(count)

    def thread(number: int) -> T:
        with Repository(url) as repository:
            barrier.wait()
            return call(repository, number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(thread, range(count)))


def test_exactly_one_claimer_wins(database_url: str) -> None:
    with Repository(database_url) as repository:
        fill(repository, 20, shard=1)
    for shard in range(1, 6):
        claims = at_once(database_url, 4, partial(_claim, shard))
        assert sum(claim is not None for claim in claims) == 1


def _claim(shard: int, repository: Repository, number: int) -> Claim | None:
    return repository.claim(shard, f"worker {number}", 60.0)


def test_exactly_one_takes_over_from_a_dead_claim(database_url: str) -> None:
    with Repository(database_url) as repository:
        fill(repository, 4, shard=1)
        take(repository, 1, owner="dead")
        claims = at_once(database_url, 4, lambda repository, n: repository.claim(1, f"{n}", 60.0, {"dead": ""}.get))
        assert [claim.tries for claim in claims if claim is not None] == [1]


def test_two_sweepers_never_ring_the_same_bell(database_url: str) -> None:
    with Repository(database_url) as repository:
        fill(repository, 100, shard=1)
    rung = at_once(database_url, 3, lambda repository, _: [bell for _ in range(10) for bell in repository.due_bells(7)])
    shards = [bell.shard for bells in rung for bell in bells]
    assert len(shards) == len(set(shards))
    with Repository(database_url) as repository:
        left = [bell.shard for bell in repository.due_bells(100)]
    assert sorted(shards + left) == list(range(1, 101))


def test_two_sweepers_bury_a_claim_once(database_url: str) -> None:
    with Repository(database_url) as repository:
        fill(repository, 12, shard=3)
        for bell in repository.due_bells(4):
            repository.note(take(repository, bell.shard, lease=-1.0), 3 * (bell.shard - 1) + 1)
        assert sum(at_once(database_url, 3, lambda repository, _: repository.expire_leases())) == 4
        bells = repository.due_bells(100)
        assert len(bells) == 12
        repository.unring(bell.shard for bell in bells)
        drain(repository)
        assert repository.progress(1).shards_open == 0


def test_a_zombie_and_its_successor_write_each_attempt_once(database_url: str) -> None:
    with Repository(database_url) as repository:
        _, run = fill(repository, 8, shard=8)
        zombie = take(repository, lease=-1.0)
        repository.expire_leases()
        successor = take(repository)
        holders = [zombie, successor, zombie]

        def write(repository: Repository, number: int) -> bool:
            try:
                repository.finish(
                    holders[number], outcomes(holders[number], [Status.TIMEOUT, Status.SOLVED][number % 2])
                )
            except LeaseLost:
                return False
            return True

        assert at_once(database_url, 3, write) == [False, True, False]
        assert repository.progress(run).counts[Status.SOLVED] == 8


def test_of_several_submitters_one_gets_each_place(database_url: str) -> None:
    with Repository(database_url) as repository:
        batch, run = repository.begin("b", {}, RunOptions())

    def submit(repository: Repository, number: int) -> list[str]:
        stored = []
        for chunk in range(10):
            at = repository.batch_info(batch).entries
            names = [f"{number}-{chunk}-{i}" for i in range(5)]
            try:
                repository.append(batch, run, at, [new(at + i, name) for i, name in enumerate(names)], shards_of(2))
            except StorageError:
                continue  # somebody else was quicker
            stored += names
        return stored

    stored = [name for names in at_once(database_url, 3, submit) for name in names]
    with Repository(database_url) as repository:
        assert sorted(found.name for found in repository.results(batch)) == sorted(stored)
        progress = repository.progress(run)
        assert progress.total == progress.counts[Status.QUEUED] == len(stored) > 0


def test_entries_that_repeat_a_puzzle_while_it_ends_are_counted_once(database_url: str) -> None:
    with Repository(database_url) as repository:
        batch = repository.create_batch("live", {})
        run = repository.create_run(batch, RunOptions())
        repository.append(batch, run, 0, [new(i) for i in range(30)], shards_of(1))

    def work(repository: Repository, number: int) -> None:
        for i in range(30):
            if number:
                repository.append(batch, run, 30 + i, [new(i)], shards_of(1))
            else:
                drain_one(repository)

    at_once(database_url, 2, work)
    with Repository(database_url) as repository:
        progress = repository.progress(run)
        assert (progress.total, progress.counts[Status.SOLVED], progress.shards_open) == (60, 60, 0)


def drain_one(repository: Repository) -> None:
    claim = take(repository)
    repository.finish(claim, outcomes(claim))


def test_readers_and_a_submitter_do_not_wait_for_workers(database_url: str) -> None:
    with Repository(database_url) as repository:
        batch, run = fill(repository, 0)
        batch = repository.create_batch("live", {})
        run = repository.create_run(batch, repository.run_info(run).options)
    done = threading.Event()

    def submit(repository: Repository) -> int:
        try:
            for i in range(20):
                repository.append(batch, run, 20 * i, [new(j % 300) for j in range(20 * i, 20 * i + 20)], shards_of(5))
        finally:
            done.set()
        return 0

    def work(repository: Repository) -> int:
        while True:
            last = done.is_set()
            drain(repository, run=run)
            if last:
                return 0

    def read(repository: Repository) -> int:
        while not done.is_set():
            progress = repository.progress(run)
            assert sum(progress.counts.values()) == progress.total
            assert progress.total % 20 == 0
            assert all(count >= 0 for count in progress.counts.values())
            assert [found.pos for found in repository.results(batch, limit=progress.total)] == list(
                range(progress.total)
            )
        return 0

    roles = [submit, work, work, read]
    at_once(database_url, 4, lambda repository, number: roles[number](repository))
    with Repository(database_url) as repository:
        assert repository.progress(run).counts[Status.SOLVED] == 400


def _worker(url: str, run: int) -> None:
    with Repository(url, patience=10.0) as repository:
        drain(repository, run=run)


def test_processes_share_a_run(database_url: str) -> None:
    with Repository(database_url) as repository:
        batch, run = fill(repository, 120, shard=4)
        spawn = get_context("spawn")
        workers = [spawn.Process(target=_worker, args=(database_url, run)) for _ in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(60)
        assert [worker.exitcode for worker in workers] == [0, 0]
        progress = repository.progress(run)
        assert (progress.counts[Status.SOLVED], progress.shards_open) == (120, 0)
        assert {found.attempts for found in repository.results(batch)} == {1}


def _create_at_once(url: str) -> None:
    barrier = threading.Barrier(4)

    def create(_: int) -> int:
        barrier.wait()
        with Repository(url, create=True, patience=20.0) as repository:
            return repository.create_batch("b", {})

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(create, range(4))) == [1, 2, 3, 4]
    assert migrate.current(url) == migrate.HEAD


def test_several_make_the_same_sqlite_database(tmp_path: Path) -> None:
    _create_at_once(str(tmp_path / "new.db"))


def test_several_make_the_same_postgresql_database(postgresql_url_without_tables: str) -> None:
    _create_at_once(postgresql_url_without_tables)


def test_of_two_runs_that_end_at_once_a_puzzle_keeps_the_better_answer(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Repository(postgresql_url) as repository, Repository(postgresql_url) as other:
        batch, _ = fill(repository, 1)
        drain(repository, Status.TIMEOUT)
        runs = [repository.create_run(batch, RunOptions(), 1) for _ in range(2)]
        for run in runs:
            repository.append_attempts(run, [Job(0, 1, 5.0)], shards_of(1))
        claims = [take(repository, shard) for shard in (2, 3)]
        with ThreadPoolExecutor(1) as pool:

            def meanwhile(*arguments: Any) -> None:
                monkeypatch.undo()
                add_ended(*arguments)
                late.append(pool.submit(other.finish, claims[1], outcomes(claims[1], Status.TIMEOUT)))
                time.sleep(0.5)

            late: list[Future[None]] = []
            add_ended = tallies.add_ended
            monkeypatch.setattr(tallies, "add_ended", meanwhile)
            repository.finish(claims[0], outcomes(claims[0]))
            late[0].result()
        assert repository.result(batch, 0).status is Status.SOLVED
