from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Any

import pytest

from kakehashi.errors import UsageError
from kakehashi.producer import submit as module
from kakehashi.producer.submit import fill, submit, unread
from kakehashi.storage import Repository, RunCancelled, RunOptions, Status
from tests.support.storing import bad, new

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kakehashi.storage import NewEntry

OPTIONS = RunOptions(budget=3.0)


def submit_all(repository: Repository, entries: list[NewEntry], seen: list[tuple[int, int, int]]) -> module.Submitted:
    return submit(
        repository, entries, name="n", source={"paths": ["x"]}, options=OPTIONS,
        on_chunk=lambda *numbers: seen.append(numbers),
    )  # fmt: skip


def test_entries_go_in_by_chunks_and_both_are_sealed(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK_ENTRIES", 20)
    seen: list[tuple[int, int, int]] = []
    with Repository(sqlite_url) as repository:
        entries = [new(i % 30) for i in range(43)] + [bad()]
        done = submit_all(repository, entries, seen)
        assert seen == [(done.batch, done.run, at) for at in (0, 2, 6, 14, 30, 44)]
        assert done.entries == 44
        progress = repository.progress(done.run)
        assert progress.sealed
        assert (progress.total, progress.counts[Status.INVALID], progress.counts[Status.QUEUED]) == (44, 1, 43)
        assert [result.name for result in repository.results(done.batch)] == [entry.name for entry in entries]


def test_a_cancel_ends_the_reading(sqlite_url: str) -> None:
    with Repository(sqlite_url) as repository, pytest.raises(RunCancelled):
        submit(
            repository, map(new, itertools.count()), name="n", source={}, options=OPTIONS,
            on_chunk=lambda batch, run, at: repository.cancel_run(run) if at else None,
        )  # fmt: skip
    with Repository(sqlite_url) as repository:
        assert repository.batch_info(1).entries == module.CHUNK_ENTRIES // 10


def test_slow_reading_does_not_hold_a_chunk_back(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK_SECONDS", 0.0)
    seen: list[tuple[int, int, int]] = []
    with Repository(sqlite_url) as repository:
        submit_all(repository, [new(i) for i in range(3)], seen)
    assert [at for _, _, at in seen] == [0, 1, 2, 3]


def test_no_entry_at_all_is_a_sealed_empty_batch(sqlite_url: str) -> None:
    with Repository(sqlite_url) as repository:
        done = submit_all(repository, [], [])
        assert repository.progress(done.run).finished


def half_submitted(repository: Repository, entries: list[NewEntry]) -> tuple[int, int]:
    """A batch whose submitter died after these entries."""

    def dying() -> Iterator[NewEntry]:
        yield from entries
        raise ConnectionError

    with pytest.raises(ConnectionError):
        submit(repository, dying(), name="n", source={}, options=OPTIONS)
    run = repository.runs(1)[0].id
    return 1, run


def test_a_submission_goes_on_where_it_died(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK_SECONDS", 0.0)
    entries = [new(0), bad(), new(1), new(0), new(2)]
    with Repository(sqlite_url) as repository:
        batch, run = half_submitted(repository, entries[:3])
        info = repository.batch_info(batch)
        assert (info.entries, info.sealed_at) == (3, None)
        assert not repository.progress(run).finished
        rest = unread(repository, batch, entries)
        fill(repository, rest, batch=batch, run=run, at=info.entries, on_chunk=lambda *_: None)
        assert [result.name for result in repository.results(batch)] == [entry.name for entry in entries]
        assert repository.progress(run).sealed


@pytest.mark.parametrize(
    ("again", "why"),
    [
        ([new(0), new(7, "puzzle-1")], "with other clues"),
        ([new(0), new(1, "renamed")], "'renamed'"),
        ([new(0)], "nothing"),
    ],
)
def test_files_that_changed_are_not_resumed(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, again: list[NewEntry], why: str
) -> None:
    monkeypatch.setattr(module, "CHUNK_SECONDS", 0.0)
    with Repository(sqlite_url) as repository:
        batch, _ = half_submitted(repository, [new(0), new(1)])
        with pytest.raises(UsageError, match=f"entry 1 was 'puzzle-1'.*{why}"):
            unread(repository, batch, again)


def test_odd_file_names_and_notes_come_back(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK_SECONDS", 0.0)
    odd = new(0, "a\udcff\0b")
    noted = dataclasses.replace(new(1), note="read as has, though grid fits too")
    with Repository(sqlite_url) as repository:
        batch, _ = half_submitted(repository, [odd, noted])
        assert list(unread(repository, batch, [odd, noted])) == []  # it is the same file
        assert [result.note for result in repository.results(batch)] == [None, noted.note]


def test_a_batch_is_never_seen_without_its_run(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    writes: list[list[int]] = []
    with Repository(sqlite_url) as repository, Repository(sqlite_url) as other:
        write = repository._db.write

        def watched(*arguments: Any, **options: Any) -> Any:
            done = write(*arguments, **options)
            writes.append([run.id for batch in other.batches() for run in other.runs(batch.id)])
            return done

        monkeypatch.setattr(repository._db, "write", watched)
        submit_all(repository, [new(0)], [])
    assert writes
    assert all(runs == [1] for runs in writes)
