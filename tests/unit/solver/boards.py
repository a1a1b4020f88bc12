"""Small ugly boards, large planted ones, and an exhaustive search that shares nothing with the solver."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

from hypothesis import strategies as st

from kakehashi.puzzle import UNKNOWN_CLUE, Puzzle

Place = tuple[int, int]
Line = tuple[Place, Place, int]
"""Two islands and the bridges between them."""


def board(*lines: str, max_bridges: int = 2, loops: bool = True) -> Puzzle:
    """Draw a puzzle: a dot is water, a digit is a clue, a question mark an island without a number."""
    cells = {".": 0, "?": UNKNOWN_CLUE}
    rows = [[cells[cell] if cell in cells else int(cell) for cell in line] for line in lines]
    return Puzzle.from_rows(rows, max_bridges=max_bridges, loops=loops)


def lines_of_sight(places: set[Place]) -> list[tuple[Place, Place]]:
    """The pairs of islands that see each other."""
    by_column = sorted(places, key=lambda place: (place[1], place[0]))
    pairs = [(p, q) for p, q in pairwise(sorted(places)) if p[0] == q[0]]
    return pairs + [(p, q) for p, q in pairwise(by_column) if p[1] == q[1]]


def cells_between(p: Place, q: Place) -> set[Place]:
    """The water that a bridge lies on."""
    if p[0] == q[0]:
        return {(p[0], c) for c in range(p[1] + 1, q[1])}
    return {(r, p[1]) for r in range(p[0] + 1, q[0])}


def all_solutions(puzzle: Puzzle) -> set[frozenset[Line]]:
    """Every solution, found by trying everything that the clues leave room for."""
    most = puzzle.max_bridges
    clues = {(row, col): 4 * most if clue == UNKNOWN_CLUE else clue for row, col, clue in puzzle.islands}
    unknown = {(row, col) for row, col, clue in puzzle.islands if clue == UNKNOWN_CLUE}
    pairs = lines_of_sight(set(clues))
    cells = [cells_between(*pair) for pair in pairs]
    found: set[frozenset[Line]] = set()
    left = dict(clues)
    chosen: list[int] = []
    later = dict.fromkeys(clues, 0)
    for p, q in pairs:
        later[p] += 1
        later[q] += 1

    def extend(k: int) -> None:
        if k == len(pairs):
            lines = frozenset((*pair, count) for pair, count in zip(pairs, chosen, strict=True) if count)
            met = all(left[place] < clues[place] if place in unknown else not left[place] for place in clues)
            if met and connected(set(clues), lines) and (puzzle.loops or len(lines) == len(clues) - 1):
                found.add(lines)
            return
        if any(left[place] > most * later[place] for place in clues if place not in unknown):
            return
        p, q = pairs[k]
        for count in range(min(most, left[p], left[q]) + 1):
            if count and any(chosen[j] and cells[j] & cells[k] for j in range(k)):
                break
            chosen.append(count)
            left[p] -= count
            left[q] -= count
            later[p] -= 1
            later[q] -= 1
            extend(k + 1)
            later[p] += 1
            later[q] += 1
            left[p] += count
            left[q] += count
            chosen.pop()

    extend(0)
    return found


def connected(places: set[Place], lines: frozenset[Line]) -> bool:
    """Whether the lines make one group of all places."""
    start = min(places)
    reached = {start}
    todo = [start]
    while todo:
        here = todo.pop()
        for p, q, _ in lines:
            if here in (p, q):
                there = q if here == p else p
                if there not in reached:
                    reached.add(there)
                    todo.append(there)
    return reached == places


def random_board(rng: random.Random) -> Puzzle:
    """A small board with touching islands, crossings, several solutions or none.

    The clues come from bridges that are laid at random (they cross nowhere, but need not connect), and now and then one
    of them is changed.
    """
    rows, cols = rng.randint(1, 5), rng.randint(1, 6)
    cells = [(r, c) for r in range(rows) for c in range(cols)]
    places = set(rng.sample(cells, min(len(cells), rng.randint(1, 9))))
    clues = dict.fromkeys(places, 0)
    used: set[Place] = set()
    pairs = lines_of_sight(places)
    rng.shuffle(pairs)
    for p, q in pairs:
        water = cells_between(p, q)
        count = rng.choice((0, 1, 1, 1, 2))
        if count and not water & used:
            used |= water
            clues[p] += count
            clues[q] += count
    if rng.random() < 0.2:
        changed = rng.choice(sorted(places))
        clues[changed] = rng.randint(1, 8)
    return Puzzle.from_rows([[max(1, clues[r, c]) if (r, c) in clues else 0 for c in range(cols)] for r in range(rows)])


def variant_board(rng: random.Random, *, unknown: bool = True) -> Puzzle:
    """As `random_board`, under rules drawn at random: most bridges, loops, islands without a number."""
    most = rng.randint(1, 4)
    rows, cols = rng.randint(1, 4), rng.randint(1, 5)
    cells = [(r, c) for r in range(rows) for c in range(cols)]
    places = set(rng.sample(cells, min(len(cells), rng.randint(1, 8))))
    clues = dict.fromkeys(places, 0)
    used: set[Place] = set()
    pairs = lines_of_sight(places)
    rng.shuffle(pairs)
    for p, q in pairs:
        water = cells_between(p, q)
        count = rng.choice((0, 1, 1, rng.randint(1, most)))
        if count and not water & used:
            used |= water
            clues[p] += count
            clues[q] += count
    if rng.random() < 0.2:
        clues[rng.choice(sorted(places))] = rng.randint(1, 4 * most)
    few = (4, 4, 2, 1)[most - 1]  # or there are solutions by the thousand
    for place in rng.sample(sorted(places), min(len(places), rng.choice((0, 0, 1, few)) if unknown else 0)):
        clues[place] = UNKNOWN_CLUE
    grid = [[max(1, clues[r, c]) if (r, c) in clues else 0 for c in range(cols)] for r in range(rows)]
    return Puzzle.from_rows(grid, max_bridges=most, loops=rng.random() < 0.5)


def random_boards(count: int, seed: int) -> Iterator[Puzzle]:
    """The same boards for the same seed."""
    rng = random.Random(seed)
    for _ in range(count):
        yield random_board(rng)


def crowded_board(seed: int) -> Puzzle:
    """A board of up to 10 x 10 cells and 34 islands, now and then infeasible: too large to try everything.

    The bridges are laid as in `random_board`, but so that more of them connect.
    """
    rng = random.Random(seed)
    rows, cols = rng.randint(3, 10), rng.randint(3, 10)
    cells = [(r, c) for r in range(rows) for c in range(cols)]
    places = set(rng.sample(cells, rng.randint(4, min(len(cells) // 2, 34))))
    clues = dict.fromkeys(places, 0)
    used: set[Place] = set()
    pairs = lines_of_sight(places)
    rng.shuffle(pairs)
    counts = rng.choice(((1, 2), (1, 1, 1, 2), (0, 1, 1, 1, 1), (1, 2, 2)))
    for p, q in pairs:
        water = cells_between(p, q)
        count = rng.choice(counts)
        if count and not water & used:
            used |= water
            clues[p] += count
            clues[q] += count
    for changed in rng.sample(sorted(places), rng.choice((0, 0, 0, 1, 2))):
        clues[changed] = clues[changed] % 8 + 1
    return Puzzle.from_rows([[max(1, clues[r, c]) if (r, c) in clues else 0 for c in range(cols)] for r in range(rows)])


def crowded_variant(seed: int) -> Puzzle:
    """A board of up to 14 x 14 cells under other rules: a planted tree, now and then with some clues changed.

    The tree is a solution without loops; `max_bridges` is often more than it needs, and some islands have no number.
    """
    rng = random.Random(seed)
    side = rng.randint(5, 14)
    planted = planted_board(side, rng.randint(6, side * side // 3), seed)
    most = rng.randint(2, 4)
    cells = bytearray(planted.cells)
    places = [place for place, clue in enumerate(cells) if clue]
    for changed in rng.sample(places, rng.choice((0, 0, 1, 2))):
        cells[changed] = cells[changed] % (4 * most) + 1
    for unknown in rng.sample(places, rng.choice((0, 0, 1, len(places) // 8))):
        cells[unknown] = UNKNOWN_CLUE
    return Puzzle(side, side, bytes(cells), max_bridges=most, loops=rng.random() < 0.3)


small_boards = st.builds(lambda seed: random_board(random.Random(seed)), st.integers(0, 10**9))
"""Boards whose clues make some sense."""


@st.composite
def senseless_boards(draw: st.DrawFn) -> Puzzle:
    """Boards whose clues are drawn without any sense; hypothesis makes them smaller well."""
    rows, cols = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    clue = st.sampled_from((0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8))
    cells = draw(st.lists(clue, min_size=rows * cols, max_size=rows * cols))
    islands = [k for k, value in enumerate(cells) if value]
    if not islands:
        cells[0] = 1
    for k in islands[9:]:
        cells[k] = 0
    return Puzzle(rows, cols, bytes(cells))


def planted_board(side: int, islands: int, seed: int) -> Puzzle:
    """A large board with a solution: a tree of mostly single bridges that grows at random over a third of the cells.

    Most of its clues are 1 and 2, and such a board is hard: nothing but connectivity says which bridges to build.
    """
    rng = random.Random(seed)
    used = [[False] * side for _ in range(side)]
    clues = {(side // 2, side // 2): 0}
    used[side // 2][side // 2] = True
    order = list(clues)
    for _ in range(200 * islands):
        if len(clues) == islands:
            break
        r, c = rng.choice(order)
        dr, dc = rng.choice(((0, 1), (1, 0), (0, -1), (-1, 0)))
        path = [(r + k * dr, c + k * dc) for k in range(1, rng.randint(1, 5) + 1)]
        if all(0 <= y < side and 0 <= x < side and not used[y][x] for y, x in path):
            end = path[-1]
            for y, x in path:
                used[y][x] = True
            count = 2 if rng.random() < 0.2 else 1
            clues[end] = count
            clues[r, c] += count
            order.append(end)
    return Puzzle.from_rows([[clues.get((r, c), 0) for c in range(side)] for r in range(side)])


def lopsided_board(side: int = 14) -> Puzzle:
    """A lattice of islands that has no solution, which no engine proves in time from a side of 10 on.

    Each bridge joins a black and a white island, as on a chessboard, so the clues of both colours must have the same
    sum; but two corners of one colour want one less. Like the mutilated chessboard it has no short proof by resolution
    (Alekhnovich, "Mutilated chessboard problem is exponentially hard for resolution", 2004).
    """
    rows = [[0] * (2 * side - 1) for _ in range(2 * side - 1)]
    for r in range(0, 2 * side, 2):
        for c in range(0, 2 * side, 2):
            rows[r][c] = 3
    rows[0][0] = rows[-1][-1] = 2
    return Puzzle.from_rows(rows)
