"""Every rival that can be loaded here, against an exhaustive search; the others are skipped with what is missing."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks.measuring import judge
from benchmarks.records import Status
from benchmarks.rivals import registry
from benchmarks.rivals.groups import borders
from benchmarks.rivals.rival import Claim, Rival, RivalMissing
from benchmarks.sets import RECIPES, load
from kakehashi import Puzzle
from tests.unit.solver.boards import all_solutions, board, random_board


@pytest.fixture(scope="module", params=[name for name in registry.NAMES if name != "prototype"])
def rival(request: pytest.FixtureRequest) -> Rival:
    try:
        return registry.load(request.param)
    except RivalMissing as missing:
        pytest.skip(str(missing))


def test_agrees_with_an_exhaustive_search(rival: Rival) -> None:
    rng = random.Random(4)
    seen = {Status.SOLVED: 0, Status.INFEASIBLE: 0}
    for _ in range(60):
        puzzle = random_board(rng)
        status, note = judge(puzzle, rival.solve(puzzle, 30.0))
        assert status is (Status.SOLVED if all_solutions(puzzle) else Status.INFEASIBLE), (puzzle, note)
        seen[status] += 1
    assert min(seen.values()) > 5


@pytest.mark.parametrize(
    "puzzle",
    [board("1"), board("1.1"), board("1.1", "...", "1.1"), board("1..", "...", "..1"), board("3.3"), board("8.1")],
)
def test_small_ugly_boards(rival: Rival, puzzle: Puzzle) -> None:
    # A lone island with a clue has no solution: nothing leads out of it, and nothing gives it its bridge.
    status, note = judge(puzzle, rival.solve(puzzle, 30.0))
    assert status is (Status.SOLVED if all_solutions(puzzle) else Status.INFEASIBLE), note


def test_solves_a_board_that_takes_cuts(rival: Rival) -> None:
    (named,) = load("made:contest", count=1).puzzles
    assert judge(named.puzzle, rival.solve(named.puzzle, 60.0)) == (Status.SOLVED, "")


def test_gives_up_when_the_budget_is_over(rival: Rival) -> None:
    (named,) = load("made:ones5000", count=1).puzzles
    assert rival.solve(named.puzzle, 0.001).claim is Claim.TIMEOUT


def test_says_what_does_the_work(rival: Rival) -> None:
    assert any(letter.isdigit() for letter in rival.version)


class TestRegistry:
    def test_knows_no_other(self) -> None:
        with pytest.raises(ValueError, match="native, pysat"):
            registry.load("abacus")

    def test_the_prototype_needs_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(RivalMissing, match="--prototype"):
            registry.load("prototype")
        with pytest.raises(RivalMissing, match="cannot be built"):
            registry.load("prototype", tmp_path)

    def test_contest_boards_are_made_like_the_contest(self) -> None:
        assert (RECIPES["contest"].side, RECIPES["contest"].islands) == (47, 200)


class TestBorders:
    def test_nothing_leads_out_when_all_is_connected(self) -> None:
        assert borders(3, [0, 1, 0], [1, 2, 2], [0, 1]) == []

    def test_two_groups_have_one_border(self) -> None:
        assert borders(3, [0, 1, 0], [1, 2, 2], [0]) == [[1, 2]]

    def test_each_of_three_groups_has_its_own(self) -> None:
        assert sorted(borders(3, [0, 1, 0], [1, 2, 2], [])) == [[0, 1], [0, 2], [1, 2]]

    def test_a_group_that_nothing_leads_out_of_has_an_empty_border(self) -> None:
        assert [] in borders(3, [0], [1], [0])
