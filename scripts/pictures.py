"""Draw the pictures under docs/pictures.

    python scripts/pictures.py            draw them
    python scripts/pictures.py --check    exit 1 when one is not current

A test runs the check, so that the pages show what the program draws.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import kakehashi
from kakehashi import Bridge, Cell, Puzzle, Solution
from kakehashi.puzzle import UNKNOWN_CLUE

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "pictures"

VARIANT = ("....2..", "6..7..3", ".......", "......4", "....4.?", "5.?....", "...7..8")
"""Up to four bridges in a channel, and islands without a number; it has one answer."""

CROSSING = Bridge(Cell(1, 3), Cell(1, 6), 1)
"""What somebody draws there who does not see that a bridge is in the way."""


def pictures() -> dict[str, str]:
    """The texts of the SVG files, by name."""
    clues = {".": 0, "?": UNKNOWN_CLUE}
    rows = [[clues[cell] if cell in clues else int(cell) for cell in row] for row in VARIANT]
    variant = Puzzle.from_rows(rows, max_bridges=4)
    puzzle = example("statement.txt")
    wrong = [*answer(variant).bridges[:5], CROSSING]
    return {
        "puzzle.svg": kakehashi.render(puzzle, format="svg", theme="auto"),
        "answer.svg": kakehashi.render(answer(puzzle), format="svg", theme="auto"),
        "variant.svg": kakehashi.render(answer(variant), format="svg", theme="auto"),
        "wrong.svg": kakehashi.render(
            variant,
            wrong,
            format="svg",
            theme="auto",
            violations=[found for found in kakehashi.check(variant, wrong) if found.code == "crossing"],
        ),
        "large.svg": kakehashi.render(answer(example("grid/15x15-13.txt")), format="svg", theme="auto"),
    }


def example(name: str) -> Puzzle:
    """The puzzle of a file under examples/."""
    return kakehashi.parse((ROOT / "examples" / name).read_text(encoding="utf-8"))


def answer(puzzle: Puzzle) -> Solution:
    """The one answer of a puzzle: another one would be another picture."""
    outcome = kakehashi.solve(puzzle, unique=True)
    if outcome.solution is None or outcome.uniqueness != "unique":
        sys.exit(f"the puzzle of {puzzle.rows} x {puzzle.cols} is {outcome.verdict}, {outcome.uniqueness}")
    return outcome.solution


def main() -> int:
    """Draw, or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="draw nothing; exit 1 when a picture is not current")
    check = parser.parse_args().check
    FOLDER.mkdir(exist_ok=True)
    old = 0
    for name, text in pictures().items():
        path = FOLDER / name
        if not check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{name} is not current: python scripts/pictures.py", file=sys.stderr)
            old += 1
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main())
