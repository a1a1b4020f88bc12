from __future__ import annotations

import pytest
from hypothesis import given

from kakehashi.puzzle import (
    UNKNOWN_CLUE,
    Bridge,
    Cell,
    InvalidPuzzle,
    Island,
    Puzzle,
    Solution,
    Touching,
    bridge_between,
    clue_text,
    rules_of,
)
from tests.support.boards import puzzles


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "there are no cells"),
        ([[]], "there are no cells"),
        ([[0, 0]], "there is no island on the board"),
        ([[1, 0], [1]], "row 2 has 1 cells where row 1 has 2"),
        ([[1, 0], [0, 9]], "the clue 9 at row 2, column 2 is not in 1..8"),
        ([[-1]], "the clue -1 at row 1, column 1 is not in 1..8"),
        ([[300]], "the clue 300 at row 1, column 1 is not in 1..8"),
    ],
)
def test_rows_that_make_no_puzzle(rows: list[list[int]], message: str) -> None:
    with pytest.raises(InvalidPuzzle) as caught:
        Puzzle.from_rows(rows)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("rows", "cols", "cells", "message"),
    [
        (2, 2, b"\x01", "1 cells do not make a board of 2 x 2"),
        (0, 0, b"", "0 cells do not make a board of 0 x 0"),
        (1, 2, b"\x01\x09", "the clue 9 at row 1, column 2 is not in 1..8"),
    ],
)
def test_cells_that_make_no_puzzle(rows: int, cols: int, cells: bytes, message: str) -> None:
    with pytest.raises(InvalidPuzzle) as caught:
        Puzzle(rows, cols, cells)
    assert str(caught.value) == message


@pytest.mark.parametrize("rows", [[[1, 1]], [[1], [1]], [[0, 1, 0], [0, 2, 0], [0, 1, 0]]])
def test_touching_islands_are_joined_or_rejected(rows: list[list[int]]) -> None:
    assert Puzzle.from_rows(rows).first_touching_pair is not None
    with pytest.raises(InvalidPuzzle, match=r"touch, which the policy `reject` forbids \(use `join`"):
        Puzzle.from_rows(rows, Touching.REJECT)


def test_islands_at_a_corner_or_over_a_row_end_do_not_touch() -> None:
    assert Puzzle.from_rows([[0, 1], [1, 0]], Touching.REJECT).first_touching_pair is None


@given(puzzles())
def test_rows_and_back(puzzle: Puzzle) -> None:
    again = Puzzle.from_rows(puzzle.to_rows())
    assert again == puzzle
    assert again.digest == puzzle.digest
    assert again.islands == tuple(
        Island(r, c, clue) for r, row in enumerate(puzzle.to_rows()) for c, clue in enumerate(row) if clue
    )


def test_size_and_policy_are_part_of_the_digest() -> None:
    boards = [
        Puzzle(1, 4, bytes([1, 0, 0, 1])),
        Puzzle(4, 1, bytes([1, 0, 0, 1])),
        Puzzle(2, 2, bytes([1, 0, 0, 1])),
        Puzzle(2, 2, bytes([1, 0, 0, 1]), Touching.REJECT),
    ]
    assert len({board.digest for board in boards}) == 4
    assert {len(board.digest) for board in boards} == {16}


def test_a_solution_lists_its_bridges() -> None:
    solution = Solution(Puzzle.from_rows([[1, 0, 3, 2]]), bytes([1, 2]))
    assert solution.bridges == (Bridge(Cell(0, 0), Cell(0, 2), 1), Bridge(Cell(0, 2), Cell(0, 3), 2))
    assert bridge_between([0, 2], (0, 0), 1) == solution.bridges[0]
    assert solution.hidden_bridges == 1


@pytest.mark.parametrize(
    ("max_bridges", "loops", "variant"),
    [(2, True, "classic"), (2, False, "L"), (1, True, "m1"), (3, False, "m3L"), (4, True, "m4")],
)
def test_rules_have_a_name(max_bridges: int, loops: bool, variant: str) -> None:
    puzzle = Puzzle.from_rows([[1, 1]], max_bridges=max_bridges, loops=loops)
    assert puzzle.variant == variant
    assert rules_of(variant) == (max_bridges, loops)


@pytest.mark.parametrize("variant", ["m5", "m0", "LL", "Lm3", "m3 L", "knight"])
def test_rules_that_are_not_known(variant: str) -> None:
    with pytest.raises(ValueError, match="unknown rules"):
        rules_of(variant)


def test_rules_make_another_puzzle() -> None:
    names = {
        Puzzle.from_rows([[1, 0, 1]], max_bridges=most, loops=loops).digest
        for most in (1, 2, 3, 4)
        for loops in (True, False)
    }
    assert len(names) == 8


@pytest.mark.parametrize(("max_bridges", "clue"), [(1, 9), (2, 9), (3, 13), (4, 17), (4, 254)])
def test_the_largest_clue_goes_with_the_rules(max_bridges: int, clue: int) -> None:
    largest = max(8, 4 * max_bridges)
    assert Puzzle.from_rows([[largest]], max_bridges=max_bridges).max_clue == largest
    with pytest.raises(InvalidPuzzle, match=rf"the clue {clue} at row 1, column 1 is not in 1\.\.{largest}"):
        Puzzle.from_rows([[clue]], max_bridges=max_bridges)
    with pytest.raises(InvalidPuzzle, match=rf"the clue {clue} at row 1, column 1 is not in 1\.\.{largest}"):
        Puzzle(1, 1, bytes([clue]), max_bridges=max_bridges)


@pytest.mark.parametrize("max_bridges", [0, 5, -1])
def test_a_channel_carries_one_to_four(max_bridges: int) -> None:
    with pytest.raises(InvalidPuzzle, match="a channel carries at most 1 to 4 bridges, not"):
        Puzzle.from_rows([[1, 1]], max_bridges=max_bridges)


def test_an_island_without_a_number() -> None:
    puzzle = Puzzle.from_rows([[UNKNOWN_CLUE, 0, 1]])
    assert puzzle.has_unknown_clues
    assert list(puzzle.graph.clue_least) == [1, 1]
    assert list(puzzle.graph.clue_most) == [2, 1]
    assert [clue_text(clue) for _, _, clue in puzzle.islands] == ["?", "1"]
