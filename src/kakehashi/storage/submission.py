"""Putting work in: batches, runs, chunks of entries, shards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, insert, select, update

from kakehashi.storage import tallies
from kakehashi.storage.bulk import insert_many, planned_afresh
from kakehashi.storage.codec import clean, pack
from kakehashi.storage.database import now
from kakehashi.storage.errors import NotFound, RunCancelled, StorageError
from kakehashi.storage.known import add_known
from kakehashi.storage.records import Job, NewEntry, RunOptions
from kakehashi.storage.schema import attempt, batch, entry, puzzle, run, shard
from kakehashi.storage.store import Store

if TYPE_CHECKING:
    from sqlalchemy import Connection

Cut = Callable[[Sequence[Job]], Iterable[int]]
"""Cuts a list of jobs into shards: the sizes, one after the other, that add up to the length of the list."""

_LOOK_UP_AT_ONCE = 500
"""Digests in one query: SQLite once allowed no more than 999 parameters."""

_batch_state = select(batch.c.entries, batch.c.sealed_at).where(batch.c.id == bindparam("at_batch")).with_for_update()
_run_state = (
    select(run.c.batch, run.c.sealed_at, run.c.cancelled_at)
    .where(run.c.id == bindparam("at_run"))
    .with_for_update(read=True)
)
_by_digest = select(puzzle.c.digest, puzzle.c.pos).where(
    puzzle.c.batch == bindparam("at_batch"), puzzle.c.digest.in_(bindparam("digests", expanding=True))
)
_count_entries = (
    update(batch)
    .where(batch.c.id == bindparam("at_batch"))
    .values(entries=batch.c.entries + bindparam("new"), invalid=batch.c.invalid + bindparam("new_invalid"))
)
_last_entry = select(entry.c.name, entry.c.source, entry.c.line).where(
    entry.c.batch == bindparam("at_batch"), entry.c.pos == bindparam("at_pos")
)


class Submission(Store):
    """The submitter's half of the repository."""

    def create_batch(self, name: str, source: dict[str, Any]) -> int:
        """Begin a batch; `source` is kept as JSON for whoever resumes the submission. The batch's number."""
        return self._db.write(lambda connection: _insert_batch(connection, name, source))

    def begin(self, name: str, source: dict[str, Any], options: RunOptions) -> tuple[int, int]:
        """Begin a batch and the run over all of it, in one transaction: nobody ever sees one without the other.

        Returns:
            The numbers of the batch and of the run.
        """

        def work(connection: Connection) -> tuple[int, int]:
            number = _insert_batch(connection, name, source)
            return number, _insert_run(connection, number, options, None)

        return self._db.write(work)

    def create_run(self, batch: int, options: RunOptions, parent: int | None = None) -> int:
        """Begin a run over a batch; with `parent` it is a rerun of a part of it. The run's number.

        Raises:
            NotFound: there is no such batch.
        """

        def work(connection: Connection) -> int:
            _require(connection, _batch_state, {"at_batch": batch}, f"there is no batch {batch}")
            if parent is not None:
                _require(connection, _run_state, {"at_run": parent}, f"there is no run {parent}")
            return _insert_run(connection, batch, options, parent)

        return self._db.write(work)

    def append(self, batch: int, run: int, first_pos: int, entries: Sequence[NewEntry], cut: Cut) -> None:
        """Add a chunk of entries, with their puzzles, attempts and shards, in one transaction.

        A puzzle that the batch has already becomes another entry of the same puzzle. The memory needed is that of the
        chunk, however large the batch is.

        Raises:
            StorageError: `first_pos` is not the number of entries so far (somebody else is submitting to this batch),
                or the batch or the run is sealed.
            RunCancelled: the run was cancelled.
        """
        chunk = _Chunk(batch, run, first_pos, entries)
        tries = 0

        def work(connection: Connection) -> None:
            nonlocal tries
            tries += 1
            _open_run(connection, run, batch)
            state = _require(connection, _batch_state, {"at_batch": batch}, f"there is no batch {batch}")
            if tries > 1 and state.entries == first_pos + len(entries) and chunk.is_last(connection):
                return  # the connection was lost while the commit was on its way, and it had arrived
            if state.sealed_at is not None:
                raise StorageError(f"batch {batch} is sealed: nothing can be added to it")
            if state.entries != first_pos:
                raise StorageError(
                    f"batch {batch} has {state.entries} entries where {first_pos} were expected: "
                    "is somebody else submitting to it?"
                )
            chunk.write(connection, cut)

        if entries:
            self._db.write(work)

    def append_attempts(self, run: int, jobs: Sequence[Job], cut: Cut) -> None:
        """Add attempts at puzzles that the batch has already, and their shards: a rerun. Positions ascend.

        Raises:
            StorageError: the positions do not ascend, or the run is sealed or has one of them already.
            RunCancelled: the run was cancelled.
        """
        if any(after.pos <= before.pos for before, after in pairwise(jobs)):
            raise StorageError("the positions of a rerun have to ascend")
        tries = 0

        def work(connection: Connection) -> None:
            nonlocal tries
            tries += 1
            batch = _open_run(connection, run)
            last = select(attempt.c.pos).where(attempt.c.run == run).order_by(attempt.c.pos.desc()).limit(1)
            reached = connection.execute(last).scalar()
            if tries > 1 and reached == jobs[-1].pos:
                return  # committed, and the answer was lost
            if reached is not None and reached >= jobs[0].pos:
                raise StorageError(f"run {run} has attempts up to position {reached} already")
            _add_attempts(connection, run, jobs, cut)
            again = tallies.copies(connection, batch, {job.pos for job in jobs})
            if again:
                tallies.add(connection, run, attempts=sum(again.values()))

        if jobs:
            self._db.write(work)

    def seal_batch(self, batch: int) -> None:
        """Say that all entries are in. Idempotent. NotFound: there is no such batch."""
        self._seal(schema_batch, batch, f"there is no batch {batch}")

    def seal_run(self, run: int) -> None:
        """Say that all attempts are in. Idempotent. NotFound: there is no such run."""
        self._seal(schema_run, run, f"there is no run {run}")

    def _seal(self, table: Any, number: int, missing: str) -> None:
        def work(connection: Connection) -> None:
            known = select(table.c.sealed_at).where(table.c.id == number)
            _require(connection, known, {}, missing)
            statement = update(table).where(table.c.id == number, table.c.sealed_at.is_(None))
            connection.execute(statement.values(sealed_at=now()))

        self._db.write(work)


schema_batch, schema_run = batch, run  # the methods above have parameters of these names


class _Chunk:
    """Entries on their way in, with everything reckoned that needs no database."""

    def __init__(self, batch: int, run: int, first_pos: int, entries: Sequence[NewEntry]) -> None:
        self.batch, self.run, self.first_pos, self.entries = batch, run, first_pos, entries
        self.digests: list[bytes | None] = []
        self.puzzles: dict[bytes, tuple[Any, ...]] = {}  # the first of each, as a row
        for pos, new in enumerate(entries, first_pos):
            board = new.puzzle
            if board is None:
                if new.error is None:
                    raise StorageError(f"entry {pos} has neither a puzzle nor an error")
                self.digests.append(None)
                continue
            digest = board.digest
            self.digests.append(digest)
            if digest not in self.puzzles:
                islands = board.island_count
                touching = board.touching.value
                self.puzzles[digest] = (
                    batch, pos, digest, board.rows, board.cols, islands, board.variant, touching, pack(board.cells),
                    new.canonical,
                )  # fmt: skip

    def write(self, connection: Connection, cut: Cut) -> None:
        known = self._known(connection)
        place = {digest: row[1] for digest, row in self.puzzles.items()} | known
        fresh = [row for digest, row in self.puzzles.items() if digest not in known]
        insert_many(connection, puzzle, _PUZZLE_COLUMNS, fresh)
        insert_many(connection, entry, _ENTRY_COLUMNS, self._entry_rows(place))
        budget = self._budget(connection)
        answers = {row[1]: self.entries[row[1] - self.first_pos].answer for row in fresh}
        open_jobs = [Job(row[1], row[5], budget, row[3] * row[4]) for row in fresh if answers[row[1]] is None]
        _add_attempts(connection, self.run, open_jobs, cut)
        final = {pos: answer for pos, answer in answers.items() if answer is not None}
        add_known(connection, self.batch, self.run, budget, final)
        repeated = Counter(place[digest] for digest in self.digests if digest is not None)
        repeated.subtract(row[1] for row in fresh)
        if repeated := +repeated:
            tallies.add_copies(connection, self.batch, repeated)
        counts = {"new": len(self.entries), "new_invalid": self.digests.count(None)}
        connection.execute(_count_entries, {"at_batch": self.batch, **counts})

    def is_last(self, connection: Connection) -> bool:
        """Whether the batch's last entry is the last of this chunk."""
        pos = self.first_pos + len(self.entries) - 1
        found = connection.execute(_last_entry, {"at_batch": self.batch, "at_pos": pos}).one_or_none()
        last = self.entries[-1]
        return found is not None and tuple(found) == (clean(last.name), clean(last.source), last.line)

    def _known(self, connection: Connection) -> dict[bytes, int]:
        digests = list(self.puzzles)
        known: dict[bytes, int] = {}
        if self.first_pos == 0:
            return known
        with planned_afresh(connection):
            for start in range(0, len(digests), _LOOK_UP_AT_ONCE):
                asked = digests[start : start + _LOOK_UP_AT_ONCE]
                rows = connection.execute(_by_digest, {"at_batch": self.batch, "digests": asked})
                known.update((bytes(digest), pos) for digest, pos in rows)
        return known

    def _entry_rows(self, place: dict[bytes, int]) -> list[tuple[Any, ...]]:
        rows = []
        for pos, (new, digest) in enumerate(zip(self.entries, self.digests, strict=True), self.first_pos):
            error = None if new.error is None or digest is not None else clean(new.error)
            note = None if new.note is None else clean(new.note)
            first = None if digest is None else place[digest]
            rows.append((self.batch, pos, clean(new.name), clean(new.source), new.line, error, note, first))
        return rows

    def _budget(self, connection: Connection) -> float:
        options = connection.execute(select(run.c.options).where(run.c.id == self.run)).scalar_one()
        return RunOptions.from_json(options).budget


_PUZZLE_COLUMNS = ("batch", "pos", "digest", "rows", "cols", "islands", "variant", "touching", "clues", "canonical")
_ENTRY_COLUMNS = ("batch", "pos", "name", "source", "line", "error", "note", "puzzle")


def _add_attempts(connection: Connection, run: int, jobs: Sequence[Job], cut: Cut) -> None:
    if not jobs:
        return
    rows = []
    start = 0
    for size in cut(jobs):
        part = jobs[start : start + size]
        if size < 1 or len(part) != size:
            raise StorageError(f"{len(jobs)} attempts cannot be cut at {start} into a shard of {size}")
        rows.append((run, part[0].pos, part[-1].pos, size, max(job.budget for job in part)))
        start += size
    if start != len(jobs):
        raise StorageError(f"the shards hold {start} of {len(jobs)} attempts")
    insert_many(connection, attempt, ("run", "pos", "budget"), [(run, job.pos, job.budget) for job in jobs])
    insert_many(connection, shard, ("run", "first", "last", "attempts", "budget"), rows)
    tallies.add(connection, run, attempts=len(jobs), shards_open=len(rows))


def _insert_batch(connection: Connection, name: str, source: dict[str, Any]) -> int:
    statement = insert(batch).values(name=clean(name), source=source, created_at=now()).returning(batch.c.id)
    return int(connection.execute(statement).scalar_one())


def _insert_run(connection: Connection, batch: int, options: RunOptions, parent: int | None) -> int:
    stops_at = None if options.total_budget is None else now() + options.total_budget
    values = {
        "batch": batch, "parent": parent, "options": options.to_json(), "created_at": now(), "stops_at": stops_at
    }  # fmt: skip
    number = int(connection.execute(insert(run).values(**values).returning(run.c.id)).scalar_one())
    tallies.begin(connection, number)
    return number


def _open_run(connection: Connection, number: int, batch: int | None = None) -> int:
    """Make sure that the run exists, belongs to the batch, and takes more; its batch."""
    state = _require(connection, _run_state, {"at_run": number}, f"there is no run {number}")
    if batch is not None and state.batch != batch:
        raise StorageError(f"run {number} belongs to batch {state.batch}, not to {batch}")
    if state.sealed_at is not None:
        raise StorageError(f"run {number} is sealed: nothing can be added to it")
    if state.cancelled_at is not None:
        raise RunCancelled(f"run {number} was cancelled: no more puzzles are added to it")
    return int(state.batch)


def _require(connection: Connection, statement: Any, parameters: dict[str, Any], missing: str) -> Any:
    found = connection.execute(statement, parameters).one_or_none()
    if found is None:
        raise NotFound(missing)
    return found
