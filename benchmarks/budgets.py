"""Are budgets kept? Attempts with budgets from 50 ms to 5 s: `python -m benchmarks.budgets --out DIR`.

Boards of 5 to 5,000 islands, easy ones, ones that only connectivity decides, and such with one clue raised and one
lowered, which mostly have no solution; each is also asked for a second solution, so that many run out of time. Half
of the attempts go to each engine, in processes that do what a worker's do; then some go through `kakehashi run`.

Overshoot is what an attempt took beyond its budget. The promise: at most 10 % or 0.25 s, whichever is larger.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.machine import this_machine
from benchmarks.make_puzzles import EASY, make_puzzle
from benchmarks.records import Attempt, Log
from benchmarks.rivals import registry
from benchmarks.sets import ONES
from benchmarks.tables import markdown, shown
from benchmarks.twins import draw
from kakehashi.formats import get
from kakehashi.puzzle import Confirm
from kakehashi.solver import Deadline, Stopped, solve
from kakehashi.solver.engines import missing_engine

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kakehashi.puzzle import Puzzle

BUDGETS = (0.05, 5.0)
ISLANDS = (5, 5_000)
"""From where to where; drawn evenly on a logarithmic scale."""

DENSITY = 0.35
"""Islands for each cell."""

KINDS = ("easy", "ones", "changed ones")

SIZES = ((5, 50), (50, 500), (500, 5_000))
"""The classes of the table, by islands; the upper end is outside but for the last."""

FLEET_BUDGETS = (0.05, 0.2, 1.0)
"""Budgets of the runs through the pipeline: one run for each engine and budget."""


METHOD = """\
Boards of 5 to 5,000 islands, two thirds of them of 500 and more (easy; ones, which only connectivity decides;
changed ones, with one clue raised and one lowered, mostly infeasible), each asked for a second solution too, under
budgets from 50 ms to 5 s, both drawn evenly on a logarithmic scale: in as many processes as there are cores, which
do what a worker's do (`solve`), then through `kakehashi run` with three budgets (`run`). Promised: an overshoot of
at most 10 % or 0.25 s, whichever is larger, for 99.5 % of the attempts."""

OUTLIERS = """\
Beyond the promise: how late the look at the deadline came that ended the attempt, and where; and for how long the
process was on no core, from its beginning to its end, since another one had it or the machine stood still."""


class Watch(Deadline):
    """A deadline that notes where it was looked at last, and when the look came that ended the work."""

    __slots__ = ("noticed", "where")

    latest: Watch
    """The one that was made last: `solve` makes its own."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]  # handed on as they come
        self.where = ""
        self.noticed: float | None = None
        Watch.latest = self

    def check(self) -> None:
        """Look, and remember who asked."""
        code = sys._getframe(1).f_code  # noqa: SLF001 - the standard library's quick way to know who calls
        self.where = f"{Path(code.co_filename).stem}.{code.co_name}"
        try:
            super().check()
        except Stopped:
            self.noticed = self.now
            raise


def engines() -> list[str]:
    """Ours, as far as they are there: the compiled one may not be."""
    return list(registry.OURS if missing_engine() is None else registry.OURS[1:])


def prepare() -> None:
    """Make a process ready, as a worker's is: what is imported late is there, and the deadline is watched."""
    for engine in engines():
        solve(board(random.Random(1), "ones", 60), engine=engine)
    sys.modules["kakehashi.solver.solve"].Deadline = Watch  # type: ignore[attr-defined]


def board(rng: random.Random, kind: str, islands: int) -> Puzzle:
    """A board of one of the kinds, touching islands included."""
    side = max(3, math.ceil(math.sqrt(islands / DENSITY)))
    puzzle = make_puzzle(rng, side, side, islands, touching=True, mix=EASY if kind == "easy" else ONES)
    return (kind == "changed ones" and draw(puzzle, rng)) or puzzle


def drawn(rng: random.Random) -> tuple[str, Puzzle]:
    """A board with its kind: two thirds are of the largest class, since it is there that time runs out."""
    kind = rng.choice(KINDS)
    return kind, board(rng, kind, round(between(rng, rng.choice((ISLANDS, SIZES[-1], SIZES[-1])))))


def between(rng: random.Random, ends: tuple[float, float]) -> float:
    """A number between two, drawn evenly on a logarithmic scale."""
    return math.exp(rng.uniform(*map(math.log, ends)))


def attempt(number: int) -> Attempt:
    """Make an attempt, the same one for each number, but for the time that it takes."""
    rng = random.Random(f"budgets {number}")
    there = engines()
    engine = there[number % len(there)]
    kind, puzzle = drawn(rng)
    budget = round(between(rng, BUDGETS), 3)
    outcome = solve(puzzle, budget=budget, unique=True, engine=engine)
    watch = Watch.latest
    ended = outcome.wall_ms / 1000
    late = 0.0 if watch.noticed is None else watch.noticed - watch.ends_at
    return Attempt(
        "solve", engine, kind, puzzle.island_count, budget, ended, outcome.cpu_ms / 1000, str(outcome.termination),
        late=late, where=watch.where,
    )  # fmt: skip


def in_processes(count: int, workers: int) -> Iterator[Attempt]:
    """Attempts in so many processes, as they end."""
    with multiprocessing.get_context("spawn").Pool(workers, initializer=prepare) as pool:
        yield from pool.imap_unordered(attempt, range(count))


def through_the_pipeline(count: int, workers: int) -> Iterator[Attempt]:
    """Attempts on so many boards for each engine and budget, by `kakehashi run`."""
    from kakehashi.storage import Repository

    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "boards"
        folder.mkdir()
        for number in range(count):
            rng = random.Random(f"budgets, fleet {number}")
            kind, puzzle = drawn(rng)
            text = get("grid").write(puzzle)
            (folder / f"{number:04} {kind}.txt").write_text(text, encoding="utf-8")
        for number, (engine, budget) in enumerate((e, b) for e in engines() for b in FLEET_BUDGETS):
            db = str(Path(scratch) / f"{number}.db")
            command = [sys.executable, "-m", "kakehashi", "run", str(folder), "--db", db, "--unique"]
            command += ["--engine", engine, "--budget", f"{budget}s", "--workers", str(workers)]
            done = subprocess.run([*command, "--confirm", Confirm.NONE], capture_output=True, text=True, check=False)
            if done.returncode not in (0, 1):
                raise RuntimeError(f"`kakehashi run` failed: {done.stderr[-2000:]}")
            with Repository(db) as repository:
                for result in repository.results(1, with_clues=False):
                    kind = Path(result.name).stem.partition(" ")[2]
                    wall, cpu = (result.wall_ms or 0.0) / 1000, (result.cpu_ms or 0.0) / 1000
                    yield Attempt("run", engine, kind, result.islands or 0, budget, wall, cpu, str(result.termination))


def table(attempts: Sequence[Attempt]) -> str:
    """A line for each way, engine and class of sizes: what ended by its budget, and by how much that was overshot."""
    lines = [["", "islands", "attempts", "at the budget", "median", "99 %", "largest", "beyond the promise"]]
    for way, engine in dict.fromkeys((one.way, one.engine) for one in attempts):
        for low, high in SIZES:
            mine = [one for one in attempts if (one.way, one.engine) == (way, engine)]
            mine = [one for one in mine if low <= one.islands < high + (high == ISLANDS[1])]
            over = sorted(one.overshoot for one in mine if one.at_its_budget)
            numbers = [shown(over[int(part * (len(over) - 1))]) if over else "" for part in (0.5, 0.99, 1.0)]
            beyond = sum(one.is_beyond for one in mine)
            lines.append(
                [f"{engine}, `{way}`", f"{low:,} to {high:,}", str(len(mine)), str(len(over)), *numbers, str(beyond)]
            )
    return markdown(lines)


def outliers(attempts: Iterable[Attempt]) -> str:
    """A line for each attempt beyond the promise, the worst first: when the look came that ended it, and where."""
    head = ["", "islands", "budget", "overshoot", "seen late by", "not on a core", "look"]
    beyond = sorted((one for one in attempts if one.is_beyond), key=lambda one: -one.overshoot)
    if not beyond:
        return ""
    lines = [
        [f"{one.engine}, `{one.way}`, {one.board}", f"{one.islands:,}", shown(one.budget), shown(one.overshoot),
         shown(one.late) if one.late > 0 else "", shown(max(0.0, one.seconds - one.cpu)), one.where]
        for one in beyond
    ]  # fmt: skip
    return f"{OUTLIERS}\n\n{markdown([head, *lines])}"


def summary(attempts: Sequence[Attempt]) -> str:
    """One sentence: how many keep the promise."""
    kept = sum(not one.is_beyond for one in attempts)
    at = sum(one.at_its_budget for one in attempts)
    part = 100 * kept / len(attempts)
    return (
        f"{kept:,} of {len(attempts):,} attempts kept the promise ({part:.2f} %, asked are 99.5 %); "
        f"{at:,} ended by their budget."
    )


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.budgets", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--out", type=Path, default=Path("build/benchmarks"), help="folder for the results")
    parser.add_argument("--count", type=int, default=2_000, help="attempts in processes")
    parser.add_argument("--fleet", type=int, default=40, help="boards for each engine and budget through `run`")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    return parser


def main() -> int:
    """Measure, write down, tell; 1 when the promise is not kept."""
    given = parser().parse_args()
    attempts = []
    with Log(given.out / "budgets.ndjson") as log:
        log.write(this_machine([registry.load(name).version for name in engines()]))
        for source in (in_processes(given.count, given.workers), through_the_pipeline(given.fleet, given.workers)):
            for one in source:
                log.write(one)
                attempts.append(one)
                if len(attempts) % 100 == 0:
                    print(f"{len(attempts)} attempts", file=sys.stderr, flush=True)
    print("\n\n".join(filter(None, [summary(attempts), table(attempts), outliers(attempts)])))
    return 1 if sum(one.is_beyond for one in attempts) > 0.005 * len(attempts) else 0


if __name__ == "__main__":
    sys.exit(main())
