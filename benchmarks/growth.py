"""How time and memory grow with the board: `python -m benchmarks.growth --out DIR`.

Boards of the easy kind, square, up to 100,000 islands on 500 x 500 cells; each time is taken in a process of its own,
so that the peak of its memory is that board's. The peak counts all of the process: Python and its libraries too.
"""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.audit import complaints
from benchmarks.child import ask
from benchmarks.machine import this_machine
from benchmarks.make_puzzles import EASY
from benchmarks.records import Clock, Log, Measurement
from benchmarks.rivals import registry
from benchmarks.sets import Recipe, made
from benchmarks.tables import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

SET = "growth"
"""The name of the set in the results."""

SIZES = (100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)

DENSITY = 0.4
"""Islands for each cell: 100,000 of them on 500 x 500."""


@dataclass(frozen=True, slots=True)
class Course:
    """What is measured at each size: an engine with a clock, up to so many islands."""

    engine: str
    clock: Clock
    largest: int


def recipe(islands: int) -> Recipe:
    """One easy board on the smallest square that has the density."""
    return Recipe(math.ceil(math.sqrt(islands / DENSITY)), islands, EASY, count=1)


def measure(courses: list[Course], largest: int, repeats: int, budget: float) -> Iterator[Measurement]:
    """Size after size, the courses in turns."""
    for islands in (size for size in SIZES if size <= largest):
        (named,) = made(recipe(islands))
        for repeat in range(repeats):
            for course in courses:
                if islands <= course.largest:
                    taken = ask(named.puzzle, course.engine, course.clock, budget)
                    side = f"{named.puzzle.rows} x {named.puzzle.cols}"
                    yield replace(taken, set=SET, puzzle=side, repeat=repeat)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("build/benchmarks"), help="folder for the results")
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="islands of the largest board")
    parser.add_argument("--pysat", type=int, default=5_000, help="islands of the largest board for pysat, 0 for none")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--budget", type=float, default=120.0, help="seconds for each board")
    return parser


def main() -> int:
    """Measure, write down, tell."""
    given = parser().parse_args()
    native, pysat = registry.OURS
    courses = [
        Course(native, Clock.VALUES, given.largest),
        Course(native, Clock.WHOLE, given.largest),
        Course(pysat, Clock.VALUES, given.pysat),
    ]
    measurements = []
    with Log(given.out / f"{SET}.ndjson") as log:
        log.write(this_machine([registry.load(name).version for name in registry.OURS]))
        for one in measure(courses, given.largest, given.repeats, given.budget):
            log.write(one)
            measurements.append(one)
            peak = f"{one.peak_mb or 0:.0f} MB"
            print(
                f"{one.islands:7,} {one.rival:8} {one.clock:8} {shown(one.seconds):>9} {peak:>8} {one.status}",
                flush=True,
            )
    for complaint in (wrong := complaints(measurements)):
        print(complaint, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
