"""Ask the engines the same questions for a long time, and stop at the first answer that differs.

    python -m scripts.soak                    100,000 small boards: every solution, against an exhaustive search
    python -m scripts.soak --variants 30000   the same under other rules: 1 to 4 bridges, no numbers, no loops
    python -m scripts.soak --crowded 20000    larger ones: native in several ways against pysat
    python -m scripts.soak --crowded-variants 20000

All go together; the first runs when none is asked for. Every solution goes through the checker. The boards come
from the seed, so what is found can be found again. `scripts.mutated` takes the boards of a folder.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kakehashi.puzzle import Puzzle, Solution, check
from kakehashi.solver import Deadline
from kakehashi.solver.native_engine import NativeEngine
from kakehashi.solver.pysat_engine import PysatEngine
from tests.unit.solver.boards import (
    Line,
    all_solutions,
    crowded_board,
    crowded_variant,
    random_board,
    variant_board,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kakehashi.solver import Engine

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
    started: float = field(default_factory=time.perf_counter)

    def note(self, solutions: int) -> None:
        """Count a board by its number of solutions."""
        self.boards += 1
        self.infeasible += solutions == 0
        self.several += solutions > 1

    def __str__(self) -> str:
        return (
            f"{self.boards} boards ({self.infeasible} infeasible, {self.several} with several "
            f"solutions) in {time.perf_counter() - self.started:.0f} s: no difference"
        )


def solutions(engine: Engine, puzzle: Puzzle, most: int) -> set[bytes]:
    """Up to `most` solutions, each checked, no one twice."""
    found: set[bytes] = set()
    with engine.open(puzzle.graph, Deadline()) as search:
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


def small(count: int, seed: int, make: Callable[[random.Random], Puzzle] = random_board) -> Tally:
    """Every solution of small boards, against an exhaustive search."""
    tally = Tally()
    for number in range(seed, seed + count):
        puzzle = make(random.Random(number))
        expected = all_solutions(puzzle)
        tally.note(len(expected))
        for way, engine in WAYS.items():
            found = {lines(puzzle, values) for values in solutions(engine, puzzle, sys.maxsize)}
            if found != expected:
                fail(puzzle, f"{way}, seed {number}: {len(found)} solutions, there are {len(expected)}")
    return tally


def crowded(count: int, seed: int, make: Callable[[int], Puzzle] = crowded_board) -> Tally:
    """Larger boards: as many solutions as pysat finds, up to some dozens."""
    tally = Tally()
    judge = PysatEngine()
    for number in range(seed, seed + count):
        puzzle = make(number)
        expected = solutions(judge, puzzle, MOST)
        tally.note(len(expected))
        for way, engine in WAYS.items():
            found = solutions(engine, puzzle, MOST)
            if len(found) != len(expected) or (len(found) < MOST and found != expected):
                fail(puzzle, f"{way}, seed {number}: {len(found)} solutions, pysat has {len(expected)}")
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
    parser.add_argument("--small", type=int, help="so many small boards")
    parser.add_argument("--variants", type=int, default=0, help="so many small boards under other rules")
    parser.add_argument("--crowded", type=int, default=0, help="so many larger ones")
    parser.add_argument("--crowded-variants", type=int, default=0, help="so many larger ones under other rules")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.small is None and not (options.variants or options.crowded or options.crowded_variants):
        options.small = 100_000
    if options.small:
        print("small boards:", small(options.small, options.seed))
    if options.variants:
        print("variants:", small(options.variants, options.seed, variant_board))
    if options.crowded:
        print("crowded boards:", crowded(options.crowded, options.seed))
    if options.crowded_variants:
        print("crowded variants:", crowded(options.crowded_variants, options.seed, crowded_variant))


if __name__ == "__main__":
    main()
