"""Boards of janko.at: `-` and digits for the puzzle; 1 and 2 across, a and b down for the answer."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from kakehashi.formats.errors import FormatError
from kakehashi.formats.kinds._rows import check_rows, check_size
from kakehashi.formats.lines import show, unreadable
from kakehashi.puzzle.answer_grid import ONE_HORIZONTAL, ONE_VERTICAL, TWO_HORIZONTAL, TWO_VERTICAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kakehashi.formats.limits import Limits

WATER = "-"

_SIGNS = {WATER: 0, "1": ONE_HORIZONTAL, "2": TWO_HORIZONTAL, "a": ONE_VERTICAL, "b": TWO_VERTICAL}
_LETTERS = {sign: letter for letter, sign in _SIGNS.items()}
_TOKEN = re.compile(r"[^ \t]+")


@cache
def _clues(largest: int) -> dict[str, int]:
    return {WATER: 0} | {str(clue): clue for clue in range(1, largest + 1)}


def clues(line: str, number: int, largest: int) -> bytes:
    """A row of a puzzle, one byte a cell.

    Raises:
        FormatError: with the column of what is no cell.
    """
    table = _clues(largest)
    try:
        return bytes(map(table.__getitem__, line.split()))
    except KeyError:
        raise _no_cell(line, number, table, f"a clue 1..{largest} or '-'") from None


def signs(line: str, number: int, cells: bytes) -> list[int]:
    """A row of an answer as that of an answer grid; at its islands, any token that janko.at writes there will do.

    Args:
        line: the row.
        number: its number.
        cells: the row of the puzzle.

    Raises:
        FormatError: with the column of what is no cell, or the row is not as long as the puzzle's.
    """
    tokens = line.split()
    if len(tokens) != len(cells):
        raise FormatError.expected(f"{len(cells)} cells as in the puzzle", str(len(tokens)), line=number)
    try:
        return [clue or _SIGNS[token] for clue, token in zip(cells, tokens, strict=True)]
    except KeyError:
        raise _no_cell(line, number, _SIGNS, "1 or 2 across, a or b down, or '-'", cells) from None


def _no_cell(line: str, number: int, table: Mapping[str, int], wanted: str, cells: bytes = b"") -> FormatError:
    """The error of the first token that is not in the table, those at islands left out."""
    problem = unreadable(line, number)
    if problem is not None:
        return problem
    # Python's split takes U+2028 and others for blanks, too, and the pattern does not: so there may be fewer tokens.
    for k, found in enumerate(_TOKEN.finditer(line)):
        if found.group() not in table and not any(cells[k : k + 1]):
            return FormatError.expected(wanted, show(found.group()), line=number, column=found.start() + 1)
    return FormatError.expected(wanted, "something else", line=number)


def problem(lines: Sequence[str], largest: int, limits: Limits) -> tuple[int, int, bytes]:
    """The size and the cells of a text: a line `ROWS COLS`, then the rows.

    Raises:
        FormatError: it cannot be read; its line is counted in the text.
    """
    size, body = _sized(lines, limits)
    cells = bytearray()
    for number, line in body:
        row = clues(line, number, largest)
        if len(row) != size[1]:
            raise FormatError.expected(f"{size[1]} cells as the first line says", str(len(row)), line=number)
        cells += row
    return (*size, bytes(cells))


def solution(lines: Sequence[str], cells: bytes | None, limits: Limits) -> list[list[int]]:
    """The answer grid of a text: a line `ROWS COLS`, then the rows.

    Raises:
        FormatError: it cannot be read, or the puzzle is not given, without which nobody knows where the islands are.
    """
    size, body = _sized(lines, limits)
    if cells is None or len(cells) != size[0] * size[1]:
        raise FormatError(f"an answer in letters needs its puzzle, of {size[0]} x {size[1]} cells")
    cols = size[1]
    return [signs(line, number, cells[k * cols : k * cols + cols]) for k, (number, line) in enumerate(body)]


def _sized(lines: Sequence[str], limits: Limits) -> tuple[tuple[int, int], list[tuple[int, str]]]:
    """The size that the first line states, and the rows below it with their numbers."""
    body = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    found = re.fullmatch(r"\s*([0-9]{1,9})\s+([0-9]{1,9})\s*", body[0][1]) if body else None
    if found is None:
        raise FormatError.expected("a size ROWS COLS", show(body[0][1].strip()) if body else "nothing", line=1)
    rows, cols = int(found[1]), int(found[2])
    check_size(rows, cols, body[0][0], limits)
    check_rows(len(body) - 1, body[-1][0], limits)
    if len(body) - 1 != rows:
        raise FormatError.expected(f"{rows} rows as the first line says", str(len(body) - 1), line=body[-1][0])
    return (rows, cols), body[1:]


def clue_rows(rows: Iterable[Iterable[int]]) -> str:
    """The rows of a puzzle, a line each."""
    return "".join(" ".join([str(clue) if clue else WATER for clue in row]) + "\n" for row in rows)


def sign_rows(grid: Iterable[Iterable[int]]) -> str:
    """The rows of an answer grid, a line each; islands are shown as water, as janko.at does."""
    return "".join(" ".join([_LETTERS.get(cell, WATER) for cell in row]) + "\n" for row in grid)
