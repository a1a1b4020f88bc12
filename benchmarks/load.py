"""A large batch through submit, workers and results on each database: `python -m benchmarks.load --out DIR`.

The puzzles are distinct, made, and kept in one file of JSON lines, which is made where it is not there. Each
alternation takes a bare process pool, SQLite and PostgreSQL in turn; submit and worker are the commands of a fleet,
with a Valkey. Times of CPU come from /proc: those of the worker are of all its processes, from the first claim to the
last write; PostgreSQL's and Valkey's are apart.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.load_tables import load_table
from benchmarks.machine import this_machine
from benchmarks.make_puzzles import make_many
from benchmarks.pipeline import pool
from benchmarks.processes import Memory, cpu_seconds
from benchmarks.records import Load, Log, Pace, Record
from benchmarks.records import Memory as MemoryRecord
from benchmarks.services import PostgreSQL, postgresql
from kakehashi.formats import get
from kakehashi.storage import Repository
from kakehashi.storage.database import Database
from kakehashi.worker.private_broker import PrivateBroker

if TYPE_CHECKING:
    from collections.abc import Iterator

SMALLEST, LARGEST = 10, 14
"""Sides of the boards: small ones, so that the pipeline's own cost is what shows."""

POOL_FILE = 500
"""Puzzles of a file that the pool reads at once: a shard's."""

LOOK = 0.25
"""Seconds between two looks at the progress."""

WORKER = ("supervisor", "celery", "worker process")
"""The processes of `kakehashi worker`, by their distance from it."""


@dataclass(frozen=True)
class Place:
    """A database and a broker, both empty, with the processes that serve them."""

    database: str
    url: str
    broker: PrivateBroker
    server: PostgreSQL | None

    def command(self, *arguments: str) -> list[str]:
        """A command of the program on this place."""
        return [sys.executable, "-m", "kakehashi", *arguments, "--db", self.url]

    def cpu(self) -> tuple[float, float]:
        """CPU of the database's and of the broker's processes so far."""
        return cpu_seconds(self.server.pid) if self.server else 0.0, cpu_seconds(self.broker.pid)

    def sizes(self) -> tuple[int, int]:
        """Bytes of tables and of indexes; on SQLite a table is the tree of its key."""
        if self.server:
            query = (
                "SELECT sum(pg_table_size(oid)), sum(pg_indexes_size(oid)) FROM pg_class "
                "WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
            )
        else:
            query = (
                "SELECT sum(pgsize) FILTER (WHERE name NOT LIKE 'ix%'), sum(pgsize) FILTER (WHERE name LIKE 'ix%') "
                "FROM dbstat"
            )
        database = Database(self.url)
        try:
            tables, indexes = database.read(lambda connection: connection.exec_driver_sql(query).one())
        finally:
            database.close()
        return int(tables), int(indexes)


def made(path: Path, count: int) -> Path:
    """The file of so many puzzles."""
    if not path.exists():
        print(f"making {count} puzzles: {path}", file=sys.stderr)
        path.parent.mkdir(parents=True, exist_ok=True)
        write = get("jsonl").write
        beside = path.with_suffix(".part")
        with beside.open("w", encoding="utf-8") as file:
            for puzzle in make_many(1, count, SMALLEST, LARGEST):
                file.write(write(puzzle).rstrip("\n") + "\n")
        beside.rename(path)
    return path


def through_pool(path: Path, workers: int, repeat: int) -> Load:
    """The same puzzles in a bare pool."""
    with tempfile.TemporaryDirectory() as folder:
        files: list[str] = []
        with path.open(encoding="utf-8") as lines:
            while part := list(islice(lines, POOL_FILE)):
                files.append(f"{folder}/{len(files):06}.jsonl")
                Path(files[-1]).write_text("".join(part), encoding="utf-8")
        took = pool(files, workers, "auto", "none")
    return Load("pool", repeat, took.puzzles, workers, work=took.work, work_cpu=took.cpu)


def through(place: Place, path: Path, workers: int, repeat: int) -> Iterator[Record]:
    """The puzzles through submit, workers and results: what the processes had in memory, the pace, and the times."""
    before = place.cpu()
    submit = place.command("submit", str(path), "--broker", place.broker.url, "--confirm", "none", "--format", "json")
    submit_s, submit_cpu, submit_mb, output = _timed(submit)
    run, total = json.loads(output)["run"], json.loads(output)["total"]
    yield MemoryRecord(place.database, repeat, 0.0, "submit", submit_mb, submit_mb)

    worker = subprocess.Popen(
        place.command("worker", "--broker", place.broker.url, "--concurrency", str(workers), "--log-level", "WARNING"),
        stderr=subprocess.DEVNULL,
    )
    began = time.time()
    with ExitStack() as watches:
        looks = [watches.enter_context(Memory(worker.pid, WORKER, every=1.0))]
        looks.append(watches.enter_context(Memory(place.broker.pid, ("valkey",), every=1.0)))
        if place.server:
            looks.append(watches.enter_context(Memory(place.server.pid, ("postgres", "backend"), every=1.0)))
        with Repository(place.url) as repository:
            idle = cpu = cpu_seconds(worker.pid)
            while True:
                progress = repository.progress(run)
                cpu = cpu_seconds(worker.pid)
                if progress.first_claim is None:
                    idle = cpu
                yield Pace(place.database, repeat, time.time() - began, progress.done)
                if progress.finished:
                    break
                if worker.poll() is not None:
                    raise SystemExit("the worker ended before the work did")
                time.sleep(LOOK)
    worker.terminate()
    worker.wait()
    for watch in looks:
        for level in watch.levels:
            yield MemoryRecord(place.database, repeat, level.at, level.process, level.rss_mb, level.pss_mb)
    after = place.cpu()

    results = place.command("results", str(progress.batch), "--format", "ndjson")
    results_s, _, results_mb, _ = _timed(results, output=subprocess.DEVNULL)
    if progress.first_claim is None or progress.last_write is None:
        raise SystemExit("nothing was claimed")
    tables, indexes = place.sizes()
    yield Load(
        place.database, repeat, total, workers,
        work=progress.last_write - progress.first_claim, work_cpu=cpu - idle,
        submit=submit_s, submit_cpu=submit_cpu, start=progress.first_claim - began,
        database_cpu=after[0] - before[0], broker_cpu=after[1] - before[1],
        results=results_s, results_mb=results_mb, table_bytes=tables, index_bytes=indexes,
    )  # fmt: skip


def _timed(command: list[str], output: int = subprocess.PIPE) -> tuple[float, float, float, str]:
    """Run a command: its seconds, its CPU, the most memory that it had in megabytes, and what it printed."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
    printed = process.stdout.read().decode() if process.stdout else ""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, printed


@contextmanager
def place_of(database: str, server: PostgreSQL) -> Iterator[Place]:
    """An empty database of this kind, and a broker of its own."""
    with PrivateBroker() as broker, tempfile.TemporaryDirectory() as folder:
        if database == "sqlite":
            yield Place(database, str(Path(folder) / "load.db"), broker, None)
        else:
            yield Place(database, server.new("load"), broker, server)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    given = argparse.ArgumentParser(prog="python -m benchmarks.load", description=(__doc__ or "").partition("\n")[0])
    given.add_argument("--count", type=int, default=200_000, help="puzzles")
    given.add_argument("--repeat", type=int, default=1, help="alternations")
    given.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    given.add_argument("--databases", default="sqlite,postgresql")
    given.add_argument("--puzzles", type=Path, help="the file of puzzles; made where it is not there")
    given.add_argument("--out", type=Path, default=Path("build/benchmarks"), help="folder for the results")
    return given


def main() -> int:
    """Measure, and print a table."""
    given = parser().parse_args()
    path = made(given.puzzles or Path(f"build/puzzles-{given.count}.jsonl"), given.count)
    loads: list[Load] = []
    with Log(given.out / f"load-{given.count}.ndjson") as log, postgresql() as server:
        log.write(this_machine([f"kakehashi {version('kakehashi')}"]))
        for repeat in range(given.repeat):
            loads.append(through_pool(path, given.workers, repeat))
            log.write(loads[-1])
            for database in given.databases.split(","):
                with place_of(database, server) as place:
                    for record in through(place, path, given.workers, repeat):
                        log.write(record)
                        if isinstance(record, Load):
                            loads.append(record)
                print(f"alternation {repeat + 1}: {database} done", file=sys.stderr, flush=True)
    print(load_table(loads))
    return 0


if __name__ == "__main__":
    sys.exit(main())
