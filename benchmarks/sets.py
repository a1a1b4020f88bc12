"""The sets that are measured: a folder, a file, a data set of one JSON file, or boards made here."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.engines import read
from benchmarks.make_puzzles import EASY, Mix, make_puzzle
from kakehashi.puzzle import CLASSIC, Puzzle

if TYPE_CHECKING:
    from collections.abc import Iterator

MADE = "made:"
"""What a source begins with that is made, not read: `made:ones1000`."""


@dataclass(frozen=True, slots=True)
class Named:
    """A puzzle with the name that it has within its set."""

    name: str
    puzzle: Puzzle


@dataclass(frozen=True)
class PuzzleSet:
    """Puzzles that are measured and shown together."""

    name: str
    puzzles: tuple[Named, ...]

    def sample(self, size: int) -> PuzzleSet:
        """So many of the puzzles, spread evenly; the name says of how many. All where size is 0 or too large."""
        total = len(self.puzzles)
        if not 0 < size < total:
            return self
        chosen = tuple(self.puzzles[k * total // size] for k in range(size))
        return PuzzleSet(f"{self.name} ({size} of {total})", chosen)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a set is made: `count` boards of `side` x `side` cells with `islands` islands each, from one seed."""

    side: int
    islands: int
    mix: Mix
    count: int = 5
    touching: bool = True
    seed: int = 1


ONES = Mix(double=0.15, close=0.0)  # a planted tree and nothing else: the more further bridges, the easier
_DENSE = Mix(double=0.3)

RECIPES: dict[str, Recipe] = {
    "contest": Recipe(47, 200, EASY, count=15, touching=False),
    "easy400": Recipe(34, 400, EASY, count=20),
    "easy1000": Recipe(54, 1000, EASY),
    "easy5000": Recipe(120, 5000, EASY),
    "ones400": Recipe(34, 400, ONES, count=20),
    "ones1000": Recipe(54, 1000, ONES),
    "ones5000": Recipe(120, 5000, ONES),
    "ones10000": Recipe(170, 10000, ONES),
    "dense4000": Recipe(80, 4000, _DENSE),
}
"""The sets that can be made. "ones": mostly clues 1 and 2, which are hard through connectivity."""


def load(source: str, select: str = "", label: str = "", count: int = 0) -> PuzzleSet:
    """The set of a source.

    Args:
        source: a path, or `made:` and the name of a recipe.
        select: a regular expression that has to be found in a puzzle's name; all puzzles when empty.
        label: what to call the set; the folder's or the recipe's name when empty.
        count: how many boards to make; the recipe's own number when 0.

    Raises:
        ValueError: there is no such recipe, no puzzle is left, or one has other rules than the classic ones.
    """
    if source.startswith(MADE):
        name = source.removeprefix(MADE)
        if name not in RECIPES:
            raise ValueError(f"there is no recipe {name!r}; known are {', '.join(RECIPES)}")
        recipe = RECIPES[name]
        puzzles = list(made(replace(recipe, count=count) if count else recipe))
    else:
        name = Path(source).stem
        puzzles = list(_read(Path(source)))
    chosen = tuple(named for named in puzzles if re.search(select, named.name))
    if not chosen:
        raise ValueError(f"there is no puzzle in {source}" + (f" whose name has {select!r}" if select else ""))
    for named in chosen:
        if named.puzzle.variant != CLASSIC or named.puzzle.has_unknown_clues:
            raise ValueError(f"{named.name} in {source} has other rules than the classic ones, which the rivals know")
    return PuzzleSet(label or name, chosen)


def made(recipe: Recipe) -> Iterator[Named]:
    """The boards of a recipe, the same ones each time.

    Raises:
        ValueError: so many islands do not fit.
    """
    for number in range(recipe.count):
        rng = random.Random(f"{recipe.seed} {number}")
        puzzle = make_puzzle(
            rng, recipe.side, recipe.side, recipe.islands, touching=recipe.touching, mix=recipe.mix
        )  # fmt: skip
        if puzzle.island_count < recipe.islands:
            raise ValueError(f"only {puzzle.island_count} of {recipe.islands} islands fit into {recipe.side} squared")
        yield Named(f"{number + 1:03}", puzzle)


def _read(path: Path) -> Iterator[Named]:
    """Puzzles in any format that is known, and data sets; a folder may hold either."""
    sets = sorted(path.glob("*.json")) if path.is_dir() else [path] if path.suffix == ".json" else []
    if sets:
        for file in sets:
            yield from data_set(json.loads(file.read_text(encoding="utf-8"))["data"])
    else:
        yield from (Named(name, puzzle) for name, puzzle in read(path))


def data_set(problems: dict[str, dict[str, str]]) -> Iterator[Named]:
    """The puzzles of a data set: `{name: {"problem": text}}`, the text with a header `ROWS COLS`, `-` for water.

    Raises:
        ValueError: a header and its rows do not agree.
    """
    for name, problem in problems.items():
        header, *lines = problem["problem"].strip().splitlines()
        rows, cols = map(int, header.split())
        cells = [[0 if cell == "-" else int(cell) for cell in line.split()] for line in lines]
        if [len(row) for row in cells] != [cols] * rows:
            raise ValueError(f"{name}: the header says {rows} x {cols}, which is not what the rows show")
        yield Named(name, Puzzle.from_rows(cells))
