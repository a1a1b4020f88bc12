from __future__ import annotations

import re

import pytest
from hypothesis import given

import kakehashi.render
from kakehashi.puzzle import Puzzle, Solution
from kakehashi.render import draw
from tests.support.boards import puzzles


def board(*rows: str) -> Puzzle:
    return Puzzle.from_rows([[int(cell) for cell in row] for row in rows])


@pytest.fixture
def solution() -> Solution:
    puzzle = board("3010", "0000", "3010")
    values = {(0, 1): 1, (0, 2): 2, (2, 3): 1}
    graph = puzzle.graph
    return Solution(puzzle, bytes(values.get(ends, 0) for ends in zip(graph.channel_a, graph.channel_b, strict=True)))


def test_a_puzzle_without_its_solution(solution: Solution) -> None:
    assert draw(solution.puzzle) == "3 · 1 ·\n· · · ·\n3 · 1 ·\n"
    assert draw(solution.puzzle, ascii=True) == "3 . 1 .\n. . . .\n3 . 1 .\n"


def test_a_solution_in_boxes_and_in_ascii(solution: Solution) -> None:
    assert draw(solution.puzzle, solution) == "3───1 ·\n║ · · ·\n3───1 ·\n"
    assert draw(solution.puzzle, solution, ascii=True) == '3---1 .\n" . . .\n3---1 .\n'


def test_double_and_single_bridges_both_ways() -> None:
    puzzle = board("30200", "00000", "10000")
    assert draw(puzzle, Solution(puzzle, bytes([2, 1]))) == "3═══2 · ·\n│ · · · ·\n1 · · · ·\n"
    assert draw(puzzle, Solution(puzzle, bytes([2, 1])), ascii=True) == "3===2 . .\n| . . . .\n1 . . . .\n"


def test_touching_islands_beside_each_other_show_their_bridge() -> None:
    assert draw(board("12", "01"), Solution(board("12", "01"), bytes([1, 1]))) == (
        "1─2\n· 1\n(1 pair of touching islands is bridged from above to below, with no room to show it)\n"
    )
    column = board("1", "2", "1")
    assert "(2 pairs of touching islands are bridged" in draw(column, Solution(column, bytes([1, 1])))


def test_colours_only_mark(solution: Solution) -> None:
    plain, coloured = draw(solution.puzzle, solution), draw(solution.puzzle, solution, color=True)
    assert re.sub(r"\x1b\[[0-9]*m", "", coloured) == plain
    assert coloured.count("\x1b[0m") == coloured.count("\x1b[") - coloured.count("\x1b[0m")
    assert coloured.splitlines()[0].startswith("\x1b[1m3\x1b[0m\x1b[36m───")


@given(puzzles())
def test_every_island_is_where_it_belongs(puzzle: Puzzle) -> None:
    lines = draw(puzzle).splitlines()
    for row, col, clue in puzzle.islands:
        assert lines[row][2 * col] == str(clue)
    assert len(lines) == puzzle.rows


def test_the_folder_is_the_function_too(solution: Solution) -> None:
    module = kakehashi.render
    assert module(solution.puzzle, solution) == draw(solution.puzzle, solution)
