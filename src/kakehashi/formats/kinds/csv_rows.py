"""`csv`: rows from a spreadsheet, cells split by commas, semicolons or tabs; 0 or an empty cell is water.

It is told from `grid`, whose rows may be split by commas too, by what `grid` has not: empty cells for all water, a
semicolon, or quotes. Where there is none of them, both read the same board, and `grid` is taken; and where zeros stand
beside empty cells, a number may have been lost, so it is `grid` that says so unless `csv` is named. `?` is an island
without a number. Blank lines separate puzzles.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from kakehashi.formats.errors import FormatError
from kakehashi.formats.kinds._rows import check_rows, check_size, failed
from kakehashi.formats.lines import show, unreadable
from kakehashi.formats.registry import Feature, Format, Item, refuse
from kakehashi.puzzle.model import UNKNOWN_CLUE, clue_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kakehashi.formats.limits import Limits
    from kakehashi.formats.lines import Lines
    from kakehashi.puzzle.model import Puzzle

_CARRIES = frozenset({Feature.UNKNOWN_CLUES, Feature.TOUCHING, Feature.MANY})

_SPLITTERS = ",;\t"
_CELL = re.compile(r'[ ]*(?:"([0-9]{0,9}|\?)"|([0-9]{0,9}|\?))[ ]*\Z')


@cache
def _cells(largest: int) -> dict[str, int]:
    """What stands in a cell, and its byte."""
    return {"": 0, "?": UNKNOWN_CLUE} | {str(clue): clue for clue in range(largest + 1)}


def _splitter(line: str) -> str:
    """What splits the cells of a table that begins with this line."""
    cut = line.rstrip(" \t")
    return next((char for char in _SPLITTERS if char in cut), ",")


def _is_blank(line: str, splitter: str) -> bool:
    """Whether a line separates puzzles; where tabs split cells, a line of tabs is a row of water."""
    return not line.strip(" " if splitter == "\t" else " \t")


def _parts(line: str, splitter: str) -> list[str]:
    """The cells of a row as text. Blanks at a line end do not count, and a tab only where tabs split cells."""
    return line.rstrip(" " if splitter == "\t" else " \t").split(splitter)


_USUAL = frozenset(["", "?", *map(str, range(17))])
"""Cells that need no closer look."""

_LOOK = 4
"""So many rows are looked at to tell what a text is."""


def _sniff(head: str) -> bool:
    """Cells alone, several in a row, as many in each, and something among them that `grid` has not."""
    lines = head.lstrip("\n").split("\n")
    splitter = _splitter(lines[0])
    rows: list[list[str]] = []
    for line in (lines[:-1] or lines)[:_LOOK]:
        if _is_blank(line, splitter):
            break
        row = _parts(line, splitter)
        if (
            len(row) < 2
            or (rows and len(row) != len(rows[0]))
            or not (_USUAL.issuperset(row) or all(map(_CELL.match, row)))
        ):
            return False
        rows.append(row)
    cells = {cell.strip(" ") for cell in set().union(*rows)}
    return splitter == ";" or any('"' in cell for cell in cells) or ("" in cells and "0" not in cells)


def _read(lines: Lines, limits: Limits) -> Iterator[Item]:
    while (line := lines.skip_blank()) is not None:
        start = lines.number
        try:
            yield _plain_board(line, lines, limits) or _one(line, start, lines, limits)
        except FormatError as error:
            yield failed(start, error, lines, limits)


def _plain_board(first: str, lines: Lines, limits: Limits) -> Item | None:
    """The board, handed out, where its rows are of one length and hold clues alone.

    None where the slow way has to look.
    """
    splitter = _splitter(first)
    longest = 4 * limits.max_cols
    if splitter == "\t" or len(first) > longest:
        return None
    below = lines.block(limits.max_rows - 1, longest)
    if below is None:
        return None
    rows = [first, *below]
    splits = first.count(splitter)
    if splits >= limits.max_cols or any(row.count(splitter) != splits for row in rows):
        return None
    try:
        cells = bytes(map(_cells(limits.max_clue).__getitem__, splitter.join(rows).split(splitter)))
    except KeyError:
        return None
    start = lines.number
    lines.pass_over(len(below))
    return Item(start, len(rows), splits + 1, cells)


def _one(first: str, start: int, lines: Lines, limits: Limits) -> Item:
    """The puzzle whose first row was handed out just now.

    Raises:
        FormatError: it cannot be read; the lines stand within it.
    """
    splitter = _splitter(first)
    lines.push_back(first)
    cells = bytearray()
    rows = cols = 0
    for line in lines:
        if _is_blank(line, splitter):
            break
        row = _row(line, lines.number, splitter, limits)
        if not rows:
            cols = len(row)
            check_size(1, cols, start, limits)
        elif len(row) != cols:
            column = len(splitter.join(_parts(line, splitter)[:cols])) + 1
            wanted = f"{cols} cells as in line {start}"
            raise FormatError.expected(wanted, str(len(row)), line=lines.number, column=column)
        rows += 1
        check_rows(rows, lines.number, limits)
        cells += row
    return Item(start, rows, cols, bytes(cells))


def _row(line: str, number: int, splitter: str, limits: Limits) -> bytes:
    """A row, one byte a cell.

    Raises:
        FormatError: with the column of what is no cell.
    """
    problem = unreadable(line, number)
    if problem is not None:
        raise problem
    table = _cells(limits.max_clue)
    cells = bytearray()
    column = 1
    for part in _parts(line, splitter):
        found = _CELL.match(part)
        text = (found[1] or found[2] or "") if found else "none"
        text = text.lstrip("0") or text[-1:]
        if text not in table:
            wanted = f"a clue 0..{limits.max_clue}, '?' or an empty cell"
            indent = len(part) - len(part.lstrip(" "))
            raise FormatError.expected(wanted, show(part.strip(" ")), line=number, column=column + indent)
        cells.append(table[text])
        column += len(part) + 1
    return bytes(cells)


def _write(puzzle: Puzzle) -> str:
    refuse(puzzle, "csv", _CARRIES)
    water = "" if puzzle.cols > 1 else "0"  # an empty line would end the board
    return "".join(",".join([clue_text(clue) if clue else water for clue in row]) + "\n" for row in puzzle.to_rows())


FORMAT = Format(
    name="csv",
    summary="rows from a spreadsheet: commas, semicolons or tabs; 0 or empty is water",
    rank=15,
    sniff=_sniff,
    read=_read,
    write=_write,
    extension=".csv",
    limits="",
    examples=("2,,2\n,,\n1,,?\n", "2;0;2\n", '"1",,"1"\n\n2,2\n,\n', "2;;2\n;;\n"),
    carries=_CARRIES,
    separator="\n",
    suffixes=(".csv", ".tsv"),
)
