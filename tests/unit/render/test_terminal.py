from __future__ import annotations

import re

import pytest
from hypothesis import given

from kakehashi.puzzle import UNKNOWN_CLUE, Bridge, Cell, Puzzle, Solution, clue_text
from kakehashi.render import draw
from tests.support.boards import puzzles
from tests.unit.render.boards import answers


def board(*rows: str, max_bridges: int = 2) -> Puzzle:
    return Puzzle.from_rows([[int(cell) for cell in row] for row in rows], max_bridges=max_bridges)


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
    puzzle = board("21", "00")
    assert draw(puzzle, Solution(puzzle, bytes([2]))) == "2═1\n· ·\n"


def test_touching_islands_below_each_other_get_a_line_for_their_bridge() -> None:
    puzzle = board("1203", "0100", "0003")
    bridges = [Bridge(Cell(0, 0), Cell(0, 1), 1), Bridge(Cell(0, 1), Cell(1, 1), 1), Bridge(Cell(0, 3), Cell(2, 3), 2)]
    assert draw(puzzle, bridges) == "1─2 · 3\n  │   ║\n· 1 · ║\n· · · 3\n"
    column = board("1", "2", "1")
    assert draw(column, Solution(column, bytes([1, 1])), ascii=True) == "1\n|\n2\n|\n1\n"


def test_three_and_four_bridges_carry_their_number() -> None:
    puzzle = board("7040", "0000", "0000", "3000", max_bridges=4)
    solution = Solution(puzzle, bytes([4, 3]))
    assert draw(puzzle, solution) == "7━⁴━4 ·\n³ · · ·\n┃ · · ·\n3 · · ·\n"
    assert draw(puzzle, solution, ascii=True) == "7@@@4 .\n# . . .\n# . . .\n3 . . .\n"
    touching = board("74", "30", max_bridges=4)
    assert draw(touching, Solution(touching, bytes([4, 3]))) == "7⁴4\n³\n3 ·\n"


def test_clues_of_two_characters_and_none() -> None:
    puzzle = Puzzle.from_rows([[16, 0, 12], [0, 0, UNKNOWN_CLUE]], max_bridges=4)
    bridges = [Bridge(Cell(0, 0), Cell(0, 2), 2), Bridge(Cell(0, 2), Cell(1, 2), 1)]
    assert draw(puzzle) == "16 ·  12\n·  ·  ?\n"
    assert draw(puzzle, bridges) == "16════12\n      │\n·  ·  ?\n"


@given(answers())
def test_a_column_of_the_picture_is_a_column_of_the_board(solution: Solution) -> None:
    puzzle = solution.puzzle
    pitch = 1 + max(len(clue_text(clue)) for clue in puzzle.cells)
    for ascii_only in (False, True):
        lines = draw(puzzle, solution, ascii=ascii_only).splitlines()
        between = {start.row for start, end, _ in solution.bridges if end.row - start.row == 1}
        assert len(lines) == puzzle.rows + len(between)
        assert not ascii_only or all(line.isascii() for line in lines)
        at = [row + sum(1 for above in between if above < row) for row in range(puzzle.rows)]
        for row, col, clue in puzzle.islands:
            assert lines[at[row]][pitch * col :].startswith(clue_text(clue))


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
