from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kakehashi.producer.plan import SHARD_ATTEMPTS, SHARD_CELLS, SHARD_SECONDS, cut, expected_seconds
from kakehashi.storage.records import Job

jobs = st.lists(st.builds(Job, st.integers(0, 10**6), st.integers(1, 10_000), st.floats(0.01, 600)), max_size=1500)


@given(jobs)
def test_every_job_is_in_one_shard_and_shards_are_bounded(found: list[Job]) -> None:
    sizes = list(cut(found))
    assert sum(sizes) == len(found)
    assert all(0 < size <= SHARD_ATTEMPTS for size in sizes)
    start = 0
    for size in sizes:
        seconds = [expected_seconds(job) for job in found[start : start + size]]
        assert sum(seconds[:-1]) < SHARD_SECONDS  # it was closed as soon as it was long enough
        start += size


def test_shards_are_full_before_they_are_closed() -> None:
    assert list(cut([Job(i, 5, 10.0) for i in range(SHARD_ATTEMPTS + 1)])) == [SHARD_ATTEMPTS, 1]


def test_a_huge_board_is_a_shard_of_its_own() -> None:
    assert list(cut([Job(0, 200_000, 60.0), Job(1, 5, 60.0), Job(2, 5, 60.0)])) == [1, 2]


def test_the_boards_of_a_shard_fit_into_memory() -> None:
    assert list(cut([Job(i, 2, 10.0, cells=SHARD_CELLS // 2) for i in range(5)])) == [2, 2, 1]


def test_work_that_takes_longer_than_expected_is_cut_smaller() -> None:
    jobs = [Job(i, 5, 10.0) for i in range(100)]
    assert list(cut(jobs)) == [100]
    assert list(cut(jobs, pace=SHARD_SECONDS / expected_seconds(jobs[0]))) == [1] * 100


def test_a_small_budget_bounds_the_cost() -> None:
    assert expected_seconds(Job(0, 100_000, 0.05)) < 0.06
    assert expected_seconds(Job(0, 200_000, 60.0)) > 1.0
