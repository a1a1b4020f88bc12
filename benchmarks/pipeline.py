"""What the pipeline costs: `kakehashi run` beside a bare process pool that reads, solves and checks the same files.

    python benchmarks/pipeline.py                       # 10,000 distinct puzzles of 10x10 to 25x25, three alternations
    python benchmarks/pipeline.py FOLDER --workers 4

The pipeline's time is that from the first claim to the last write, by the database's clock; its start-up is given
apart: from the start of the process to the first claim. The pool's time is that from its first task to its last
result. Both runs of a pair come directly one after the other, since machines drift. Neither asks a
second engine, unless --confirm says that both do.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.processes import Memory

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Measured:
    """One run over the files. Seconds; megabytes of the largest process; `cpu` is that of the pool's processes."""

    puzzles: int
    decided: int
    work: float
    start: float
    whole: float
    peak: float
    cpu: float = 0.0


def solve_file(path: str, engine: str, confirm: str) -> tuple[int, int, float, float, float]:
    """A pool's task: how many puzzles and how many decided, when it began and ended, and its CPU."""
    from kakehashi import solve
    from kakehashi.formats import read

    began, cpu = time.monotonic(), time.process_time()
    puzzles = [entry.puzzle for entry in read([path]) if entry.puzzle is not None]
    outcomes = [solve(puzzle, budget=10.0, engine=engine, confirm=confirm) for puzzle in puzzles]
    decided = sum(outcome.decided for outcome in outcomes)
    return len(outcomes), decided, began, time.monotonic(), time.process_time() - cpu


def pool(files: Sequence[str], workers: int, engine: str, confirm: str) -> Measured:
    """The bare pool."""
    began = time.monotonic()
    with multiprocessing.get_context("fork").Pool(workers) as processes:
        work = partial(solve_file, engine=engine, confirm=confirm)
        results = processes.map(work, files, chunksize=max(1, min(50, len(files) // (4 * workers))))
    starts, ends = [row[2] for row in results], [row[3] for row in results]
    return Measured(
        puzzles=sum(row[0] for row in results),
        decided=sum(row[1] for row in results),
        work=max(ends) - min(starts),
        start=min(starts) - began,
        whole=time.monotonic() - began,
        peak=0.0,
        cpu=sum(row[4] for row in results),
    )


def pipeline(folder: Path, workers: int, engine: str, confirm: str) -> Measured:
    """`kakehashi run` as a user starts it, with a database of its own."""
    from kakehashi.storage import Repository

    with tempfile.TemporaryDirectory() as scratch:
        db = Path(scratch) / "bench.db"
        command = [sys.executable, "-m", "kakehashi", "run", str(folder), "--db", str(db)]
        began, began_at = time.monotonic(), time.time()
        process = subprocess.Popen(
            [*command, "--workers", str(workers), "--engine", engine, "--confirm", confirm, "--format", "json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        watch = Memory(process.pid)
        output, _ = process.communicate()
        whole = time.monotonic() - began
        summary: dict[str, Any] = json.loads(output)
        with Repository(str(db)) as repository:
            progress = repository.progress(summary["run"])
        if progress.first_claim is None or progress.last_write is None:
            raise SystemExit("nothing was claimed")
        return Measured(
            puzzles=summary["total"],
            decided=summary["solved"] + summary["infeasible"],
            work=progress.last_write - progress.first_claim,
            start=progress.first_claim - began_at,
            whole=whole,
            peak=watch.stop(),
        )


def report(pairs: Sequence[tuple[Measured, Measured]], workers: int) -> None:
    """Print medians and the overhead."""
    print(f"{'':10} {'puzzles':>8} {'decided':>8} {'work s':>8} {'start s':>8} {'whole s':>8} {'peak MB':>8}")
    for name, runs in (("pool", [a for a, _ in pairs]), ("pipeline", [b for _, b in pairs])):
        for run in runs:
            print(
                f"{name:10} {run.puzzles:8} {run.decided:8} {run.work:8.2f} {run.start:8.2f} {run.whole:8.2f} "
                f"{run.peak:8.1f}"
            )
    ratios = [piped.work / bare.work for bare, piped in pairs]
    extra = [(piped.work - bare.work) * workers / bare.puzzles * 1000 for bare, piped in pairs]
    each = ", ".join(f"{(ratio - 1) * 100:.1f} %" for ratio in ratios)
    print(f"\noverhead from the first claim to the last write: {(statistics.median(ratios) - 1) * 100:.1f} % ({each})")
    print(f"the same for a puzzle: {statistics.median(extra):.3f} ms of a worker's time")
    print(f"start-up, largest: {max(piped.start for _, piped in pairs):.2f} s")
    print(f"largest process: {max(piped.peak for _, piped in pairs):.1f} MB")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="puzzle files; made when not given")
    parser.add_argument("--count", type=int, default=10_000, help="how many to make")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--confirm", choices=["none", "auto", "all"], default="none")
    parser.add_argument("--repeat", type=int, default=3, help="pairs of runs")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.folder
        if folder is None:
            folder = Path(scratch)
            maker = [sys.executable, str(HERE / "make_puzzles.py"), "--min", "10", "--max", "25", "--seed", "1"]
            subprocess.run(
                [*maker, "--count", str(arguments.count), str(folder)], check=True, stdout=subprocess.DEVNULL
            )
        files = sorted(str(path) for path in folder.rglob("*") if path.is_file())
        pairs = []
        for _ in range(arguments.repeat):
            how = (arguments.workers, arguments.engine, arguments.confirm)
            pairs.append((pool(files, *how), pipeline(folder, *how)))
            print(f"pair {len(pairs)} done", file=sys.stderr)
        report(pairs, arguments.workers)


if __name__ == "__main__":
    main()
