"""Where the time of `kakehashi.solve` goes: the median of each stage over the puzzles of a folder, in microseconds.

    python benchmarks/stages.py examples
    python benchmarks/stages.py FOLDER --most 100 --rounds 5

The first column is the package as it is installed, the second the same with its compiled parts out of reach, so that
Python and PySAT take their place; each column is a process of its own. The row `solve` is the whole; the rows behind
it are no part of it.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from kakehashi.puzzle import Puzzle
    from kakehashi.solver import Engine

T = TypeVar("T")

COMPILED = ("kakehashi.puzzle._graph", "kakehashi.puzzle._judge", "kakehashi.solver._native")

PARTS = ("graph", "sight", "open", "search", "check", "solve")
BESIDE = ("read", "bridges", "check in Python", "answer grid", "digest")


class Stages:
    """The times of each stage, in seconds."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = defaultdict(list)

    def measure(self, stage: str, work: Callable[[], T]) -> T:
        """Do something, and note how long it took."""
        began = time.perf_counter()
        result = work()
        self.times[stage].append(time.perf_counter() - began)
        return result

    def medians(self) -> dict[str, float]:
        """Microseconds by stage."""
        return {stage: statistics.median(times) * 1e6 for stage, times in self.times.items()}


def look_at(puzzle: Puzzle, engine: Engine, stages: Stages) -> None:
    """Take one puzzle through all stages, then as a whole."""
    from kakehashi.puzzle import Solution, check, check_solution
    from kakehashi.solver import Deadline, solve
    from kakehashi.solver.sight import infeasible_at_once

    def fresh() -> Puzzle:
        """The same puzzle without the graph that it keeps."""
        return dataclasses.replace(puzzle)

    apart, whole = fresh(), fresh()
    graph = stages.measure("graph", lambda: apart.graph)
    if stages.measure("sight", lambda: infeasible_at_once(apart)) is None:
        with stages.measure("open", lambda: engine.open(graph, Deadline())) as search:
            values = stages.measure("search", search.next_solution)
        if values is not None:
            stages.measure("check", lambda: check_solution(Solution(apart, values)))
            solution = Solution(apart, values)
            bridges = stages.measure("bridges", lambda: solution.bridges)
            stages.measure("check in Python", lambda: check(apart, bridges))
            stages.measure("answer grid", lambda: solution.grid)
    stages.measure("digest", lambda: whole.digest)
    stages.measure("solve", lambda: solve(whole, engine=engine.name))


def measured(folder: str, most: int, rounds: int) -> dict[str, float]:
    """The medians of this process."""
    from kakehashi.formats import read
    from kakehashi.solver import engine_named

    stages, engine = Stages(), engine_named()
    for _ in range(rounds):
        entries = islice(read(folder), most)
        while (entry := stages.measure("read", partial(next, entries, None))) is not None:
            if entry.puzzle is not None:
                look_at(entry.puzzle, engine, stages)
        stages.times["read"].pop()  # that there are no more
    return stages.medians()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="a puzzle file or a folder of them")
    parser.add_argument("--most", type=int, default=100, help="how many puzzles at most (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each (%(default)s)")
    parser.add_argument("--column", choices=("installed", "python"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.column is not None:
        if given.column == "python":
            for name in COMPILED:
                sys.modules[name] = None  # type: ignore[assignment]  # which makes its import fail
        print(json.dumps(measured(given.folder, given.most, given.rounds)))
        return
    columns = []
    for column in ("installed", "python"):
        command = [sys.executable, __file__, *sys.argv[1:], "--column", column]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        columns.append(json.loads(done.stdout))
    print(f"{'microseconds':16}{'installed':>12}{'Python':>12}")
    for stage in PARTS + BESIDE:
        print(f"{stage:16}" + "".join(f"{times[stage]:12.0f}" if stage in times else f"{'-':>12}" for times in columns))


if __name__ == "__main__":
    main()
