"""Reading what came out: progress, results, what a rerun may take. Nothing here writes.

A listing goes page by page along the key (`WHERE pos > last ORDER BY pos LIMIT n`): each page is a short transaction of
its own, and a million rows never sit in memory.
"""

from __future__ import annotations

from functools import partial
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, bindparam, func, or_, select

from kakehashi.puzzle import Termination, Uniqueness, Verdict
from kakehashi.storage import outcomes
from kakehashi.storage.bulk import along_the_key, behind, page_along_the_key
from kakehashi.storage.codec import stored_puzzle, unpack
from kakehashi.storage.database import now
from kakehashi.storage.errors import NotFound
from kakehashi.storage.records import (
    Job,
    Progress,
    RerunJob,
    Result,
    ResultFilter,
    Status,
    status_of,
)
from kakehashi.storage.schema import attempt, batch, entry, puzzle, run, shard, tally
from kakehashi.storage.search import RANKS, Scope, conditions, of_puzzle, places
from kakehashi.storage.store import AnyRow, Store

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from sqlalchemy import ColumnElement, Connection, FromClause, Select

PAGE = 500
"""Rows of one page of a listing."""

MOST_VISITS = 8000
"""Entries that are looked at in one query, where few of those before matched."""

_sums = select(
    *(func.sum(tally.c[name]).label(name) for name in ("attempts", *outcomes.COUNTED, "known", "shards_open")),
    func.min(tally.c.first_claim).label("first_claim"),
    func.max(tally.c.last_write).label("last_write"),
).where(tally.c.run == bindparam("at_run"))
_in_hand = select(func.count().label("shards"), func.min(shard.c.claimed_at).label("first_claim")).where(
    shard.c.run == bindparam("at_run"), shard.c.token.is_not(None)
)
_run = (
    select(
        run.c.batch, run.c.parent, run.c.created_at, run.c.sealed_at, run.c.cancelled_at, run.c.stops_at,
        batch.c.name, batch.c.sealed_at.label("batch_sealed_at"), batch.c.entries, batch.c.invalid,
        now().label("now"),
    )
    .join_from(run, batch, batch.c.id == run.c.batch)
    .where(run.c.id == bindparam("at_run"))
)  # fmt: skip

_finished_attempts = (
    select(func.count())
    .select_from(attempt)
    .where(
        attempt.c.run.in_(bindparam("runs", expanding=True)),
        attempt.c.pos == entry.c.puzzle,
        attempt.c.termination.is_not(None),
    )
    .correlate(entry)
    .scalar_subquery()
    .label("attempts")
)
_columns = (
    entry.c.batch, entry.c.pos, entry.c.name, entry.c.source, entry.c.line, entry.c.error.label("entry_error"),
    entry.c.note, entry.c.puzzle, puzzle.c.rows, puzzle.c.cols, puzzle.c.islands, puzzle.c.variant, puzzle.c.touching,
    attempt.c.run, attempt.c.budget, attempt.c.verdict, attempt.c.termination, attempt.c.uniqueness,
    attempt.c.wall_ms, attempt.c.cpu_ms, attempt.c.engine, attempt.c.error, attempt.c.solution,
    attempt.c.confirmed_by, attempt.c.confirm_ms, attempt.c.known_from,
    _finished_attempts,
)  # fmt: skip
_its_puzzle = and_(puzzle.c.batch == of_puzzle(entry.c.batch), puzzle.c.pos == entry.c.puzzle)
_entries = entry.outerjoin(puzzle, _its_puzzle)
_with_best = _entries.outerjoin(attempt, and_(attempt.c.run == puzzle.c.best_run, attempt.c.pos == puzzle.c.pos))
_its_attempt = and_(
    attempt.c.run == of_puzzle(bindparam("at_run", type_=run.c.id.type)), attempt.c.pos == entry.c.puzzle
)
_with_run = _entries.outerjoin(attempt, _its_attempt)
_at_positions = entry.c.pos.in_(bindparam("positions", expanding=True, literal_execute=True))
_slowest = (
    select(attempt.c.pos)
    .where(attempt.c.run == bindparam("at_run"), attempt.c.wall_ms.is_not(None))
    .order_by(attempt.c.wall_ms.desc())
    .limit(bindparam("most"))
)


class Queries(Store):
    """What status, results and reruns read."""

    def progress(self, run: int) -> Progress:
        """Where a run stands, by its tally and the shards in hand. NotFound: there is no such run."""

        def work(connection: Connection) -> Progress:
            found = connection.execute(_run, {"at_run": run}).one_or_none()
            if found is None:
                raise NotFound(f"there is no run {run}")
            sums = connection.execute(_sums, {"at_run": run}).one()
            return _progress(run, found, sums, connection.execute(_in_hand, {"at_run": run}).one())

        return self._db.read(work)

    def slowest(self, run: int, limit: int = 5) -> list[Result]:
        """The attempts of a run that took longest, longest first, each shown at the first entry of its puzzle."""
        found = self._rows(select(_run_batch).where(_run_id == run))
        if not found:
            raise NotFound(f"there is no run {run}")
        statement = _listing(True, _with_run).where(_at_positions)
        at_batch = found[0][0]
        parameters = {"at_batch": at_batch, "at_run": run, "runs": self._runs(at_batch)}

        def work(connection: Connection) -> list[AnyRow]:
            along_the_key(connection)
            positions = connection.execute(_slowest, {"at_run": run, "most": limit}).scalars().all()
            return page_along_the_key(connection, statement, {**parameters, "positions": positions})

        rows = sorted(self._db.read(work), key=lambda row: (-row.wall_ms, row.pos))
        return [_result(row) for row in rows]

    def results(
        self,
        batch: int,
        where: ResultFilter = ResultFilter(),  # noqa: B008 (frozen)
        *,
        limit: int | None = None,
        after: int = -1,
        with_clues: bool = True,
    ) -> Iterator[Result]:
        """The entries of a batch in order of position, after position `after`, with the best that is known of each.

        With `where.run`, what this run found, and only entries that this run is about. Without `with_clues` the
        results carry no puzzle. The pages are read as the iterator advances.

        Raises:
            NotFound: there is no such batch; or the run is not one of it.
        """
        runs = self._runs(batch)
        if where.run is not None and where.run not in runs:
            raise NotFound(f"there is no run {where.run} of batch {batch}")
        statement = _listing(with_clues, _with_best if where.run is None else _with_run).where(*conditions(where))
        whole = True
        if where.run is not None:
            whole = self._rows(select(_run_parent).where(_run_id == where.run))[0][0] is None
            about = of_puzzle(attempt.c.run).is_not(None)
            statement = statement.where(or_(about, entry.c.puzzle.is_(None)) if whole else about)
        return self._pages(statement, Scope(batch, runs, where, whole), limit, after)

    def result(self, batch: int, pos: int) -> Result:
        """The entry at this position with the best that is known of it. NotFound: there is no such entry."""
        for found in self.results(batch, limit=1, after=pos - 1):
            if found.pos == pos:
                return found
        raise NotFound(f"there is no puzzle {batch}:{pos}")

    def rerun_jobs(
        self, batch: int, statuses: Collection[Status], *, after: int = -1, limit: int = 1000
    ) -> list[RerunJob]:
        """A page of the puzzles whose best known outcome is in `statuses`, after position `after`.

        `TIMEOUT` takes solved puzzles along whose uniqueness ran out of time. Puzzles that an unfinished run has still
        to attempt are left out. The job's budget is the largest that the puzzle ever had.
        """
        wanted = [rank for status in statuses for rank in RANKS.get(status, ())]
        chosen: ColumnElement[bool] = puzzle.c.best_rank.in_(wanted)
        if Status.TIMEOUT in statuses and Status.SOLVED not in statuses:
            chosen = or_(
                chosen,
                and_(
                    puzzle.c.best_rank == outcomes.RANK[Status.SOLVED],
                    attempt.c.termination == Termination.TIMEOUT.value,
                ),
            )
        statement = _rerun.where(chosen)
        parameters = {"at_batch": batch, "runs": self._runs(batch), "after": after, "most": limit}
        return [
            RerunJob(
                Job(row.pos, row.islands, row.budget, row.rows * row.cols),
                row.name,
                status_of(Verdict(row.verdict), Termination(row.termination)),
            )
            for row in self._db.read(partial(page_along_the_key, statement=statement, parameters=parameters))
        ]

    def open_leases(self) -> int:
        """How many shards are held by somebody."""
        return int(self._rows(_leases)[0][0])

    def _runs(self, batch_number: int) -> list[int]:
        rows = self._rows(_runs_of, {"at_batch": batch_number})
        if not rows:
            raise NotFound(f"there is no batch {batch_number}")
        return [number for _, number in rows if number is not None]

    def _pages(self, statement: Select[Any], scope: Scope, limit: int | None, after: int) -> Iterator[Result]:
        if limit == 0:
            return
        parameters = {"at_batch": scope.batch, "at_run": scope.where.run, "runs": scope.runs}
        size = PAGE if limit is None else min(PAGE, limit)
        found = self._db.read(partial(places, scope=scope, after=after))
        if found.positions is None:
            rows = self._walk(statement, parameters, found.after, size)
        else:
            rows = self._visit(statement, parameters, found.positions, size)
        yield from map(_result, islice(rows, limit))

    def _walk(self, statement: Select[Any], parameters: dict[str, Any], after: int, size: int) -> Iterator[AnyRow]:
        page = statement.where(entry.c.pos > bindparam("after")).order_by(entry.c.pos).limit(size)
        while True:
            here = {**parameters, "after": after}
            rows = self._db.read(partial(page_along_the_key, statement=page, parameters=here))
            yield from rows
            if len(rows) < size:
                return
            after = rows[-1].pos

    def _visit(
        self, statement: Select[Any], parameters: dict[str, Any], positions: Sequence[int], size: int
    ) -> Iterator[AnyRow]:
        page = statement.where(_at_positions)
        start, step = 0, size
        while start < len(positions):
            here = {**parameters, "positions": positions[start : start + step]}
            rows = self._db.read(partial(page_along_the_key, statement=page, parameters=here))
            yield from sorted(rows, key=attrgetter("pos"))
            start += step
            step = min(4 * step, MOST_VISITS) if 4 * len(rows) <= size else size


_run_id, _run_batch, _run_parent = run.c.id, run.c.batch, run.c.parent
_runs_of = (
    select(batch.c.id, run.c.id).select_from(batch.outerjoin(run, run.c.batch == batch.c.id))
).where(batch.c.id == bindparam("at_batch"))  # fmt: skip
_leases = select(func.count()).where(shard.c.token.is_not(None))

_other = attempt.alias("other")
_largest_budget = (
    select(func.max(_other.c.budget))
    .where(_other.c.run.in_(bindparam("runs", expanding=True)), _other.c.pos == puzzle.c.pos)
    .correlate(puzzle)
    .scalar_subquery()
    .label("budget")
)
_still_open = (
    select(func.count())
    .where(
        _other.c.run.in_(bindparam("runs", expanding=True)),
        _other.c.pos == puzzle.c.pos,
        _other.c.termination.is_(None),
    )
    .correlate(puzzle)
    .scalar_subquery()
)
_rerun = (
    select(
        puzzle.c.pos,
        puzzle.c.islands,
        puzzle.c.rows,
        puzzle.c.cols,
        _largest_budget,
        entry.c.name,
        attempt.c.verdict,
        attempt.c.termination,
    )
    .select_from(
        puzzle.outerjoin(attempt, and_(attempt.c.run == puzzle.c.best_run, attempt.c.pos == puzzle.c.pos)).outerjoin(
            entry, and_(entry.c.batch == behind(puzzle.c.best_rank, puzzle.c.batch), entry.c.pos == puzzle.c.pos)
        )
    )
    .where(puzzle.c.batch == bindparam("at_batch"), puzzle.c.pos > bindparam("after"), _still_open == 0)
    .order_by(puzzle.c.pos)
    .limit(bindparam("most"))
)


def _listing(with_clues: bool, source: FromClause) -> Select[Any]:
    columns = (*_columns, puzzle.c.clues) if with_clues else _columns
    return select(*columns).select_from(source).where(entry.c.batch == bindparam("at_batch"))


def _progress(number: int, found: AnyRow, sums: AnyRow, in_hand: AnyRow) -> Progress:
    counts = dict.fromkeys(Status, 0)
    for status in outcomes.COUNTED:
        counts[status] = int(getattr(sums, status.value))
    if found.parent is None:
        total = found.entries
        counts[Status.INVALID] = found.invalid
    else:
        total = int(sums.attempts)
    counts[Status.QUEUED] = total - sum(counts.values())
    return Progress(
        batch=found.batch,
        run=number,
        name=found.name,
        total=total,
        counts=counts,
        # A rerun has all its puzzles once it is sealed, even where the batch was never read to its end.
        sealed=found.sealed_at is not None and (found.batch_sealed_at is not None or found.parent is not None),
        cancelled=found.cancelled_at is not None,
        known=int(sums.known),
        shards_open=int(sums.shards_open),
        shards_leased=in_hand.shards,
        created_at=found.created_at,
        first_claim=min(filter(None, (sums.first_claim, in_hand.first_claim)), default=None),
        last_write=sums.last_write,
        now=found.now,
        stops_at=found.stops_at,
    )


def _result(row: AnyRow) -> Result:
    is_puzzle = row.puzzle is not None
    clues = getattr(row, "clues", None)
    return Result(
        batch=row.batch,
        pos=row.pos,
        name=row.name,
        source=row.source,
        line=row.line,
        puzzle=None if clues is None else stored_puzzle(row.rows, row.cols, row.variant, row.touching, clues),
        rows=row.rows,
        cols=row.cols,
        islands=row.islands,
        variant=row.variant,
        run=row.run,
        verdict=Verdict(row.verdict or Verdict.UNKNOWN),
        termination=_termination(row.termination) if is_puzzle else Termination.INVALID_INPUT,
        uniqueness=Uniqueness(row.uniqueness or Uniqueness.UNCHECKED),
        budget=row.budget,
        wall_ms=row.wall_ms,
        cpu_ms=row.cpu_ms,
        engine=row.engine,
        values=None if row.solution is None else unpack(row.solution),
        error=row.error if is_puzzle else row.entry_error,
        note=row.note,
        attempts=row.attempts,
        confirmed_by=row.confirmed_by,
        confirm_ms=row.confirm_ms,
        known_from=row.known_from,
    )


def _termination(value: str | None) -> Termination | None:
    return None if value is None else Termination(value)
