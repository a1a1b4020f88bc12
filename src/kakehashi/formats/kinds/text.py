"""`text`: one character a cell. A digit is an island, `?` one without a number; `.` `-` `_` `0` and blank are water.

`#` and `%` start a comment; a line of nothing but a comment is passed over. A header `ROWS COLS` may stand above. Blank
lines separate puzzles; below a header they can be rows of water too, if they are as long as a row. Blanks at line ends
do not count beyond the width of the board, which is the header's, or that of the longest line without them. Cells may
be split by single blanks (`1 . 2`) when every line does so: then there is one cell in two columns.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from kakehashi.formats.errors import FormatError
from kakehashi.formats.kinds._rows import check_rows, check_size, failed
from kakehashi.formats.lines import show, unreadable
from kakehashi.formats.registry import Feature, Format, Item, refuse
from kakehashi.puzzle.model import MAX_SIDE, UNKNOWN_CLUE, clue_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kakehashi.formats.limits import Limits
    from kakehashi.formats.lines import Lines
    from kakehashi.puzzle.model import Puzzle

_COMMENT = re.compile("[#%].*")
_HEADER = re.compile(r"\s*([0-9]{1,9})\s+([0-9]{1,9})\s*\Z")
_LARGEST = 9
"""The largest clue that is one character."""

_CARRIES = frozenset({Feature.UNKNOWN_CLUES, Feature.TOUCHING, Feature.MANY})

_CELLS = bytes.maketrans(b".-_ 0123456789?", bytes([0, 0, 0, 0, *range(_LARGEST + 1), UNKNOWN_CLUE]))
_BAD = [re.compile(rf"[^.\-_ ?0-{clue}]") for clue in range(_LARGEST + 1)]
"""What is no cell, by the largest clue."""

_FOREIGN = re.compile(r"[^.\-_ ?0-9]")
_DECIMALS = re.compile(r"(?:[0-9]+\.[0-9]+\s+|[0-9]+\s+(?=.*[0-9]\.[0-9]))+[0-9]+(?:\.[0-9]+)?\Z")
"""Numbers split by blanks, some with a decimal point: a spreadsheet's, and no cells."""

_WATER = re.compile(r"[._]|(?:^| )-(?: |$)|[0-9]-|--")


class _Row(NamedTuple):
    """A row without its comment: the number of its line, the text, and the text without blanks at its end."""

    number: int
    text: str
    cut: str


def _sniff(head: str) -> bool:
    """Only characters of this format, and first lines (below a header) that are no rows of integers."""
    lines = head.split("\n")[:-1] or [head]
    if "#" in head or "%" in head:
        lines = [_COMMENT.sub("", line) for line in lines]
    rows = (text for line in lines if (text := line.strip()))
    first = list(islice(rows, 4))
    body = first[1:] if len(first) > 1 and _HEADER.match(first[0]) else first[:3]
    if not first or not all((len(text) > 1 and " " not in text) or _WATER.search(text) for text in body):
        return False
    every = [*first, *rows]
    whole = "".join(every)
    return not _FOREIGN.search(whole) and not (" " in whole and any(map(_DECIMALS.match, every)))


def _read(lines: Lines, limits: Limits) -> Iterator[Item]:
    while (line := _next_row(lines)) is not None:
        start = lines.number
        try:
            yield _plain_board(line, lines, limits) or _one(line, start, lines, limits)
        except FormatError as error:
            yield failed(start, error, lines, limits)


def _plain_board(first: str, lines: Lines, limits: Limits) -> Item | None:
    """The board, handed out, where its rows are of one length and hold neither blanks nor comments.

    None where the slow way has to look.
    """
    below = lines.block(limits.max_rows - 1, limits.max_cols) if len(first) <= limits.max_cols else None
    if below is None:
        return None
    rows = [first, *below]
    whole = "".join(rows)
    if " " in whole or set(map(len, rows)) != {len(first)} or _BAD[min(limits.max_clue, _LARGEST)].search(whole):
        return None
    start = lines.number
    lines.pass_over(len(below))
    return Item(start, len(rows), len(first), whole.encode().translate(_CELLS))


def _next_row(lines: Lines) -> str | None:
    """The next line that has more than blanks and a comment; None at the end."""
    return next((line for line in lines if _COMMENT.sub("", line).strip()), None)


def _one(first: str, start: int, lines: Lines, limits: Limits) -> Item:
    """The puzzle that begins with this line.

    Raises:
        FormatError: it cannot be read; the lines stand somewhere inside it.
    """
    found = _HEADER.match(_COMMENT.sub("", first))
    size = (int(found[1]), int(found[2])) if found else None
    if size is not None and (_is_first_row(first, size, lines) or 0 in size):
        size = None
    if size is not None:
        check_size(*size, start, limits)
        rows = _rows_below(size, lines)
        if len(rows) != size[0]:
            found_rows = f"the header in line {start} says {size[0]} rows, found {len(rows)}"
            raise FormatError(found_rows, line=lines.number)
        if any(_COMMENT.sub("", line).strip() for line in lines.peek(1)):
            raise FormatError(f"the header in line {start} says {size[0]} rows, found more", line=lines.number + 1)
    else:
        lines.push_back(first)
        rows = _rows_to_blank(lines, limits)
    note = None
    wide = 1
    if _split_by_blanks(rows, size[1] if size else None):
        wide = 2
        rows = [_Row(row.number, row.text[::2], row.cut[::2]) for row in rows]
        note = (
            None if size else "read as cells split by blanks, which are no water then (a header ROWS COLS decides it)"
        )
    cols, first_line = (size[1], start) if size else _width(rows)
    check_size(len(rows), cols, start, limits)
    wanted = (
        f"{cols} cells as the header in line {first_line} says" if size else f"{cols} cells as in line {first_line}"
    )
    largest = min(limits.max_clue, _LARGEST)
    cells = b"".join(_cells(row, cols, wide, wanted, largest) for row in rows)
    return Item(start, len(rows), cols, cells, note=note)


def _width(rows: list[_Row]) -> tuple[int, int]:
    """The width of a board without a header, and the line that shows it.

    The first row shows it, unless blanks are used for water: then the longest one, since blanks at a line end are cut.
    """
    widest = max(rows, key=lambda row: len(row.cut))
    blanks = any(" " in row.cut for row in rows) or len(rows[0].text) >= len(widest.cut)
    return (len(widest.cut), widest.number) if blanks else (len(rows[0].cut), rows[0].number)


def _is_first_row(first: str, size: tuple[int, int], lines: Lines) -> bool:
    """Whether a line that looks like a header is rather a row of a board whose water is blank.

    It is a row when the line below is as long as it and not as long as the header says. (A size of two columns, with
    cells split by blanks, is also that long: then the number of rows decides.)
    """
    following = lines.peek(size[0] + 3 if size[0] <= MAX_SIDE else 3)
    ahead = [_COMMENT.sub("", line).rstrip() for line in following if not line.startswith(("#", "%"))]
    if not ahead or not ahead[0]:
        return True
    width = len(ahead[0])
    if width != len(_COMMENT.sub("", first).rstrip()) or width == size[1]:
        return False
    rows = ahead.index("") if "" in ahead else len(ahead)
    return rows != size[0] or width != 2 * size[1] - 1


def _rows_below(size: tuple[int, int], lines: Lines) -> list[_Row]:
    """The rows below a header: as many as it says, fewer where the text ends or a line is empty."""
    rows: list[_Row] = []
    for line in lines:
        text = _COMMENT.sub("", line)
        if len(text) < len(line) and not text.strip():
            continue
        if len(text) < size[1] and not text.strip():
            lines.push_back(line)
            break
        rows.append(_Row(lines.number, _readable(text, lines.number), text.rstrip()))
        if len(rows) == size[0]:
            break
    return rows


def _rows_to_blank(lines: Lines, limits: Limits) -> list[_Row]:
    """The rows up to a blank line."""
    rows: list[_Row] = []
    for line in lines:
        text = _COMMENT.sub("", line)
        if not text.strip():
            if len(text) < len(line):
                continue
            lines.push_back(line)
            break
        rows.append(_Row(lines.number, _readable(text, lines.number), text.rstrip()))
        check_rows(len(rows), lines.number, limits)
        if len(rows[-1].cut) >= 2 * limits.max_cols:
            check_size(len(rows), len(rows[-1].cut), lines.number, limits)
    return rows


def _readable(text: str, number: int) -> str:
    problem = unreadable(text, number)
    if problem is not None:
        raise problem
    return text


def _split_by_blanks(rows: list[_Row], cols: int | None) -> bool:
    """Whether every second column is blank, all others are not, and that fits the width where it is known."""
    if cols is not None and any(len(row.cut) != 2 * cols - 1 for row in rows):
        return False
    return any(len(row.cut) > 1 for row in rows) and all(
        len(row.cut) % 2 and row.cut[1::2].isspace() | (len(row.cut) == 1) and " " not in row.cut[::2] for row in rows
    )


def _cells(row: _Row, cols: int, wide: int, wanted: str, largest: int) -> bytes:
    """One row as bytes.

    Raises:
        FormatError: a character is no cell, or the row is too short or too long.
    """
    bad = _BAD[largest].search(row.cut)
    if bad is not None:
        cell = f"a clue 1..{largest} or water (one of . - _ 0 and blank)"
        raise FormatError.expected(cell, show(bad.group()), line=row.number, column=bad.start() * wide + 1)
    if not len(row.cut) <= cols <= len(row.text):
        column = (cols if len(row.cut) > cols else len(row.text)) * wide + 1
        raise FormatError.expected(wanted, str(len(row.cut)), line=row.number, column=column)
    return row.cut.ljust(cols).encode().translate(_CELLS)


def _write(puzzle: Puzzle) -> str:
    refuse(puzzle, "text", _CARRIES, largest=_LARGEST)
    return "".join("".join(clue_text(clue) if clue else "." for clue in cells) + "\n" for cells in puzzle.to_rows())


FORMAT = Format(
    name="text",
    summary="one character a cell: digits are islands, . - _ 0 and blank are water; # and % start a comment",
    rank=30,
    sniff=_sniff,
    read=_read,
    write=_write,
    extension=".txt",
    limits="Clues are one digit, so at most 9.",
    examples=("2.2\n...\n1.1\n", "2 3\n1.1\n   \n", "# a comment\n1.?\n\n2--2\n", "1 . 2\n. . .\n"),
    carries=_CARRIES,
    separator="\n",
)
