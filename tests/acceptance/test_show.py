"""`show`: pictures of stored puzzles and of files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kakehashi.solver import engine_named
from kakehashi.solver.engines import judge_of
from tests.acceptance.test_solve import PICTURE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Cli, Finished


def test_a_stored_puzzle_with_its_answer(cli: Cli, finished: Finished) -> None:
    said = cli("show", "1:2", "--db", finished.db)
    assert (said.out, said.err) == (PICTURE, "1:2  puzzles/03-seven.txt: solved, unique\n")


def test_without_its_answer(cli: Cli, finished: Finished) -> None:
    assert cli("show", "1:0", "--db", finished.db, "--unsolved").out == "2 · 2\n"


def test_in_ascii(cli: Cli, finished: Finished) -> None:
    assert cli("show", "1:0", "--db", finished.db, "--ascii").out == "2===2\n"


def test_an_infeasible_one_is_drawn_without(cli: Cli, finished: Finished) -> None:
    assert cli("show", "1:4", "--db", finished.db).out == "2 · 1\n"


def test_a_second_engines_word_is_told(cli: Cli, finished: Finished) -> None:
    judge = judge_of(engine_named().name)
    confirmed = f", confirmed by {judge.name}" if judge else ""
    said = cli("show", "1:5", "--db", finished.db).err
    assert said == f"1:5  puzzles/06-apart.txt: infeasible, unchecked{confirmed}\n"


def test_an_invalid_one_has_no_picture(cli: Cli, finished: Finished) -> None:
    said = cli("show", "1:11", "--db", finished.db, expect=1)
    assert said.out == ""
    assert "expected a clue 0..8, found 9" in said.err


def test_a_file(cli: Cli, puzzles: Path) -> None:
    said = cli("show", puzzles / "01-pair.txt")
    assert (said.out, said.err) == ("2 · 2\n", f"{puzzles}/01-pair.txt\n")


def test_a_file_with_several(cli: Cli, puzzles: Path) -> None:
    said = cli("show", puzzles / "09-several.txt", expect=1)
    assert "1 · 1\n" in said.out
    assert "1 · · 1\n" in said.out
    assert "line 3, column 5" in said.err


def test_a_file_that_is_not_there(cli: Cli) -> None:
    assert cli("show", "nowhere", expect=2).err == "kakehashi: there is no file or folder 'nowhere'\n"


def test_shows_an_id(cli: Cli) -> None:
    assert cli("show", "3x3m2:2a2f").out == "2 · 2\n· · ·\n· · ·\n"
