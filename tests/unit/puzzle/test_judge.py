"""The compiled judge beside the checker: on right answers, and on thousands of broken ones."""

from __future__ import annotations

import importlib.util
import random
from array import array
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.puzzle import (
    UNKNOWN_CLUE,
    Bridge,
    Cell,
    JudgesDisagree,
    Puzzle,
    Solution,
    ViolationCode,
    check,
    check_solution,
    checker,
)
from kakehashi.puzzle.judge import compiled_judge
from kakehashi.puzzle.model import LaidBridges
from tests.support.boards import laid_board, solved, variant_puzzles

HERE = importlib.util.find_spec("kakehashi.puzzle._judge") is not None

compiled = pytest.mark.skipif(not HERE, reason="the package was built without the compiled judge")

Laid = list[tuple[tuple[int, int], tuple[int, int], int]]

BROKEN = 4000
"""Answers that are changed at random."""


def lay(bridges: Laid) -> LaidBridges:
    """These bridges as flat arrays; each end is a place of its own."""
    places = [place for start, end, _ in bridges for place in (start, end)]
    row, col = array("i", [r for r, _ in places]), array("i", [c for _, c in places])
    even = range(0, len(places), 2)
    return LaidBridges(row, col, array("i", even), array("i", [k + 1 for k in even]), bytes(n for _, _, n in bridges))


def verdicts(puzzle: Puzzle, bridges: Laid) -> tuple[bool, set[ViolationCode]]:
    """What the compiled judge says, and which rules the checker finds broken."""
    is_right = compiled_judge()
    assert is_right is not None
    codes = {v.code for v in check(puzzle, [Bridge(Cell(*a), Cell(*b), n) for a, b, n in bridges])}
    return is_right(puzzle, lay(bridges)), codes


def as_laid(solution: Solution) -> Laid:
    return [((a.row, a.col), (b.row, b.col), count) for a, b, count in solution.bridges]


def fitted(puzzle: Puzzle, bridges: Laid) -> Puzzle:
    """The same board with clues that fit these bridges, so that no wrong degree hides what else is wrong."""
    degree = Counter({(row, col): 0 for row, col, _ in puzzle.islands})
    for start, end, count in bridges:
        degree.update({start: count, end: count})
    cells = bytearray(len(puzzle.cells))
    for row, col, _ in puzzle.islands:
        bridged = degree[row, col]
        cells[row * puzzle.cols + col] = bridged if 1 <= bridged <= puzzle.max_clue else UNKNOWN_CLUE
    return Puzzle(puzzle.rows, puzzle.cols, bytes(cells), max_bridges=puzzle.max_bridges, loops=puzzle.loops)


def broken(rng: random.Random, puzzle: Puzzle, bridges: Laid) -> tuple[Puzzle, Laid]:
    """An answer with one change, which may leave it right."""
    changed = list(bridges)
    k = rng.randrange(len(changed))
    start, end, count = changed[k]
    row, col = rng.randrange(-1, puzzle.rows + 1), rng.randrange(-1, puzzle.cols + 1)
    islands = [(island.row, island.col) for island in puzzle.islands]
    match rng.randrange(10):
        case 0:
            del changed[k]
        case 1:
            changed[k] = (start, end, rng.randint(0, 9))
        case 2:
            changed[k] = (start, (row, col), count)
        case 3:
            changed.append(((start[0], col), start, rng.randint(1, 2)))
        case 4:
            changed += [changed[k]] * rng.choice((1, 1, 1, 254, 255, 256))
        case 5:
            changed[k] = (end, start, count)
        case 6:
            changed.append((rng.choice(islands), rng.choice(islands), 1))
        case 7:
            cells = bytearray(puzzle.cells)
            at = rng.randrange(len(cells))
            cells[at] = rng.choice((cells[at], 1, UNKNOWN_CLUE, rng.randint(1, puzzle.max_clue)))
            puzzle = Puzzle(puzzle.rows, puzzle.cols, bytes(cells), max_bridges=puzzle.max_bridges, loops=puzzle.loops)
        case 8:
            graph = puzzle.graph
            channel = rng.choice(graph.crossing or range(graph.m))
            changed.append((islands[graph.channel_a[channel]], islands[graph.channel_b[channel]], 1))
        case _:
            most, loops = min(4, puzzle.max_bridges + rng.randint(0, 1)), not puzzle.loops
            puzzle = Puzzle(puzzle.rows, puzzle.cols, puzzle.cells, max_bridges=most, loops=loops)
    return (fitted(puzzle, changed) if rng.random() < 0.6 else puzzle), changed


@compiled
def test_both_pass_right_answers_of_any_rules() -> None:
    rng = random.Random(5)
    for _ in range(300):
        solution = laid_board(rng, rng.randint(2, 12), rng.randint(2, 12), rng.randint(2, 30))
        assert check(solution.puzzle, solution.bridges) == []
        assert verdicts(solution.puzzle, as_laid(solution)) == (True, set())
        assert check_solution(solution) == []


@compiled
def test_both_refuse_the_same_of_thousands_of_broken_answers() -> None:
    rng = random.Random(7)
    seen: Counter[ViolationCode] = Counter()
    alone: Counter[ViolationCode] = Counter()
    right = 0
    for _ in range(BROKEN):
        solution = laid_board(rng, rng.randint(2, 10), rng.randint(2, 10), rng.randint(2, 24))
        puzzle, bridges = broken(rng, solution.puzzle, as_laid(solution))
        passed, codes = verdicts(puzzle, bridges)
        assert passed == (not codes), (puzzle, bridges)
        seen.update(codes)
        alone.update(codes if len(codes) == 1 else ())
        right += passed
    for code in set(ViolationCode) - {ViolationCode.CLUE_CHANGED}:  # which is one of answer grids
        assert seen[code] >= 50
        assert alone[code] >= 20
    assert right >= 100


@compiled
def test_both_agree_on_large_boards() -> None:
    rng = random.Random(11)
    for _ in range(4):
        solution = laid_board(rng, 80, 90, 700)
        bridges = as_laid(solution)
        assert verdicts(solution.puzzle, bridges) == (True, set())
        for _ in range(8):
            puzzle, changed = broken(rng, solution.puzzle, bridges)
            passed, codes = verdicts(puzzle, changed)
            assert passed == (not codes)


places = st.tuples(st.integers(-2, 9), st.integers(-2, 9))


@compiled
@given(variant_puzzles(), st.lists(st.tuples(places, places, st.integers(0, 6)), max_size=8))
def test_both_agree_on_nonsense(puzzle: Puzzle, bridges: Laid) -> None:
    passed, codes = verdicts(puzzle, bridges)
    assert passed == (not codes)


@compiled
@given(solved(), st.randoms(use_true_random=False))
def test_both_agree_on_what_hypothesis_breaks(board: tuple[Puzzle, list[Bridge]], rng: random.Random) -> None:
    puzzle, answer = board
    bridges: Laid = [((a.row, a.col), (b.row, b.col), count) for a, b, count in answer]
    assert verdicts(puzzle, bridges) == (True, set())
    puzzle, changed = broken(rng, puzzle, bridges)
    passed, codes = verdicts(puzzle, changed)
    assert passed == (not codes)


@compiled
@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"count": b""}, ValueError),
        ({"col": array("i", [0])}, ValueError),
        ({"last": array("i", [2])}, ValueError),
        ({"first": array("i", [-1])}, ValueError),
        ({"row": array("q", [0, 0])}, TypeError),
        ({"row": [0, 0]}, TypeError),
        ({"rows": 2}, ValueError),
        ({"rows": 2**40, "cols": 2**40}, ValueError),
        ({"cells": b"", "rows": 0}, ValueError),
        ({"max_bridges": 5}, ValueError),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change: dict[str, Any], error: type[Exception]) -> None:
    from kakehashi.puzzle import _judge

    right: dict[str, Any] = {
        "cells": bytes([1, 0, 1]), "rows": 1, "cols": 3, "max_bridges": 2, "loops": True,
        "row": array("i", [0, 0]), "col": array("i", [0, 2]), "first": array("i", [0]), "last": array("i", [1]),
        "count": b"\1",
    }  # fmt: skip
    assert _judge.is_right(**right)
    with pytest.raises(error):
        _judge.is_right(**right | change)


@pytest.mark.parametrize("without", [True, False])
def test_a_solution_is_checked_with_and_without_the_compiled_judge(
    without: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if without:
        monkeypatch.setattr(checker, "compiled_judge", lambda: None)
    puzzle = Puzzle.from_rows([[3, 0, 2], [0, 0, 0], [3, 0, 2]])
    assert check_solution(Solution(puzzle, bytes([1, 2, 1, 1]))) == []
    wrong = Solution(puzzle, bytes([1, 2, 1, 0]))
    assert check_solution(wrong) == check(puzzle, wrong.bridges) != []
    with pytest.raises(ValueError, match=r"expected row and col|shorter"):
        check_solution(Solution(puzzle, bytes([1, 2, 1])))


def test_a_judge_that_refuses_what_is_right_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "compiled_judge", lambda: lambda *_: False)
    with pytest.raises(JudgesDisagree):
        check_solution(Solution(Puzzle.from_rows([[1, 0, 1]]), b"\1"))
