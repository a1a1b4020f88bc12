"""`duplicates` of files and of stored batches."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.acceptance.conftest import Cli, Finished

L_SHAPED = "2 0 0 1\n0 0 0 0\n1 0 0 0\n"
TURNED = "1 0 2\n0 0 0\n0 0 0\n0 0 1\n"


def test_files_that_hold_the_same_puzzle(cli: Cli) -> None:
    (cli.folder / "a.txt").write_text(f"{L_SHAPED}\n2 0 2\n\n1 0 2\n")
    (cli.folder / "b.txt").write_text(f"{TURNED}\n2\n0\n2\n\n2\n0\n1\n\n1 0 1\n")
    rows = cli.lines("duplicates", "a.txt", "b.txt")
    assert [(row["class"], row["members"], row["symmetry"], row["name"], row["line"]) for row in rows] == [
        (1, 2, "same", "a.txt#1", 1),
        (1, 2, "turned right", "b.txt#1", 1),
        (2, 2, "same", "a.txt#2", 5),
        (2, 2, "mirrored at the main diagonal", "b.txt#2", 6),
        (3, 2, "same", "a.txt#3", 7),
        (3, 2, "mirrored at the other diagonal", "b.txt#3", 10),
    ]
    assert {row["id"] for row in rows} == {None}


def test_rules_keep_puzzles_apart(cli: Cli) -> None:
    (cli.folder / "a.txt").write_text("1 0 1\n\n1\n0\n1\n")
    assert len(cli.lines("duplicates", "a.txt")) == 2
    said = cli("duplicates", "a.txt", "--max-bridges", 1, "--no-loops")
    assert "1 class of 2 puzzles" in said.err


def test_nothing_found_is_said(cli: Cli) -> None:
    (cli.folder / "7").write_text("1 0 1\n")  # a file, whatever its name looks like
    said = cli("duplicates", "7")
    assert said.err == "1 puzzle looked at: no two are the same\n"


def test_batches_and_files_together(cli: Cli, finished: Finished) -> None:
    (cli.folder / "pair.txt").write_text("2\n0\n2\n")
    said = cli("duplicates", 1, "pair.txt", "--db", finished.db, "--format", "csv", expect=1)
    rows = list(csv.DictReader(io.StringIO(said.out)))
    assert [(row["id"], row["name"]) for row in rows[:3]] == [
        ("1:0", "puzzles/01-pair.txt"),
        ("1:1", "puzzles/02-same.txt"),
        ("", "pair.txt"),
    ]
    assert "entries could not be read" in said.err
    assert "ragged" in said.err or "row" in said.err


def test_unreadable_files_end_with_1(cli: Cli) -> None:
    (cli.folder / "a.txt").write_text("1 0 x\n")
    said = cli("duplicates", "a.txt", expect=1)
    assert "a.txt" in said.err
    assert cli("duplicates", "nowhere.txt", expect=2).err.startswith("kakehashi: there is no file")
    assert "there is no database" in cli("duplicates", 5, expect=3).err
