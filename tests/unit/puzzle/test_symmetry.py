from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kakehashi.puzzle import (
    UNKNOWN_CLUE,
    Bridge,
    Cell,
    Puzzle,
    Solution,
    Symmetry,
    Touching,
    canonical_digest,
    check,
    symmetry_between,
)
from kakehashi.puzzle.symmetry import Board, canonical, class_of, values_of
from kakehashi.solver import solve

if TYPE_CHECKING:
    from collections.abc import Callable

LETTERS = {  # where the three islands of `1 2 / 3 0` (with water between) end up
    Symmetry.IDENTITY: [[1, 0, 2], [3, 0, 0]],
    Symmetry.TURN_RIGHT: [[3, 1], [0, 0], [0, 2]],
    Symmetry.HALF_TURN: [[0, 0, 3], [2, 0, 1]],
    Symmetry.TURN_LEFT: [[2, 0], [0, 0], [1, 3]],
    Symmetry.MIRROR: [[2, 0, 1], [0, 0, 3]],
    Symmetry.UPSIDE_DOWN: [[3, 0, 0], [1, 0, 2]],
    Symmetry.TRANSPOSE: [[1, 3], [0, 0], [2, 0]],
    Symmetry.ANTITRANSPOSE: [[0, 2], [0, 0], [3, 1]],
}
symmetries = st.sampled_from(Symmetry)


@st.composite
def puzzles(draw: Callable) -> Puzzle:
    """Small boards of any rules; `reject` only where no islands touch."""
    rows, cols = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    most = draw(st.integers(1, 4))
    clue = st.one_of(st.just(0), st.integers(1, 4 * most), st.just(UNKNOWN_CLUE))
    cells = bytes(draw(st.lists(clue, min_size=rows * cols, max_size=rows * cols).filter(any)))
    puzzle = Puzzle(rows, cols, cells, Touching.JOIN, most, draw(st.booleans()))
    if puzzle.first_touching_pair is None and draw(st.booleans()):
        return Puzzle(rows, cols, cells, Touching.REJECT, most, puzzle.loops)
    return puzzle


@pytest.mark.parametrize("symmetry", Symmetry)
def test_the_words_mean_what_they_say(symmetry: Symmetry) -> None:
    laid = symmetry.puzzle(Puzzle.from_rows(LETTERS[Symmetry.IDENTITY]))
    assert laid.to_rows() == LETTERS[symmetry]


@given(puzzles(), symmetries)
def test_cells_go_where_the_board_goes(puzzle: Puzzle, symmetry: Symmetry) -> None:
    laid = symmetry.puzzle(puzzle)
    rows = laid.to_rows()
    for r, row in enumerate(puzzle.to_rows()):
        for c, clue in enumerate(row):
            to = symmetry.cell(puzzle.rows, puzzle.cols, Cell(r, c))
            assert rows[to.row][to.col] == clue
    assert (laid.touching, laid.variant) == (puzzle.touching, puzzle.variant)


@given(puzzles(), symmetries, symmetries)
def test_symmetries_are_a_group(puzzle: Puzzle, first: Symmetry, second: Symmetry) -> None:
    assert first.then(second).puzzle(puzzle) == second.puzzle(first.puzzle(puzzle))
    assert first.then(first.inverse) is Symmetry.IDENTITY
    assert first.inverse.puzzle(first.puzzle(puzzle)) == puzzle


@given(puzzles())
def test_the_canonical_form_is_the_least_of_the_eight(puzzle: Puzzle) -> None:
    eight = [symmetry.board(Board(puzzle.rows, puzzle.cols, puzzle.cells)) for symmetry in Symmetry]
    board, symmetry = canonical(puzzle)
    assert board == min(eight)
    laid = symmetry.puzzle(puzzle)
    assert (laid.rows, laid.cols, laid.cells) == board
    assert class_of(puzzle) == (laid.digest, symmetry)


@given(puzzles(), symmetries)
def test_a_class_has_one_digest(puzzle: Puzzle, symmetry: Symmetry) -> None:
    laid = symmetry.puzzle(puzzle)
    assert canonical_digest(laid) == canonical_digest(puzzle)
    found = symmetry_between(puzzle, laid)
    assert found is not None
    assert found.puzzle(puzzle) == laid


@given(puzzles())
def test_a_puzzle_is_the_same_as_itself(puzzle: Puzzle) -> None:
    assert symmetry_between(puzzle, puzzle) is Symmetry.IDENTITY


def test_rules_are_part_of_the_class() -> None:
    rows = [[1, 0, 2], [0, 0, 0], [0, 0, 1]]
    plain = Puzzle.from_rows(rows)
    others = [
        Puzzle.from_rows(rows, Touching.REJECT),
        Puzzle.from_rows(rows, max_bridges=1),
        Puzzle.from_rows(rows, loops=False),
        Puzzle.from_rows([[1, 0, 2], [0, 0, 0], [0, 0, 2]]),
    ]
    assert len({canonical_digest(puzzle) for puzzle in [plain, *others]}) == 5
    assert [symmetry_between(plain, other) for other in others] == [None] * 4


@settings(deadline=None)
@given(puzzles(), symmetries)
def test_answers_go_along(puzzle: Puzzle, symmetry: Symmetry) -> None:
    solution = solve(puzzle, budget=5.0).solution
    if solution is None:
        return
    laid = symmetry.solution(solution)
    assert laid.puzzle == symmetry.puzzle(puzzle)
    assert check(laid.puzzle, laid.bridges) == []
    assert symmetry.inverse.solution(laid, onto=puzzle) == solution


def test_bridges_that_are_not_of_the_puzzle_are_refused() -> None:
    puzzle = Puzzle.from_rows([[1, 0, 2, 0, 1]])
    bridge = Bridge(Cell(0, 0), Cell(0, 2), 1)
    assert values_of(puzzle, [bridge]) == b"\x01\x00"
    with pytest.raises(ValueError, match="not of this puzzle"):
        values_of(puzzle, [bridge, bridge])
    with pytest.raises(ValueError, match="not of this puzzle"):
        Symmetry.IDENTITY.solution(Solution(puzzle, b"\x01\x01"), onto=Puzzle.from_rows([[2, 2]]))
