"""A fleet under random faults for a long time: `python -m tests.faults.soak --minutes 30`, then `--report`.

Two workers solve batches that keep coming, while every few seconds something is killed, frozen, emptied or taken away.
At the end all must be as `tests.faults.audit` asks. What happens goes into a file of JSON lines.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy

from benchmarks.machine import this_machine
from kakehashi.errors import KakehashiError
from kakehashi.producer.bells import refill
from kakehashi.producer.broker import Broker
from kakehashi.producer.submit import submit
from kakehashi.storage import Repository, RunOptions
from tests.faults.arena import Arena, Worker, an_arena
from tests.faults.audit import Ends, quiet
from tests.faults.reliability import write
from tests.faults.scenario import BOTH, POSTGRESQL
from tests.faults.scenarios.workers import resident
from tests.faults.toolbox import TOOLS
from tests.services import PostgreSQL
from tests.support.clock import Clock
from tests.support.engines import SLOW_NUMBERS, is_hard
from tests.support.fleet import children
from tests.support.storing import entries_of, marked
from tests.support.valkey import Valkey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TextIO

    from kakehashi.puzzle import Puzzle

WORKERS = 2
BACKLOG = 1500
"""Puzzles that should be open at any time: more than are solved during a fault, or a standstill would mean nothing."""

PAUSES = (1.0, 6.0)
"""Seconds between the end of a fault and the next one."""

LOOK_EVERY = 0.25
SAMPLE_EVERY = 5.0
"""Seconds between two looks at what was written, and between two samples."""

SETTINGS = {"memory_limit": 384, "patience": 30.0}


def poison_ends(puzzle: Puzzle) -> Ends:
    """Poison crashes; everything else ends as in a quiet run."""
    poison = is_hard(puzzle.graph) and puzzle.graph.island_col[2] - 4 >= SLOW_NUMBERS
    return frozenset({"crashed"}) if poison else quiet(puzzle)


def cancelled_ends(puzzle: Puzzle) -> Ends:
    """A run that is cancelled may have come so far, or not."""
    return poison_ends(puzzle) | {"cancelled"}


class Soak:
    """A fleet, what is done to it, and the file that tells of it.

    Args:
        arena: with a Valkey that can be taken away, and no worker yet.
        clock: of the workers.
        log: gets the JSON lines.

    Attributes:
        workers: those that live.
    """

    def __init__(self, arena: Arena, clock: Clock, log: TextIO) -> None:
        self.arena: Arena = arena
        self.clock: Clock = clock
        self.workers: list[Worker] = [arena.worker() for _ in range(WORKERS)]
        self._written = 0
        self._log = log
        self._lock = threading.Lock()
        self._began = time.monotonic()
        self._over = threading.Event()

    def say(self, kind: str, **fields: Any) -> None:
        """Write a line."""
        with self._lock:
            line = {"kind": kind, "at": round(time.monotonic() - self._began, 2), **fields}
            self._log.write(json.dumps(line) + "\n")
            self._log.flush()

    def run(self, minutes: float) -> None:
        """Hand in batches and do harm."""
        rng = self.arena.rng
        ends = time.monotonic() + 60 * minutes
        tools = [tool for tool in TOOLS if self.database in tool.databases]
        while self._feed():
            pass
        while time.monotonic() < ends:
            self._people()
            tool = rng.choice(tools)
            if not (tool.kills and self._third_death()):
                self.say("fault", fault=tool.name)
                tool.use(self)
                self.arena.times += 1
            pause_ends = time.monotonic() + rng.uniform(*PAUSES)
            while time.monotonic() < pause_ends:
                self._feed()
                time.sleep(LOOK_EVERY)

    @property
    def database(self) -> str:
        """Which kind."""
        return POSTGRESQL if "://" in self.arena.settings.db else "sqlite"

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Look at the database and at the processes from another thread meanwhile."""
        watcher = threading.Thread(target=self._watch, name="watcher")
        watcher.start()
        try:
            yield
        finally:
            self._over.set()
            watcher.join()

    def _watch(self) -> None:
        sample_at = 0.0
        while not self._over.wait(LOOK_EVERY):
            with contextlib.suppress(sqlalchemy.exc.SQLAlchemyError):  # the database is away
                written = self.arena.books.number("SELECT max(id) FROM ledger")
                if written > self._written:
                    self._written = written
                    self.say("written", attempts=written)
            if time.monotonic() >= sample_at:
                sample_at = time.monotonic() + SAMPLE_EVERY
                self.say("sample", **self._sample())

    def _sample(self) -> dict[str, Any]:
        """Megabytes of every process, and what waits; None where the service does not answer."""
        workers = list(self.workers)
        memory = {
            "supervisor": [resident(worker.pid) for worker in workers],
            "Celery": [resident(celery) for worker in workers for celery in children(worker.pid)],
            "process": [resident(pid) for worker in workers for pid in worker.processes()],
        }
        leases = bells = None
        with contextlib.suppress(sqlalchemy.exc.SQLAlchemyError):
            leases = self.arena.books.number("SELECT count(*) FROM shard WHERE token IS NOT NULL")
        with contextlib.suppress(KakehashiError):
            bells = self.arena.bells()
        return {"attempts": self._written, "leases": leases, "bells": bells, "memory": memory}

    def _feed(self) -> bool:
        """Hand in another batch when little is left to do; whether it was."""
        left = "SELECT sum(attempts - solved - infeasible - timeout - crashed - cancelled) FROM shard"
        hungry = self.arena.books.number(f"{left} WHERE closed_at IS NULL") < BACKLOG
        if hungry:
            self._submit(poison_ends)
        return hungry

    def _submit(self, ends: Callable[[Puzzle], Ends]) -> int:
        """Hand in a mixed batch, and return its number; some take the answers that are known."""
        rng, settings = self.arena.rng, self.arena.settings
        poison = [marked(SLOW_NUMBERS + rng.randrange(50))] if rng.random() < 0.3 else []
        puzzles = [*poison, *self.arena.puzzles(slow=10, easy=100, made=30, infeasible=10)]
        with Repository(settings.db, patience=30.0) as repository, Broker(settings) as bells:

            def ring(*_: int) -> None:
                refill(repository, bells, settings)

            done = submit(
                repository,
                entries_of(puzzles),
                name="soak",
                source={},
                options=RunOptions(budget=5.0, engine="soak"),
                on_chunk=ring,
                skip_known=rng.random() < 0.2,
            )
        self.arena.expect(done.batch, puzzles, ends)
        return done.batch

    def _people(self) -> None:
        """Now and then somebody cancels a batch, or has puzzles of one tried again, where there are any."""
        rng = self.arena.rng
        if rng.random() < 0.1:
            batch = self._submit(cancelled_ends)
            time.sleep(rng.uniform(0.0, 2.0))
            self._call("cancel", str(batch))
        if rng.random() < 0.1:
            batch = rng.choice(list(self.arena.handed_in))
            self._call("rerun", str(batch), "--only", "crashed,cancelled", "--budget", "5s", "--fleet")

    def _call(self, *command: str) -> None:
        said = self.arena.place.call(*command, expect=None)
        self.say("person", command=command, code=said.code)

    def replace(self, worker: Worker) -> None:
        """Start a worker in the place of one that ended."""
        self.workers.remove(worker)
        self.workers.append(self.arena.worker())

    def _third_death(self) -> bool:
        """Whether one more death might be the third of an innocent puzzle, which nobody can tell from poison."""
        batches = dict(self.arena.books.rows("SELECT id, batch FROM run"))
        near = self.arena.books.rows("SELECT run, pos FROM attempt WHERE deaths >= 2 AND termination IS NULL")
        return any("crashed" not in self.arena.handed_in[batches[run]][pos][1] for run, pos in near)


def soak(database: str, minutes: float, seed: int, log: TextIO) -> bool:
    """Run it; whether all is as it should be."""
    with contextlib.ExitStack() as stack:

        def postgresql() -> PostgreSQL:
            return server

        if database == POSTGRESQL:
            server = PostgreSQL()
            stack.callback(server.stop)
        clock = stack.enter_context(Clock())
        rng = random.Random(f"{seed}/{database}")
        arena = stack.enter_context(an_arena(database, postgresql, rng, Valkey, **SETTINGS))
        arena.place.environment |= clock.environment
        running = Soak(arena, clock, log)
        running.say("begin", database=database, minutes=minutes, seed=seed, cpu=this_machine([]).cpu, workers=WORKERS)
        with running.watched():
            running.run(minutes)
            running.say("quiet")
            arena.settle()
        bells, left = arena.bells(), arena.close()
        audit = arena.books.audit(arena.handed_in)
        running.say(
            "end",
            deaths=arena.books.number("SELECT sum(deaths) FROM attempt"),
            audit=asdict(audit),
            bells=bells,
            left=left,
        )
        print(f"{database}: {arena.times} faults, {audit}, {bells} bells and {len(left)} things left")
        return not (audit.faults or bells or left)


def main(arguments: Sequence[str] | None = None) -> int:
    """Soak, or write the report; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.soak", description=__doc__)
    parser.add_argument(
        "--minutes", type=float, default=30.0, help="of faults; the quiet end comes after (default: 30)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of all that is drawn at random (default: 0)")
    parser.add_argument("--database", choices=BOTH, default=POSTGRESQL, help="(default: postgresql)")
    parser.add_argument(
        "--log", type=Path, default=Path("build/soak.jsonl"), help="the file of JSON lines, written anew"
    )
    parser.add_argument("--report", nargs="+", type=Path, metavar="LOG", help="write docs/reliability.md, and end")
    parser.add_argument("--faults", type=Path, help="with --report: what `python -m tests.faults --json` wrote")
    options = parser.parse_args(arguments)
    if options.report:
        write(options.report, options.faults)
        return 0
    options.log.parent.mkdir(parents=True, exist_ok=True)
    with options.log.open("w") as log:
        return int(not soak(options.database, options.minutes, options.seed, log))


if __name__ == "__main__":
    sys.exit(main())
