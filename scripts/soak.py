"""Ask the engines the same questions for a long time, and stop at the first answer that differs.

    python -m scripts.soak                         100,000 small boards: every solution, against an exhaustive search
    python -m scripts.soak --crowded 20000         larger ones: native in several ways against pysat
    python -m scripts.soak --changed 5 FOLDER...   boards of any folder with clues changed: verdict and uniqueness

The three go together; the first runs when none is asked for. Every solution goes through the checker. The boards come
from the seed, so what is found can be found again.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import kakehashi
from kakehashi.puzzle import MAX_CLUE, Puzzle, Solution, check
from kakehashi.solver import Deadline, Engine, OutOfTime
from kakehashi.solver.native_engine import NativeEngine
from kakehashi.solver.pysat_engine import PysatEngine
from tests.unit.solver.boards import Line, all_solutions, crowded_board, random_board

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

WAYS: dict[str, Engine] = {
    "native": NativeEngine(),
    "native, tiles of 1": NativeEngine(tile=1),
    "native, tiles of 2, no hops": NativeEngine(tile=2, hops=0),
    "native, tiles of 2, one conflict": NativeEngine(tile=2, hops=1, budget=1),
    "native, tiles of 5": NativeEngine(tile=5, hops=1, budget=50),
}
"""The native engine whole, and with tiles so small that it sweeps."""

MOST = 40
"""Solutions that are asked for where there may be thousands."""


@dataclass
class Tally:
    """What was seen."""

    boards: int = 0
    infeasible: int = 0
    several: int = 0
    out_of_time: int = 0
    started: float = field(default_factory=time.perf_counter)

    def note(self, solutions: int) -> None:
        """Count a board by its number of solutions."""
        self.boards += 1
        self.infeasible += solutions == 0
        self.several += solutions > 1

    def __str__(self) -> str:
        return (
            f"{self.boards} boards ({self.infeasible} infeasible, {self.several} with several solutions, "
            f"{self.out_of_time} out of time) in {time.perf_counter() - self.started:.0f} s: no difference"
        )


def solutions(engine: Engine, puzzle: Puzzle, most: int, budget: float | None = None) -> set[bytes]:
    """Up to `most` solutions, each checked, no one twice."""
    found: set[bytes] = set()
    with engine.open(puzzle.graph, Deadline(budget)) as search:
        while len(found) < most and (values := search.next_solution()) is not None:
            if values in found:
                raise AssertionError("the same solution twice")
            if violations := check(puzzle, Solution(puzzle, values).bridges):
                raise AssertionError(f"the checker refuses a solution: {violations[0].message}")
            found.add(values)
    return found


def lines(puzzle: Puzzle, values: bytes) -> frozenset[Line]:
    """A solution as the exhaustive search writes it."""
    bridges = Solution(puzzle, values).bridges
    return frozenset(((start.row, start.col), (end.row, end.col), count) for start, end, count in bridges)


def small(count: int, seed: int) -> Tally:
    """Every solution of small boards, against an exhaustive search."""
    tally = Tally()
    for number in range(seed, seed + count):
        puzzle = random_board(random.Random(number))
        expected = all_solutions(puzzle)
        tally.note(len(expected))
        for way, engine in WAYS.items():
            found = {lines(puzzle, values) for values in solutions(engine, puzzle, sys.maxsize)}
            if found != expected:
                fail(puzzle, f"{way}, seed {number}: {len(found)} solutions, there are {len(expected)}")
    return tally


def crowded(count: int, seed: int) -> Tally:
    """Larger boards: as many solutions as pysat finds, up to some dozens."""
    return compare(((f"seed {number}", crowded_board(number)) for number in range(seed, seed + count)), MOST, None)


def changed(folders: list[Path], copies: int, seed: int, budget: float) -> Tally:
    """Boards of other people with a few clues changed: mostly infeasible, now and then after a long search only."""
    return compare(changed_boards(folders, copies, random.Random(seed)), 2, budget)


def changed_boards(folders: list[Path], copies: int, rng: random.Random) -> Iterator[tuple[str, Puzzle]]:
    """Each board as it is, and some copies with one to three pairs of clues changed (the sum stays even)."""
    for entry in (entry for folder in folders for entry in kakehashi.read(folder)):
        if entry.puzzle is None:
            continue
        yield entry.name, entry.puzzle
        islands = [place for place, clue in enumerate(entry.puzzle.cells) if clue]
        for copy in range(copies if len(islands) > 1 else 0):
            cells = bytearray(entry.puzzle.cells)
            for _ in range(rng.randint(1, 3)):
                one, other = rng.sample(islands, 2)
                if cells[one] < MAX_CLUE and cells[other] > 1:
                    cells[one] += 1
                    cells[other] -= 1
            yield f"{entry.name}, copy {copy}", Puzzle(entry.puzzle.rows, entry.puzzle.cols, bytes(cells))


def compare(puzzles: Iterable[tuple[str, Puzzle]], most: int, budget: float | None) -> Tally:
    """Each way of the native engine against pysat; what pysat has no time for is left out."""
    tally = Tally()
    judge = PysatEngine()
    for name, puzzle in puzzles:
        try:
            expected = solutions(judge, puzzle, most, budget)
        except OutOfTime:
            tally.out_of_time += 1
            continue
        tally.note(len(expected))
        for way, engine in WAYS.items():
            try:
                found = solutions(engine, puzzle, most, None if budget is None else 10 * budget)
            except OutOfTime:
                tally.out_of_time += 1
                continue
            if len(found) != len(expected) or (len(found) < most and found != expected):
                fail(puzzle, f"{way}, {name}: {len(found)} solutions, pysat has {len(expected)}")
    return tally


def fail(puzzle: Puzzle, message: str) -> None:
    """Show the board and end."""
    for row in puzzle.to_rows():
        print(*row)
    sys.exit(message)


def main() -> None:
    """Read the command line and do what was asked."""
    assert __doc__ is not None  # noqa: S101 - for the type checker
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="boards to change, in any known format")
    parser.add_argument("--small", type=int, help="so many small boards")
    parser.add_argument("--crowded", type=int, default=0, help="so many larger ones")
    parser.add_argument("--changed", type=int, default=3, help="so many changed copies of each board in the folders")
    parser.add_argument("--budget", type=float, default=2.0, help="seconds that pysat has for a board of the folders")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.small is None and not options.crowded and not options.folders:
        options.small = 100_000
    if options.small:
        print("small boards:", small(options.small, options.seed))
    if options.crowded:
        print("crowded boards:", crowded(options.crowded, options.seed))
    if options.folders:
        print("changed boards:", changed(options.folders, options.changed, options.seed, options.budget))


if __name__ == "__main__":
    main()
