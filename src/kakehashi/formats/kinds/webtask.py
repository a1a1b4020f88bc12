"""`webtask`: what puzzle-bridges.com shows as `task`, with the size of its board before it: `COLSxROWS task`.

The cells in row-major order: digits are islands, `a`..`z` 1..26 cells of water. A colon or a line end may stand for the
blank. Without a size nothing tells such a string from those of `tatham` and `puzzlink`, so it is never read bare. With
a colon it looks like a `tatham` id, and is read as that where no format is named: it says the same, but here islands
may touch, and the board may be small.
"""

from __future__ import annotations

import re
from string import ascii_lowercase
from typing import TYPE_CHECKING

from kakehashi.formats.errors import FormatError
from kakehashi.formats.kinds._rows import check_size
from kakehashi.formats.kinds._skips import decode, encode, runs
from kakehashi.formats.lines import show, unreadable
from kakehashi.formats.registry import Feature, Format, Item, refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kakehashi.formats.limits import Limits
    from kakehashi.formats.lines import Lines
    from kakehashi.puzzle.model import Puzzle

_CARRIES = frozenset({Feature.TOUCHING, Feature.MANY})

_LARGEST = 9
_ISLANDS = {clue: str(clue) for clue in range(1, _LARGEST + 1)}
_TABLES = {
    largest: {text: bytes([clue]) for clue, text in _ISLANDS.items() if clue <= largest} | runs(ascii_lowercase)
    for largest in range(_LARGEST + 1)
}
"""What a character of the task stands for, by the largest clue."""

_SIZE = re.compile(r"\s*([0-9]{1,9})x([0-9]{1,9})(?:\s*:\s*|\s+|\Z)")
_WHOLE = re.compile(r"\s*[0-9]{1,9}x[0-9]{1,9}(?:\s*:\s*|\s+)[1-9a-z]+[ \t]*(?:\n|\Z)")


def _sniff(head: str) -> bool:
    """A size and a task of its characters alone."""
    return _WHOLE.match(head) is not None


def _read(lines: Lines, limits: Limits) -> Iterator[Item]:
    while (line := lines.skip_blank()) is not None:
        start = lines.number
        try:
            yield _one(line, start, lines, limits)
        except FormatError as error:
            yield Item(start, error=error)


def _one(line: str, start: int, lines: Lines, limits: Limits) -> Item:
    """The puzzle of a size and a task, which may stand in the next line.

    Raises:
        FormatError: it cannot be read.
    """
    problem = unreadable(line, start)
    if problem is not None:
        raise problem
    size = _SIZE.match(line)
    if size is None:
        raise FormatError.expected("the size and the task, COLSxROWS task", show(line.strip()), line=start)
    cols, rows = int(size[1]), int(size[2])
    check_size(rows, cols, start, limits)
    task, column = line[size.end() :].rstrip(), size.end() + 1
    if not task:
        task, column = next(lines, "").rstrip(), 1
        problem = unreadable(task, lines.number)
        if problem is not None:
            raise problem
    largest = min(limits.max_clue, _LARGEST)
    wanted = f"an island 1..{largest} or a..z for water"
    cells = decode(task, _TABLES[largest], rows * cols, wanted, line=lines.number, column=column)
    if len(cells) < rows * cols:
        place = column + len(task)
        raise FormatError.expected(f"{rows * cols} cells", str(len(cells)), line=lines.number, column=place)
    return Item(start, rows, cols, cells)


def _write(puzzle: Puzzle) -> str:
    refuse(puzzle, "webtask", _CARRIES, largest=_LARGEST)
    return f"{puzzle.cols}x{puzzle.rows} {encode(puzzle.cells, _ISLANDS, ascii_lowercase)}\n"


FORMAT = Format(
    name="webtask",
    summary="the task of puzzle-bridges.com with its size: COLSxROWS task",
    rank=8,
    sniff=_sniff,
    read=_read,
    write=_write,
    extension=".txt",
    limits="Clues are one digit, so at most 9.",
    examples=("4x3 2b2d1b1\n", "3x3\n2a2f\n", "3x3:1a1c1a1\n2x1 11\n"),
    carries=_CARRIES,
    separator="",
    inline=True,
    long_lines=True,
)
