"""`codingame`: There is no Spoon, episode 2, on CodinGame: width, height, then rows of `.` and digits.

Answers are lines `x1 y1 x2 y2 amount`, x the column and y the row, from 0 on; lines between the same nodes add up, as
they do there. Several puzzles may follow each other.

Source: the statement of the puzzle, https://www.codingame.com/training/expert/there-is-no-spoon-episode-2.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from kakehashi.formats.errors import FormatError
from kakehashi.formats.kinds._rows import check_size, failed, integers
from kakehashi.formats.lines import show, unreadable
from kakehashi.formats.registry import Feature, Format, Item, refuse
from kakehashi.puzzle.model import MOST_BRIDGES, Bridge, bridge_between

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kakehashi.formats.limits import Limits
    from kakehashi.formats.lines import Lines
    from kakehashi.puzzle.model import Cell, Puzzle, Solution

_CARRIES = frozenset({Feature.TOUCHING, Feature.MANY})
_LARGEST = 9
_SIZE = re.compile(r"\s*([0-9]{1,9})\s*\Z")
_ROW = re.compile(r"[.1-9]+\Z")
_LOOK = 8
"""So many rows are looked at to tell what a text is."""

_LINK = 5
"""How many integers an answer line has."""


@cache
def _cells(largest: int) -> tuple[bytes, re.Pattern[str]]:
    """The table from characters to cells, and what is no cell."""
    digits = "".join(map(str, range(1, largest + 1)))
    return bytes.maketrans(f".{digits}".encode(), bytes(range(largest + 1))), re.compile(rf"[^.1-{largest}]")


def _sniff(head: str) -> bool:
    """A width of two at least, a height, and rows of both."""
    lines = head.strip().split("\n")
    if len(lines) < 3 or not (_SIZE.match(lines[0]) and _SIZE.match(lines[1])):
        return False
    width, height = int(lines[0]), int(lines[1])
    rows = lines[2 : 2 + height]
    if len(rows) < height and len(head) > 1024:
        rows = rows[:-1]  # the beginning of a longer text: its last line may be cut
    elif len(rows) < height:
        return False
    first = [row.strip() for row in rows[:_LOOK]]
    return width > 1 and bool(first) and all(len(row) == width and _ROW.match(row) for row in first)


def _read(lines: Lines, limits: Limits) -> Iterator[Item]:
    while (line := lines.skip_blank()) is not None:
        start = lines.number
        try:
            yield _one(line, start, lines, limits)
        except FormatError as error:
            yield failed(start, error, lines, limits)


def _one(line: str, start: int, lines: Lines, limits: Limits) -> Item:
    """The puzzle whose width was handed out just now.

    Raises:
        FormatError: it cannot be read; the lines stand within it.
    """
    cols = _number(line, start, "the width")
    below = next(lines, "")
    if not below.strip():
        lines.push_back(below)
        raise FormatError.expected("the height below the width", "nothing", line=start)
    rows = _number(below, lines.number, "the height")
    check_size(rows, cols, start, limits)
    largest = min(limits.max_clue, _LARGEST)
    table, bad = _cells(largest)
    cells = []
    for done in range(rows):
        text = next(lines, "").rstrip(" \t")
        if not text:
            lines.push_back(text)
            raise FormatError(f"the height in line {start + 1} says {rows} rows, found {done}", line=lines.number)
        wrong = bad.search(text)
        if wrong is not None:
            found = FormatError.expected(
                f"a node 1..{largest} or '.'", show(wrong.group()), line=lines.number, column=wrong.start() + 1
            )
            raise unreadable(text, lines.number) or found
        if len(text) != cols:
            column = min(len(text), cols) + 1
            wanted = f"{cols} cells as line {start} says"
            raise FormatError.expected(wanted, str(len(text)), line=lines.number, column=column)
        cells.append(text)
    return Item(start, rows, cols, "".join(cells).encode().translate(table))


def _number(line: str, number: int, what: str) -> int:
    """A line that is one integer.

    Raises:
        FormatError: it is not.
    """
    found = _SIZE.match(line)
    if found is None:
        raise unreadable(line, number) or FormatError.expected(what, show(line.strip()), line=number)
    return int(found[1])


def _write(puzzle: Puzzle) -> str:
    refuse(puzzle, "codingame", _CARRIES, largest=_LARGEST)
    rows = ["".join([str(clue) if clue else "." for clue in row]) for row in puzzle.to_rows()]
    return "\n".join([str(puzzle.cols), str(puzzle.rows), *rows]) + "\n"


def _write_answer(solution: Solution) -> str:
    refuse(solution.puzzle, "codingame", _CARRIES, largest=_LARGEST)
    return "".join(f"{c1} {r1} {c2} {r2} {count}\n" for (r1, c1), (r2, c2), count in solution.bridges)


def _is_link(link: list[int] | None) -> bool:
    """Whether these integers join two cells of a row or a column."""
    if link is None or len(link) != _LINK or min(link) < 0:
        return False
    x1, y1, x2, y2, amount = link
    return (x1 == x2) != (y1 == y2) and 1 <= amount <= MOST_BRIDGES


def _sniff_answer(head: str) -> bool:
    """Links alone."""
    lines = [line for line in head.split("\n")[:8] if line.strip()]
    return bool(lines) and all(_is_link(integers(line)) for line in lines)


def _read_answer(lines: Lines, limits: Limits, puzzle: Puzzle | None) -> list[Bridge]:  # noqa: ARG001
    laid: dict[tuple[Cell, Cell], int] = {}
    left = limits.max_bytes
    while (line := lines.skip_blank()) is not None:
        left -= len(line)
        link = integers(line)
        if link is None or len(link) != _LINK or left < 0:
            wanted = "x1 y1 x2 y2 amount, five integers"
            found = FormatError.expected(wanted, show(line.strip()), line=lines.number)
            raise unreadable(line, lines.number) or found
        x1, y1, x2, y2, amount = link
        start, end, _ = bridge_between((y1, x1), (y2, x2), amount)
        laid[start, end] = laid.get((start, end), 0) + amount
    if not laid:
        raise FormatError("there is no answer in it: the text is empty")
    return [Bridge(start, end, count) for (start, end), count in laid.items()]


FORMAT = Format(
    name="codingame",
    summary="There is no Spoon, episode 2, on CodinGame: width, height, rows of . and digits",
    rank=12,
    sniff=_sniff,
    read=_read,
    write=_write,
    extension=".txt",
    limits="Clues are one digit, so at most 9. Answers stand apart from their puzzles.",
    examples=("3\n2\n1.1\n...\n", "4\n3\n14.3\n....\n.4.4\n", "2\n1\n11\n\n3\n1\n2.2\n"),
    carries=_CARRIES,
    separator="\n",
    write_answer=_write_answer,
    read_answer=_read_answer,
    sniff_answer=_sniff_answer,
)
