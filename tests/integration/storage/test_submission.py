from __future__ import annotations

import pytest

from kakehashi.puzzle import Puzzle, Touching
from kakehashi.storage import Job, NewEntry, NotFound, Repository, RunCancelled, RunOptions, Status, StorageError
from tests.support.storing import bad, board, drain, fill, new, shards_of


def test_a_batch_remembers_what_was_handed_in(repository: Repository) -> None:
    batch = repository.create_batch("mine", {"paths": ["a", "ü"], "recursive": True})
    info = repository.batch_info(batch)
    assert (info.name, info.source, info.entries, info.sealed_at) == (
        "mine",
        {"paths": ["a", "ü"], "recursive": True},
        0,
        None,
    )
    assert repository.latest_batch() == info


def test_entries_come_back_as_they_went_in(repository: Repository) -> None:
    huge = Puzzle(60, 70, bytes([*[1, 0, 8, 3] * 1049, 1, 2, 3, 4]), Touching.JOIN)
    strict = Puzzle(1, 3, b"\x01\x00\x01", Touching.REJECT)
    batch, run = fill(repository, [new(1), bad(), NewEntry("huge", "h", 7, huge), NewEntry("strict", "s", 9, strict)])
    first, second, third, fourth = repository.results(batch)
    assert (first.name, first.source, first.line, first.puzzle, first.status) == (
        "puzzle-1",
        "dir/1.txt",
        1,
        board(1),
        Status.QUEUED,
    )
    assert (second.status, second.error, second.line, second.puzzle) == (Status.INVALID, bad().error, 3, None)
    assert (third.puzzle, third.rows, third.cols, third.islands) == (huge, 60, 70, len(huge.islands))
    assert fourth.puzzle == strict
    assert repository.batch_info(batch).invalid == 1
    assert repository.run_info(run).options == RunOptions(budget=10.0)


def test_equal_puzzles_are_entries_of_one_puzzle_over_chunks_too(repository: Repository) -> None:
    batch = repository.create_batch("twins", {})
    run = repository.create_run(batch, RunOptions())
    repository.append(batch, run, 0, [new(1, "a"), new(2, "b"), new(1, "c")], shards_of(10))
    repository.append(batch, run, 3, [bad(), new(2, "d"), new(3, "e"), new(1, "f")], shards_of(10))
    repository.append(batch, run, 7, [new(2, "g")], shards_of(10))
    progress = repository.progress(run)
    assert (progress.total, progress.counts[Status.INVALID], progress.counts[Status.QUEUED]) == (8, 1, 7)
    assert progress.shards_open == 2
    drain(repository)
    done = repository.progress(run)
    assert (done.counts[Status.SOLVED], done.counts[Status.INVALID], done.done) == (7, 1, 8)
    assert [found.name for found in repository.results(batch) if found.status is Status.SOLVED] == list("abcdefg")


def test_a_second_submitter_is_refused(repository: Repository) -> None:
    batch = repository.create_batch("b", {})
    run = repository.create_run(batch, RunOptions())
    repository.append(batch, run, 0, [new(1)], shards_of(1))
    with pytest.raises(StorageError, match="has 1 entries where 0 were expected"):
        repository.append(batch, run, 0, [new(1)], shards_of(1))
    assert repository.batch_info(batch).entries == 1


def test_nothing_is_added_to_what_is_sealed(repository: Repository) -> None:
    batch, run = fill(repository, 2)
    with pytest.raises(StorageError, match="sealed"):
        repository.append(batch, run, 2, [new(5)], shards_of(1))
    again = repository.create_run(batch, RunOptions(), parent=run)
    with pytest.raises(StorageError, match="batch 1 is sealed"):
        repository.append(batch, again, 2, [new(5)], shards_of(1))
    with pytest.raises(StorageError, match="sealed"):
        repository.append_attempts(run, [Job(0, 1, 1.0)], shards_of(1))


def test_nothing_is_added_to_what_is_cancelled(repository: Repository) -> None:
    batch, run = repository.begin("b", {}, RunOptions())
    repository.append(batch, run, 0, [new(1)], shards_of(1))
    repository.cancel_run(run)
    with pytest.raises(RunCancelled, match="run 1 was cancelled: no more puzzles are added to it"):
        repository.append(batch, run, 1, [new(2)], shards_of(1))
    again = repository.create_run(batch, RunOptions(), parent=run)
    repository.cancel_run(again)
    with pytest.raises(RunCancelled, match="run 2 was cancelled"):
        repository.append_attempts(again, [Job(0, 1, 1.0)], shards_of(1))
    assert not repository.progress(run).finished
    assert repository.cancel_rows() == 1
    assert repository.progress(run).finished
    assert repository.progress(run).total == 1


def test_sealing_twice_keeps_the_first_time(repository: Repository) -> None:
    batch, run = fill(repository, 1)
    before = repository.batch_info(batch), repository.run_info(run)
    repository.seal_batch(batch)
    repository.seal_run(run)
    assert (repository.batch_info(batch), repository.run_info(run)) == before


@pytest.mark.parametrize("sizes", [[], [2], [3, 1], [0, 3], [2, 2], [-1, 4]])
def test_shards_must_make_up_the_attempts(repository: Repository, sizes: list[int]) -> None:
    batch = repository.create_batch("b", {})
    run = repository.create_run(batch, RunOptions())
    with pytest.raises(StorageError):
        repository.append(batch, run, 0, [new(1), new(2), new(3)], lambda _: sizes)
    assert repository.batch_info(batch).entries == 0
    assert list(repository.results(batch)) == []


def test_an_entry_needs_a_puzzle_or_an_error(repository: Repository) -> None:
    batch = repository.create_batch("b", {})
    run = repository.create_run(batch, RunOptions())
    with pytest.raises(StorageError, match="neither"):
        repository.append(batch, run, 0, [NewEntry("n", "s", 1, None)], shards_of(1))


def test_names_that_a_database_refuses_are_escaped(repository: Repository) -> None:
    batch, _ = fill(repository, [NewEntry("a\0b", "\udce9.txt", 1, None, "found '\0'"), new(1, "橋.txt")])
    odd, plain = repository.results(batch)
    assert (odd.name, odd.source, odd.error) == (r"a\x00b", r"\udce9.txt", r"found '\x00'")
    assert plain.name == "橋.txt"


def test_a_rerun_adds_attempts_in_pages(repository: Repository) -> None:
    batch, run = fill(repository, 6)
    drain(repository, Status.TIMEOUT)
    again = repository.create_run(batch, RunOptions(budget=60), parent=run)
    repository.append_attempts(again, [Job(0, 1, 40.0), Job(2, 1, 60.0)], shards_of(2))
    repository.append_attempts(again, [Job(5, 1, 30.0)], shards_of(2))
    with pytest.raises(StorageError, match="up to position 5"):
        repository.append_attempts(again, [Job(5, 1, 30.0)], shards_of(2))
    with pytest.raises(StorageError, match="ascend"):
        repository.append_attempts(again, [Job(8, 1, 30.0), Job(7, 1, 30.0)], shards_of(2))
    repository.seal_run(again)
    assert [bell.budget for bell in repository.due_bells(10)] == [60.0, 30.0]
    assert repository.progress(again).total == 3
    assert [info.parent for info in repository.runs(batch)] == [None, run]


def test_unknown_numbers_are_not_found(repository: Repository) -> None:
    assert repository.latest_batch() is None
    for call in (
        lambda: repository.batch_info(7), lambda: repository.run_info(7), lambda: repository.runs(7),
        lambda: repository.progress(7), lambda: repository.results(7), lambda: repository.result(7, 0),
        lambda: repository.seal_batch(7), lambda: repository.seal_run(7), lambda: repository.cancel_run(7),
        lambda: repository.create_run(7, RunOptions()), lambda: repository.slowest(7),
        lambda: repository.append(7, 7, 0, [new(1)], shards_of(1)),
        lambda: repository.rerun_jobs(7, [Status.TIMEOUT]),
    ):  # fmt: skip
        with pytest.raises(NotFound, match=r"there is no (batch|run) 7"):
            call()


def test_the_newest_batches_come_first(repository: Repository) -> None:
    numbers = [repository.create_batch(str(i), {}) for i in range(5)]
    assert [info.id for info in repository.batches(3)] == numbers[:1:-1]


def test_a_batch_and_its_run_begin_together(repository: Repository) -> None:
    batch, run = repository.begin("a \0 name", {"paths": ["x"]}, RunOptions(budget=3.0))
    assert (repository.batch_info(batch).name, repository.batch_info(batch).source) == (
        "a \\x00 name",
        {"paths": ["x"]},
    )
    info = repository.run_info(run)
    assert (info.batch, info.parent, info.options.budget, info.sealed_at) == (batch, None, 3.0, None)
