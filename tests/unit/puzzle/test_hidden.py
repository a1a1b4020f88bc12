from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kakehashi.puzzle import UNKNOWN_CLUE, Bridge, Cell, Puzzle, TooManyWays, check
from kakehashi.puzzle.hidden import infer_hidden
from tests.support.boards import solved


def apart(bridge: Bridge) -> bool:
    return bridge.end.row - bridge.start.row + bridge.end.col - bridge.start.col > 1


def any_choice_is_right(puzzle: Puzzle, shown: list[Bridge]) -> bool:
    """By trying all values of all pairs of touching islands."""
    cells = {Cell(row, col) for row, col, _ in puzzle.islands}
    pairs = [
        (cell, other)
        for cell in sorted(cells)
        for other in (Cell(cell.row, cell.col + 1), Cell(cell.row + 1, cell.col))
        if other in cells
    ]
    return any(
        not check(puzzle, [*shown, *(Bridge(a, b, n) for (a, b), n in zip(pairs, values, strict=True))])
        for values in itertools.product(range(puzzle.max_bridges + 1), repeat=len(pairs))
    )


@given(solved(side=5))
def test_what_an_answer_hides_is_found(board: tuple[Puzzle, list[Bridge]]) -> None:
    puzzle, bridges = board
    shown = [bridge for bridge in bridges if apart(bridge)]
    assert check(puzzle, [*shown, *infer_hidden(puzzle, shown)]) == []


@settings(deadline=None)
@given(st.lists(st.integers(0, 4), min_size=6, max_size=6), st.sampled_from([(2, 3), (3, 2), (1, 6), (6, 1)]))
def test_it_finds_an_answer_just_when_there_is_one(clues: list[int], size: tuple[int, int]) -> None:
    if any(clues):
        puzzle = Puzzle(*size, bytes(clues))
        right = not check(puzzle, infer_hidden(puzzle, []))
        assert right == any_choice_is_right(puzzle, [])


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([0, 1, 2, 3, 4, UNKNOWN_CLUE]), min_size=6, max_size=6),
    st.sampled_from([(2, 3), (3, 2), (1, 6)]),
    st.sampled_from([1, 2, 3]),
    st.booleans(),
)
def test_it_finds_an_answer_under_other_rules_too(
    clues: list[int], size: tuple[int, int], max_bridges: int, loops: bool
) -> None:
    if any(clues):
        puzzle = Puzzle(*size, bytes(clues), max_bridges=max_bridges, loops=loops)
        right = not check(puzzle, infer_hidden(puzzle, []))
        assert right == any_choice_is_right(puzzle, [])


def test_of_two_choices_the_one_that_connects_is_taken() -> None:
    # A ring of four 2s: two doubled pairs meet the clues as well as the ring does, but leave two groups.
    puzzle = Puzzle.from_rows([[2, 2], [2, 2]])
    assert len(infer_hidden(puzzle, [])) == 4


def across(row: int, *pairs: tuple[int, int]) -> list[Bridge]:
    return [Bridge(Cell(row, first), Cell(row, last), 1) for first, last in pairs]


def test_choices_of_several_clusters_are_combined() -> None:
    # Two blocks of four; in each either the rows or the columns are paired. Only rows and rows reach both ends.
    puzzle = Puzzle.from_rows([[2, 0, 2, 2, 0, 2, 2, 0, 2]] * 2)
    shown = across(0, (0, 2), (3, 5), (6, 8)) + across(1, (0, 2), (3, 5), (6, 8))
    hidden = infer_hidden(puzzle, shown)
    assert check(puzzle, [*shown, *hidden]) == []
    # Turned by a right angle, the other choice of each block is the right one.
    turned = Puzzle.from_rows([list(row) for row in zip(*puzzle.to_rows(), strict=True)])
    down = [Bridge(Cell(a.col, a.row), Cell(b.col, b.row), n) for a, b, n in shown]
    assert check(turned, [*down, *infer_hidden(turned, down)]) == []


def test_where_no_combination_connects_the_clues_are_still_met() -> None:
    puzzle = Puzzle.from_rows([[1, 2, 0, 2, 1]] * 2)
    shown = across(0, (1, 3)) + across(1, (1, 3))
    assert not any_choice_is_right(puzzle, shown)
    assert {violation.code for violation in check(puzzle, [*shown, *infer_hidden(puzzle, shown)])} == {"disconnected"}


def test_where_nothing_fits_the_checker_says_what_is_left() -> None:
    puzzle = Puzzle.from_rows([[1, 3, 1]])
    bridges = infer_hidden(puzzle, [])
    assert bridges == [Bridge(Cell(0, 0), Cell(0, 1), 1), Bridge(Cell(0, 1), Cell(0, 2), 1)]
    assert [violation.at for violation in check(puzzle, bridges)] == [Cell(0, 1)]


def test_no_work_without_touching_islands() -> None:
    assert infer_hidden(Puzzle.from_rows([[1, 0, 1]]), [], step_limit=0) == []


def test_bridges_that_end_on_water_are_left_to_the_checker() -> None:
    puzzle = Puzzle.from_rows([[1, 1, 0]])
    assert infer_hidden(puzzle, [Bridge(Cell(0, 1), Cell(0, 2), 1)]) == [Bridge(Cell(0, 0), Cell(0, 1), 1)]


def test_too_many_ways_are_admitted() -> None:
    block = Puzzle.from_rows([[4] * 6 for _ in range(6)])
    with pytest.raises(TooManyWays, match="give the answer as JSON"):
        infer_hidden(block, [], step_limit=20)
