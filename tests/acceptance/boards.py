"""Puzzle files that a test hands in, and what has to come out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.acceptance.place import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SEVEN = """\
0 0 2 0 3 0 3
4 0 0 0 0 2 0
0 0 0 0 0 0 0
6 0 0 0 0 2 0
0 0 0 0 0 0 0
0 0 0 0 0 0 0
4 0 0 0 0 0 4
"""
TWO_ANSWERS = "2 0 2 0 0\n0 0 0 0 0\n3 0 4 0 1\n"
APART = "1 0 1\n0 0 0\n1 0 1\n"
"""Without an answer: each bridge leaves a pair that the other pair cannot reach."""

FILES = {
    "01-pair.txt": "2 0 2\n",
    "02-same.txt": "2 0 2\n",
    "03-seven.txt": SEVEN,
    "04-two-answers.txt": TWO_ANSWERS,
    "05-odd-sum.txt": "2 0 1\n",
    "06-apart.txt": APART,
    "07-lone.txt": "0 3 0\n",
    "08-touching.txt": "1 1\n",
    "09-several.txt": "1 0 1\n\n1 0 x\n\n1 0 0 1\n",
    "10-clue-9.txt": "1 0 9\n",
    "11-ragged.txt": "1 0 1\n0 0\n",
    "12-empty.txt": "",
    "13-plain.txt": "2.3.1\n",
    "14-board.has": "1 5 3\n1 0 2 0 1\n",
    "README.md": "not a puzzle",
}
EXPECTED = [
    ("puzzles/01-pair.txt", "solved"),
    ("puzzles/02-same.txt", "solved"),
    ("puzzles/03-seven.txt", "solved"),
    ("puzzles/04-two-answers.txt", "solved"),
    ("puzzles/05-odd-sum.txt", "infeasible"),
    ("puzzles/06-apart.txt", "infeasible"),
    ("puzzles/07-lone.txt", "infeasible"),
    ("puzzles/08-touching.txt", "solved"),
    ("puzzles/09-several.txt#1", "solved"),
    ("puzzles/09-several.txt#2", "invalid"),
    ("puzzles/09-several.txt#3", "solved"),
    ("puzzles/10-clue-9.txt", "invalid"),
    ("puzzles/11-ragged.txt", "invalid"),
    ("puzzles/12-empty.txt", "invalid"),
    ("puzzles/13-plain.txt", "solved"),
    ("puzzles/14-board.has", "solved"),
    ("puzzles/sub/12x12.txt", "solved"),
]
"""Names and statuses, in the order in which the folder is read."""


def write_all(folder: Path) -> None:
    """Write the files into a folder `puzzles`."""
    puzzles = folder / "puzzles"
    (puzzles / "sub").mkdir(parents=True)
    for name, text in FILES.items():
        (puzzles / name).write_text(text)
    (puzzles / "sub" / "12x12.txt").write_text((ROOT / "examples/grid/12x12-11.txt").read_text())


def write_marked(folder: Path, count: int, *, plain: int = 0) -> None:
    """Write so many puzzles that the tests' engines treat badly, all distinct, and some that they do not."""
    folder.mkdir()
    for k in range(count):
        (folder / f"marked-{k:02}.txt").write_text(f"1 {'0 ' * (1 + k % 6)}3 {'0 ' * (1 + k // 6)}2\n")
    for k in range(plain):
        (folder / f"plain-{k:02}.txt").write_text(f"2 {'0 ' * (1 + k)}2\n")
