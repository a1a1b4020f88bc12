"""Which SAT solver of PySAT is the fastest on these puzzles?

    python benchmarks/engines.py FOLDER... [--solvers glucose4,minisat22] [--repeats 3] [--sample 30] [--budget 20]

Measured is what an engine does: propagation, encoding, search, from the graph in memory to the values in memory. The
solvers take turns on each puzzle, in another order in each repeat, so that a slow moment of the machine hits all of
them. A puzzle's time is the median of its repeats; the table shows median, mean and maximum over the puzzles.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import track
from rich.table import Table

import kakehashi
from kakehashi.puzzle import MAX_CLUE, Puzzle
from kakehashi.solver import Deadline, OutOfTime
from kakehashi.solver.pysat_engine import PysatEngine

if TYPE_CHECKING:
    from collections.abc import Sequence

SOLVERS = (
    "glucose3", "glucose4", "glucose42", "gluecard4", "maplechrono", "maplecm", "maplesat", "mergesat3", "minicard",
    "minisat22", "minisat-gh", "ergo",
)  # fmt: skip
"""All of PySAT's solvers that are incremental and take a budget of propagations."""


@dataclass
class Timing:
    """What one solver did on the puzzles of one folder."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    longest_slice: float = 0.0
    cuts: list[int] = field(default_factory=list)
    unsolved: int = 0


class Watch(Deadline):
    """A deadline that notes the longest time between two looks at it."""

    __slots__ = ("last", "longest")

    def __init__(self, budget: float) -> None:
        super().__init__(budget)
        self.last = self.now
        self.longest = 0.0

    def check(self) -> None:
        """Look at the clock, and at how long nobody did."""
        now = self.now
        self.longest = max(self.longest, now - self.last)
        self.last = now
        super().check()


def measure(
    puzzles: Sequence[tuple[str, Puzzle]], solvers: Sequence[str], repeats: int, budget: float, *, unique: bool
) -> dict[str, Timing]:
    """Let every solver have its turn on every puzzle, `repeats` times."""
    timings = {solver: Timing() for solver in solvers}
    order = list(solvers)
    shuffle = random.Random(1).shuffle
    jobs = [(name, puzzle) for _ in range(repeats) for name, puzzle in puzzles]
    for name, puzzle in track(jobs, console=Console(stderr=True), transient=True):
        graph = puzzle.graph
        shuffle(order)
        for solver in order:
            timing = timings[solver]
            started = time.perf_counter()
            watch = Watch(budget)
            with PysatEngine(solver).open(graph, watch) as search:
                try:
                    search.next_solution()
                    if unique:
                        search.next_solution()
                except OutOfTime:
                    timing.unsolved += 1
            timing.seconds.setdefault(name, []).append(time.perf_counter() - started)
            timing.cuts.append(search.statistics.cuts)
            timing.longest_slice = max(timing.longest_slice, watch.longest)
    return timings


def table(title: str, timings: dict[str, Timing], repeats: int) -> Table:
    """The timings of one folder, the fastest mean first."""
    shown = Table(title=title)
    shown.add_column("solver")
    for column in ("median ms", "mean ms", "max ms", "out of time", "cuts (mean)", "longest between looks, ms"):
        shown.add_column(column, justify="right")
    rows = []
    for solver, timing in timings.items():
        times = [1000 * statistics.median(seconds) for seconds in timing.seconds.values()]
        rows.append((statistics.mean(times), solver, times, timing))
    for mean, solver, times, timing in sorted(rows, key=lambda row: row[0]):
        shown.add_row(
            solver,
            f"{statistics.median(times):.2f}",
            f"{mean:.2f}",
            f"{max(times):.1f}",
            f"{timing.unsolved / repeats:g}",
            f"{statistics.mean(timing.cuts):.0f}",
            f"{1000 * timing.longest_slice:.0f}",
        )
    return shown


def read(folder: Path) -> list[tuple[str, Puzzle]]:
    """The puzzles of a folder (or a file) by name; what cannot be read is told and left out."""
    puzzles = []
    for entry in kakehashi.read(folder):
        if entry.puzzle is None:
            Console(stderr=True).print(f"left out: {entry.error}", markup=False)
        else:
            puzzles.append((entry.name, entry.puzzle))
    return puzzles


def changed(puzzle: Puzzle, rng: random.Random) -> Puzzle:
    """The puzzle with one clue raised and another lowered: mostly infeasible, but not by the sum of its clues."""
    cells = bytearray(puzzle.cells)
    raised = rng.choice([place for place, clue in enumerate(cells) if 0 < clue < MAX_CLUE])
    lowered = rng.choice([place for place, clue in enumerate(cells) if clue > 1 and place != raised])
    cells[raised] += 1
    cells[lowered] -= 1
    return Puzzle(puzzle.rows, puzzle.cols, bytes(cells), puzzle.touching)


def main() -> None:
    """Read the command line, measure folder after folder."""
    assert __doc__ is not None  # noqa: S101 - for the type checker
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="puzzles in any format that is known")
    parser.add_argument("--solvers", default=",".join(SOLVERS), help="names as PySAT has them, with commas")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--sample", type=int, default=0, help="only so many puzzles of each folder, spread evenly")
    parser.add_argument("--budget", type=float, default=20.0, help="seconds for each puzzle")
    parser.add_argument("--unique", action="store_true", help="ask for a second solution too")
    parser.add_argument("--changed", type=int, default=0, help="so many changed copies of each puzzle instead of it")
    parser.add_argument("--seed", type=int, default=1, help="for the changes")
    options = parser.parse_args()
    for folder in options.folders:
        puzzles = read(folder)
        if not puzzles:
            parser.error(f"there is no puzzle in {folder}")
        if 0 < options.sample < len(puzzles):
            puzzles = [puzzles[k * len(puzzles) // options.sample] for k in range(options.sample)]
        if options.changed:
            rng = random.Random(options.seed)
            copies = [(name, puzzle, k) for name, puzzle in puzzles for k in range(options.changed)]
            puzzles = [(f"{name} changed {k}", changed(puzzle, rng)) for name, puzzle, k in copies]
        timings = measure(
            puzzles, options.solvers.split(","), options.repeats, options.budget, unique=options.unique
        )  # fmt: skip
        title = f"{folder.name}: {len(puzzles)} puzzles, {options.repeats} repeats"
        Console().print(table(title, timings, options.repeats))


if __name__ == "__main__":
    main()
