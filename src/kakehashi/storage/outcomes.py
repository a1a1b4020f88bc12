"""Writing outcomes: the rows of attempts, the counts of shards, the best that is known of a puzzle."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select, update

from kakehashi.puzzle import Termination, Uniqueness, Verdict
from kakehashi.storage.bulk import planned_afresh
from kakehashi.storage.codec import clean, pack
from kakehashi.storage.database import now
from kakehashi.storage.records import Status, status_of
from kakehashi.storage.schema import attempt, puzzle

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from sqlalchemy import Connection

    from kakehashi.solver.outcome import Outcome

log = logging.getLogger(__name__)

COUNTED = (Status.SOLVED, Status.INFEASIBLE, Status.TIMEOUT, Status.CRASHED, Status.CANCELLED)
"""The statuses that an attempt can end in; a shard has a column for each, of the same name."""

RANK = {Status.CANCELLED: 1, Status.CRASHED: 2, Status.TIMEOUT: 3, Status.INFEASIBLE: 4, Status.SOLVED: 5}
"""What is worth more to know. A solution whose uniqueness is known as well has `RANK_SURE`."""

RANK_SURE = 6

_BY_AN_ENGINES_WORD = (RANK[Status.INFEASIBLE], RANK_SURE)
"""What no checker can see: that there is no solution, or no other one."""

Row = dict[str, Any]

_END_ATTEMPT = (
    update(attempt)
    .where(attempt.c.run == bindparam("at_run"), attempt.c.pos == bindparam("at_pos"), attempt.c.termination.is_(None))
    .values(
        verdict=bindparam("set_verdict"),
        termination=bindparam("set_termination"),
        uniqueness=bindparam("set_uniqueness"),
        wall_ms=bindparam("set_wall_ms"),
        cpu_ms=bindparam("set_cpu_ms"),
        cuts=bindparam("set_cuts"),
        conflicts=bindparam("set_conflicts"),
        engine=bindparam("set_engine"),
        error=bindparam("set_error"),
        solution=bindparam("set_solution"),
        confirmed_by=bindparam("set_confirmed_by"),
        confirm_ms=bindparam("set_confirm_ms"),
        finished_at=now(),
    )
)
_at_puzzle = (puzzle.c.batch == bindparam("at_batch"), puzzle.c.pos == bindparam("at_pos"))
_first_best = (
    update(puzzle)
    .where(*_at_puzzle, puzzle.c.best_run.is_(None))
    .values(best_run=bindparam("at_run"), best_rank=bindparam("set_rank"))
)
_next_best = update(puzzle).where(*_at_puzzle).values(best_run=bindparam("at_run"), best_rank=bindparam("set_rank"))
# Locked until the pointer is set, or of two runs that end at once the worse answer might come last, and stay.
_known_best = (
    select(puzzle.c.pos, puzzle.c.best_run, puzzle.c.best_rank)
    .where(puzzle.c.batch == bindparam("at_batch"), puzzle.c.pos.in_(bindparam("positions", expanding=True)))
    .order_by(puzzle.c.pos)
    .with_for_update()
)


def rank_of(verdict: Verdict, termination: Termination, uniqueness: Uniqueness) -> int:
    """How much an outcome is worth beside the others of its puzzle."""
    if verdict is Verdict.SOLVED and uniqueness in (Uniqueness.UNIQUE, Uniqueness.MULTIPLE):
        return RANK_SURE
    return RANK[status_of(verdict, termination)]


def settled(outcome: Outcome) -> Outcome:
    """The outcome, or a crash in its place when it neither decides the puzzle nor says why not: a bug of ours."""
    if outcome.decided or outcome.termination not in (Termination.COMPLETED, Termination.INVALID_INPUT):
        return outcome
    error = outcome.error or f"the solver ended ({outcome.termination.value}) without a verdict"
    return replace(outcome, termination=Termination.CRASHED, error=error)


def encode(run: int, finished: Iterable[tuple[int, Outcome]]) -> list[Row]:
    """The parameters that `write` takes for these outcomes; made before the transaction begins."""
    return [
        {
            "at_run": run,
            "at_pos": pos,
            "set_verdict": outcome.verdict.value,
            "set_termination": outcome.termination.value,
            "set_uniqueness": outcome.uniqueness.value,
            "set_wall_ms": outcome.wall_ms,
            "set_cpu_ms": outcome.cpu_ms,
            "set_cuts": outcome.cuts,
            "set_conflicts": outcome.conflicts,
            "set_engine": clean(outcome.engine) or None,
            "set_error": None if outcome.error is None else clean(outcome.error),
            "set_solution": None if outcome.solution is None else pack(outcome.solution.values),
            "set_confirmed_by": outcome.confirmed_by and clean(outcome.confirmed_by),
            "set_confirm_ms": outcome.confirm_ms,
        }
        for pos, outcome in finished
    ]


def rank(batch: int, run: int, finished: Iterable[tuple[int, Outcome]]) -> list[Row]:
    """The parameters that `point_at_best` takes for these outcomes, in the one order in which all lock the rows."""
    return [
        {
            "at_batch": batch,
            "at_run": run,
            "at_pos": pos,
            "set_rank": rank_of(outcome.verdict, outcome.termination, outcome.uniqueness),
        }
        for pos, outcome in sorted(finished, key=itemgetter(0))
    ]


def count(ended: Iterable[Status]) -> dict[str, int]:
    """How many of these ended how, by the names of the shard's columns."""
    counts = Counter(ended)
    return {f"add_{status.value}": counts[status] for status in COUNTED}


def write(connection: Connection, rows: Sequence[Row]) -> int:
    """Write the attempts that have no termination yet; how many that were. The caller judges whether that is all."""
    if not rows:
        return 0
    return connection.execute(_END_ATTEMPT, rows).rowcount


def point_at_best(connection: Connection, rows: Sequence[Row], disputed: Collection[int] = ()) -> None:
    """Let each puzzle point at the best attempt; of equal ones at the newer run's.

    At the positions in `disputed` the engines disagree: what an older run knew by the word of one of them is no verdict
    any more, so the puzzle points at the dispute. A solution without a word on its uniqueness stands: the checker
    passed it.
    """
    if not rows or connection.execute(_first_best, rows).rowcount == len(rows):
        return
    batch, run = rows[0]["at_batch"], rows[0]["at_run"]
    positions = {"at_batch": batch, "positions": [row["at_pos"] for row in rows]}
    with planned_afresh(connection):
        known = {pos: (rank, other) for pos, other, rank in connection.execute(_known_best, positions)}
    better = []
    for row in rows:
        worth, other = known[row["at_pos"]]
        if other == run:
            continue
        if min(worth, row["set_rank"]) == RANK[Status.INFEASIBLE] < max(worth, row["set_rank"]):
            log.error(
                "puzzle %d:%d is solved in one of the runs %d and %d, infeasible in the other: please report this bug",
                batch, row["at_pos"], other, run, extra={"attempt": f"{batch}:{row['at_pos']}"},
            )  # fmt: skip
        overturned = row["at_pos"] in disputed and worth in _BY_AN_ENGINES_WORD and other < run
        if overturned or (worth, other) < (row["set_rank"], run):
            better.append(row)
    if better:
        connection.execute(_next_best, better)
