from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from kakehashi.puzzle import Termination, Uniqueness
from kakehashi.storage import Job, NewEntry, Repository, Result, ResultFilter, RunOptions, Status, queries, search
from tests.support.storing import bad, board, drain, fill, new, outcome, shards_of, take


@pytest.fixture(params=["walked", "looked up"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A listing finds its rows along the key, or from an index: where little matches, which a small batch never has."""
    monkeypatch.setattr(search, "OFTEN", 1 if request.param == "looked up" else 100)


def mixed(repository: Repository) -> tuple[int, int]:
    """Entry 0 is solved, 1 invalid, 2 infeasible, 3 a timeout, 4 the same puzzle as 0, 5 crashed, 6 queued."""
    entries = [
        new(0, "a/one.txt"),
        bad("a/two.txt"),
        new(2, "b/three.txt"),
        new(3, "b/[four].txt"),
        new(0, "again"),
        new(5),
        new(6),
    ]
    batch, run = fill(repository, entries, shard=10)
    claim = take(repository)
    statuses = [Status.SOLVED, Status.INFEASIBLE, Status.TIMEOUT, Status.CRASHED]
    done = [
        (work.pos, outcome(work.puzzle, status, wall_ms=10.0 * (work.pos + 1)))
        for work, status in zip(claim.work, statuses, strict=False)
    ]
    repository.record(claim, done, 60.0)
    return batch, run


def places(found: list[Result]) -> list[int]:
    return [result.pos for result in found]


def test_every_entry_counts_once(repository: Repository) -> None:
    _, run = mixed(repository)
    progress = repository.progress(run)
    assert progress.counts == {
        Status.QUEUED: 1, Status.SOLVED: 2, Status.INFEASIBLE: 1, Status.TIMEOUT: 1,
        Status.INVALID: 1, Status.CRASHED: 1, Status.CANCELLED: 0,
    }  # fmt: skip
    assert (progress.total, progress.done, progress.finished) == (7, 6, False)
    assert (progress.shards_open, progress.shards_leased, progress.name) == (1, 1, "test")


def test_progress_of_a_batch_that_is_still_read(repository: Repository) -> None:
    batch = repository.create_batch("b", {})
    run = repository.create_run(batch, RunOptions())
    assert repository.progress(run).total == 0
    repository.append(batch, run, 0, [new(0), new(1)], shards_of(1))
    drain(repository)
    progress = repository.progress(run)
    assert (progress.total, progress.done, progress.sealed, progress.finished) == (2, 2, False, False)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("by_run", [False, True])
@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ({Status.SOLVED}, [0, 4]), ({Status.INVALID}, [1]), ({Status.INFEASIBLE}, [2]), ({Status.TIMEOUT}, [3]),
        ({Status.CRASHED}, [5]), ({Status.QUEUED}, [6]), ({Status.CANCELLED}, []),
        ({Status.SOLVED, Status.INVALID}, [0, 1, 4]), (set(Status), list(range(7))), (set(), list(range(7))),
    ],
    ids=str,
)  # fmt: skip
def test_results_by_status(repository: Repository, statuses: set[Status], expected: list[int], by_run: bool) -> None:
    batch, run = mixed(repository)
    where = ResultFilter(statuses=frozenset(statuses), run=run if by_run else None)
    found = list(repository.results(batch, where))
    assert places(found) == expected
    assert all(result.status in statuses for result in found) or not statuses


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a/*", [0, 1]), ("*.txt", [0, 1, 2, 3]), ("?/t*", [1, 2]), ("[ab]/[!t]*", [0, 3]), ("b/[[]four].txt", [3]),
        ("AGAIN", []), ("again", [4]), ("agai", []), ("puzzle-[5-9]", [5, 6]), ("[z-a]*", []), ("*[", []), ("a%", []),
        ("b/.four..txt", []), ("*)(*", []),
    ],
)  # fmt: skip
def test_results_by_name(repository: Repository, pattern: str, expected: list[int]) -> None:
    batch, _ = mixed(repository)
    assert places(list(repository.results(batch, ResultFilter(name=pattern)))) == expected


@pytest.mark.usefixtures("way")
def test_results_by_size_and_time(repository: Repository) -> None:
    batch, _ = mixed(repository)
    sizes = {found.pos: found.islands for found in repository.results(batch)}
    assert sizes == {0: 1, 1: None, 2: 2, 3: 2, 4: 1, 5: 2, 6: 2}
    assert places(list(repository.results(batch, ResultFilter(min_islands=2)))) == [2, 3, 5, 6]
    assert places(list(repository.results(batch, ResultFilter(max_islands=1)))) == [0, 4]
    assert places(list(repository.results(batch, ResultFilter(slower_than_ms=30.0)))) == [3, 5]
    assert places(list(repository.results(batch, ResultFilter(max_islands=2, slower_than_ms=5.0)))) == [0, 2, 3, 4, 5]
    both = ResultFilter(frozenset({Status.SOLVED, Status.INVALID}), max_islands=1)
    assert places(list(repository.results(batch, both))) == [0, 4]


@pytest.mark.usefixtures("way")
def test_a_listing_by_status_goes_on_behind_any_position(repository: Repository) -> None:
    batch, _ = fill(repository, [new(pos // 2) for pos in range(40)], shard=50)
    claim = take(repository)
    repository.record(claim, [(work.pos, outcome(work.puzzle)) for work in claim.work if work.pos >= 20], 60.0)
    solved = ResultFilter(frozenset({Status.SOLVED}))
    assert places(list(repository.results(batch, solved))) == list(range(20, 40))
    assert places(list(repository.results(batch, solved, after=20, limit=3))) == [21, 22, 23]
    assert places(list(repository.results(batch, replace(solved, name="puzzle-1?", max_islands=2), limit=1))) == [36]


def test_pages_have_no_seams(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    batch, _ = mixed(repository)
    whole = list(repository.results(batch))
    for size in (1, 2, 3, 7):
        monkeypatch.setattr(queries, "PAGE", size)
        assert list(repository.results(batch)) == whole
        assert list(repository.results(batch, limit=4)) == whole[:4]
        assert list(repository.results(batch, after=2, limit=3)) == whole[3:6]
    assert list(repository.results(batch, limit=0)) == []
    assert [found.puzzle for found in repository.results(batch, with_clues=False)] == [None] * 7
    assert repository.result(batch, 4) == whole[4]
    assert whole[4].id == f"{batch}:4"


@pytest.mark.usefixtures("way")
def test_one_run_shows_what_it_found_and_what_it_is_about(repository: Repository) -> None:
    batch, run = fill(repository, [new(0), new(1), bad(), new(0, "twin")])
    drain(repository, Status.SOLVED)
    again = repository.create_run(batch, RunOptions(), parent=run)
    repository.append_attempts(again, [Job(0, 1, 99.0)], shards_of(1))
    drain(repository, Status.TIMEOUT)
    found = list(repository.results(batch, ResultFilter(run=again)))
    timeout, solved = (ResultFilter(frozenset({status})) for status in (Status.TIMEOUT, Status.SOLVED))
    assert places(list(repository.results(batch, replace(timeout, run=again)))) == [0, 3]
    assert places(list(repository.results(batch, replace(solved, run=run)))) == [0, 1, 3]
    assert places(list(repository.results(batch, replace(timeout, run=run)))) == []
    assert [(result.pos, result.status, result.run, result.budget) for result in found] == [
        (0, Status.TIMEOUT, again, 99.0), (3, Status.TIMEOUT, again, 99.0),
    ]  # fmt: skip
    assert [result.attempts for result in repository.results(batch)] == [2, 1, 0, 2]
    assert repository.result(batch, 0).status is Status.SOLVED
    progress = repository.progress(again)
    assert (progress.total, progress.counts[Status.TIMEOUT]) == (2, 2)


def test_what_is_looked_up_is_what_a_walk_finds(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    batch, run = mixed(repository)
    again = repository.create_run(batch, RunOptions(), parent=run)
    repository.append_attempts(again, [Job(pos, 1, 99.0) for pos in (0, 3, 5)], shards_of(3))
    claim = repository.claim(repository.due_bells(1, run=again)[0].shard, "worker", 60.0)
    assert claim is not None
    repository.finish(claim, [(work.pos, outcome(work.puzzle, Status.SOLVED, wall_ms=50.0)) for work in claim.work])
    statuses = [set(), {Status.INVALID, Status.TIMEOUT}, *({status} for status in Status)]
    for some, islands, slower, number in product(statuses, (None, 2), (None, 30.0), (None, run, again)):
        where = ResultFilter(frozenset(some), min_islands=islands, slower_than_ms=slower, run=number)
        monkeypatch.setattr(search, "OFTEN", 100)
        walked = places(list(repository.results(batch, where)))
        monkeypatch.setattr(search, "OFTEN", 1)
        assert places(list(repository.results(batch, where))) == walked, where


def test_the_slowest_come_first(repository: Repository) -> None:
    _, run = mixed(repository)
    assert places(repository.slowest(run)) == [5, 3, 2, 0]
    assert places(repository.slowest(run, 2)) == [5, 3]
    assert repository.slowest(run, 1)[0].puzzle == board(5)


def test_a_rerun_takes_what_was_not_good_enough(repository: Repository) -> None:
    batch, run = mixed(repository)
    unsure = repository.rerun_jobs(batch, [Status.TIMEOUT, Status.CRASHED])
    assert [(row.job.pos, row.job.budget, row.name, row.status) for row in unsure] == [
        (3, 10.0, "b/[four].txt", Status.TIMEOUT), (5, 10.0, "puzzle-5", Status.CRASHED),
    ]  # fmt: skip
    assert [row.job.pos for row in repository.rerun_jobs(batch, list(Status))] == [0, 2, 3, 5]
    assert [row.job.pos for row in repository.rerun_jobs(batch, list(Status), after=2, limit=1)] == [3]
    again = repository.create_run(batch, RunOptions(), parent=run)
    repository.append_attempts(again, [Job(3, 2, 60.0)], shards_of(1))
    assert [row.job.pos for row in repository.rerun_jobs(batch, [Status.TIMEOUT])] == []
    drain(repository, Status.TIMEOUT, run=again)
    assert [row.job for row in repository.rerun_jobs(batch, [Status.TIMEOUT])] == [Job(3, 2, 60.0, 10)]


def test_a_rerun_of_timeouts_takes_unproved_uniqueness_along(repository: Repository) -> None:
    batch, _ = fill(repository, 3)
    claim = take(repository)
    solved = [outcome(work.puzzle) for work in claim.work]
    unsure = replace(solved[1], termination=Termination.TIMEOUT, uniqueness=Uniqueness.UNKNOWN)
    sure = replace(solved[2], uniqueness=Uniqueness.UNIQUE)
    repository.finish(claim, [(0, solved[0]), (1, unsure), (2, sure)])
    assert [(row.job.pos, row.status) for row in repository.rerun_jobs(batch, [Status.TIMEOUT])] == [(1, Status.SOLVED)]
    assert len(repository.rerun_jobs(batch, [Status.TIMEOUT, Status.SOLVED])) == 3


def test_a_million_rows_never_sit_in_memory(repository: Repository) -> None:
    batch, _ = fill(repository, [NewEntry(f"{i}", "s", 1, None, "e") for i in range(1200)])
    listing = repository.results(batch)
    assert next(listing).pos == 0
    listing.close()  # type: ignore[attr-defined]
    assert sum(1 for _ in repository.results(batch)) == 1200


def test_a_rerun_of_a_batch_that_was_never_read_to_its_end_is_finished_all_the_same(repository: Repository) -> None:
    batch = repository.create_batch("cut short", {})
    run = repository.create_run(batch, RunOptions())
    repository.append(batch, run, 0, [new(0), new(1)], shards_of(2))
    drain(repository, Status.TIMEOUT)
    again = repository.create_run(batch, RunOptions(), parent=run)
    repository.append_attempts(again, [row.job for row in repository.rerun_jobs(batch, {Status.TIMEOUT})], shards_of(2))
    assert not repository.progress(again).sealed
    repository.seal_run(again)
    drain(repository)
    assert repository.progress(again).finished
    assert not repository.progress(run).finished  # its files can still be read to their end
