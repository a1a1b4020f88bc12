"""Batches of a million entries, put into a database in bulk, for commands that measure what is read from one.

Some boards are made and solved, and every one of them, with its answer, stands in the batch many times under different
digests. Nothing that is measured here looks at digests, so the batch serves as one of distinct puzzles.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.make_puzzles import make_many
from kakehashi.puzzle import Termination, Uniqueness, Verdict
from kakehashi.solver import solve
from kakehashi.storage import Repository, RunOptions, Status, tallies
from kakehashi.storage.bulk import insert_many
from kakehashi.storage.codec import pack
from kakehashi.storage.database import Database
from kakehashi.storage.outcomes import COUNTED, rank_of
from kakehashi.storage.schema import attempt, batch, entry, puzzle, shard

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection

    Row = tuple[Any, ...]

PAGE = 20_000

BUDGET = 10.0

PUZZLE = ("batch", "pos", "digest", "rows", "cols", "islands", "variant", "touching", "best_run", "best_rank", "clues")
ENTRY = ("batch", "pos", "name", "source", "line", "error", "puzzle")
ATTEMPT = (
    "run", "pos", "budget", "verdict", "termination", "uniqueness", "wall_ms", "cpu_ms", "finished_at", "engine",
    "solution",
)  # fmt: skip
SHARD = (
    "run", "first", "last", "attempts", "budget", *map(str, COUNTED), "claimed_at", "written_at", "closed_at"
)  # fmt: skip

ENDED_AT = 1.8e9
"""Seconds since the epoch; when all that has ended did so."""

_ENDS = {
    Status.SOLVED: (Verdict.SOLVED, Termination.COMPLETED, Uniqueness.UNIQUE),
    Status.INFEASIBLE: (Verdict.INFEASIBLE, Termination.COMPLETED, Uniqueness.UNCHECKED),
    Status.TIMEOUT: (Verdict.UNKNOWN, Termination.TIMEOUT, Uniqueness.UNCHECKED),
    Status.CRASHED: (Verdict.UNKNOWN, Termination.CRASHED, Uniqueness.UNCHECKED),
}


class Board(NamedTuple):
    """What is stored of one of the boards."""

    rows: int
    cols: int
    islands: int
    clues: bytes
    solution: bytes


@dataclass(frozen=True)
class Plan:
    """A batch to be made.

    Attributes:
        name: of the batch.
        rows: how many entries.
        boards: what they are, one after the other.
        status: how the entry at a position ended; `queued`: not at all, `invalid`: it is no puzzle.
        source: the file of the entry at a position; its number in there is part of the name.
        copies: every second entry is the puzzle of the one before.
        shard: how many positions one has.
    """

    name: str
    rows: int
    boards: Sequence[Board]
    status: Callable[[int], Status]
    source: Callable[[int], str]
    copies: bool = False
    shard: int = 200


def boards(count: int, smallest: int, largest: int) -> list[Board]:
    """So many boards with sides between these, solved."""
    made = []
    for board in make_many(1, count, smallest, largest):
        solution = solve(board).solution
        if solution is None:
            raise AssertionError("a puzzle that was made has a solution")
        made.append(Board(board.rows, board.cols, board.island_count, pack(board.cells), pack(solution.values)))
    return made


def fill(url: str, plan: Plan) -> tuple[int, int]:
    """Make the tables where there are none, and the batch, sealed, with its run; the numbers of both."""
    with Repository(url, create=True) as repository:
        number, run = repository.begin(plan.name, {}, RunOptions())
        repository.seal_batch(number)
        repository.seal_run(run)
    database = Database(url)
    step = max(1, PAGE // plan.shard) * plan.shard
    for start in range(0, plan.rows, step):
        page = range(start, min(plan.rows, start + step))
        database.write(_Page(plan, number, run, page).insert)
    database.close()
    return number, run


class _Page:
    """The rows of some entries, in whole shards."""

    def __init__(self, plan: Plan, number: int, run: int, positions: range) -> None:
        self.plan, self.number, self.run = plan, number, run
        self.puzzles: list[Row] = []
        self.entries: list[Row] = []
        self.attempts: list[Row] = []
        self.shards: list[Row] = []
        self.by_entry: Counter[Status] = Counter()
        self.by_attempt: Counter[Status] = Counter()
        for start in positions[:: plan.shard]:
            self._add_shard(positions[start - positions.start :][: plan.shard])

    def _add_shard(self, positions: range) -> None:
        counts: Counter[Status] = Counter()
        for pos in positions:
            first = pos - pos % 2 if self.plan.copies else pos
            status, source = self.plan.status(first), self.plan.source(pos)
            invalid = status is Status.INVALID
            error = f"{source}, line 1: expected a clue, found 'x'" if invalid else None
            self.entries.append((self.number, pos, f"{source}#{pos}", source, 1, error, None if invalid else first))
            self.by_entry[status] += 1
            if pos == first and not invalid:
                counts[status] += 1
                self._add_puzzle(pos, status)
        times = (None, None, None) if counts[Status.QUEUED] else (ENDED_AT, ENDED_AT, ENDED_AT)
        ended = [counts[status] for status in COUNTED]
        self.shards.append((self.run, positions[0], positions[-1], counts.total(), BUDGET, *ended, *times))
        self.by_attempt += counts

    def _add_puzzle(self, pos: int, status: Status) -> None:
        board = self.plan.boards[pos % len(self.plan.boards)]
        end = _ENDS.get(status)
        best = (None, None) if end is None else (self.run, rank_of(*end))
        digest = pos.to_bytes(16, "big")
        self.puzzles.append((self.number, pos, digest, board.rows, board.cols, board.islands, "classic", "join", *best,
                             board.clues))  # fmt: skip
        if end is None:
            self.attempts.append((self.run, pos, BUDGET, *(None,) * 8))
        else:
            wall = BUDGET * 1000 if status is Status.TIMEOUT else 1.0 + pos * 0.7 % 9
            solution = board.solution if status is Status.SOLVED else None
            ended = (*map(str, end), wall, wall, ENDED_AT, "native", solution)
            self.attempts.append((self.run, pos, BUDGET, *ended))

    def insert(self, connection: Connection) -> None:
        insert_many(connection, puzzle, PUZZLE, self.puzzles)
        insert_many(connection, entry, ENTRY, self.entries)
        insert_many(connection, attempt, ATTEMPT, self.attempts)
        insert_many(connection, shard, SHARD, self.shards)
        count, invalid = len(self.entries), self.by_entry[Status.INVALID]
        more = {"entries": batch.c.entries + count, "invalid": batch.c.invalid + invalid}
        connection.execute(batch.update().where(batch.c.id == self.number).values(more))
        counts = {str(status): self.by_entry[status] for status in COUNTED}
        shards_open = len(self.shards) if self.by_attempt[Status.QUEUED] else 0
        tallies.add(connection, self.run, attempts=count - invalid, shards_open=shards_open, **counts)
