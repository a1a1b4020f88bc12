from __future__ import annotations

import pytest
from hypothesis import given

from kakehashi.puzzle import Bridge, Cell, Puzzle, Solution
from kakehashi.puzzle.answer_grid import decode, encode
from tests.support.boards import solved


def test_the_four_symbols() -> None:
    puzzle = Puzzle.from_rows([[3, 0, 2], [0, 0, 0], [1, 0, 2], [0, 0, 0], [0, 0, 2]])
    bridges = [
        Bridge(Cell(0, 0), Cell(0, 2), 2),
        Bridge(Cell(0, 0), Cell(2, 0), 1),
        Bridge(Cell(2, 2), Cell(4, 2), 2),
    ]
    grid = encode(puzzle, bridges)
    assert grid == [[3, -3, 2], [-2, 0, 0], [1, 0, 2], [0, 0, -4], [0, 0, 2]]
    shown, violations = decode(grid)
    assert (set(shown), violations) == (set(bridges), [])
    assert encode(Puzzle.from_rows([[1, 0, 1]]), [Bridge(Cell(0, 0), Cell(0, 2), 1)]) == [[1, -1, 1]]


@given(solved())
def test_decode_gives_back_what_has_room_to_be_shown(board: tuple[Puzzle, list[Bridge]]) -> None:
    puzzle, bridges = board
    shown, violations = decode(encode(puzzle, bridges))
    assert violations == []
    assert set(shown) == {b for b in bridges if b.end.row - b.start.row + b.end.col - b.start.col > 1}


def test_the_clues_always_stand() -> None:
    puzzle = Puzzle.from_rows([[1, 1, 1], [1, 0, 0], [1, 0, 0]])
    assert encode(puzzle, [Bridge(Cell(0, 0), Cell(0, 2), 1), Bridge(Cell(0, 0), Cell(2, 0), 1)]) == puzzle.to_rows()


@pytest.mark.parametrize(
    "bridge",
    [
        Bridge(Cell(0, 0), Cell(1, 1), 1),
        Bridge(Cell(0, 0), Cell(0, 0), 1),
        Bridge(Cell(0, 0), Cell(0, 3), 1),
        Bridge(Cell(-1, 0), Cell(0, 0), 1),
        Bridge(Cell(0, 2), Cell(0, 0), 1),
        Bridge(Cell(0, 0), Cell(0, 2), 3),
        Bridge(Cell(0, 0), Cell(0, 2), 0),
    ],
)
def test_what_is_no_bridge_is_not_drawn(bridge: Bridge) -> None:
    with pytest.raises(ValueError, match="cannot be drawn"):
        encode(Puzzle.from_rows([[1, 0, 1], [0, 0, 0]]), [bridge])


@pytest.mark.parametrize(
    ("grid", "places"),
    [
        ([[1, -1, 0]], [(0, 1)]),
        ([[0, -1, 1]], [(0, 1)]),
        ([[-1, -1, 1]], [(0, 0)]),
        ([[1, -1, -1]], [(0, 2)]),
        ([[1, -1, -3, 1]], [(0, 1), (0, 2)]),
        ([[1], [-2], [0]], [(1, 0)]),
        ([[-4], [-4], [1]], [(0, 0)]),
        ([[1, -9, 1]], [(0, 1)]),
        ([[-2]], [(0, 0)]),
    ],
)
def test_loose_ends_are_found(grid: list[list[int]], places: list[tuple[int, int]]) -> None:
    bridges, violations = decode(grid)
    assert bridges == []
    assert [violation.at for violation in violations] == places
    assert {violation.code for violation in violations} == {"not_aligned"}


def test_a_solution_draws_itself_and_counts_what_it_cannot_show() -> None:
    puzzle = Puzzle.from_rows([[1, 2, 0, 1]])
    solution = Solution(puzzle, bytes([1, 1]))
    assert solution.grid == [[1, 2, -1, 1]]
    assert solution.hidden_bridges == 1


def test_an_empty_grid_has_no_bridges() -> None:
    assert decode([]) == ([], [])
