"""Ask two engines about boards of any folder with clues changed, and count where they differ (nowhere, it should be).

    python -m scripts.mutated FOLDER... [--copies 3] [--budget 2] [--seed 0]

Each board as it is, and copies of it with one to three pairs of clues changed, one up and one down, so that the sum
stays: every other copy at islands that are a few channels apart, which takes propagation longer to see. Both engines
say whether there is a solution and whether it is the only one; a question that is not answered within the budget is
left out of the comparison. Every solution goes through the checker.
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
from kakehashi.puzzle import MAX_CLUE, Graph, Puzzle, Solution, check
from kakehashi.solver import Deadline, Engine, OutOfTime
from kakehashi.solver.native_engine import NativeEngine
from kakehashi.solver.pysat_engine import PysatEngine

if TYPE_CHECKING:
    from collections.abc import Iterator

WAYS: dict[str, Engine] = {
    "native": NativeEngine(),
    "native, tiles of 5": NativeEngine(tile=5, hops=1, budget=200),
}
"""The engine as it is, and sweeping on small boards too."""

HOPS = 4
"""Channels between two islands whose clues are changed, at most, in every other copy."""


@dataclass(frozen=True)
class Answer:
    """How many solutions there are, up to two; None where the time was not enough to say."""

    first: bool | None
    second: bool | None


@dataclass
class Tally:
    """What was seen on the boards of a folder."""

    boards: int = 0
    infeasible: int = 0
    several: int = 0
    verdicts: int = 0
    uniqueness: int = 0
    differences: list[str] = field(default_factory=list)
    started: float = field(default_factory=time.perf_counter)

    def note(self, name: str, expected: Answer, found: Answer) -> None:
        """Compare two answers about one board."""
        if None not in (expected.first, found.first):
            self.verdicts += 1
            if expected.first is not found.first:
                self.differences.append(f"{name}: verdict")
        if None not in (expected.second, found.second):
            self.uniqueness += 1
            if expected.second is not found.second:
                self.differences.append(f"{name}: uniqueness")

    def __str__(self) -> str:
        return (
            f"{self.boards} boards, {self.infeasible} of them infeasible, {self.several} with several solutions; "
            f"of {len(WAYS) * self.boards} verdicts decided by both {self.verdicts}, of uniqueness {self.uniqueness}; "
            f"{len(self.differences)} differences; {time.perf_counter() - self.started:.0f} s"
        )


def ask(engine: Engine, puzzle: Puzzle, budget: float) -> Answer:
    """Ask for a solution, and for another one."""
    said: list[bool | None] = [None, None]
    with engine.open(puzzle.graph, Deadline(budget)) as search:
        try:
            for question in range(2):
                values = search.next_solution()
                said[question] = values is not None
                if values is None:
                    said[1] = False
                    break
                if violations := check(puzzle, Solution(puzzle, values).bridges):
                    raise AssertionError(f"the checker refuses a solution: {violations[0].message}")
        except OutOfTime:
            pass
    return Answer(*said)


def copies(puzzle: Puzzle, count: int, rng: random.Random) -> Iterator[Puzzle]:
    """Copies of a puzzle with one to three pairs of clues changed; those of odd number near each other."""
    graph = puzzle.graph
    places = [place for place, clue in enumerate(puzzle.cells) if clue]
    for number in range(count if len(places) > 1 else 0):
        cells = bytearray(puzzle.cells)
        for _ in range(rng.randint(1, 3)):
            raised = rng.randrange(graph.n)
            lowered = near(graph, raised, rng) if number % 2 else rng.randrange(graph.n)
            one, other = places[raised], places[lowered]
            if one != other and cells[one] < MAX_CLUE and cells[other] > 1:
                cells[one] += 1
                cells[other] -= 1
        yield Puzzle(puzzle.rows, puzzle.cols, bytes(cells))


def near(graph: Graph, island: int, rng: random.Random) -> int:
    """An island that some steps along channels lead to."""
    for _ in range(rng.randint(1, HOPS)):
        channels = [e for e in graph.neighbours[4 * island : 4 * island + 4] if e >= 0]
        if not channels:
            break
        e = rng.choice(channels)
        island = graph.channel_a[e] + graph.channel_b[e] - island
    return island


def compare(folder: Path, count: int, budget: float, rng: random.Random) -> Tally:
    """Native against pysat on all boards of a folder and on copies of them."""
    tally = Tally()
    judge = PysatEngine()
    for entry in kakehashi.read(folder):
        if entry.puzzle is None:
            print("left out:", entry.error, file=sys.stderr)
            continue
        for number, puzzle in enumerate((entry.puzzle, *copies(entry.puzzle, count, rng))):
            tally.boards += 1
            expected = ask(judge, puzzle, budget)
            answers = {way: ask(engine, puzzle, budget) for way, engine in WAYS.items()}
            for way, found in answers.items():
                tally.note(f"{entry.name}, copy {number}, {way}", expected, found)
            tally.infeasible += any(found.first is False for found in answers.values())
            tally.several += any(found.second is True for found in answers.values())
    return tally


def main() -> None:
    """Read the command line, compare folder after folder; exit 1 where there was a difference."""
    assert __doc__ is not None  # noqa: S101 - for the type checker
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="boards in any format that is known")
    parser.add_argument("--copies", type=int, default=3, help="so many changed copies of each board")
    parser.add_argument("--budget", type=float, default=2.0, help="seconds that an engine has for a board")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    failed = False
    for folder in options.folders:
        tally = compare(folder, options.copies, options.budget, random.Random(options.seed))
        print(f"{folder}: {tally}", *tally.differences, sep="\n    ")
        failed = failed or bool(tally.differences)
    sys.exit(failed)


if __name__ == "__main__":
    main()
