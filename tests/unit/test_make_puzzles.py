from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks.make_puzzles import main, make_many, make_puzzle
from kakehashi import Puzzle, Verdict, read, solve


def test_the_same_seed_makes_the_same_distinct_puzzles() -> None:
    boards = list(make_many(7, 40, 5, 12))
    assert boards == list(make_many(7, 40, 5, 12))
    assert len({board.digest for board in boards}) == 40
    assert all(5 <= side <= 12 for board in boards for side in (board.rows, board.cols))


@pytest.mark.parametrize("touching", [False, True])
def test_what_is_made_has_a_solution(touching: bool) -> None:
    for board in make_many(3, 25, 5, 10, density=0.25, touching=touching):
        assert solve(board, budget=30).verdict is Verdict.SOLVED
        if not touching:
            assert board.first_touching_pair is None


def test_boards_have_as_many_islands_as_asked_for_where_they_fit() -> None:
    assert len(make_puzzle(random.Random(1), 47, 47, 200).islands) == 200
    assert len(make_puzzle(random.Random(1), 3, 3, 50).islands) < 9
    with pytest.raises(ValueError, match="two cells"):
        make_puzzle(random.Random(1), 1, 1, 1)


@pytest.mark.parametrize(("format_", "ending"), [("grid", "txt"), ("text", "txt"), ("has", "has")])
def test_the_command_writes_files_that_can_be_read(tmp_path: Path, format_: str, ending: str) -> None:
    out = tmp_path / "made"
    assert main([str(out), "--count", "5", "--min", "5", "--max", "8", "--per-file", "2", "--format", format_]) == 0
    assert sorted(path.name for path in out.iterdir()) == [f"0000{k}.{ending}" for k in (1, 2, 3)]
    assert [isinstance(entry.puzzle, Puzzle) for entry in read(out, format=format_)] == [True] * 5
