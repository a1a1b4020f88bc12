from __future__ import annotations

import pytest

from kakehashi.puzzle import Puzzle
from kakehashi.solver import Deadline, OutOfTime
from kakehashi.solver.connectivity import Connectivity
from kakehashi.solver.propagation import propagate
from tests.unit.solver.boards import board, random_boards

GRID = board("2.3.2", ".....", "3.4.3", ".....", "2.3.2")
"""Three by three islands, nothing decided. By channel number + 1: rows 1 2, 4 6, 9 11; columns 3 8, 5 10, 7 12."""

TREE = (1, 2, 3, 5, 7, 8, 10, 12)


def connectivity(puzzle: Puzzle) -> Connectivity:
    residual = propagate(puzzle.graph, Deadline())
    assert residual is not None
    return Connectivity(puzzle.graph, residual, residual.undecided, Deadline())


def model(*true: int) -> list[int]:
    return [k if k in true else -k for k in range(1, 13)]


def test_the_order_of_the_channels_is_as_drawn() -> None:
    ends = list(zip(GRID.graph.channel_a, GRID.graph.channel_b, strict=True))
    columns = [(0, 3), (3, 6), (1, 4), (4, 7), (2, 5), (5, 8)]
    assert [ends.index(pair) + 1 for pair in columns] == [3, 8, 5, 10, 7, 12]


def test_a_connected_model_has_no_cuts() -> None:
    assert connectivity(GRID).cuts(model(*TREE)) == []


def test_two_groups_have_one_cut() -> None:
    (cut,) = connectivity(GRID).cuts(model(*(set(TREE) - {12})))
    assert set(cut) == {11, 12}


def test_each_of_many_groups_has_its_cut() -> None:
    cuts = connectivity(GRID).cuts(model())
    assert len(cuts) == 9
    assert sorted(map(len, cuts)) == [2, 2, 2, 2, 3, 3, 3, 3, 4]


def test_cuts_are_false_in_the_model_and_hold_all_ways_out() -> None:
    true = {1, 3, 4, 5, 11}
    cuts = connectivity(GRID).cuts(model(*true))
    assert not any(set(cut) & true for cut in cuts)
    assert {2, 6, 8, 10} in [set(cut) for cut in cuts]


def test_groups_of_propagation_are_one_node() -> None:
    seen = 0
    for puzzle in random_boards(1500, seed=11):
        residual = propagate(puzzle.graph, Deadline())
        if residual is None or not 2 < residual.groups < puzzle.graph.n:
            continue
        seen += 1
        group = residual.group
        ends = [(group[a], group[b]) for a, b in zip(puzzle.graph.channel_a, puzzle.graph.channel_b, strict=True)]
        connecting = [e for e in residual.undecided if ends[e][0] != ends[e][1]]
        ways_out = [
            {k for k, e in enumerate(connecting, 1) if (ends[e][0] == g) != (ends[e][1] == g)} for g in set(group)
        ]
        cuts = Connectivity(puzzle.graph, residual, connecting, Deadline()).cuts(
            [-k - 1 for k in range(len(connecting))]
        )
        assert sorted(map(sorted, cuts)) == sorted(map(sorted, ways_out))
    assert seen


def test_cuts_look_at_the_deadline() -> None:
    late = connectivity(GRID)
    late._deadline = Deadline(0)
    with pytest.raises(OutOfTime):
        late.cuts(model(*TREE))
