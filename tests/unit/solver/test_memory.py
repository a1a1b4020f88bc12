"""Memory over a long run: solver objects must not outlive their puzzle (`pytest -m slow`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from kakehashi.puzzle import Puzzle
from kakehashi.solver import solve

BOARDS = 4000


def resident_kilobytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads Linux's /proc")
def test_memory_is_flat_over_thousands_of_puzzles(engine_name: str) -> None:
    def one(number: int) -> None:
        rows = [[2, 0, 3, 0, 2], [0] * 5, [3, 0, 4, 0, 3], [0] * 5, [2, 0, 3, 0, 2]]
        board = Puzzle.from_rows([row + [0] * (number % 7) for row in rows])
        assert solve(board, unique=True, engine=engine_name).decided

    for number in range(500):
        one(number)
    before = resident_kilobytes()
    for number in range(BOARDS):
        one(number)
    assert resident_kilobytes() - before < 4096
