from __future__ import annotations

import time

import pytest

from kakehashi.storage import Repository, Status
from tests.support.storing import bad, drain, fill, new, outcomes, positions, take


def test_each_shard_is_rung_for_once_oldest_first(repository: Repository) -> None:
    fill(repository, 10, shard=2, budget=7.5)
    first, second = repository.due_bells(3), repository.due_bells(3)
    assert [bell.shard for bell in first + second] == [1, 2, 3, 4, 5]
    assert {bell.budget for bell in first} == {7.5}
    assert repository.due_bells(3) == []


def test_an_old_bell_may_be_rung_again_after_the_new_ones(repository: Repository) -> None:
    fill(repository, 8, shard=2)
    assert [bell.shard for bell in repository.due_bells(2)] == [1, 2]
    time.sleep(0.01)  # SQLite's clock counts milliseconds, and which bell is older is the question
    assert [bell.shard for bell in repository.due_bells(3, again_after=-1.0)] == [3, 4, 1]
    assert repository.due_bells(9, again_after=3600.0) == []
    oldest, *others = (bell.shard for bell in repository.due_bells(9, again_after=-1.0))
    assert (oldest, sorted(others)) == (2, [1, 3, 4])


def test_bells_that_could_not_be_sent_are_taken_back(repository: Repository) -> None:
    fill(repository, 8, shard=2)
    bells = repository.due_bells(4)
    claim = take(repository, bells[1].shard)
    repository.unring(bell.shard for bell in bells)
    repository.unring([])
    assert [bell.shard for bell in repository.due_bells(9)] == [1, 3, 4]
    assert repository.extend(claim, 60.0) is False


def test_nobody_rings_for_what_is_held_closed_cancelled_or_of_another_run(repository: Repository) -> None:
    _, first = fill(repository, 4, shard=2)
    _, second = fill(repository, 2, shard=2)
    assert [bell.shard for bell in repository.due_bells(9, run=second)] == [3]
    assert take(repository, 1) is not None
    assert [bell.shard for bell in repository.due_bells(9, again_after=-1.0, run=first)] == [2]
    repository.cancel_run(first)
    assert [bell.shard for bell in repository.due_bells(9, again_after=-1.0)] == [3]


def test_a_cancelled_run_ends_in_pieces(repository: Repository) -> None:
    batch, run = fill(repository, [*(new(i) for i in range(12)), new(0), bad()], shard=3)
    claim = take(repository)
    repository.record(claim, outcomes(claim, positions=[0]), 60.0)
    assert repository.cancel_rows() == 0
    repository.cancel_run(run)
    ended = []
    while count := repository.cancel_rows(limit=4):
        ended.append(count)
    assert ended == [6, 3]
    progress = repository.progress(run)
    assert (progress.cancelled, progress.shards_open, progress.counts[Status.QUEUED]) == (True, 1, 2)
    repository.release(claim)
    assert repository.cancel_rows(run) == 2
    done = repository.progress(run)
    assert done.finished
    assert (done.counts[Status.SOLVED], done.counts[Status.CANCELLED], done.counts[Status.INVALID]) == (2, 11, 1)
    assert [found.status for found in repository.results(batch)][:2] == [Status.SOLVED, Status.CANCELLED]


def test_where_nothing_is_cancelled_nothing_is_written_for_it(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write would lock an SQLite file, and walk over every shard that waits, with each sweep."""
    _, run = fill(repository, 4, shard=1)
    _, other = fill(repository, 2, shard=1)
    repository.cancel_run(other)
    assert repository.cancel_rows() == 2

    def refuse(*_: object, **__: object) -> None:
        pytest.fail("nothing is left to be cancelled")

    monkeypatch.setattr(repository._db, "write", refuse)
    assert repository.cancel_rows() == repository.cancel_rows(run) == repository.cancel_rows(other) == 0


def test_cancelling_twice_keeps_the_first_time(repository: Repository) -> None:
    _, run = fill(repository, 1)
    repository.cancel_run(run)
    before = repository.run_info(run)
    repository.cancel_run(run)
    assert repository.run_info(run) == before
    assert before.cancelled_at is not None


def test_a_cancelled_rerun_takes_nothing_back(repository: Repository) -> None:
    batch, run = fill(repository, 4)
    drain(repository, Status.TIMEOUT)
    jobs = [row.job for row in repository.rerun_jobs(batch, [Status.TIMEOUT])]
    again = repository.create_run(batch, repository.run_info(run).options, parent=run)
    repository.append_attempts(again, jobs, lambda rows: [len(rows)])
    repository.cancel_run(again)
    assert repository.cancel_rows(again) == 4
    assert [found.status for found in repository.results(batch)] == [Status.TIMEOUT] * 4


def test_the_bells_of_a_split_are_new(repository: Repository) -> None:
    fill(repository, 4, shard=4)
    claim = take(repository)
    repository.finish(claim, outcomes(claim, positions=[0]), [[1], [2, 3]])
    bells = repository.due_bells(9)
    assert [positions(take(repository, bell.shard)) for bell in bells] == [[1], [2, 3]]
