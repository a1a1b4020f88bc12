"""What a look at a million rows takes, and how long nobody else can write: `python -m benchmarks.million --out DIR`.

Batches of a million entries are put into each database (`filled.py`): one that ended in every way, one where every
second entry repeats the puzzle before it, one that waits in a million shards, one that is to be cancelled. Every look
is taken several times through the repository, as the commands take it; the median counts. The timeouts of the first
batch are tried again, and the last one is cancelled, while a second connection writes all the time. Exit code 1:
something took longer than is asked.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.filled import Plan, boards, fill
from benchmarks.load_tables import latency_table
from benchmarks.machine import this_machine
from benchmarks.records import Latency, Log
from benchmarks.services import postgresql
from benchmarks.tables import shown
from kakehashi.producer.rerun import NewBudget, rerun
from kakehashi.storage import Repository, ResultFilter, RunOptions, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOOK = 0.2
"""Seconds that a status, or the first page of a filter with an index, may take."""

NAME = 0.5
"""Seconds that the first page of a glob over names may take."""

LOCK = 0.5
"""Seconds that another writer may have to wait."""

PAGE = 101
"""Rows of a first page: what a table shows, and one that says that there are more."""

REPEATS = 5

LARGE = 100
"""More islands than the ordinary boards have."""

_PERCENT = {Status.SOLVED: 90, Status.TIMEOUT: 5, Status.CRASHED: 1, Status.INFEASIBLE: 1, Status.INVALID: 3}


def ended(pos: int) -> Status:
    """How the entry at a position ended; the ways are mixed as by a draw."""
    drawn = pos * 2654435761 % 2**32 * 100 >> 32  # Knuth's multiplicative hash
    for status, percent in _PERCENT.items():
        drawn -= percent
        if drawn < 0:
            return status
    raise AssertionError("the percentages do not make a hundred")


def source(pos: int) -> str:
    """The file of an entry: names that begin with each letter, and hold each number."""
    return f"{chr(97 + pos // 7 % 26)}{pos // 100:05}.txt"


def filters(run: int) -> Iterator[tuple[str, ResultFilter, float]]:
    """What is asked of a batch: in the words of the command, as a filter, and in how many seconds."""
    for status in Status:
        yield f"--status {status}", ResultFilter(frozenset({status})), LOOK
    open_or_bad = frozenset({Status.QUEUED, Status.INVALID, Status.TIMEOUT})
    yield "--status queued,invalid,timeout", ResultFilter(open_or_bad), LOOK
    for few in (12, LARGE, 10_000):
        yield f"--min-islands {few}", ResultFilter(min_islands=few), LOOK
    for most in (2, 30):
        yield f"--max-islands {most}", ResultFilter(max_islands=most), LOOK
    for slow in (5, 9_000, 60_000):
        yield f"--slower-than {slow}ms", ResultFilter(slower_than_ms=slow), LOOK
    yield "--run", ResultFilter(run=run), LOOK
    for status in (Status.SOLVED, Status.CRASHED, Status.CANCELLED):
        yield f"--run --status {status}", ResultFilter(frozenset({status}), run=run), LOOK
    timeout, solved = frozenset({Status.TIMEOUT}), frozenset({Status.SOLVED})
    yield "--status timeout --min-islands 20", ResultFilter(timeout, min_islands=20), LOOK
    yield f"--status timeout --min-islands {LARGE}", ResultFilter(timeout, min_islands=LARGE), LOOK
    yield "--status timeout --max-islands 2", ResultFilter(timeout, max_islands=2), LOOK
    yield "--status solved --slower-than 9000ms", ResultFilter(solved, slower_than_ms=9_000), LOOK
    yield "--min-islands 20 --slower-than 9000ms", ResultFilter(min_islands=20, slower_than_ms=9_000), LOOK
    yield "--run --status solved --min-islands 20", ResultFilter(solved, min_islands=20, run=run), LOOK
    for glob in ("a*", "*99*", "a*99?.txt*", "[x-z]*99*", "*no such name*"):
        yield f"--name '{glob}'", ResultFilter(name=glob), NAME
    yield "--status timeout --name '*99*'", ResultFilter(timeout, name="*99*"), NAME


@dataclass
class Course:
    """One database, with what was measured on it."""

    database: str
    url: str
    rows: int
    log: Log
    found: list[Latency] = field(default_factory=list)

    def look(self, batch: str, what: str, asked: float, look: Callable[[], int]) -> None:
        """Take a time again and again; `look` returns how many rows it saw."""
        seconds: list[float] = []
        rows = 0
        for _ in range(REPEATS):
            began = time.perf_counter()
            rows = look()
            seconds.append(time.perf_counter() - began)
        self.note(Latency(self.database, batch, what, asked, statistics.median(seconds), max(seconds), rows))

    def note(self, latency: Latency) -> None:
        """Keep a time."""
        self.found.append(latency)
        self.log.write(latency)
        late = "  LATE" if latency.late else ""
        print(
            f"{self.database:10} {latency.batch:8} {latency.what:42} {shown(latency.seconds):>8}{late}",
            file=sys.stderr,
            flush=True,
        )

    def looks(self, repository: Repository, name: str, batch: int, run: int) -> None:
        """Everything that is asked of a batch."""
        self.look(name, "status", LOOK, lambda: repository.progress(run).total)
        self.look(name, "slowest", LOOK, lambda: len(repository.slowest(run)))
        for what, where, asked in filters(run):
            self.look(name, what, asked, lambda where=where: _first_page(repository, batch, where))  # type: ignore[misc]

    def measure(self) -> None:
        """Fill the database, and ask."""
        small = [*boards(2000, 8, 14), *boards(1, 40, 40)]
        plans = {
            "ended": Plan("ended", self.rows, small, ended, source),
            "repeated": Plan("repeated", self.rows, small, ended, source, copies=True),
            "waiting": Plan("waiting", self.rows, small, lambda _: Status.QUEUED, source, shard=1),
        }
        numbers = {name: fill(self.url, plan) for name, plan in plans.items()}
        with Repository(self.url) as repository:
            for name, (batch, run) in numbers.items():
                self.looks(repository, name, batch, run)
            self.look("all", "status", LOOK, lambda: len(_all_status(repository)))
            busy, _ = fill(self.url, Plan("busy", self.rows // 20, small, lambda _: Status.QUEUED, source, shard=500))
            self.rerun(repository, *numbers["ended"], busy)
            cancelled = fill(self.url, Plan("cancelled", self.rows, small, lambda _: Status.QUEUED, source))
            self.cancel(repository, cancelled[1], busy)
            self.looks(repository, "cancelled", *cancelled)
            self.look("all", "due bells", LOOK, lambda: len(_bells(repository)))

    def rerun(self, repository: Repository, batch: int, run: int, busy: int) -> None:
        """Try the timeouts again, beside another writer; then look at both runs."""
        with _writer(self.url, busy) as waits:
            again = rerun(repository, batch, {Status.TIMEOUT}, NewBudget(60.0, False, 60.0), RunOptions(), run)
        count = 0 if again is None else repository.progress(again).total
        self.note(Latency(self.database, "ended", "rerun: wait of another writer", LOCK, max(waits), max(waits), count))
        if again is not None:
            for number, which in ((run, "first run"), (again, "rerun")):
                self.look(which, "status", LOOK, lambda number=number: repository.progress(number).total)  # type: ignore[misc]
                for what, where, asked in filters(number):
                    if where.run is not None:
                        self.look(which, what, asked, lambda where=where: _first_page(repository, batch, where))  # type: ignore[misc]

    def cancel(self, repository: Repository, run: int, busy: int) -> None:
        """Cancel a run that waits, beside another writer."""
        began = time.perf_counter()
        count = 0
        with _writer(self.url, busy) as waits:
            repository.cancel_run(run)
            while more := repository.cancel_rows(run):
                count += more
        took = time.perf_counter() - began
        wait = max(waits)
        self.note(Latency(self.database, "cancelled", "cancel: wait of another writer", LOCK, wait, wait, count))
        print(f"{self.database:10} cancelled {count} in {took:.1f} s", file=sys.stderr)


def _first_page(repository: Repository, batch: int, where: ResultFilter) -> int:
    return len(list(repository.results(batch, where, limit=PAGE)))


def _all_status(repository: Repository) -> list[int]:
    """What `kakehashi status` asks for."""
    runs = (run for info in repository.batches(20) for run in repository.runs(info.id))
    return [repository.progress(run.id).total for run in runs]


def _bells(repository: Repository) -> list[int]:
    """What a sweep takes, given back."""
    shards = [bell.shard for bell in repository.due_bells(300)]
    repository.unring(shards)
    return shards


@contextmanager
def _writer(url: str, batch: int) -> Iterator[list[float]]:
    """Another worker, which writes one result after the other; the seconds that each write took."""
    waits: list[float] = []
    done = threading.Event()

    def write() -> None:
        with Repository(url) as repository:
            run = repository.runs(batch)[0].id
            while not done.is_set():
                bell = repository.due_bells(1, run=run)[0]
                claim = repository.claim(bell.shard, "another", 600.0)
                if claim is None:
                    raise AssertionError("nobody else works on this batch")
                for work in claim.work:
                    if done.is_set():
                        break
                    began = time.perf_counter()
                    repository.note(claim, work.pos)
                    waits.append(time.perf_counter() - began)
                    time.sleep(0.005)
                repository.release(claim)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield waits
    finally:
        done.set()
        thread.join()


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="python -m benchmarks.million", description=(__doc__ or "").partition("\n")[0])
    made.add_argument("--rows", type=int, default=1_000_000, help="entries of each batch")
    made.add_argument("--databases", default="sqlite,postgresql")
    made.add_argument("--out", type=Path, default=Path("build/benchmarks"), help="folder for the results")
    return made


def main() -> int:
    """Measure, print a table; 1 when something is late."""
    given = parser().parse_args()
    found: list[Latency] = []
    with Log(given.out / "million.ndjson") as log:
        log.write(this_machine([f"kakehashi {version('kakehashi')}"]))
        for name in given.databases.split(","):
            with tempfile.TemporaryDirectory() as folder, _database(name, Path(folder)) as url:
                course = Course(name, url, given.rows, log)
                course.measure()
                found += course.found
    print(latency_table(found))
    return 1 if any(one.late for one in found) else 0


@contextmanager
def _database(name: str, folder: Path) -> Iterator[str]:
    if name == "sqlite":
        yield str(folder / "million.db")
    else:
        with postgresql() as server:
            yield server.new("million")


if __name__ == "__main__":
    sys.exit(main())
