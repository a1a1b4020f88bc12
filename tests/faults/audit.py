"""What is true after a fault, by plain SQL and the checker: no code of the storage layer has a say in it.

The one thing borrowed is how a solution is packed into bytes.
"""

from __future__ import annotations

import contextlib
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import sqlalchemy

from kakehashi import solve
from kakehashi.puzzle import Puzzle, Solution, check
from kakehashi.storage.codec import unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

COUNTED = ("solved", "infeasible", "timeout", "crashed", "cancelled")
"""How an attempt can end; a shard counts each."""

_LEDGER = {
    "sqlite": """
        CREATE TABLE ledger (id INTEGER PRIMARY KEY, run BIGINT, pos BIGINT, what TEXT);
        CREATE TRIGGER ledger_born AFTER INSERT ON attempt WHEN NEW.termination IS NOT NULL BEGIN
            INSERT INTO ledger (run, pos, what) VALUES (NEW.run, NEW.pos, 'born'); END;
        CREATE TRIGGER ledger_written AFTER UPDATE OF verdict, termination, solution ON attempt BEGIN
            INSERT INTO ledger (run, pos, what) VALUES (NEW.run, NEW.pos, 'written'); END;
        CREATE TRIGGER ledger_deleted AFTER DELETE ON attempt BEGIN
            INSERT INTO ledger (run, pos, what) VALUES (OLD.run, OLD.pos, 'deleted'); END;
        """,
    "postgresql": """
        CREATE TABLE ledger (id BIGSERIAL PRIMARY KEY, run BIGINT, pos BIGINT, what TEXT);
        CREATE FUNCTION note_in_ledger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO ledger (run, pos, what)
            VALUES (COALESCE(NEW.run, OLD.run), COALESCE(NEW.pos, OLD.pos), TG_ARGV[0]); RETURN NULL; END $$;
        CREATE TRIGGER ledger_born AFTER INSERT ON attempt FOR EACH ROW WHEN (NEW.termination IS NOT NULL)
            EXECUTE FUNCTION note_in_ledger('born');
        CREATE TRIGGER ledger_written AFTER UPDATE OF verdict, termination, solution ON attempt FOR EACH ROW
            EXECUTE FUNCTION note_in_ledger('written');
        CREATE TRIGGER ledger_deleted AFTER DELETE ON attempt FOR EACH ROW
            EXECUTE FUNCTION note_in_ledger('deleted');
        """,
}

Ends = frozenset[str]
"""The statuses that an attempt may rightly end in."""


@cache
def quiet(puzzle: Puzzle) -> Ends:
    """How the puzzle ends when nothing disturbs the solver."""
    return frozenset({solve(puzzle, budget=60.0).verdict.value})


@dataclass(frozen=True)
class Audit:
    """What was found. Everything but `puzzles` has to be zero.

    Attributes:
        puzzles: entries that were handed in.
        lost: entries without exactly one final attempt, open shards, and what the counts of the shards are out by.
        doubled: attempts that were made final more than once, or deleted.
        wrong: answers that the checker refuses, and verdicts that contradict those of a quiet run.
        changed: attempts without a verdict, where a quiet run has one.
        leases: shards that are still held.
    """

    puzzles: int
    lost: int = 0
    doubled: int = 0
    wrong: int = 0
    changed: int = 0
    leases: int = 0

    @property
    def faults(self) -> dict[str, int]:
        """What is not as it should be."""
        return {name: count for name, count in asdict(self).items() if name != "puzzles" and count}


class Books:
    """The eyes of the suite on a database: a ledger that triggers keep, and questions in plain SQL."""

    def __init__(self, url: str) -> None:
        address = url.replace("postgresql:", "postgresql+psycopg:")
        self._engine = sqlalchemy.create_engine(address, poolclass=sqlalchemy.NullPool)

    def keep_ledger(self) -> None:
        """From now on each write of an attempt's end is noted, whoever makes it; what is rolled back is not."""
        script = _LEDGER[self._engine.dialect.name]
        with self._engine.begin() as connection:
            if self._engine.dialect.name == "sqlite":
                connection.connection.cursor().executescript(script)
            else:
                connection.exec_driver_sql(script)

    def close_ledger(self) -> None:
        """Take the ledger out of a database that others go on with."""
        if self._engine.dialect.name == "postgresql":
            self.change("DROP FUNCTION note_in_ledger CASCADE")
        self.change("DROP TABLE ledger")

    def rows(self, statement: str, **parameters: Any) -> list[Any]:
        """All rows of a query."""
        with self._engine.connect() as connection:
            return list(connection.execute(sqlalchemy.text(statement), parameters))

    def number(self, statement: str, **parameters: Any) -> int:
        """The one number that a query gives."""
        return int(self.rows(statement, **parameters)[0][0] or 0)

    def change(self, statement: str, **parameters: Any) -> None:
        """Execute a statement, as a fault would."""
        with self._engine.begin() as connection:
            connection.execute(sqlalchemy.text(statement), parameters)

    def unfinished(self) -> list[str]:
        """Batches and runs that are not sealed, and open shards, in words."""
        found = [
            *(f"batch {number}" for (number,) in self.rows("SELECT id FROM batch WHERE sealed_at IS NULL")),
            *(f"run {number}" for (number,) in self.rows("SELECT id FROM run WHERE sealed_at IS NULL")),
        ]
        shards = "SELECT id, run, tries, owner, noted, rung_at FROM shard WHERE closed_at IS NULL"
        return found + [f"shard {dict(row._mapping)}" for row in self.rows(shards)]

    def state(self) -> list[Any]:
        """All attempts and shards as they are, to be compared."""
        attempts = "SELECT run, pos, deaths, verdict, termination, finished_at FROM attempt ORDER BY run, pos"
        return [*self.rows(attempts), *self.rows("SELECT * FROM shard ORDER BY id")]

    def audit(self, handed_in: Mapping[int, Collection[tuple[Puzzle, Ends]]]) -> Audit:
        """Look at everything.

        Args:
            handed_in: the puzzles of each batch in their order, and how each may end.
        """
        wrong = changed = 0
        for batch, expected in handed_in.items():
            for status, puzzle, ends, solution in self._ended(batch, list(expected)):
                passed = status != "solved" or _passes(puzzle, solution)
                if not passed or (status not in ends and status in ("solved", "infeasible")):
                    wrong += 1
                elif status not in ends:
                    changed += 1
        return Audit(
            puzzles=sum(map(len, handed_in.values())),
            lost=self._lost(handed_in),
            doubled=self.number(
                "SELECT count(*) FROM (SELECT 1 FROM ledger GROUP BY run, pos"
                " HAVING count(*) > 1 OR max(what) = 'deleted') AS more"
            ),
            wrong=wrong,
            changed=changed,
            leases=self.number("SELECT count(*) FROM shard WHERE token IS NOT NULL OR lease_until IS NOT NULL"),
        )

    def _ended(self, batch: int, expected: list[tuple[Puzzle, Ends]]) -> Iterator[tuple[str, Puzzle, Ends, bytes]]:
        """Every final attempt of a batch, beside the puzzle as it was handed in."""
        statement = (
            "SELECT a.pos, a.verdict, a.termination, a.solution FROM attempt a JOIN run r ON r.id = a.run"
            " WHERE r.batch = :batch AND a.termination IS NOT NULL"
        )
        for pos, verdict, termination, solution in self.rows(statement, batch=batch):
            yield termination if verdict == "unknown" else verdict, *expected[pos], solution

    def _lost(self, handed_in: Mapping[int, Collection[object]]) -> int:
        lost = 0
        for batch, expected in handed_in.items():
            # Of a run that takes up a part of a batch again, only the attempts that were made can be asked for.
            ended = self.number(
                "SELECT count(*) FROM entry e JOIN puzzle p ON p.batch = e.batch AND p.pos = e.puzzle"
                " JOIN run r ON r.batch = e.batch AND r.parent IS NULL"
                " JOIN attempt a ON a.run = r.id AND a.pos = e.puzzle"
                " WHERE e.batch = :batch AND a.termination IS NOT NULL AND p.best_run IS NOT NULL",
                batch=batch,
            )
            lost += abs(len(expected) - ended)
        lost += self.number(
            "SELECT count(*) FROM attempt a JOIN run r ON r.id = a.run"
            " WHERE r.parent IS NOT NULL AND a.termination IS NULL"
        )
        lost += self.number("SELECT count(*) FROM shard WHERE closed_at IS NULL")
        return lost + self._miscounted()

    def _miscounted(self) -> int:
        """What the shards say of their attempts, beside the attempts themselves."""
        out = 0
        status = "CASE WHEN verdict = 'unknown' THEN termination ELSE verdict END"
        for (run,) in self.rows("SELECT id FROM run"):
            found = dict(self.rows(f"SELECT {status}, count(*) FROM attempt WHERE run = :run GROUP BY 1", run=run))
            sums = ", ".join(f"sum({name})" for name in COUNTED)
            total, *counts = self.rows(f"SELECT sum(attempts), {sums} FROM shard WHERE run = :run", run=run)[0]
            out += abs((total or 0) - sum(found.values()))
            out += sum(abs((count or 0) - found.get(name, 0)) for name, count in zip(COUNTED, counts, strict=True))
        return out


def _passes(puzzle: Puzzle, solution: bytes | None) -> bool:
    if solution is None:
        return False
    with contextlib.suppress(ValueError):
        return not check(puzzle, Solution(puzzle, unpack(solution)).bridges)
    return False


def expected(puzzles: Iterable[Puzzle], ends: Callable[[Puzzle], Ends] = quiet) -> list[tuple[Puzzle, Ends]]:
    """Puzzles, each with how it may end."""
    return [(puzzle, ends(puzzle)) for puzzle in puzzles]
