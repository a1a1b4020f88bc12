"""Where the rows of a filtered listing stand: looked up in an index where they are few, else met along the key.

Each part of a filter that has an index gives a set of puzzles that holds everything that matches. The smallest is
taken, and its members are asked for the rest of the filter. A walk along the key, which reads three tables for each
entry, is left for filters of which every part matches much, so that a page is full soon.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import and_, false, func, literal, or_, select, union_all

from kakehashi.puzzle import Verdict
from kakehashi.storage import outcomes
from kakehashi.storage.bulk import along_the_key, behind
from kakehashi.storage.glob import matches
from kakehashi.storage.records import Status
from kakehashi.storage.schema import attempt, batch, entry, puzzle

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement, CompoundSelect, Connection, Select

    from kakehashi.storage.records import ResultFilter

    Positions = Select[Any] | CompoundSelect[Any]

T = TypeVar("T")

FEW = 100_000
"""So many puzzles are looked at one by one, in some tenths of a second; a number for each is in memory."""

OFTEN = 10
"""Where one entry in so many may match, a walk fills a page sooner."""

RANKS = {status: (worth,) for status, worth in outcomes.RANK.items()} | {
    Status.SOLVED: (outcomes.RANK[Status.SOLVED], outcomes.RANK_SURE),
    Status.QUEUED: (None,),
}
"""The values of `puzzle.best_rank` that mean a status."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a listing is about.

    Attributes:
        batch, runs: the batch, and all runs of it.
        where: the filter.
        whole: the filter names no run, or one over the whole batch.
    """

    batch: int
    runs: Sequence[int]
    where: ResultFilter
    whole: bool


@dataclass(frozen=True, slots=True)
class Places:
    """Where entries may match: at `positions`, in ascending order; where these are None, anywhere behind `after`."""

    positions: list[int] | None
    after: int


def places(connection: Connection, scope: Scope, after: int) -> Places:
    """Where behind the position `after` the entries stand that a listing has to look at."""
    drivers = list(_drivers(scope))
    if not drivers:
        return Places(None, after)
    along_the_key(connection)
    entries = connection.execute(select(batch.c.entries).where(batch.c.id == scope.batch)).scalar_one()
    few = min(FEW, entries // OFTEN)
    sizes: list[int] = []
    for driver in drivers:
        sizes.append(_size(connection, driver, min([few, *sizes])))
    if min(sizes) <= few:
        found = _positions(connection, scope, list(_drivers(scope, narrow=True))[sizes.index(min(sizes))])
        if len(found) <= FEW:
            return Places(sorted(pos for pos in found if pos > after), after)
    return Places(None, max(after, _first(connection, scope) - 1))


def of_puzzle(value: ColumnElement[T]) -> ColumnElement[T]:
    """A value, where the entry is a puzzle; NULL where it is not. It keeps the entry first (see `behind`)."""
    return behind(entry.c.puzzle, value)


def conditions(where: ResultFilter) -> Iterator[ColumnElement[bool]]:
    """The filter as conditions on an entry, its puzzle, and the attempt that is shown: the best, or that of a run.

    They are put so that no index fits (`of_puzzle`): what is looked at stands fixed, and is reached by its key.
    Statistics that are out of date, or none, would have the database go through an index from one end to the other.
    """
    if where.statuses:
        yield or_(*(_has_status(status, where.run is None) for status in sorted(where.statuses)))
    if where.slower_than_ms is not None:
        yield of_puzzle(attempt.c.wall_ms) > where.slower_than_ms
    if where.name is not None:
        yield matches(entry.c.name, where.name)
    yield from _sizes(where, of_puzzle(puzzle.c.islands))


def _has_status(status: Status, best: bool) -> ColumnElement[bool]:
    if status is Status.INVALID:
        return entry.c.puzzle.is_(None)
    if status is Status.QUEUED:
        nothing_yet = puzzle.c.best_rank.is_(None) if best else attempt.c.termination.is_(None)
        return and_(entry.c.puzzle.is_not(None), nothing_yet)
    if best:
        return of_puzzle(puzzle.c.best_rank).in_(RANKS[status])
    return _ended(status, of_puzzle(attempt.c.verdict), of_puzzle(attempt.c.termination))


def _ended(status: Status, verdict: ColumnElement[Any], termination: ColumnElement[Any]) -> ColumnElement[bool]:
    """An attempt has this status."""
    if status is Status.QUEUED:
        return termination.is_(None)
    if status in (Status.SOLVED, Status.INFEASIBLE):
        return verdict == status.value
    return and_(verdict == Verdict.UNKNOWN.value, termination == status.value)


def _sizes(where: ResultFilter, islands: ColumnElement[int]) -> Iterator[ColumnElement[bool]]:
    if where.min_islands is not None:
        yield islands >= where.min_islands
    if where.max_islands is not None:
        yield islands <= where.max_islands


def _drivers(scope: Scope, narrow: bool = False) -> Iterator[Positions]:
    """Positions of puzzles, from one index each, among which are all that match.

    With `narrow`, the rows that the index leads to are asked for what else the filter says of them.
    """
    where = scope.where
    statuses = sorted(where.statuses - {Status.INVALID})
    sizes = list(_sizes(where, puzzle.c.islands))
    if statuses:
        more = sizes if narrow else []
        ranked = (of_rank.where(*more) for status in statuses for of_rank in _ranked(scope, status))
        yield union_all(*map(_within, ranked), *_elsewhere(scope, statuses if narrow else []))
    if sizes:
        sized = select(puzzle.c.pos).where(puzzle.c.batch == scope.batch, *sizes).order_by(puzzle.c.islands)
        if narrow and where.run is None and where.statuses:
            ranks = (_is_rank(rank) for status in statuses for rank in RANKS[status])
            sized = sized.where(behind(puzzle.c.islands, or_(false(), *ranks)))  # SQLite would take the index by rank
        yield sized
    ended = [_ended(status, attempt.c.verdict, attempt.c.termination) for status in statuses]
    more = [or_(false(), *ended)] if narrow and where.statuses else []
    if where.slower_than_ms is not None:
        slow = select(attempt.c.pos).where(attempt.c.wall_ms > where.slower_than_ms, *more).order_by(attempt.c.wall_ms)
        runs = scope.runs if where.run is None else [where.run]
        yield union_all(*(_within(slow.where(attempt.c.run == number)) for number in runs))
    if not scope.whole:
        yield select(attempt.c.pos).where(attempt.c.run == where.run, *more)


def _ranked(scope: Scope, status: Status) -> Iterator[Select[Any]]:
    """The puzzles of each rank that means a status.

    Sorted as their index is, and with sorting switched off, they are taken from there. Where its statistics know
    nothing of the batch yet, PostgreSQL expects one row from each index that begins with it, and would take any.
    """
    for rank in RANKS[status]:
        ranked = select(puzzle.c.pos).where(puzzle.c.batch == scope.batch, _is_rank(rank))
        yield ranked.order_by(puzzle.c.best_rank, puzzle.c.pos)


def _is_rank(rank: int | None) -> ColumnElement[bool]:
    """Not by `=`: a column that stands fixed would be left out of the order."""
    return puzzle.c.best_rank.is_(None) if rank is None else puzzle.c.best_rank.between(rank, rank)


def _elsewhere(scope: Scope, statuses: Sequence[Status]) -> Iterator[Select[Any]]:
    """The puzzles of which another run may know better than the one that is asked for.

    What a run found is the best that is known, unless another run was about the same puzzle. With `statuses`, only
    puzzles that have one of them in the run that is asked for.
    """
    run = scope.where.run
    ended = or_(false(), *(_ended(status, attempt.c.verdict, attempt.c.termination) for status in statuses))
    for number in scope.runs if run is not None else []:
        if number != run:
            other = select(attempt.c.pos).where(attempt.c.run == number).order_by(attempt.c.pos).subquery()
            here = behind(other.c.pos, literal(run, attempt.c.run.type))
            both = other.outerjoin(attempt, and_(attempt.c.run == here, attempt.c.pos == other.c.pos))
            found = select(other.c.pos)
            yield found.select_from(both).where(behind(other.c.pos, ended)) if statuses else found


def _within(ordered: Select[Any]) -> Select[Any]:
    """A query as a part of a union, where SQLite takes no order."""
    return select(ordered.subquery())


def _size(connection: Connection, driver: Positions, most: int) -> int:
    """How many positions; above `most` it does not matter."""
    return int(connection.execute(select(func.count()).select_from(driver.limit(most + 1).subquery())).scalar_one())


def _positions(connection: Connection, scope: Scope, driver: Positions) -> set[int]:
    """The positions of the entries that hold these puzzles, and of those that are none where they are asked for.

    Above `FEW` they are not all.
    """
    of_batch = entry.c.batch == scope.batch
    parts = [driver]
    copies = select(entry.c.pos).where(of_batch, entry.c.puzzle != entry.c.pos).order_by(entry.c.puzzle)
    if connection.execute(copies.limit(1)).first():
        parts.append(_copies(scope, driver))
    if Status.INVALID in scope.where.statuses:
        parts.append(select(entry.c.pos).where(of_batch, entry.c.puzzle.is_(None)))
    return {pos for part in parts for pos in connection.execute(part.limit(FEW + 1)).scalars()}


def _copies(scope: Scope, driver: Positions) -> Select[Any]:
    """The positions of the entries that repeat these puzzles: each is looked up by its puzzle (see `behind`)."""
    found = driver.subquery()
    of_batch = behind(found.c.pos, literal(scope.batch, batch.c.id.type))
    again = and_(entry.c.batch == of_batch, entry.c.puzzle == found.c.pos, entry.c.puzzle != entry.c.pos)
    pos = behind(found.c.pos, entry.c.pos)
    return select(pos).select_from(found.outerjoin(entry, again)).where(pos.is_not(None))


def _first(connection: Connection, scope: Scope) -> int:
    """A position before which nothing matches: that of the first puzzle with such a status and size.

    Whoever looks for what is queued while a batch is worked on, or for large boards where the files are sorted, is not
    to wait for a walk over the rest. An entry that repeats a puzzle stands behind it.
    """
    where = scope.where
    firsts = [0]
    if where.statuses and Status.INVALID not in where.statuses and len(scope.runs) == 1:
        ranked = (of_rank for status in sorted(where.statuses) for of_rank in _ranked(scope, status))
        of_status = [connection.execute(of_rank.limit(1)).scalar() for of_rank in ranked]
        firsts.append(min((pos for pos in of_status if pos is not None), default=0))
    if where.min_islands is not None or where.max_islands is not None:
        of_size = (
            select(puzzle.c.pos)
            .where(puzzle.c.batch == scope.batch, *_sizes(where, puzzle.c.islands))
            .order_by(puzzle.c.pos)
        )
        firsts.append(connection.execute(of_size.limit(1)).scalar() or 0)
    return max(firsts)
