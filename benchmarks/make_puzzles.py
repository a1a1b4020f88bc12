"""Make puzzles that have a solution: `python benchmarks/make_puzzles.py --count 10000 --min 10 --max 25 OUT`.

A board grows from one island: again and again, from an island that is there, a bridge is laid to a new island in free
water, or to an island in sight. So a solution is known at every step, and the clues are its sums. The same seed gives
the same boards. Each puzzle differs from all others of a run.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kakehashi.formats import get
from kakehashi.puzzle import Puzzle

if TYPE_CHECKING:
    from collections.abc import Iterator

_STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))


@dataclass(frozen=True, slots=True)
class Mix:
    """What the clues come to: few double bridges and few further bridges give ones and twos.

    Attributes:
        double: the part of the channels that carry two bridges.
        close: how often a further bridge between two islands is tried, for each island.
    """

    double: float = 0.4
    close: float = 1.0


EASY = Mix()
"""All clues; nearly all of a board follows from propagation, however large it is."""


class _Growth:
    """A board in growth: `degree` by island, and the cells that bridges run over."""

    def __init__(self, rng: random.Random, rows: int, cols: int, *, touching: bool, mix: Mix = EASY) -> None:
        self.mix = mix
        self.rng, self.rows, self.cols, self.touching = rng, rows, cols, touching
        start = (rng.randrange(rows), rng.randrange(cols))
        self.degree = {start: 0}
        self.order = [start]
        self.under: set[tuple[int, int]] = set()
        self.joined: set[frozenset[tuple[int, int]]] = set()

    def free_run(self, at: tuple[int, int], step: tuple[int, int]) -> tuple[list[tuple[int, int]], bool]:
        """The free cells from an island in a direction, and whether an island ends them."""
        run: list[tuple[int, int]] = []
        row, col = at[0] + step[0], at[1] + step[1]
        while 0 <= row < self.rows and 0 <= col < self.cols and (row, col) not in self.under:
            if (row, col) in self.degree:
                return [*run, (row, col)], True
            run.append((row, col))
            row, col = row + step[0], col + step[1]
        return run, False

    def may_stand(self, cell: tuple[int, int], start: tuple[int, int]) -> bool:
        """Whether a new island may be put here: no island beside it, unless touching islands are wanted."""
        beside = ((cell[0] + down, cell[1] + right) for down, right in _STEPS)
        return self.touching or not any(other in self.degree for other in beside if other != start or self.touching)

    def grow(self, reach: int) -> bool:
        """Lay a bridge to a new island; False when there was no room at the place tried."""
        start = self.rng.choice(self.order)
        step = self.rng.choice(_STEPS)
        run, _ = self.free_run(start, step)
        ends = [k for k, cell in enumerate(run[:reach]) if cell not in self.degree and self.may_stand(cell, start)]
        ends = [k for k in ends if k > 0 or self.touching]
        if not ends:
            return False
        k = self.rng.choice(ends)
        self.degree[run[k]] = 0
        self.order.append(run[k])
        self._bridge(start, run[: k + 1])
        return True

    def close(self) -> None:
        """Lay a bridge between two islands that see each other, if there is room where it is tried."""
        start = self.rng.choice(self.order)
        run, meets = self.free_run(start, self.rng.choice(_STEPS))
        if meets and frozenset((start, run[-1])) not in self.joined and (len(run) > 1 or self.touching):
            self._bridge(start, run)

    def _bridge(self, start: tuple[int, int], run: list[tuple[int, int]]) -> None:
        count = 1 + (self.rng.random() < self.mix.double)
        self.degree[start] += count
        self.degree[run[-1]] += count
        self.under.update(run[:-1])
        self.joined.add(frozenset((start, run[-1])))


def make_puzzle(
    rng: random.Random, rows: int, cols: int, islands: int, *, touching: bool = False, mix: Mix = EASY
) -> Puzzle:
    """A puzzle with a solution: as many islands as asked for, or as fit after many tries.

    `touching` lets new islands stand beside others; `mix` says how many bridges there are.
    """
    if rows * cols < 2:
        raise ValueError("a board needs two cells")
    growth = _Growth(rng, rows, cols, touching=touching, mix=mix)
    reach = max(3, 2 * max(rows, cols) // max(2, round(islands**0.5)))
    tries = 0
    while len(growth.order) < islands and tries < 200 * islands:
        tries += 1
        growth.grow(reach if tries < 100 * islands else max(rows, cols))
    for _ in range(round(mix.close * islands)):
        growth.close()
    grid = [[0] * cols for _ in range(rows)]
    for (row, col), degree in growth.degree.items():
        grid[row][col] = degree
    return Puzzle.from_rows(grid)


def make_many(
    seed: int,
    count: int,
    smallest: int,
    largest: int,
    *,
    density: float = 0.16,
    touching: bool = False,
    mix: Mix = EASY,
) -> Iterator[Puzzle]:
    """Distinct puzzles with sides between two sizes; `density` is islands for each cell."""
    rng = random.Random(seed)
    seen: set[bytes] = set()
    while len(seen) < count:
        rows, cols = rng.randint(smallest, largest), rng.randint(smallest, largest)
        wanted = max(2, round(rows * cols * density * rng.uniform(0.6, 1.1)))
        puzzle = make_puzzle(rng, rows, cols, wanted, touching=touching, mix=mix)
        if len(puzzle.islands) > 1 and puzzle.digest not in seen:
            seen.add(puzzle.digest)
            yield puzzle


def main(arguments: list[str]) -> int:
    """Write the puzzles to a folder, one file each or several to a file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path, help="a folder, made when it is not there")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--min", type=int, default=10, help="smallest side")
    parser.add_argument("--max", type=int, default=25, help="largest side")
    parser.add_argument("--density", type=float, default=0.16, help="islands for each cell")
    parser.add_argument("--touching", action="store_true", help="let islands touch")
    parser.add_argument("--double", type=float, default=EASY.double, help="part of the channels with two bridges")
    parser.add_argument("--close", type=float, default=EASY.close, help="further bridges tried, for each island")
    parser.add_argument("--format", default="grid", help="grid, text or has")
    parser.add_argument("--per-file", type=int, default=1, help="puzzles in a file, split by blank lines")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    write = get(given.format).write
    given.out.mkdir(parents=True, exist_ok=True)
    puzzles = make_many(
        given.seed,
        given.count,
        given.min,
        given.max,
        density=given.density,
        touching=given.touching,
        mix=Mix(given.double, given.close),
    )
    ending = "has" if given.format == "has" else "txt"
    for number, start in enumerate(range(0, given.count, given.per_file), 1):
        texts = [write(next(puzzles)) for _ in range(min(given.per_file, given.count - start))]
        (given.out / f"{number:05}.{ending}").write_text("\n".join(texts), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
