"""Small boards with a known solution, for properties."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import strategies as st

from kakehashi.puzzle import Bridge, Puzzle, bridge_between


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
