"""The builder in Python, and the compiled one beside it: the same arrays, bit for bit."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given

from kakehashi.puzzle import UNKNOWN_CLUE, Puzzle
from kakehashi.puzzle import graph as graph_module
from kakehashi.puzzle.graph import Graph
from kakehashi.puzzle.graph_builder import Arrays, build
from tests.support.boards import variant_puzzles

Build = Callable[[Puzzle, Callable[[], object]], Arrays]

COMPILED = graph_module._compiled()

builders = pytest.mark.parametrize(
    "builder",
    [
        pytest.param(build, id="python"),
        pytest.param(COMPILED, id="compiled", marks=pytest.mark.skipif(COMPILED is None, reason="it was not compiled")),
    ],
)


def nothing() -> None:
    """The look at a clock that nobody waits for."""


def scattered(seed: int, rows: int, cols: int, share: float) -> Puzzle:
    """A board whose cells are islands with this probability, of rules drawn at random."""
    rng = random.Random(seed)
    most = rng.randint(1, 4)
    clues = [UNKNOWN_CLUE, *range(1, 4 * most + 1)] if seed % 2 else range(1, 4 * most + 1)
    cells = bytearray(rng.choice(clues) if rng.random() < share else 0 for _ in range(rows * cols))
    cells[0] = 1
    return Puzzle(rows, cols, bytes(cells), max_bridges=most, loops=rng.random() < 0.5)


@builders
def test_a_small_board(builder: Build) -> None:
    puzzle = Puzzle(3, 4, bytes([0, UNKNOWN_CLUE, 0, 0, 2, 0, 0, 2, 0, 1, 0, UNKNOWN_CLUE]), max_bridges=3)
    arrays = builder(puzzle, nothing)
    assert [list(numbers) for numbers in arrays] == [
        [0, 1, 1, 2, 2],
        [1, 0, 3, 1, 3],
        [1, 2, 2, 1, 1],
        [3, 2, 2, 1, 6],
        [1, 0, 3, 2],
        [2, 3, 4, 4],
        [0, 1, 0, 1],
        [-1, -1, 1, -1, -1, 0, -1, -1, -1, -1, 3, 0, 1, 2, -1, -1, 3, -1, -1, 2],
        [0, 1, 2, 2, 2],
        [1, 0],
    ]
    assert {numbers.typecode for numbers in arrays} == {"i"}


@builders
def test_without_unknown_clues_both_ranges_are_one_array(builder: Build) -> None:
    arrays = builder(Puzzle.from_rows([[1, 0, 1]]), nothing)
    assert arrays.clue_least is arrays.clue_most
    arrays = builder(Puzzle.from_rows([[1, 0, UNKNOWN_CLUE]]), nothing)
    assert arrays.clue_least is not arrays.clue_most


@builders
def test_building_can_be_ended_by_whoever_looks_at_the_clock(builder: Build) -> None:
    board = Puzzle(500, 600, bytes([1] + 19 * [0]) * 15000)
    looks = 0

    def look() -> None:
        nonlocal looks
        looks += 1
        if looks == 3:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        builder(board, look)
    assert looks == 3


@pytest.mark.skipif(COMPILED is None, reason="it was not compiled")
class TestCompiled:
    @given(variant_puzzles(side=12))
    def test_it_builds_what_python_builds(self, puzzle: Puzzle) -> None:
        assert COMPILED is not None
        assert COMPILED(puzzle, nothing) == build(puzzle, nothing)

    @pytest.mark.parametrize("seed", range(12))
    def test_on_large_boards_too(self, seed: int) -> None:
        rows, cols = [(90, 110), (1, 3000), (3000, 1), (200, 40)][seed % 4]
        puzzle = scattered(seed, rows, cols, [0.02, 0.2, 0.7][seed % 3])
        assert COMPILED is not None
        assert COMPILED(puzzle, nothing) == build(puzzle, nothing)

    def test_it_is_what_a_puzzle_uses(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(graph_module, "build", nothing)
        graph = scattered(1, 9, 9, 0.4).graph
        assert graph.n > 1

    @pytest.mark.parametrize(
        ("cells", "rows", "cols", "capacity"),
        [
            (b"", 0, 0, 2),
            (b"\1\1", 1, 3, 2),
            (b"\1", 1, 1, 5),
            (b"\1", 1, 1, 0),
            (b"\1", -1, -1, 2),
            (b"", 2**62, 4, 2),
        ],
    )
    def test_what_makes_no_board_is_refused(self, cells: bytes, rows: int, cols: int, capacity: int) -> None:
        from kakehashi.puzzle import _graph

        with pytest.raises(ValueError, match="expected"):
            _graph.build(cells, rows, cols, capacity, nothing)


def test_python_takes_its_place_where_it_was_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = scattered(3, 9, 9, 0.4)
    monkeypatch.setattr(graph_module, "_compiled", lambda: None)
    graph = Graph.of(puzzle)
    arrays = build(puzzle, nothing)
    assert graph.channel_a == arrays.channel_a
    assert graph.crossing == arrays.crossing
    assert (graph.capacity, graph.loops) == (puzzle.max_bridges, puzzle.loops)
