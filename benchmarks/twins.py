"""Infeasible twins of the boards of a set: `python -m benchmarks.twins SOURCE... --out DIR`.

A twin is a board with one clue raised and one lowered by 1, at most four channels away, so that their sum stays. It
counts when it has no solution and propagation alone does not see that: the search has to prove it. Twins are drawn
until there are five of a set, or 200 draws were made; then they are measured beside the boards of the set as they are.
"""

from __future__ import annotations

import argparse
import enum
import random
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.audit import complaints
from benchmarks.compare import file_name, load_rivals, run, runners_of
from benchmarks.machine import this_machine
from benchmarks.records import Draws, Log
from benchmarks.rivals import registry
from benchmarks.sets import Named, PuzzleSet, load
from benchmarks.tables import summary
from kakehashi.puzzle import MAX_CLUE
from kakehashi.solver import Deadline, OutOfTime, engine_named
from kakehashi.solver.propagation import propagate

if TYPE_CHECKING:
    from kakehashi.puzzle import Graph, Puzzle

HOPS = 4
"""Channels between the two clues that are changed, at most."""

TWINS = 5
DRAWS = 200

SUFFIX = " twins"
"""What the name of a set of twins ends with."""


class Kind(enum.Enum):
    """What became of a draw."""

    REFUTED = "refuted"
    FEASIBLE = "feasible"
    UNDECIDED = "undecided"
    TWIN = "twin"


def draw(puzzle: Puzzle, rng: random.Random) -> Puzzle | None:
    """The board with one clue raised and one near it lowered; None where the first island has no such neighbour."""
    graph = puzzle.graph
    raised = rng.choice([i for i, clue in enumerate(graph.clue_least) if clue < MAX_CLUE] or [-1])
    near = [i for i in within(graph, raised, HOPS) if graph.clue_least[i] > 1] if raised >= 0 else []
    if not near:
        return None
    lowered = rng.choice(near)
    cells = bytearray(puzzle.cells)
    for island, step in ((raised, 1), (lowered, -1)):
        cells[graph.island_row[island] * puzzle.cols + graph.island_col[island]] += step
    return replace(puzzle, cells=bytes(cells))


def within(graph: Graph, island: int, hops: int) -> list[int]:
    """The other islands that are at most so many channels away, nearest first."""
    found = [island]
    seen = {island}
    start = 0
    for _ in range(hops):
        start, layer = len(found), found[start:]
        for i in layer:
            for e in graph.neighbours[4 * i : 4 * i + 4]:
                other = graph.channel_a[e] + graph.channel_b[e] - i
                if e >= 0 and other not in seen:
                    seen.add(other)
                    found.append(other)
    return found[1:]


def kind(puzzle: Puzzle, budget: float) -> Kind:
    """What a drawn board is: who proves it infeasible, if anybody does."""
    try:
        deadline = Deadline(budget)
        if propagate(puzzle.graph, deadline) is None:
            return Kind.REFUTED
        with engine_named(registry.OURS[0]).open(puzzle.graph, deadline) as search:
            return Kind.TWIN if search.next_solution() is None else Kind.FEASIBLE
    except OutOfTime:
        return Kind.UNDECIDED


def find(puzzles: PuzzleSet, rng: random.Random, budget: float) -> tuple[PuzzleSet, Draws]:
    """Draw twins of a set's boards, each draw from a board that is drawn too."""
    kinds: Counter[Kind] = Counter()
    twins: list[Named] = []
    for number in range(1, DRAWS + 1):
        chosen = rng.choice(puzzles.puzzles)
        board = draw(chosen.puzzle, rng)
        if board is None:
            continue
        kinds[found := kind(board, budget)] += 1
        if found is Kind.TWIN:
            twins.append(Named(f"{chosen.name} twin {number}", board))
            if len(twins) == TWINS:
                break
    counts = Draws(
        set=puzzles.name,
        draws=kinds.total(),
        refuted=kinds[Kind.REFUTED],
        feasible=kinds[Kind.FEASIBLE],
        undecided=kinds[Kind.UNDECIDED],
        twins=len(twins),
    )
    return PuzzleSet(puzzles.name + SUFFIX, tuple(twins)), counts


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.twins", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help="as for benchmarks.compare")
    parser.add_argument("--out", type=Path, default=Path("build/benchmarks"), help="folder for the results")
    parser.add_argument("--select", default="", help="only puzzles with this regular expression in their name")
    parser.add_argument("--label", default="", help="the set's name in the tables; the source's by default")
    parser.add_argument("--sample", type=int, default=0, help="so many boards of the set, spread evenly")
    parser.add_argument("--rivals", default=registry.OURS[0], help="who is measured, with commas")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--budget", type=float, default=60.0, help="seconds for each board, drawn ones too")
    parser.add_argument("--seed", type=int, default=1)
    return parser


def main() -> int:
    """Draw, measure, tell; 1 when an answer is wrong, a verdict is missing, or a draw could not be decided."""
    command = parser()
    given = command.parse_args()
    if given.label and len(given.sources) > 1:
        command.error("a label is for one source")
    rivals = load_rivals(given.rivals.split(","), None)
    runners = runners_of(rivals, whole=False, unique=False)
    wrong = []
    for source in given.sources:
        puzzles = load(source, given.select, given.label).sample(given.sample)
        twins, counts = find(puzzles, random.Random(f"{given.seed} {puzzles.name}"), given.budget)
        print(counts)
        with Log(given.out / f"{file_name(puzzles.name)}-twins.ndjson") as log:
            log.write(this_machine(rival.version for rival in rivals))
            log.write(counts)
            measurements = run(puzzles, runners, log, repeats=given.repeats, budget=given.budget)
            if twins.puzzles:
                measurements += (of_twins := run(twins, runners, log, repeats=given.repeats, budget=given.budget))
                print(summary(of_twins))
        wrong += complaints(measurements)
        if counts.undecided:
            wrong.append(f"{puzzles.name}: NO VERDICT on {counts.undecided} of {counts.draws} draws")
    for complaint in wrong:
        print(complaint, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
