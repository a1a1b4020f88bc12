from __future__ import annotations

import pytest
from hypothesis import given

from kakehashi.puzzle import Puzzle
from kakehashi.solver.sight import infeasible_on_sight
from tests.unit.solver.boards import all_solutions, board, senseless_boards


@pytest.mark.parametrize(
    ("puzzle", "reason"),
    [
        (board(".....", "..4.."), "the only island, 4 at row 2, column 3, has nothing to be bridged to"),
        (board("1.2"), "the clues add up to 3, an odd number, but each bridge has two ends"),
        (board("1.1", "...", ".2."), "the island 2 at row 3, column 2 sees no other island"),
        (board("3.1"), "the island 3 at row 1, column 1 can have 1 bridge at most"),
        (board("?"), "the only island, ? at row 1, column 1, has nothing to be bridged to"),
        (board("?.1", "...", ".2."), "the island 2 at row 3, column 2 sees no other island"),
        (board("1.?", "...", ".?."), "the island ? at row 3, column 2 sees no other island"),
        (board("3.3", max_bridges=1), "the island 3 at row 1, column 1 can have 1 bridge at most"),
        (board("5.2", "...", "1.2"), "the island 5 at row 1, column 1 can have 3 bridges at most"),
    ],
)  # fmt: skip
def test_the_reason_is_given(puzzle: Puzzle, reason: str) -> None:
    assert infeasible_on_sight(puzzle) == reason


def test_nothing_is_seen_where_there_is_a_solution() -> None:
    assert infeasible_on_sight(board("2.2", "...", "2.2")) is None


@given(senseless_boards())
def test_what_is_seen_is_true(puzzle: Puzzle) -> None:
    if infeasible_on_sight(puzzle):
        assert not all_solutions(puzzle)
