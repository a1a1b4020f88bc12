from __future__ import annotations

import pytest
from hypothesis import given

from kakehashi.puzzle import Puzzle
from kakehashi.puzzle.graph import EAST, NORTH, SOUTH, WEST
from tests.support.boards import puzzles


@given(puzzles())
def test_the_graph_is_what_the_definition_says(puzzle: Puzzle) -> None:
    graph = puzzle.graph
    places = [(row, col) for row, col, _ in puzzle.islands]
    assert graph.clue_least is graph.clue_most
    assert list(graph.clue_most) == [clue for _, _, clue in puzzle.islands]
    channels = list(zip(graph.channel_a, graph.channel_b, graph.vertical, strict=True))
    inside = []
    for a, b, vertical in channels:
        (r1, c1), (r2, c2) = places[a], places[b]
        assert (c1 == c2) if vertical else (r1 == r2)
        between = {(r, c) for r in range(r1, r2 + 1) for c in range(c1, c2 + 1)} - {places[a], places[b]}
        assert not between & set(places), "two islands see each other"
        inside.append(between)
    in_sight = {
        (a, b)
        for a, (r1, c1) in enumerate(places)
        for b, (r2, c2) in enumerate(places[a + 1 :], a + 1)
        if (r1 == r2 and not any(r == r1 and c1 < c < c2 for r, c in places))
        or (c1 == c2 and not any(c == c1 and r1 < r < r2 for r, c in places))
    }
    assert {(a, b) for a, b, _ in channels} == in_sight
    for e, cells in enumerate(inside):
        crossed = set(graph.crossing[graph.crossing_start[e] : graph.crossing_start[e + 1]])
        assert crossed == {f for f, others in enumerate(inside) if f != e and cells & others}


def test_the_order_of_channels_never_changes() -> None:
    graph = Puzzle.from_rows([[2, 0, 2], [0, 0, 0], [2, 0, 2]]).graph
    assert list(zip(graph.channel_a, graph.channel_b, strict=True)) == [(0, 1), (0, 2), (2, 3), (1, 3)]
    assert list(graph.vertical) == [0, 1, 0, 1]
    assert (graph.n, graph.m) == (4, 4)
    assert graph.neighbours[4 * 0 + EAST] == graph.neighbours[4 * 1 + WEST] == 0
    assert graph.neighbours[4 * 0 + SOUTH] == graph.neighbours[4 * 2 + NORTH] == 1
    assert graph.neighbours[4 * 0 + NORTH] == -1


def test_a_graph_is_built_once_and_whole() -> None:
    board = Puzzle(200, 200, bytes([1, 0] * 20000))

    def look() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        board.graph_while(look)
    assert board.graph_while(lambda: None) is board.graph


def test_islands_are_counted_as_they_are_made() -> None:
    board = Puzzle(2, 3, bytes([0, 1, 0, 8, 2, 0]))
    assert board.island_count == len(board.islands) == 3
