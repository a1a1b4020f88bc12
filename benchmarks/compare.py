"""Our engines beside other solvers: `python -m benchmarks.compare SOURCE... --out DIR`.

A source is a folder or file in any format that is known, a data set in one JSON file, or `made:NAME`, a set that is
made here (`made:ones1000`). Measured is the time from a clue grid in memory to the value of every channel in memory:
graph and model are built within it, the checker and the answer grid come after it. Our engines have a second time, that
of `kakehashi.solve` as a whole. Each runs in one thread. Rivals take turns on each puzzle in an order drawn anew.
Every answer is checked: the exit code is 1 when one is wrong, or a verdict is missing.

`python -m benchmarks.report DIR...` makes tables and plots of the results.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import track

from benchmarks.audit import complaints
from benchmarks.machine import this_machine
from benchmarks.measuring import Runner, measure
from benchmarks.records import Clock, Log, Measurement
from benchmarks.rivals import registry
from benchmarks.rivals.engine import EngineRival
from benchmarks.rivals.rival import RivalMissing
from benchmarks.sets import MADE, RECIPES, PuzzleSet, load
from benchmarks.tables import summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.rivals.rival import Rival


def runners_of(rivals: Iterable[Rival], *, whole: bool, unique: bool) -> list[Runner]:
    """Each rival with its clock, our engines with one more for each further question."""
    runners = []
    for rival in rivals:
        runners.append(Runner(rival.name, Clock.VALUES, rival.solve))
        if isinstance(rival, EngineRival):
            if whole:
                runners.append(Runner(rival.name, Clock.WHOLE, rival.solve_whole))
            if unique:
                runners.append(Runner(rival.name, Clock.UNIQUE, rival.solve_unique))
    return runners


def load_rivals(names: Sequence[str], prototype: Path | None) -> list[Rival]:
    """The rivals that are there; of the others the reason is told."""
    rivals = []
    for name in names:
        try:
            rivals.append(registry.load(name, prototype))
        except RivalMissing as missing:
            print(missing, file=sys.stderr)
    return rivals


def run(puzzles: PuzzleSet, runners: Sequence[Runner], log: Log, *, repeats: int, budget: float) -> list[Measurement]:
    """Measure a set and write it down as it comes."""
    total = len(puzzles.puzzles) * len(runners) * repeats
    taken = measure(puzzles, runners, repeats, budget, random.Random(puzzles.name))
    measurements = []
    for one in track(taken, puzzles.name, total=total, console=Console(stderr=True), transient=True):
        log.write(one)
        measurements.append(one)
    return measurements


def parser() -> argparse.ArgumentParser:
    """The command line."""
    assert __doc__ is not None  # noqa: S101 - for the type checker
    made = f"{MADE}{{{','.join(RECIPES)}}}"
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compare", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help=f"a path, or {made}")
    parser.add_argument("--out", type=Path, default=Path("build/benchmarks"), help="folder for the results")
    parser.add_argument("--rivals", default="", help=f"with commas; of {', '.join(registry.NAMES)}; all by default")
    parser.add_argument("--prototype", type=Path, help="a folder with the prototype's sources")
    parser.add_argument("--select", default="", help="only puzzles with this regular expression in their name")
    parser.add_argument("--label", default="", help="the set's name in the tables; the source's by default")
    parser.add_argument("--sample", type=int, default=0, help="so many puzzles, spread evenly, the same for all rivals")
    parser.add_argument("--count", type=int, default=0, help="how many boards of a made set")
    parser.add_argument("--repeats", type=int, default=3, help="alternations")
    parser.add_argument("--budget", type=float, default=20.0, help="seconds for each puzzle")
    parser.add_argument("--no-whole", action="store_true", help="leave `kakehashi.solve` as a whole out")
    parser.add_argument("--unique", action="store_true", help="ask our engines for uniqueness too")
    return parser


def main() -> int:
    """Measure set after set, show a table of each."""
    command = parser()
    given = command.parse_args()
    names = (
        given.rivals.split(",") if given.rivals else [n for n in registry.NAMES if n != "prototype" or given.prototype]
    )
    if unknown := [name for name in names if name not in registry.NAMES]:
        command.error(f"there is no rival {unknown[0]!r}; known are {', '.join(registry.NAMES)}")
    if given.label and len(given.sources) > 1:
        command.error("a label is for one source")
    try:
        sets = [load(source, given.select, given.label, given.count).sample(given.sample) for source in given.sources]
    except ValueError as error:
        command.error(str(error))
    rivals = load_rivals(names, given.prototype)
    runners = runners_of(rivals, whole=not given.no_whole, unique=given.unique)
    wrong = []
    for puzzles in sets:
        with Log(given.out / f"{file_name(puzzles.name)}.ndjson") as log:
            log.write(this_machine(rival.version for rival in rivals))
            measurements = run(puzzles, runners, log, repeats=given.repeats, budget=given.budget)
        print(summary(measurements))
        wrong += complaints(measurements)
    for complaint in wrong:
        print(complaint, file=sys.stderr)
    return 1 if wrong else 0


def file_name(name: str) -> str:
    """A set's name without what does not belong into the name of a file."""
    return "".join(letter if letter.isalnum() else "-" for letter in name).strip("-")


if __name__ == "__main__":
    sys.exit(main())
