"""`pzprv3`: files of puzz.link, pzv.jp and other places where pzpr runs: a board and the lines that are drawn on it.

Line by line: `pzprv3`, `hashikake`, the number of rows, of columns; the rows of cells (`.` water, `-` an island without
a number, else its clue), the rows of strokes to the right, the rows of strokes downward, one less: 0, 1, 2, or -1 for a
cross, which says that nothing shall be drawn. A `/` stands for a line end. Strokes may be missing from some row on;
what follows from `info:{` or `history:{` on, or a URL, is passed over, since it says nothing of the puzzle. One puzzle
a file.

Source: pzprjs, src/pzpr/parser.js, src/variety/hashikake.js (decodeCellQnum, decodeBorderLine).
"""

from __future__ import annotations

import re
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from kakehashi.formats.errors import FormatError
from kakehashi.formats.kinds._rows import Alphabet, check_size
from kakehashi.formats.kinds._strokes import bridges, strokes
from kakehashi.formats.lines import show, unreadable
from kakehashi.formats.registry import Feature, Format, Item, answer_along, refuse
from kakehashi.puzzle.model import MAX_BRIDGES, MOST_BRIDGES, SIDES, UNKNOWN_CLUE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kakehashi.formats.limits import Limits
    from kakehashi.formats.lines import Lines
    from kakehashi.puzzle.model import Bridge, Puzzle, Solution

_CARRIES = frozenset({Feature.UNKNOWN_CLUES, Feature.TOUCHING})

_KIND = "hashikake"
_MAGIC = re.compile(r"pzprv3(?:\.[0-9]+)?\Z")
_START = re.compile(r"\s*pzprv3(?:\.[0-9]+)?\s*(?:[\n/]|\Z)")
_BEHIND = re.compile(r"https?:|info:\{|history:\{|__HISTORY__")
_BEGIN = ("h", "i", "_")
"""What `_BEHIND` begins with: most lines need no closer look."""

_TOKEN = re.compile(r"[^ \t]+")
_NUMBER = re.compile(r"[0-9]{1,9}\Z")

_LARGEST = MOST_BRIDGES * SIDES
_CELLS = {
    largest: {".": 0, "-": UNKNOWN_CLUE} | {str(clue): clue for clue in range(1, largest + 1)}
    for largest in range(_LARGEST + 1)
}
"""What stands for a cell, by the largest clue."""

_CLUES = {0: ".", UNKNOWN_CLUE: "-"} | {clue: str(clue) for clue in range(1, _LARGEST + 1)}
_STROKES = {"-1": 0} | {str(count): count for count in range(MAX_BRIDGES + 1)}
_STROKE_ALPHABET = Alphabet.of(_STROKES)
_alphabet = cache(lambda largest: Alphabet.of(_CELLS[largest]))


class _Record(NamedTuple):
    """A line, or what stands between two slashes of it, and its place."""

    text: str
    line: int
    column: int


def _sniff(head: str) -> bool:
    return _START.match(head) is not None


def _read(lines: Lines, limits: Limits) -> Iterator[Item]:
    line = lines.skip_blank()
    if line is None:
        return
    plain = _plain(line, lines, limits)
    if plain is None:
        lines.push_back(line)
    records = _records(lines, limits)
    try:
        if plain is not None:
            _expect_end(records)
            yield plain
            return
        first = next((record for record in records if record.text.strip()), None)
        if first is not None:
            yield _board(first, records, limits)
    except FormatError as error:
        yield Item(error.line or 1, error=error)


def _plain(first: str, lines: Lines, limits: Limits) -> Item | None:
    """The puzzle, handed out, where it is as pzpr writes it, line by line; None where the slow way has to look."""
    below = lines.block(3 + 3 * limits.max_rows, 4 * limits.max_cols) or []
    if not _MAGIC.match(first.strip()) or len(below) < 3:
        return None
    kind, *size = map(str.strip, below[:3])
    if kind != _KIND or not all(map(_NUMBER.match, size)):
        return None
    rows, cols = map(int, size)
    if len(below) != 2 + 3 * rows or not (1 <= rows <= limits.max_rows and 2 <= cols <= limits.max_cols):
        return None
    cells = _as_a_whole(below[3 : 3 + rows], cols, _alphabet(min(limits.max_clue, _LARGEST)))
    right = _as_a_whole(below[3 + rows : 3 + 2 * rows], cols - 1, _STROKE_ALPHABET)
    down = _as_a_whole(below[3 + 2 * rows :], cols, _STROKE_ALPHABET)
    if cells is None or right is None or down is None:
        return None
    start = lines.number
    lines.pass_over(len(below))
    return Item(start, rows, cols, cells, bridges=tuple(bridges(rows, cols, cells, right, down)) or None)


def _as_a_whole(lines: list[str], width: int, alphabet: Alphabet) -> bytes | None:
    """The values of rows of this width; None where they are not of one character each, or not as many."""
    if not lines:
        return b""
    rows = alphabet.rows("\n".join(lines))
    return b"".join(rows) if rows is not None and set(map(len, rows)) == {width} else None


def _records(lines: Lines, limits: Limits) -> Iterator[_Record]:
    """The records of a file, up to what says nothing of the puzzle.

    Raises:
        FormatError: a line is no text, or the file is too long for one puzzle.
    """
    left = limits.max_bytes
    for line in lines:
        left -= len(line)
        if line[:1] in _BEGIN and _BEHIND.match(line):
            return
        problem = unreadable(line, lines.number)
        if problem is not None or left < 0:
            raise problem or FormatError(f"a puzzle of more than {limits.max_bytes} characters", line=lines.number)
        start, number = 0, lines.number
        while (end := line.find("/", start)) >= 0:  # one after the other: a line of megabytes may have a million
            if line[start : start + 1] in _BEGIN and _BEHIND.match(line, start):
                return
            yield _Record(line[start:end], number, start + 1)
            start = end + 1
        if start and line[start : start + 1] in _BEGIN and _BEHIND.match(line, start):
            return
        yield _Record(line[start:], number, start + 1)


def _board(first: _Record, records: Iterator[_Record], limits: Limits) -> Item:
    """The puzzle whose first record was taken just now.

    Raises:
        FormatError: it cannot be read.
    """
    _expect(first, "pzprv3", _MAGIC)
    record = _next(records, first, _KIND)
    _expect(record, f"{_KIND}, the kind of the puzzle", re.compile(rf"{_KIND}\Z"))
    size = []
    for what in ("rows", "columns"):
        record = _next(records, record, f"the number of {what}")
        _expect(record, f"the number of {what}", _NUMBER)
        size.append(int(record.text))
    rows, cols = size
    check_size(rows, cols, record.line, limits)
    table = _CELLS[min(limits.max_clue, _LARGEST)]
    cells = bytearray()
    wanted = f"a clue 1..{min(limits.max_clue, _LARGEST)}, '-' or '.'"
    for r in range(rows):
        record = _next(records, record, f"row {r + 1} of {rows}")
        cells += bytes(_values(record, cols, table, wanted))
    drawn = []
    filled = (record for record in records if record.text.strip())
    for count, width in ((rows, cols - 1), (rows - 1, cols)):
        values: list[int] = []
        nothing = ["0"] * width
        for record in islice(filled, count if width else 0):  # rows without strokes are blank lines
            if record.text.split() == nothing:  # most are
                values += [0] * width
            else:
                values += _values(record, width, _STROKES, "0, 1, 2 or -1")
        drawn.append(values + [0] * (count * width - len(values)))
    _expect_end(filled)
    laid = bridges(rows, cols, bytes(cells), *drawn)
    return Item(first.line, rows, cols, bytes(cells), bridges=tuple(laid) or None)


def _next(records: Iterator[_Record], before: _Record, wanted: str) -> _Record:
    """The next record.

    Raises:
        FormatError: there is none.
    """
    record = next(records, None)
    if record is None:
        raise FormatError.expected(wanted, "the end of the text", line=before.line)
    return record


def _expect_end(records: Iterator[_Record]) -> None:
    """See that nothing follows that says something of the puzzle.

    Raises:
        FormatError: there is more.
    """
    extra = next((record for record in records if record.text.strip()), None)
    if extra is not None:
        found = show(extra.text.strip())
        raise FormatError.expected("the end of the puzzle", found, line=extra.line, column=extra.column)


def _expect(record: _Record, wanted: str, pattern: re.Pattern[str]) -> None:
    """See that a record is what it has to be.

    Raises:
        FormatError: it is not.
    """
    if not pattern.match(record.text.strip()):
        raise FormatError.expected(wanted, show(record.text.strip()), line=record.line, column=record.column)


def _values(record: _Record, width: int, table: Mapping[str, int], wanted: str) -> list[int]:
    """The values of a row.

    Raises:
        FormatError: one is not in the table, or there are too many or too few.
    """
    if table is _STROKES and record.text == "0 " * width:
        return [0] * width  # most rows of a puzzle without its answer
    try:
        tokens = record.text.split() if record.text.isascii() else _TOKEN.findall(record.text)
        values = [table[token] for token in tokens]
    except KeyError:
        at, token = next(
            (found.start(), found.group()) for found in _TOKEN.finditer(record.text) if found.group() not in table
        )
        raise FormatError.expected(wanted, show(token), line=record.line, column=record.column + at) from None
    if len(values) != width:
        raise FormatError.expected(f"{width} values in a row", str(len(values)), line=record.line)
    return values


def _write(puzzle: Puzzle) -> str:
    refuse(puzzle, "pzprv3", _CARRIES)
    return _text(puzzle, ())


def _write_answer(solution: Solution) -> str:
    refuse(solution.puzzle, "pzprv3", _CARRIES)
    return _text(solution.puzzle, solution.bridges)


def _text(puzzle: Puzzle, laid: Sequence[Bridge]) -> str:
    right, down = strokes(puzzle.rows, puzzle.cols, laid)
    head = f"pzprv3\n{_KIND}\n{puzzle.rows}\n{puzzle.cols}\n"
    cells = [" ".join(map(_CLUES.__getitem__, row)) for row in puzzle.to_rows()]
    return head + "".join(row + " \n" for row in (*cells, *(" ".join(map(str, row)) for row in (*right, *down))))


def _read_answer(lines: Lines, limits: Limits, puzzle: Puzzle | None) -> list[Bridge]:
    item = next(_read(lines, limits), None)
    if item is None:
        raise FormatError("there is no answer in it: the text is empty")
    return answer_along(item, puzzle)


FORMAT = Format(
    name="pzprv3",
    summary="files of puzz.link, pzv.jp and others: the board and the lines drawn on it",
    rank=2,
    sniff=_sniff,
    read=_read,
    write=_write,
    extension=".txt",
    limits="A channel carries at most two bridges.",
    examples=(
        "pzprv3\nhashikake\n2\n3\n2 . - \n. . . \n0 0 \n0 0 \n0 0 0 \n",
        "pzprv3/hashikake/3/3/2 . 2 /. . . /. . . /2 2 /0 -1 /0 0 /0 0 -1 /0 0 0 /\n",
        "pzprv3.1\nhashikake\n1\n3\n1 . 1\n",
    ),
    carries=_CARRIES,
    write_answer=_write_answer,
    read_answer=_read_answer,
    long_lines=True,
    alone=True,
)
