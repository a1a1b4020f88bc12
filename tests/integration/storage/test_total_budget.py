"""Runs with a total budget: what starts, what goes on, and how the rest ends."""

from __future__ import annotations

import pytest

from kakehashi.storage import Repository, RunOptions, Status
from kakehashi.storage.total_budget import in_words
from tests.support.storing import Filled, drain, fill, new, outcomes, positions, shards_of, take

REASON = "not started: the run's total budget of 10 min was over"


def limited(repository: Repository, entries: int, shard: int = 2) -> Filled:
    """An unsealed batch with a run whose total budget is ten minutes."""
    batch, run = repository.begin("test", {}, RunOptions(total_budget=600.0))
    repository.append(batch, run, 0, [new(i) for i in range(entries)], shards_of(shard))
    return Filled(batch, run)


def seal(repository: Repository, filled: Filled) -> None:
    repository.seal_batch(filled.batch)
    repository.seal_run(filled.run)


def pass_time(repository: Repository, run: int, seconds: float = 3600.0) -> None:
    """Let the run have been made earlier."""
    change = f"UPDATE run SET created_at = created_at - {seconds}, stops_at = stops_at - {seconds} WHERE id = {run}"
    repository._db.write(lambda connection: connection.exec_driver_sql(change))


def test_it_counts_from_the_creation_of_the_run(repository: Repository) -> None:
    _, run = limited(repository, 4)
    progress = repository.progress(run)
    assert progress.total_budget == pytest.approx(600.0, abs=0.01)
    assert not progress.stopped
    assert repository.run_info(run).options.total_budget == 600.0
    pass_time(repository, run, 500.0)
    claim = take(repository)
    assert claim.seconds_left == pytest.approx(100.0, abs=10.0)
    pass_time(repository, run, 101.0)
    assert repository.progress(run).stopped


def test_a_run_has_none_unless_it_is_given_one(repository: Repository) -> None:
    _, run = fill(repository, 4)
    claim = take(repository)
    progress = repository.progress(run)
    assert (claim.seconds_left, progress.stops_at, progress.total_budget, progress.stopped) == (None, None, None, False)


def test_once_it_is_over_nothing_starts_and_what_waits_is_cancelled_with_the_reason(repository: Repository) -> None:
    filled = limited(repository, 7)
    seal(repository, filled)
    other = fill(repository, 1)
    rung = repository.due_bells(1)[0].shard
    assert repository.cancel_rows() == 0
    pass_time(repository, filled.run)
    assert repository.claim(rung, "worker", 60.0) is None
    assert [bell.shard for bell in repository.due_bells(9, again_after=-1.0)] == [5]
    ended = []
    while count := repository.cancel_rows(limit=3):
        ended.append(count)
    assert ended == [4, 3]
    progress = repository.progress(filled.run)
    assert (progress.finished, progress.cancelled, progress.counts[Status.CANCELLED]) == (True, False, 7)
    found = list(repository.results(filled.batch))
    assert {(result.status, result.error) for result in found} == {(Status.CANCELLED, REASON)}
    assert repository.progress(other.run).counts[Status.QUEUED] == 1
    jobs = repository.rerun_jobs(filled.batch, [Status.CANCELLED])
    assert [row.job.pos for row in jobs] == list(range(7))


def test_what_is_in_hand_goes_on_and_what_is_given_back_ends(repository: Repository) -> None:
    filled = limited(repository, 6, shard=3)
    seal(repository, filled)
    first, second = take(repository), take(repository)
    pass_time(repository, filled.run)
    assert repository.cancel_rows() == 0
    assert repository.extend(first, 60.0) is False
    assert repository.record(first, outcomes(first, positions=[0]), 60.0) is False
    assert repository.shed(first, [], [[2]], 60.0) is False
    repository.finish(first, outcomes(first, positions=[1]))
    repository.release(second, outcomes(second, positions=[3]))
    assert repository.cancel_rows(filled.run) == 3
    statuses = [result.status for result in repository.results(filled.batch)]
    assert [pos for pos, status in enumerate(statuses) if status is Status.SOLVED] == [0, 1, 3]
    assert repository.progress(filled.run).finished


def test_what_its_worker_died_with_is_not_tried_again(repository: Repository) -> None:
    filled = limited(repository, 2)
    seal(repository, filled)
    claim = take(repository, lease=-1.0)
    pass_time(repository, filled.run)
    assert repository.claim(claim.shard, "other", 60.0, lambda owner: "") is None
    assert (repository.expire_leases(), repository.cancel_rows()) == (1, 2)
    assert repository.progress(filled.run).finished


def test_what_is_handed_in_afterwards_has_its_row_too(repository: Repository) -> None:
    filled = limited(repository, 2)
    pass_time(repository, filled.run)
    assert repository.cancel_rows() == 2
    repository.append(filled.batch, filled.run, 2, [new(i) for i in range(2, 5)], shards_of(2))
    assert repository.cancel_rows() == 3
    seal(repository, filled)
    progress = repository.progress(filled.run)
    assert (progress.finished, progress.counts[Status.CANCELLED]) == (True, 5)


def test_a_run_that_was_cancelled_says_nothing_of_its_budget(repository: Repository) -> None:
    filled = limited(repository, 2)
    repository.cancel_run(filled.run)
    pass_time(repository, filled.run)
    assert repository.cancel_rows() == 2
    assert {result.error for result in repository.results(filled.batch)} == {None}


def test_answers_of_another_run_stay(repository: Repository) -> None:
    batch, run = fill(repository, 4)
    drain(repository, Status.TIMEOUT)
    jobs = [row.job for row in repository.rerun_jobs(batch, [Status.TIMEOUT])]
    again = repository.create_run(batch, RunOptions(total_budget=600.0), parent=run)
    repository.append_attempts(again, jobs, shards_of(2))
    repository.seal_run(again)
    claim = take(repository)
    repository.finish(claim, outcomes(claim))
    pass_time(repository, again)
    assert repository.cancel_rows() == 2
    assert repository.progress(again).finished
    statuses = [result.status for result in repository.results(batch)]
    assert positions(claim) == [0, 1]
    assert statuses == [Status.SOLVED, Status.SOLVED, Status.TIMEOUT, Status.TIMEOUT]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.05, "0.05 s"), (59.0, "59 s"), (60.0, "1 min"), (187.0, "3.12 min"), (600.00001, "10 min"), (5400.0, "1.5 h"),
     (360_000.0, "100 h")],
)  # fmt: skip
def test_a_time_is_told_in_the_largest_unit_that_it_has_one_of(seconds: float, words: str) -> None:
    assert in_words(seconds) == words
