from __future__ import annotations

import pytest
from hypothesis import given

from kakehashi.puzzle import Puzzle
from kakehashi.solver import Deadline, OutOfTime
from kakehashi.solver.propagation import Residual, propagate
from tests.unit.solver.boards import all_solutions, board, planted_board, random_boards, senseless_boards, small_boards


class Looks(Deadline):
    """Counts how often it is looked at, and may end after so many looks."""

    def __init__(self, most: int | None = None) -> None:
        super().__init__()
        self.count = 0
        self.most = most

    def check(self) -> None:
        self.count += 1
        if self.count == self.most:
            raise OutOfTime


def channel_values(puzzle: Puzzle) -> list[list[int]]:
    """All solutions as values in the order of the graph's channels."""
    graph = puzzle.graph
    places = [(row, col) for row, col, _ in puzzle.islands]
    pairs = [(places[a], places[b]) for a, b in zip(graph.channel_a, graph.channel_b, strict=True)]
    counts = [{(p, q): count for p, q, count in solution} for solution in all_solutions(puzzle)]
    return [[count.get(pair, 0) for pair in pairs] for count in counts]


def agrees(puzzle: Puzzle) -> None:
    """Propagation keeps every solution, and its residual is what it says it is."""
    graph = puzzle.graph
    solutions = channel_values(puzzle)
    residual = propagate(graph, Deadline())
    if residual is None:
        assert not solutions
        return
    for values in solutions:
        assert all(lo <= x <= hi for lo, x, hi in zip(residual.lo, values, residual.hi, strict=True))
    consistent(puzzle, residual)
    if not residual.undecided:
        assert solutions == [residual.lo]


def consistent(puzzle: Puzzle, residual: Residual) -> None:
    graph = puzzle.graph
    lo, hi = residual.lo, residual.hi
    assert residual.undecided == [e for e in range(graph.m) if lo[e] != hi[e]]
    placed = [0] * graph.n
    for e in range(graph.m):
        assert 0 <= lo[e] <= hi[e] <= 2
        a, b = graph.channel_a[e], graph.channel_b[e]
        placed[a] += lo[e]
        placed[b] += lo[e]
        if lo[e]:
            assert residual.group[a] == residual.group[b]
            assert not any(hi[f] for f in graph.crossing[graph.crossing_start[e] : graph.crossing_start[e + 1]])
        assert e in residual.incident[a]
        assert e in residual.incident[b]
    assert [clue - sum_ for clue, sum_ in zip(graph.clue_most, placed, strict=True)] == residual.need
    assert len(set(residual.group)) == residual.groups
    for i, channels in enumerate(residual.incident):
        spare = sum(hi[e] - lo[e] for e in channels) - residual.need[i]
        assert all(hi[e] - lo[e] <= min(residual.need[i], spare) for e in channels), "the degree rule still applies"


@given(small_boards)
def test_no_solution_is_lost(puzzle: Puzzle) -> None:
    agrees(puzzle)


@given(senseless_boards())
def test_no_solution_is_lost_on_senseless_boards(puzzle: Puzzle) -> None:
    agrees(puzzle)


def test_no_solution_is_lost_on_many_boards() -> None:
    for puzzle in random_boards(2000, seed=7):
        agrees(puzzle)


def decided(puzzle: Puzzle) -> list[int]:
    residual = propagate(puzzle.graph, Deadline())
    assert residual is not None
    assert not residual.undecided
    return residual.lo


def test_an_island_that_needs_all_it_can_have_is_filled() -> None:
    assert decided(board("2.4.2")) == [2, 2]


def test_a_bridge_empties_what_it_crosses() -> None:
    # The 2 at the right hangs on the 4, so nothing runs down between the two 1s.
    puzzle = board("2.1..", ".....", "4...2", ".....", "2.1..")
    assert decided(puzzle) == [1, 1, 2, 1, 1, 0]


def test_two_ones_do_not_close_themselves_off() -> None:
    # 1-1 in the first row would leave the rest alone.
    assert decided(board("1.1", "...", "2.2")) == [0, 1, 1, 1]


def test_two_twos_do_not_close_themselves_off() -> None:
    assert decided(board("2.2", "...", "2.2")) == [1, 1, 1, 1]


def test_a_channel_that_holds_two_parts_together_is_needed() -> None:
    # No island alone asks for a bridge between the two 4s.
    puzzle = board("2.2.....", "........", "3.4..4.2", "........", ".....3.2")
    residual = propagate(puzzle.graph, Deadline())
    assert residual is not None
    places = [(row, col) for row, col, _ in puzzle.islands]
    ends = list(zip(puzzle.graph.channel_a, puzzle.graph.channel_b, strict=True))
    assert residual.lo[ends.index((places.index((2, 2)), places.index((2, 5))))] == 1


@pytest.mark.parametrize(
    "puzzle",
    [
        board("1"),
        board("8"),
        board("1...", "..1."),  # no channel at all
        board("1.1", "...", ".2."),  # an island that sees nobody
        board("1.1.1.1"),
        board("2.2.1.1"),
        board("2.2..", ".....", "...1.", ".....", "...1."),
        board("3.1", "...", "1.1"),
        board("8.8"),
    ],
)
def test_what_cannot_be_is_seen(puzzle: Puzzle) -> None:
    assert propagate(puzzle.graph, Deadline()) is None


def test_two_parts_that_never_see_each_other() -> None:
    # Neither is full or closed off by any other rule.
    assert propagate(board("3.3...", "......", "3.3...", "...3.3", "......", "...3.3").graph, Deadline()) is None


def test_two_necessary_channels_that_cross() -> None:
    # The squares below and to the right hang on one channel each, and these share a cell.
    puzzle = board(
        "....3.3....",
        "...........",
        "3.4.5.3....",
        "...........",
        "...........",
        "3.4.....4.3",
        "...........",
        "....4..3...",
        "........3.3",
        "....3..3...",
    )
    assert propagate(puzzle.graph, Deadline()) is None


def test_a_large_board_looks_at_the_deadline_often() -> None:
    puzzle = planted_board(110, 4000, seed=1)
    looks = Looks()
    propagate(puzzle.graph, looks)
    assert looks.count > puzzle.graph.m / 256


@pytest.mark.parametrize("most", [1, 2, 10, 40])
def test_the_deadline_ends_it_anywhere(most: int) -> None:
    puzzle = planted_board(60, 1200, seed=1)
    with pytest.raises(OutOfTime):
        propagate(puzzle.graph, Looks(most))
