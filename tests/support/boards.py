"""Small boards with a known solution, for properties."""

from __future__ import annotations

import random
from itertools import pairwise

from hypothesis import strategies as st

from kakehashi.puzzle import MAX_BRIDGES, MOST_BRIDGES, SIDES, UNKNOWN_CLUE, Bridge, Puzzle, Solution, bridge_between


@st.composite
def puzzles(draw: st.DrawFn, side: int = 8) -> Puzzle:
    """Any valid puzzle, touching islands included; few have an answer."""
    rows, cols = draw(st.integers(1, side)), draw(st.integers(1, side))
    clue = st.sampled_from([0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
    cells = draw(st.lists(clue, min_size=rows * cols, max_size=rows * cols).filter(any))
    return Puzzle(rows, cols, bytes(cells))


@st.composite
def solved(draw: st.DrawFn, side: int = 7) -> tuple[Puzzle, list[Bridge]]:
    """A puzzle with an answer: islands scattered at random, bridges laid where they do not cross, clues counted.

    What does not hang together with the first island is taken off the board.
    """
    rows, cols = draw(st.integers(1, side)), draw(st.integers(2, side))
    places = st.tuples(st.integers(0, rows - 1), st.integers(0, cols - 1))
    islands = sorted(draw(st.sets(places, min_size=2, max_size=14)))
    pairs: list[tuple[tuple[int, int], tuple[int, int]]] = []
    for line in range(rows):
        pairs += pairwise([cell for cell in islands if cell[0] == line])
    for line in range(cols):
        pairs += pairwise(sorted(cell for cell in islands if cell[1] == line))
    used: set[tuple[int, int]] = set()
    laid = []
    for a, b in draw(st.permutations(pairs)):
        cells = {(r, c) for r in range(a[0], b[0] + 1) for c in range(a[1], b[1] + 1)} - {a, b}
        count = draw(st.integers(0, 2))
        if count and not cells & used:
            used |= cells
            laid.append((a, b, count))
    if not laid and pairs:
        laid.append((*draw(st.sampled_from(pairs)), 1))
    group = {laid[0][0]} if laid else {islands[0]}
    while True:
        more = {cell for a, b, _ in laid if (a in group) != (b in group) for cell in (a, b)}
        if not more:
            break
        group |= more
    kept = [bridge_between(a, b, count) for a, b, count in laid if a in group]
    grid = [[0] * cols for _ in range(rows)]
    for start, end, count in kept:
        for row, col in (start, end):
            grid[row][col] += count
    if not kept:
        grid[0][:2], kept = [1, 1], [bridge_between((0, 0), (0, 1), 1)]
    return Puzzle.from_rows(grid), kept


@st.composite
def variant_puzzles(draw: st.DrawFn, side: int = 8) -> Puzzle:
    """Any valid puzzle of any rules: up to four bridges a channel, islands without a number, loops forbidden."""
    rows, cols, most = draw(st.integers(1, side)), draw(st.integers(1, side)), draw(st.integers(1, MOST_BRIDGES))
    clue = st.sampled_from([0, 0, 0, 0, UNKNOWN_CLUE, *range(1, SIDES * most + 1)])
    cells = draw(st.lists(clue, min_size=rows * cols, max_size=rows * cols).filter(any))
    return Puzzle(rows, cols, bytes(cells), max_bridges=most, loops=draw(st.booleans()))


def laid_board(rng: random.Random, rows: int, cols: int, islands: int) -> Solution:
    """A board of any rules and an answer to it: a tree that grows at random, here and there with a channel more.

    Now and then an island's number is left out.
    """
    most, loops = rng.randint(1, MOST_BRIDGES), rng.random() < 0.6
    used: set[tuple[int, int]] = set()
    degree = {(rng.randrange(rows), rng.randrange(cols)): 0}
    laid: dict[tuple[tuple[int, int], tuple[int, int]], int] = {}
    for _ in range(30 * islands):
        if len(degree) == islands:
            break
        row, col = rng.choice(list(degree))
        down, right = rng.choice(((0, 1), (1, 0), (0, -1), (-1, 0)))
        path = [(row + k * down, col + k * right) for k in range(1, rng.randint(1, 4) + 1)]
        if not all(0 <= r < rows and 0 <= c < cols and (r, c) not in used | degree.keys() for r, c in path):
            continue
        used.update(path[:-1])
        laid[min((row, col), path[-1]), max((row, col), path[-1])] = rng.randint(1, most)
        degree[path[-1]] = 0
    return _counted(rng, rows, cols, most, loops, sorted(degree), laid)


def _counted(
    rng: random.Random,
    rows: int,
    cols: int,
    most: int,
    loops: bool,
    islands: list[tuple[int, int]],
    laid: dict[tuple[tuple[int, int], tuple[int, int]], int],
) -> Solution:
    """The clues that these bridges make, and the values of the channels."""
    clues = bytearray(rows * cols)
    for row, col in islands:
        clues[row * cols + col] = 1
    graph = Puzzle(rows, cols, bytes(clues), max_bridges=most).graph
    ends = list(zip(graph.channel_a, graph.channel_b, strict=True))
    values = bytearray(laid.get((islands[a], islands[b]), 0) for a, b in ends)
    for e, value in enumerate(values):
        crossed = any(values[f] for f in graph.crossing[graph.crossing_start[e] : graph.crossing_start[e + 1]])
        if loops and not value and not crossed and rng.random() < 0.2:
            values[e] = rng.randint(1, most)
    degree = [0] * graph.n
    for (a, b), value in zip(ends, values, strict=True):
        degree[a] += value
        degree[b] += value
    for (row, col), bridges in zip(islands, degree, strict=True):
        clues[row * cols + col] = UNKNOWN_CLUE if not bridges or rng.random() < 0.1 else bridges
    return Solution(Puzzle(rows, cols, bytes(clues), max_bridges=most, loops=loops), bytes(values))


@st.composite
def solutions(
    draw: st.DrawFn,
    *,
    most: int = MAX_BRIDGES,
    loops: bool = True,
    unknown: bool = False,
    touching: bool = True,
    least_side: int = 1,
) -> Solution:
    """A puzzle with an answer, under rules that a format may have room for.

    A bridge after the other is laid from an island to a new one or to one that is in line, where there is room.
    """
    rows, cols = draw(st.integers(least_side, 7)), draw(st.integers(max(2, least_side), 7))
    first = draw(st.integers(0, rows - 1)), draw(st.integers(0, cols - 1))
    degree: dict[tuple[int, int], int] = {first: 0}
    laid: dict[tuple[tuple[int, int], tuple[int, int]], int] = {}
    water: set[tuple[int, int]] = set()
    nearest = 1 if touching else 2
    for _ in range(draw(st.integers(1, 12))):
        row, col = draw(st.sampled_from(sorted(degree)))
        down, right = draw(st.sampled_from([(0, 1), (1, 0), (0, -1), (-1, 0)]))
        length = draw(st.integers(nearest, 4))
        path = [(row + down * k, col + right * k) for k in range(1, length + 1)]
        end = path[-1]
        if not (0 <= end[0] < rows and 0 <= end[1] < cols) or water & set(path) or degree.keys() & set(path[:-1]):
            continue
        beside = [(end[0] + r, end[1] + c) for r, c in ((0, 1), (1, 0), (0, -1), (-1, 0))]
        if end in degree and not loops:
            continue
        if end not in degree and not touching and degree.keys() & set(beside):
            continue
        pair = min((row, col), end), max((row, col), end)
        if pair in laid:
            continue
        laid[pair] = count = draw(st.integers(1, most))
        water |= set(path[:-1])
        degree[row, col] += count
        degree[end] = degree.get(end, 0) + count
    clues = {place: UNKNOWN_CLUE if unknown and draw(st.booleans()) else count for place, count in degree.items()}
    if not laid:
        clues, laid = {(0, 0): 1, (0, cols - 1): 1}, {((0, 0), (0, cols - 1)): 1}
    board = [[clues.get((r, c), 0) for c in range(cols)] for r in range(rows)]
    puzzle = Puzzle.from_rows(board, max_bridges=most, loops=loops)
    graph = puzzle.graph
    ends = list(zip(graph.island_row, graph.island_col, strict=True))
    pairs = [(ends[a], ends[b]) for a, b in zip(graph.channel_a, graph.channel_b, strict=True)]
    return Solution(puzzle, bytes(laid.get(pair, 0) for pair in pairs))
