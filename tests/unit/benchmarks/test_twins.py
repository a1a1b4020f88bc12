from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.make_puzzles import Mix
from benchmarks.sets import PuzzleSet, Recipe, made
from benchmarks.twins import DRAWS, HOPS, SUFFIX, TWINS, Kind, draw, find, kind, within
from kakehashi import Puzzle, Verdict, solve
from kakehashi.solver import Deadline, engine_named, engine_names
from kakehashi.solver.propagation import propagate
from tests.unit.solver.boards import board
from tests.unit.solver.conftest import NATIVE, WITHOUT_NATIVE

BOARDS = PuzzleSet("boards", tuple(made(Recipe(14, 60, Mix(double=0.1, close=0.6), count=4))))
ROW = board("1.2.2.2.2.2.1")

needs_native = pytest.mark.skipif(not NATIVE, reason=WITHOUT_NATIVE)


@pytest.mark.parametrize(
    ("hops", "expected"), [(0, []), (1, [1]), (2, [1, 2]), (4, [1, 2, 3, 4]), (9, [1, 2, 3, 4, 5, 6])]
)
def test_islands_within_so_many_channels(hops: int, expected: list[int]) -> None:
    assert within(ROW.graph, 0, hops) == expected


@given(st.integers(0, 2**32), st.sampled_from(BOARDS.puzzles).map(lambda named: named.puzzle))
def test_a_draw_moves_one_bridge_from_an_island_to_one_near_it(seed: int, puzzle: Puzzle) -> None:
    drawn = draw(puzzle, random.Random(seed))
    assert drawn is not None
    changes = {k: new - old for k, (old, new) in enumerate(zip(puzzle.cells, drawn.cells, strict=True)) if new != old}
    assert sorted(changes.values()) == [-1, 1]
    places = [island.row * puzzle.cols + island.col for island in puzzle.islands]
    raised, lowered = sorted((places.index(cell) for cell in changes), key=lambda i: -changes[places[i]])
    assert lowered in within(puzzle.graph, raised, HOPS)
    assert drawn.island_count == puzzle.island_count


def test_a_board_without_a_clue_that_could_be_lowered_gives_no_draw() -> None:
    assert draw(board("1.1"), random.Random(1)) is None
    assert draw(board("8"), random.Random(1)) is None


@needs_native
@pytest.mark.parametrize(
    ("puzzle", "expected"),
    [
        (board("1.3", "...", "2.2"), Kind.REFUTED),
        (board("2.2", "...", "2.2"), Kind.FEASIBLE),
    ],
)
def test_what_a_drawn_board_is(puzzle: Puzzle, expected: Kind) -> None:
    assert kind(puzzle, 30.0) is expected


@needs_native
def test_a_budget_that_is_over_leaves_a_draw_undecided() -> None:
    assert kind(BOARDS.puzzles[0].puzzle, 0.0) is Kind.UNDECIDED


@needs_native
def test_twins_have_no_solution_and_propagation_does_not_see_it() -> None:
    assert "native" in engine_names()
    twins, counts = find(BOARDS, random.Random(1), 30.0)
    assert twins.name == "boards" + SUFFIX
    assert 0 < counts.twins == len(twins.puzzles) <= TWINS
    assert counts.draws == counts.refuted + counts.feasible + counts.undecided + counts.twins <= DRAWS
    for named in twins.puzzles:
        assert propagate(named.puzzle.graph, Deadline(30)) is not None
        assert solve(named.puzzle, engine=engine_named("pysat").name, budget=30).verdict is Verdict.INFEASIBLE
