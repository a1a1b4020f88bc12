"""The simulation beside reality: `python -m benchmarks.fleet_check` on a machine that does nothing else.

First measures what each step costs here. Then so many workers of one process each solve the same boards, on a
PostgreSQL and a Valkey of their own, and the simulation says how fast they should have been, and how much CPU all
together should have taken, on the cores of this machine. Looked at is what lies between the end of the submission and
nine tenths of the puzzles. CPU is comparable on a machine that does other things, too.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.fleet_costs import cpu, measure, server
from benchmarks.fleet_model import Fleet, simulate
from benchmarks.make_puzzles import make_many
from kakehashi.producer.bells import Ringer
from kakehashi.producer.broker import Broker
from kakehashi.producer.submit import submit
from kakehashi.settings import Settings
from kakehashi.storage import NewEntry, Repository, RunOptions
from kakehashi.worker.private_broker import PrivateBroker
from kakehashi.worker.rollcall import ask

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kakehashi.puzzle import Puzzle

PATIENCE = 300.0
"""Seconds after which it is given up."""


def reality(boards: Sequence[Puzzle], workers: int) -> tuple[float, float]:
    """Puzzles a second of so many workers with one process each, and seconds of CPU for a puzzle."""
    with ExitStack() as stack:
        url, postmaster = stack.enter_context(server())
        private = stack.enter_context(PrivateBroker())
        settings = Settings(db=url, broker=private.url, concurrency=1)
        repository = stack.enter_context(Repository(settings.db, create=True))
        broker = stack.enter_context(Broker(settings))
        started = [stack.enter_context(_worker(settings)) for _ in range(workers)]
        while len(ask(broker)) < workers:
            pass
        entries = (NewEntry(f"{number}", "boards", number, board) for number, board in enumerate(boards))
        ring = Ringer(repository, broker, settings)
        run = submit(repository, entries, name="check", source={}, options=RunOptions(), on_chunk=ring).run
        roots = [postmaster, private.pid, *started]
        before, spent, began = repository.progress(run).done, _spent(roots), time.monotonic()
        while (done := repository.progress(run).done) < 0.9 * len(boards):
            if time.monotonic() > began + PATIENCE:
                raise SystemExit(f"{done} of {len(boards)} after {PATIENCE} s")
            time.sleep(0.1)
        return (done - before) / (time.monotonic() - began), (_spent(roots) - spent) / (done - before)


def _spent(roots: Sequence[int]) -> float:
    """Seconds of CPU of these processes and of all below them that live."""
    total, waiting = 0.0, list(roots)
    while waiting:
        pid = waiting.pop()
        with suppress(FileNotFoundError, ProcessLookupError):
            total += cpu(pid)
            waiting += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return total


@contextmanager
def _worker(settings: Settings) -> Iterator[int]:
    """A worker, by its process id; ended at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "kakehashi", "worker", "--log-level", "ERROR"],
        env=os.environ | settings.environ(),
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def main() -> int:
    """Print what was, and what should have been, for each number of workers."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--side", type=int, default=15, help="rows and columns of a board")
    parser.add_argument("--count", type=int, default=20_000, help="puzzles")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    given = parser.parse_args()
    costs = measure(given.side, 3)
    cores = len(os.sched_getaffinity(0))
    boards = list(make_many(2, given.count, given.side, given.side))
    print("workers  puzzles/s  simulated  off by  CPU us  simulated  off by")
    for workers in given.workers:
        fleet = Fleet(
            workers=workers, processes=1, solve=costs.solve, round_trip=0.05e-3, commit=0.0, cores=cores, machine=cores
        )
        (rate, each), load = reality(boards, workers), simulate(fleet, costs)
        expected = load.cpu / load.puzzles
        print(
            f"{workers:7}  {rate:9.0f}  {load.puzzles:9.0f}  {load.puzzles / rate - 1:+6.0%}  "
            f"{each * 1e6:6.0f}  {expected * 1e6:9.0f}  {expected / each - 1:+6.0%}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
