"""Boards to draw."""

from __future__ import annotations

from hypothesis import strategies as st

from kakehashi.puzzle import UNKNOWN_CLUE, Bridge, Cell, Puzzle, Solution


def board(*rows: str, max_bridges: int = 2) -> Puzzle:
    """Draw a puzzle: `.` is water, a digit a clue, a letter from `a` on a clue from 10 on, `?` one without a number."""
    clues = {".": 0, "?": UNKNOWN_CLUE}
    grid = [[clues[cell] if cell in clues else int(cell, 36) for cell in row] for row in rows]
    return Puzzle.from_rows(grid, max_bridges=max_bridges)


def bridge(start: tuple[int, int], end: tuple[int, int], count: int = 1) -> Bridge:
    return Bridge(Cell(*start), Cell(*end), count)


def bridged(puzzle: Puzzle, *bridges: Bridge) -> Solution:
    """The puzzle with these bridges in its channels."""
    counts = {(start, end): count for start, end, count in bridges}
    graph = puzzle.graph
    cells = list(map(Cell, graph.island_row, graph.island_col))
    ends = [(cells[a], cells[b]) for a, b in zip(graph.channel_a, graph.channel_b, strict=True)]
    assert counts.keys() <= set(ends)
    return Solution(puzzle, bytes(counts.get(pair, 0) for pair in ends))


@st.composite
def puzzles(draw: st.DrawFn, side: int = 7) -> Puzzle:
    """Any puzzle of any rules."""
    rows, cols, most = draw(st.integers(1, side)), draw(st.integers(1, side)), draw(st.integers(1, 4))
    clue = st.sampled_from([0, 0, UNKNOWN_CLUE, *range(4 * most + 1)])
    cells = draw(st.lists(clue, min_size=rows * cols, max_size=rows * cols).filter(any))
    return Puzzle(rows, cols, bytes(cells), max_bridges=most, loops=draw(st.booleans()))


@st.composite
def answers(draw: st.DrawFn) -> Solution:
    """Any puzzle with any bridges in its channels, right or wrong, crossings included."""
    puzzle = draw(puzzles())
    count = st.integers(0, puzzle.max_bridges)
    channels = len(puzzle.graph.channel_a)
    return Solution(puzzle, bytes(draw(st.lists(count, min_size=channels, max_size=channels))))


senseless = st.lists(
    st.builds(
        Bridge,
        st.builds(Cell, st.integers(-2, 8), st.integers(-2, 8)),
        st.builds(Cell, st.integers(-2, 8), st.integers(-2, 8)),
        st.integers(-1, 6),
    ),
    max_size=12,
)
"""Bridges that somebody may have written down."""
