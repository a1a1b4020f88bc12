"""Answers that are known already: the classes of puzzles, what is known of a class, and attempts that are born final.

The column `puzzle.canonical` is empty until somebody asks for known answers; then it is filled for the puzzles that
have one. Who never asks pays nothing.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sqlalchemy import LargeBinary, and_, bindparam, column, insert, or_, select, tuple_, update, values

from kakehashi.puzzle import Confirm, Termination, Uniqueness, Verdict, canonical_digest
from kakehashi.storage import outcomes, tallies
from kakehashi.storage.bulk import insert_many, page_along_the_key, planned_afresh
from kakehashi.storage.codec import clean, pack, stored_puzzle, unpack
from kakehashi.storage.database import now
from kakehashi.storage.records import Answer, RunOptions, Status, StoredAnswer
from kakehashi.storage.schema import attempt, batch, puzzle, shard
from kakehashi.storage.store import AnyRow, Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import ColumnElement, Connection, FromClause, ScalarSelect

PAGE = 1000
"""Puzzles that are read, and then written, at once: a write that takes milliseconds."""

_LOOK_UP_AT_ONCE = 400
"""Classes in one query; their places are pairs, and SQLite once allowed no more than 999 parameters."""

_BATCH = 2**32
"""Above every position."""

_SURE = (Uniqueness.UNIQUE.value, Uniqueness.MULTIPLE.value)
_best = and_(attempt.c.run == puzzle.c.best_run, attempt.c.pos == puzzle.c.pos)

_unnamed = (
    select(puzzle.c.pos, puzzle.c.rows, puzzle.c.cols, puzzle.c.variant, puzzle.c.touching, puzzle.c.clues)
    .where(
        puzzle.c.batch == bindparam("at_batch"),
        puzzle.c.pos > bindparam("after"),
        puzzle.c.canonical.is_(None),
        puzzle.c.best_rank >= outcomes.RANK[Status.INFEASIBLE],
    )
    .order_by(puzzle.c.pos)
    .limit(PAGE)
)
_name_class = (
    update(puzzle)
    .where(puzzle.c.batch == bindparam("at_batch"), puzzle.c.pos == bindparam("at_pos"))
    .values(canonical=bindparam("set_canonical"))
)
_point_at_known = (
    update(puzzle)
    .where(puzzle.c.batch == bindparam("at_batch"), puzzle.c.pos == bindparam("at_pos"))
    .values(best_run=bindparam("at_run"), best_rank=bindparam("set_rank"))
)
_asked = values(column("canonical", LargeBinary), name="asked")
_answers = (
    select(
        puzzle.c.canonical, puzzle.c.batch, puzzle.c.pos,
        puzzle.c.rows, puzzle.c.cols, puzzle.c.variant, puzzle.c.touching, puzzle.c.clues,
        attempt.c.verdict, attempt.c.uniqueness, attempt.c.solution, attempt.c.engine, attempt.c.known_from,
        attempt.c.confirmed_by,
    )
    .join_from(puzzle, attempt, _best)
    .where(tuple_(puzzle.c.batch, puzzle.c.pos).in_(bindparam("pairs", expanding=True)))
)  # fmt: skip
_ATTEMPT_COLUMNS = (
    "run", "pos", "budget", "verdict", "termination", "uniqueness", "engine", "solution", "known_from", "confirmed_by",
    "finished_at",
)  # fmt: skip


class KnownAnswers(Store):
    """What the database knows of puzzles that lie otherwise, or in other batches."""

    def name_classes(self) -> int:
        """Fill in the class of every puzzle that has an answer and lacks it; how many there were.

        In short transactions, a page of puzzles each, while others write. It reads all puzzles once.
        """
        named = 0
        for (number,) in self._rows(select(batch.c.id).order_by(batch.c.id)):
            after = -1
            while True:
                here = {"at_batch": number, "after": after}
                page = self._db.read(partial(page_along_the_key, statement=_unnamed, parameters=here))
                if not page:
                    break
                named += len(page)
                after = page[-1].pos
                self._db.write(partial(_write_classes, rows=_classes(number, page)))
        return named

    def known_answers(self, classes: Sequence[bytes], options: RunOptions) -> dict[bytes, StoredAnswer]:
        """For each of these classes the best answer that serves a run with such options, if there is one.

        A run that asks for uniqueness is served by a solution whose uniqueness is known; a run that confirms by what a
        second engine was asked about, or no engine had to be asked (`infeasible` under `auto`, everything under `all`).
        The answers are as they are stored: whoever uses one lays it right, and has it checked.
        """

        def work(connection: Connection) -> list[AnyRow]:
            found: list[AnyRow] = []
            with planned_afresh(connection):
                for start in range(0, len(classes), _LOOK_UP_AT_ONCE):
                    asked = _asked.data([(name,) for name in classes[start : start + _LOOK_UP_AT_ONCE]]).cte("asked")
                    places = connection.execute(select(_best_of_class(asked, options)).select_from(asked)).scalars()
                    pairs = [divmod(place, _BATCH) for place in places if place is not None]
                    if pairs:
                        found += connection.execute(_answers, {"pairs": pairs}).all()
            return found

        return {bytes(row.canonical): _stored(row) for row in self._db.read(work)}


def add_known(
    connection: Connection, batch: int, run: int, budget: float, answers: Mapping[int, Answer]
) -> None:  # fmt: skip
    """Attempts that are final at their birth, by position in ascending order, and the closed shard that counts them."""
    if not answers:
        return
    moment = connection.execute(select(now())).scalar_one()
    insert_many(
        connection, attempt, _ATTEMPT_COLUMNS,
        [
            (
                run, pos, budget, answer.verdict.value, Termination.COMPLETED.value, answer.uniqueness.value,
                answer.engine and clean(answer.engine), None if answer.values is None else pack(answer.values),
                answer.known_from, answer.confirmed_by and clean(answer.confirmed_by), moment,
            )
            for pos, answer in answers.items()
        ],
    )  # fmt: skip
    connection.execute(
        _point_at_known,
        [
            {
                "at_batch": batch,
                "at_pos": pos,
                "at_run": run,
                "set_rank": outcomes.rank_of(answer.verdict, Termination.COMPLETED, answer.uniqueness),
            }
            for pos, answer in answers.items()
        ],
    )
    solved = sum(answer.verdict is Verdict.SOLVED for answer in answers.values())
    connection.execute(
        insert(shard).values(
            run=run, first=min(answers), last=max(answers), attempts=len(answers), budget=budget,
            solved=solved, infeasible=len(answers) - solved, closed_at=moment,
        )
    )  # fmt: skip
    count = len(answers)
    tallies.add(connection, run, attempts=count, known=count, solved=solved, infeasible=count - solved)


def _classes(number: int, page: Sequence[AnyRow]) -> Iterator[dict[str, Any]]:
    for pos, *board in page:
        yield {"at_batch": number, "at_pos": pos, "set_canonical": canonical_digest(stored_puzzle(*board))}


def _write_classes(connection: Connection, rows: Iterator[dict[str, Any]]) -> None:
    connection.execute(_name_class, list(rows))


def _best_of_class(asked: FromClause, options: RunOptions) -> ScalarSelect[Any]:
    """The place (batch and position in one number) of the best answer to a class that serves such a run, or NULL.

    Of equal ones the newest, since so the index is walked backwards to the first that serves: a class may have
    thousands of members.
    """
    return (
        select(puzzle.c.batch * _BATCH + puzzle.c.pos)
        .join_from(puzzle, attempt, _best)
        .where(
            puzzle.c.canonical == asked.c.canonical,
            puzzle.c.best_rank >= outcomes.RANK[Status.INFEASIBLE],
            _serves(options),
        )
        .order_by(puzzle.c.best_rank.desc(), puzzle.c.batch.desc(), puzzle.c.pos.desc())
        .limit(1)
        .correlate(asked)
        .scalar_subquery()
    )


def _serves(options: RunOptions) -> ColumnElement[bool]:
    """Whether an attempt knows all that a run with such options would find out."""
    solved: ColumnElement[bool] = attempt.c.verdict == Verdict.SOLVED.value
    infeasible: ColumnElement[bool] = attempt.c.verdict == Verdict.INFEASIBLE.value
    if options.unique:
        solved = and_(solved, attempt.c.uniqueness.in_(_SURE))
    judged = or_(attempt.c.engine.is_(None), attempt.c.confirmed_by.is_not(None), attempt.c.confirm_ms.is_not(None))
    if options.confirm is not Confirm.NONE:
        infeasible = and_(infeasible, judged)
    if options.confirm is Confirm.ALL:
        solved = and_(solved, judged)
    return or_(solved, infeasible)


def _stored(row: AnyRow) -> StoredAnswer:
    known = Answer(
        verdict=Verdict(row.verdict),
        uniqueness=Uniqueness(row.uniqueness) if row.uniqueness in _SURE else Uniqueness.UNCHECKED,
        values=None if row.solution is None else unpack(row.solution),
        engine=row.engine,
        known_from=row.known_from or f"{row.batch}:{row.pos}",
        confirmed_by=row.confirmed_by,
    )
    return StoredAnswer(stored_puzzle(row.rows, row.cols, row.variant, row.touching, row.clues), known)
