"""A puzzle and its solution as text for a terminal.

A cell is a column wider than the longest clue, so that a horizontal bridge between touching islands has a column to
show in, and the board looks about square. For a vertical one between touching islands a line is put between their rows.

One bridge is a thin line, two are a double one, three and four a bold one with a small number in its middle; in ASCII
`-` `=` `#` `@` across and `|` `"` `#` `@` down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kakehashi.puzzle import Solution, clue_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kakehashi.puzzle import Bridge, Puzzle


@dataclass(frozen=True)
class _Strokes:
    """The characters of a picture: of bridges by their number, `middle` where the bridge has its middle."""

    water: str
    across: tuple[str, ...]
    down: tuple[str, ...]
    middle: tuple[str, ...]


_BOXES = _Strokes(
    water="·", across=("", "─", "═", "━", "━"), down=("", "│", "║", "┃", "┃"), middle=("", "", "", "³", "⁴")
)
_ASCII = _Strokes(water=".", across=("", "-", "=", "#", "@"), down=("", "|", '"', "#", "@"), middle=("",) * 5)

_ISLAND, _BRIDGE, _WATER, _RESET = "\x1b[1m", "\x1b[36m", "\x1b[2m", "\x1b[0m"

_Line = list[tuple[str, str]]
"""Characters, each with the escape code of its colour."""

_GAP = (" ", "")


def draw(
    puzzle: Puzzle,
    solution: Solution | Iterable[Bridge] | None = None,
    *,
    color: bool = False,
    ascii: bool = False,  # noqa: A002 - the word for it
) -> str:
    """The picture, one line for each row, each line ended.

    Between the rows of touching islands that are bridged from above to below stands one more line.

    Args:
        puzzle: the clues.
        solution: the bridges to draw, all or some; None draws the clues alone.
        color: mark islands, bridges and water with ANSI escape codes.
        ascii: use ASCII characters for bridges and water.
    """
    strokes = _ASCII if ascii else _BOXES
    bridges = list(solution.bridges if isinstance(solution, Solution) else solution or ())
    pitch = 1 + max(len(clue_text(clue)) for clue in set(puzzle.cells))
    rows: list[_Line] = [[(strokes.water, _WATER), *[_GAP] * (pitch - 1)] * puzzle.cols for _ in range(puzzle.rows)]
    between: dict[int, _Line] = {
        r1: [_GAP] * (pitch * puzzle.cols) for (r1, c1), (r2, c2), _ in bridges if c1 == c2 and r2 - r1 == 1
    }
    for bridge in bridges:
        if bridge.start[0] == bridge.end[0]:
            _lay_across(rows, bridge, strokes, pitch)
        else:
            _lay_down(rows, between, bridge, strokes, pitch)
    for row, col, clue in puzzle.islands:
        for k, char in enumerate(clue_text(clue)):
            rows[row][pitch * col + k] = (char, _ISLAND)
    lines = (line for row in range(puzzle.rows) for line in (rows[row], between.get(row)) if line is not None)
    return "".join(f"{_text(line, color)}\n" for line in lines)


def _lay_across(rows: list[_Line], bridge: Bridge, strokes: _Strokes, pitch: int) -> None:
    (row, first), (_, last), count = bridge
    middle = (pitch * (first + last) + 1) // 2
    for column in range(pitch * first + 1, pitch * last):
        char = strokes.middle[count] if column == middle else ""
        rows[row][column] = (char or strokes.across[count], _BRIDGE)


def _lay_down(rows: list[_Line], between: dict[int, _Line], bridge: Bridge, strokes: _Strokes, pitch: int) -> None:
    (first, col), (last, _), count = bridge
    stroke, middle = (strokes.down[count], _BRIDGE), (strokes.middle[count] or strokes.down[count], _BRIDGE)
    for row in range(first, last):
        if row > first:
            rows[row][pitch * col] = middle if row == (first + last) // 2 else stroke
        if row in between:
            between[row][pitch * col] = middle if last - first == 1 else stroke


def _text(line: _Line, color: bool) -> str:
    """The line without blanks at its end, with an escape code at each change of colour where colour is wanted."""
    plain = "".join(char for char, _ in line).rstrip()
    if not color:
        return plain
    parts: list[str] = []
    current = ""
    for char, code in line[: len(plain)]:
        if code != current and char != " ":
            parts.append((_RESET if current else "") + code)
            current = code
        parts.append(char)
    return "".join(parts) + (_RESET if current else "")
