"""Where a fault is played out: a database, a broker and workers, all of them real processes, and puzzles."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from benchmarks.make_puzzles import make_puzzle
from kakehashi.formats import get
from kakehashi.producer.bells import refill
from kakehashi.producer.broker import Broker
from kakehashi.producer.submit import submit
from kakehashi.settings import Settings
from kakehashi.storage import Bell, Repository, RunOptions
from kakehashi.storage.migrate import upgrade
from kakehashi.worker.private_broker import PrivateBroker
from tests.acceptance.place import Place, a_place, wait
from tests.faults.audit import Books, Ends, expected, quiet
from tests.support.engines import is_hard
from tests.support.fleet import QUICK, children
from tests.support.storing import apart, entries_of, marked
from tests.support.storing import easy as one_channel

if TYPE_CHECKING:
    import random
    import subprocess
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from kakehashi.puzzle import Puzzle
    from kakehashi.storage import Progress
    from tests.services import PostgreSQL

PATIENCE = 120.0
"""Seconds in which all work has to be done after the last fault."""

NOBODYS = 2**40
"""The number of no shard."""


class Running(Protocol):
    """A broker that runs; scenarios that take one away know more of theirs."""

    @property
    def url(self) -> str:
        """Its address."""


class Worker:
    """A `kakehashi worker` of the arena: the supervisor, Celery below it, and below that the processes that solve."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self.process = process
        self.log = log

    @property
    def pid(self) -> int:
        """The process id of the supervisor."""
        return self.process.pid

    @property
    def celery(self) -> int:
        """The process id of Celery, which has to be there."""
        (child,) = children(self.pid)
        return child

    def processes(self) -> list[int]:
        """The process ids of those that solve; none while Celery starts."""
        return [solver for child in children(self.pid) for solver in children(child)]

    def wait_until_ready(self) -> None:
        """Wait until the processes that solve are there."""
        wait(self.processes, bool)

    def send(self, number: signal.Signals) -> None:
        """Send a signal to all of it: the supervisor, Celery and its processes."""
        for group in (self.pid, *children(self.pid)):
            os.killpg(group, number)

    def kill(self) -> None:
        """Kill all of it at once. Nobody is left then who could remove its temporary folder."""
        variables = Path(f"/proc/{self.celery}/environ").read_bytes().split(b"\0")
        (folder,) = (value.removeprefix(b"TMPDIR=") for value in variables if value.startswith(b"TMPDIR="))
        self.send(signal.SIGKILL)
        shutil.rmtree(os.fsdecode(folder))

    def said(self, text: str) -> bool:
        """Whether its log has this text."""
        return text in self.log.read_text()

    def stop(self) -> None:
        """Stop it as an operator does, and wait for its end."""
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(60)


class Arena:
    """What a scenario needs to put work in and to do harm.

    Attributes:
        settings: of all workers that are started here.
        broker: as the scenario asked for it, by default a `PrivateBroker`.
        postgresql: gives the server of the database, where it is PostgreSQL.
        place: the folder in which everything happens, and every process that was started there.
        books: the database, in plain SQL.
        rng: the source of every choice.
        times: how often the fault was done.
        handed_in: the puzzles of each batch, and how each may end.
        workers: those that were started, dead ones too.
        later: what has to be put right again after the audit.
    """

    def __init__(
        self,
        settings: Settings,
        place: Place,
        broker: Any,
        postgresql: Callable[[], PostgreSQL],
        rng: random.Random,
        later: contextlib.ExitStack,
    ) -> None:
        self.settings = settings
        self.place = place
        self.broker = broker
        self.postgresql = postgresql
        self.books = Books(settings.db if "://" in settings.db else f"sqlite:///{settings.db}")
        self.rng = rng
        self.times = 0
        self.handed_in: dict[int, list[tuple[Puzzle, Ends]]] = {}
        self.workers: list[Worker] = []
        self.later = later

    def worker(self, *, inside: Sequence[str] = (), **settings: object) -> Worker:
        """Start a worker, and wait until it may take bells; some settings may be its own.

        `inside` is a command before the command, which has to become the worker.
        """
        log = self.place.here / f"worker-{len(self.workers)}.log"
        changed = {f"KAKEHASHI_{name.upper()}": str(value) for name, value in settings.items()}
        with log.open("w") as output:
            process = self.place.start(
                "worker", "--log-level", "info",
                inside=inside, env=self.place.environment | changed, stdout=output, stderr=output,
            )  # fmt: skip
        worker = Worker(process, log)
        self.workers.append(worker)
        worker.wait_until_ready()
        return worker

    def submit(
        self,
        puzzles: Sequence[Puzzle],
        *,
        engine: str = "slow-marked",
        budget: float = 10.0,
        ends: Callable[[Puzzle], Ends] = quiet,
    ) -> int:
        """Hand in a batch whose bells are rung; its run.

        Args:
            puzzles: distinct or not.
            engine: of the program, or of `tests.support.engines`.
            budget: seconds a puzzle.
            ends: how an attempt may end.
        """
        with Repository(self.settings.db, patience=30.0) as repository, Broker(self.settings) as bells:

            def ring(*_: int) -> None:
                refill(repository, bells, self.settings)

            done = submit(
                repository,
                entries_of(puzzles),
                name="b",
                source={},
                options=RunOptions(budget=budget, engine=engine),
                on_chunk=ring,
            )
        self.expect(done.batch, puzzles, ends)
        return done.run

    def puzzles(self, *, slow: int = 20, easy: int = 200, made: int = 80, infeasible: int = 20) -> list[Puzzle]:
        """Distinct puzzles in random order.

        Args:
            slow: so many that the tests' engines treat badly; `slow-marked` takes half a second for each.
            easy: so many of one channel.
            made: so many of 10 to 40 islands, each with an answer.
            infeasible: so many without an answer, which only an engine finds out.
        """
        chosen = [*map(marked, range(slow)), *map(one_channel, range(easy)), *map(apart, range(infeasible))]
        boards: set[Puzzle] = set()
        while len(boards) < made:
            board = make_puzzle(self.rng, 10, 10, self.rng.randint(10, 40))
            if not is_hard(board.graph):
                boards.add(board)
        chosen += sorted(boards, key=lambda board: board.cells)
        self.rng.shuffle(chosen)
        return chosen

    def expect(self, batch: int, puzzles: Iterable[Puzzle], ends: Callable[[Puzzle], Ends] = quiet) -> None:
        """Say what a batch holds that somebody else handed in."""
        self.handed_in[batch] = expected(puzzles, ends)

    def write(self, puzzles: Iterable[Puzzle], name: str = "puzzles") -> Path:
        """A folder of puzzle files, in the order in which it is read."""
        folder = self.place.here / name
        folder.mkdir()
        for k, puzzle in enumerate(puzzles):
            (folder / f"{k:05}.txt").write_text(get("grid").write(puzzle))
        return folder

    def start(self, *arguments: str | Path) -> subprocess.Popen[str]:
        """Start a command of `kakehashi` as a person does, in a process group of its own."""
        return self.place.start(*arguments)

    def progress(self, run: int) -> Progress:
        """Where a run stands."""
        with Repository(self.settings.db, patience=30.0) as repository:
            return repository.progress(run)

    def wait(self, run: int, until: Callable[[Progress], bool]) -> Progress:
        """Look at a run until it is so."""
        seen: Progress = wait(lambda: self.progress(run), until, PATIENCE)
        return seen

    def wait_for_work(self, run: int, done: int = 0) -> Progress:
        """Wait until somebody works on a run, and that many of its entries have ended."""
        return self.wait(run, lambda progress: progress.done >= done and progress.shards_leased > 0)

    def in_the_middle(self) -> int:
        """A worker with work in hand, and much of it left, when a fault comes; the run."""
        self.worker()
        run = self.submit(self.puzzles(slow=40))
        self.wait_for_work(run, done=20)
        self.times += 1
        return run

    def wait_until_done(self) -> None:
        """Wait until nothing is left to do."""
        wait(self.books.unfinished, lambda left: not left, PATIENCE)

    def wait_for_entries(self, count: int) -> None:
        """Wait until so many have been stored."""
        wait(lambda: self.books.number("SELECT count(*) FROM entry"), lambda stored: stored >= count, PATIENCE)

    def bells(self) -> int:
        """How many bells wait in the broker."""
        with Broker(self.settings) as broker:
            return broker.depth()

    def ring(self, shards: Iterable[int], budget: float = 10.0) -> None:
        """Send bells for these shards, whatever the database thinks of it."""
        with Broker(self.settings) as broker:
            broker.ring([Bell(shard, budget) for shard in shards])

    def settle(self) -> None:
        """Wait until all work is done; then see that bells which come too late change nothing."""
        if not any(worker.process.poll() is None for worker in self.workers):
            self.worker()
        self.wait_until_done()
        wait(self.bells, lambda count: count == 0, PATIENCE)
        before = self.books.state()
        self.ring(shard for (shard,) in self.books.rows("SELECT id FROM shard"))
        wait(self.bells, lambda count: count == 0, PATIENCE)
        # More than the processes can have in hand: when all are taken, those before them have been looked at.
        self.ring([NOBODYS] * 2 * self.settings.concurrency * len(self.workers))
        wait(self.bells, lambda count: count == 0, PATIENCE)
        assert self.books.state() == before, "a bell for a closed shard changed something"

    def close(self) -> list[str]:
        """Stop all workers; the processes and temporary files that are left, which should be none."""
        for worker in self.workers:
            worker.stop()

        def left() -> list[str]:
            return self.place.processes() + [str(path) for path in self.place.temporary.iterdir()]

        with contextlib.suppress(AssertionError):
            wait(left, lambda found: not found, 15.0)
        return left()


@contextlib.contextmanager
def an_arena(
    database: str,
    postgresql: Callable[[], PostgreSQL],
    rng: random.Random,
    broker: Callable[[], AbstractContextManager[Running]] = PrivateBroker,
    **settings: object,
) -> Iterator[Arena]:
    """An arena with a fresh database whose ledger is kept, and an empty broker; no worker yet.

    What workers said is shown when the block fails.
    """
    with contextlib.ExitStack() as stack:
        place = stack.enter_context(a_place())
        if database == "sqlite":
            url = str(place.db)
        else:
            url = stack.enter_context(contextlib.contextmanager(postgresql().without_tables)())
        upgrade(url)
        running = stack.enter_context(broker())
        chosen = Settings(**{**QUICK, "db": url, "broker": running.url, **settings})  # type: ignore[arg-type]
        place.environment |= chosen.environ()
        arena = Arena(chosen, place, running, postgresql, rng, stack)
        arena.books.keep_ledger()
        try:
            yield arena
        except BaseException as error:
            for worker in arena.workers:
                error.add_note(f"{worker.log.name}:\n{''.join(worker.log.read_text().splitlines(True)[-30:])}")
            raise
