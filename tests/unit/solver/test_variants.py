"""Other rules than the classic ones: every engine finds exactly the solutions that an exhaustive search finds."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kakehashi.puzzle import Puzzle, Solution, Verdict, check
from kakehashi.solver import Deadline, Engine, solve
from kakehashi.solver.pysat_engine import PysatEngine
from tests.unit.solver.boards import Line, all_solutions, board, crowded_variant, variant_board

variant_boards = st.builds(lambda seed: variant_board(random.Random(seed)), st.integers(0, 10**9))


def enumerated(engine: Engine, puzzle: Puzzle) -> set[frozenset[Line]]:
    found: set[frozenset[Line]] = set()
    with engine.open(puzzle.graph, Deadline()) as search:
        while (values := search.next_solution()) is not None:
            solution = Solution(puzzle, values)
            assert check(puzzle, solution.bridges) == []
            lines = frozenset(((a.row, a.col), (b.row, b.col), count) for a, b, count in solution.bridges)
            assert lines not in found, "the same solution twice"
            found.add(lines)
    return found


@settings(deadline=None)
@given(puzzle=variant_boards)
def test_it_finds_exactly_the_solutions(real_engine: Engine, puzzle: Puzzle) -> None:
    assert enumerated(real_engine, puzzle) == all_solutions(puzzle)


def test_it_finds_exactly_the_solutions_of_many_boards(real_engine: Engine) -> None:
    counts = []
    for seed in range(1500):
        puzzle = variant_board(random.Random(seed))
        solutions = all_solutions(puzzle)
        counts.append(len(solutions))
        assert enumerated(real_engine, puzzle) == solutions, (seed, puzzle.variant, puzzle.to_rows())
    assert counts.count(0) > 100
    assert sum(count > 1 for count in counts) > 100


@pytest.mark.parametrize("seed", range(40))
def test_engines_agree_on_crowded_boards(real_engine: Engine, seed: int) -> None:
    """Verdict and uniqueness of boards that are too large to try everything."""
    puzzle = crowded_variant(seed)
    counts = []
    for engine in (real_engine, PysatEngine()):
        with engine.open(puzzle.graph, Deadline()) as search:
            found = {values for _ in range(2) if (values := search.next_solution()) is not None}
        assert not any(check(puzzle, Solution(puzzle, values).bridges) for values in found)
        counts.append(len(found))
    assert counts[0] == counts[1]


def test_a_rest_of_four_is_not_taken_for_that_of_another_group(real_engine: Engine) -> None:
    """1, 1, 1, 1 at four islands has the sums of 2, 2 at two others, which may belong elsewhere.

    One of the three solutions was lost by that.
    """
    puzzle = board(
        "45....4453",
        "....1.....",
        "..3.....4.",
        "....2.4...",
        "4.........",
        "..5...4...",
        "...1...4.3",
        "3.5....5..",
        "344432.21.",
        max_bridges=4,
    )
    assert len(enumerated(real_engine, puzzle)) == 3


@pytest.mark.parametrize(
    ("puzzle", "solutions"),
    [
        (board("2.2", max_bridges=1), 0),
        (board("3.3"), 0),
        (board("3.3", max_bridges=3), 1),
        (board("4.4", max_bridges=4), 1),
        (board("?.1"), 1),
        (board("?.?"), 2),
        (board("?.?", max_bridges=4), 4),
        (board("2.2", "...", "2.2"), 1),
        (board("2.2", "...", "2.2", loops=False), 0),
        (board("?.?", "...", "?.?", max_bridges=1), 5),
        (board("?.?", "...", "?.?", max_bridges=1, loops=False), 4),
    ],
)
def test_small_boards(real_engine: Engine, puzzle: Puzzle, solutions: int) -> None:
    assert len(enumerated(real_engine, puzzle)) == solutions


def test_two_bridges_in_a_channel_are_no_loop() -> None:
    outcome = solve(board("2.3.1", loops=False), engine="pysat")
    assert outcome.verdict is Verdict.SOLVED
    assert outcome.solution is not None
    assert outcome.solution.grid == [[2, -3, 3, -1, 1]]


def test_an_answer_with_three_bridges_has_no_grid() -> None:
    solution = solve(board("3.3", max_bridges=3)).solution
    assert solution is not None
    assert solution.grid is None
    assert [bridge.count for bridge in solution.bridges] == [3]
