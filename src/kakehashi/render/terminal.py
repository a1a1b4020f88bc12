"""A puzzle and its solution as text for a terminal.

Every cell is two columns wide, so that the board looks about square and a horizontal bridge between touching islands
has a column to show in. A vertical one between touching islands has none: a line below says how many there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kakehashi.puzzle import clue_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kakehashi.puzzle.model import Bridge, Puzzle, Solution


@dataclass(frozen=True)
class _Strokes:
    """The characters of a picture, by number of bridges."""

    water: str
    across: tuple[str, str, str]
    down: tuple[str, str, str]


_BOXES = _Strokes(water="·", across=(" ", "─", "═"), down=(" ", "│", "║"))
_ASCII = _Strokes(water=".", across=(" ", "-", "="), down=(" ", "|", '"'))

_ISLAND, _BRIDGE, _WATER, _RESET = "\x1b[1m", "\x1b[36m", "\x1b[2m", "\x1b[0m"


def draw(puzzle: Puzzle, solution: Solution | None = None, *, color: bool = False, ascii: bool = False) -> str:  # noqa: A002
    """The picture, one line for each row, each line ended.

    Args:
        puzzle: the clues.
        solution: the bridges to draw; None draws the clues alone.
        color: mark islands, bridges and water with ANSI escape codes.
        ascii: use `-` `=` `|` `"` instead of box-drawing characters.
    """
    strokes = _ASCII if ascii else _BOXES
    bridges = solution.bridges if solution is not None else ()
    canvas = [[strokes.water, " "] * puzzle.cols for _ in range(puzzle.rows)]
    hidden = _lay(canvas, bridges, strokes)
    for row, col, clue in puzzle.islands:
        canvas[row][2 * col] = clue_text(clue)
    lines = ["".join(line[:-1]).rstrip() for line in canvas]
    if color:
        lines = [_paint(line, strokes) for line in lines]
    if hidden:
        what = "1 pair of touching islands is" if hidden == 1 else f"{hidden} pairs of touching islands are"
        lines.append(f"({what} bridged from above to below, with no room to show it)")
    return "\n".join(lines) + "\n"


def _lay(canvas: list[list[str]], bridges: Iterable[Bridge], strokes: _Strokes) -> int:
    """Draw the bridges; returns how many there was no room for."""
    hidden = 0
    for (r1, c1), (r2, c2), count in bridges:
        if r1 == r2:
            for column in range(2 * c1 + 1, 2 * c2):
                canvas[r1][column] = strokes.across[count]
        elif r2 - r1 == 1:
            hidden += 1
        else:
            for row in range(r1 + 1, r2):
                canvas[row][2 * c1] = strokes.down[count]
    return hidden


def _paint(line: str, strokes: _Strokes) -> str:
    """The line with an escape code at each change between islands, bridges and water."""
    painted: list[str] = []
    current = ""
    for char in line:
        if char.isdigit():
            code = _ISLAND
        elif char == strokes.water:
            code = _WATER
        else:
            code = current if char == " " else _BRIDGE
        if code != current:
            painted.append((_RESET if current else "") + code)
            current = code
        painted.append(char)
    return "".join(painted) + (_RESET if current else "")
