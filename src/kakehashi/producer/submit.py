"""From entries to a sealed batch with a run: in chunks, one transaction each, so that work starts before the end."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kakehashi.errors import UsageError
from kakehashi.producer.known import Memory
from kakehashi.producer.plan import cut
from kakehashi.storage.codec import clean
from kakehashi.storage.records import NewEntry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from kakehashi.storage import Repository
    from kakehashi.storage.records import RunOptions

CHUNK_ENTRIES = 2000
"""Most entries of one transaction."""

CHUNK_SECONDS = 0.5
"""A chunk is closed after this long even when it is small: slow reading must not keep the workers waiting."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """A batch that is whole, and its run."""

    batch: int
    run: int
    entries: int


def submit(
    repository: Repository,
    entries: Iterable[NewEntry],
    *,
    name: str,
    source: dict[str, Any],
    options: RunOptions,
    on_chunk: Callable[[int, int, int], None] = lambda batch, run, entries: None,
    skip_known: bool = False,
) -> Submitted:
    """Store the entries as a new batch with a run over all of it, and seal both.

    Args:
        entries: read as they come; never held as a whole.
        name: what people call the batch.
        source: what was handed in, kept with the batch so that `resume` can go on reading.
        options: how the run solves.
        on_chunk: called with batch, run and the number of entries so far: once before the first and after each chunk.
            The place to ring bells and to show progress.
        skip_known: give puzzles whose answer the database has already, turned or mirrored, that answer.
    """
    memory = Memory(repository, options) if skip_known else None
    batch, run = repository.begin(name, source, options)
    return fill(repository, entries, batch=batch, run=run, at=0, on_chunk=on_chunk, memory=memory)


def fill(
    repository: Repository,
    entries: Iterable[NewEntry],
    *,
    batch: int,
    run: int,
    at: int,
    on_chunk: Callable[[int, int, int], None],
    memory: Memory | None = None,
) -> Submitted:
    """Append entries to an unsealed batch from position `at` on, and seal it with its run.

    With `memory`, puzzles whose answer is known get it, and are not solved.
    """
    on_chunk(batch, run, at)
    for chunk in _chunks(entries):
        repository.append(batch, run, at, chunk if memory is None else memory.look_up(chunk), cut)
        at += len(chunk)
        on_chunk(batch, run, at)
    repository.seal_batch(batch)
    repository.seal_run(run)
    return Submitted(batch, run, at)


def unread(repository: Repository, batch: int, entries: Iterable[NewEntry]) -> Iterator[NewEntry]:
    """Skip what the batch holds already, and make sure that it is the same.

    Raises:
        UsageError: the files do not give the entries any more that the batch holds.
    """
    entries = iter(entries)
    for stored in repository.results(batch):
        again = next(entries, None)
        if again is None or clean(again.name) != stored.name or again.puzzle != stored.puzzle:
            found = "nothing" if again is None else f"{again.name!r}"
            raise UsageError(
                f"batch {batch} cannot be resumed: entry {stored.pos} was {stored.name!r}, but its files now give "
                f"{found}{' with other clues' if again is not None and clean(again.name) == stored.name else ''}; "
                "submit the files as a new batch"
            )
    return entries


def _chunks(entries: Iterable[NewEntry]) -> Iterator[list[NewEntry]]:
    """Group entries into chunks by number and by time; they grow from small ones, so that the workers start early."""
    entries = iter(entries)
    most = CHUNK_ENTRIES // 10
    while True:
        chunk: list[NewEntry] = []
        ends_at = time.monotonic() + CHUNK_SECONDS
        for entry in itertools.islice(entries, most):
            chunk.append(entry)
            if time.monotonic() >= ends_at:
                break
        if not chunk:
            return
        yield chunk
        most = min(CHUNK_ENTRIES, 2 * most)
