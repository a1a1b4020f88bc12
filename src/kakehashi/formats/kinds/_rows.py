"""Rows of integers, which several formats share: a fast way in, and a slow one that finds the place of an error."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from kakehashi.formats.errors import FormatError
from kakehashi.formats.lines import OVERLONG, show, unreadable
from kakehashi.formats.registry import Item
from kakehashi.puzzle.model import UNKNOWN_CLUE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kakehashi.formats.limits import Limits
    from kakehashi.formats.lines import Lines

_NO_NUMBER = "?"

_INTEGER = re.compile(r"-?[0-9]{1,9}\Z")
_INTEGERS = re.compile(r"(?:[ \t]*-?[0-9]{1,9}(?![^ \t]))+[ \t]*\Z")
_TOKEN = re.compile(r"[^ \t,]+")
_ODD = re.compile(r"[^\t -~]")


def split(line: str) -> list[str]:
    """The cells of a row as text: split at commas where there are any, else at blanks."""
    if not (line.isascii() and line.isprintable()) and _ODD.search(line):
        # Python's split takes U+2028, form feeds and others for blanks, too; such a line is refused at that character.
        return [part.strip(" \t") for part in re.split(r"," if "," in line else r"[ \t]+", line.strip(" \t"))]
    return [part.strip() for part in line.split(",")] if "," in line else line.split()


def integers(line: str) -> list[int] | None:
    """The integers of a line, or None when there is anything else in it."""
    parts = split(line)
    if not _INTEGERS.match(line) and not all(_INTEGER.match(part) for part in parts):
        return None
    return list(map(int, parts))


_CELL, _OTHER = b"cx"


class Alphabet(NamedTuple):
    """What stands in a cell.

    Boards of cells of one character between blanks, as most files have them, are read as a whole: what kind of
    character stands where (a cell, a blank, a line end, or any other, which is left to the slow way), and the value of
    a cell.
    """

    words: Mapping[str, int]
    kinds: bytes
    values: bytes

    @classmethod
    def of(cls, words: Mapping[str, int]) -> Alphabet:
        """The alphabet of these words for cells and their values; 10 is none for a word of one character."""
        short = {ord(word): value for word, value in words.items() if len(word) == 1}
        kinds = bytes(_CELL if code in short else code if code in b" \t\n" else _OTHER for code in range(256))
        return cls(words, kinds, bytes(short.get(code, code) for code in range(256)))

    def rows(self, text: str) -> list[bytes] | None:
        """The rows of a text as bytes; None where it has anything but cells of one character between blanks."""
        try:
            code = text.encode("ascii")
        except UnicodeEncodeError:
            return None
        kinds = code.translate(self.kinds)
        if _OTHER in kinds or b"cc" in kinds:
            return None
        return code.translate(self.values, b" \t").split(b"\n")


@cache
def _alphabet(max_clue: int) -> Alphabet:
    return Alphabet.of({_NO_NUMBER: UNKNOWN_CLUE} | {str(clue): clue for clue in range(max_clue + 1)})


def row(line: str, number: int, limits: Limits) -> bytes:
    """One row of clues, a byte each.

    Raises:
        FormatError: with the column of what is no clue.
    """
    parts = split(line)
    if len(parts) > limits.max_cols and OVERLONG not in line:
        raise FormatError(f"a row of {len(parts)} cells: {_at_most(limits)}", line=number)
    try:
        return bytes(map(_alphabet(limits.max_clue).words.__getitem__, parts))
    except KeyError:
        return bytes(_clue_at(number, column, token, limits.max_clue) for column, token in _tokens(line, number))


def refuse_length(cells: bytes, cols: int, first: int, line: str, number: int) -> NoReturn:
    """Refuse a row that is not as long as the others.

    Raises:
        FormatError: always, at the first cell too many or behind the last one.
    """
    places = [found.start() + 1 for found in _TOKEN.finditer(line)]
    column = places[cols] if len(cells) > cols else len(line.rstrip()) + 1
    raise FormatError.expected(f"{cols} cells as in line {first}", str(len(cells)), line=number, column=column)


def check_rows(rows: int, number: int, limits: Limits) -> None:
    """See that a board is not too high.

    Raises:
        FormatError: at the first row too many.
    """
    if rows > limits.max_rows:
        raise FormatError(f"a board of more than {limits.max_rows} rows: {_at_most(limits)}", line=number)


def check_size(rows: int, cols: int, number: int, limits: Limits) -> None:
    """See that a size that a header gives can be read.

    Raises:
        FormatError: it is zero, negative or too large.
    """
    if rows < 1 or cols < 1:
        raise FormatError.expected("a size of at least 1 x 1", f"{rows} x {cols}", line=number)
    if rows > limits.max_rows or cols > limits.max_cols:
        raise FormatError(f"a board of {rows} x {cols} cells: {_at_most(limits)}", line=number)


def board(first: str, lines: Lines, limits: Limits) -> Item:
    """The board whose first row was handed out just now and that ends at a blank line; or the item with its error."""
    start = lines.number
    plain = _plain_board(first, lines, limits)
    if plain is not None:
        return plain
    try:
        cells = bytearray(row(first, start, limits))
        cols, rows = len(cells), 1
        for line in lines:
            if not line or line.isspace():
                break
            more = row(line, lines.number, limits)
            if len(more) != cols:
                refuse_length(more, cols, start, line, lines.number)
            rows += 1
            if rows > limits.max_rows:
                check_rows(rows, lines.number, limits)
            cells += more
    except FormatError as error:
        return failed(start, error, lines, limits)
    return Item(start, rows, cols, bytes(cells))


def _plain_board(first: str, lines: Lines, limits: Limits) -> Item | None:
    """The board, handed out, where it is one of short clues between blanks; None where the slow way has to look."""
    longest = 4 * limits.max_cols
    below = lines.block(limits.max_rows - 1, longest) if len(first) <= longest else None
    if below is None:
        return None
    rows = _alphabet(limits.max_clue).rows("\n".join([first, *below]))
    if rows is None:
        return None
    cols = len(rows[0])
    if cols > limits.max_cols or set(map(len, rows)) != {cols}:
        return None
    start = lines.number
    lines.pass_over(len(below))
    return Item(start, len(rows), cols, b"".join(rows))


def failed(start: int, error: FormatError, lines: Lines, limits: Limits) -> Item:
    """The item of a bad puzzle, the lines moved on to the blank line behind it."""
    if not lines.skip_to_blank(limits.max_bytes):
        lines.close()
        error = FormatError(
            f"{error.message} (the rest of the file was not read)", line=error.line, column=error.column
        )
    return Item(start, error=error)


def _at_most(limits: Limits) -> str:
    return f"at most {limits.max_rows} x {limits.max_cols} are read"


def _tokens(line: str, number: int) -> list[tuple[int, str]]:
    """The cells of a row with their columns (1-based).

    Raises:
        FormatError: the line is no text, or there is no cell between two commas, or no comma between two cells.
    """
    problem = unreadable(line, number)
    if problem is not None:
        raise problem
    if "," not in line:
        return [(found.start() + 1, found.group()) for found in _TOKEN.finditer(line)]
    tokens: list[tuple[int, str]] = []
    start = 0
    for part in line.split(","):
        inside = [(start + found.start() + 1, found.group()) for found in _TOKEN.finditer(part)]
        if not inside:
            raise FormatError.expected("a clue", "nothing between commas", line=number, column=start + 1)
        if len(inside) > 1:
            column, token = inside[1]
            raise FormatError.expected("a comma", show(token), line=number, column=column)
        tokens += inside
        start += len(part) + 1
    return tokens


def _clue_at(number: int, column: int, token: str, max_clue: int) -> int:
    """The clue that a token stands for.

    Raises:
        FormatError: it is no integer, or no clue.
    """
    if token == _NO_NUMBER:
        return UNKNOWN_CLUE
    if not _INTEGER.match(token):
        raise FormatError.expected(f"a clue 0..{max_clue}", show(token), line=number, column=column)
    value = int(token)
    if -4 <= value < 0:
        message = f"expected a clue 0..{max_clue}, found {value}: this is an answer grid, not a puzzle"
        raise FormatError(message, line=number, column=column)
    if not 0 <= value <= max_clue:
        raise FormatError.expected(f"a clue 0..{max_clue}", str(value), line=number, column=column)
    return value
