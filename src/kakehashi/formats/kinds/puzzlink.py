"""`puzzlink`: URLs of puzz.link, pzv.jp and other places where pzpr runs, one a line.

`https://puzz.link/p?hashi/COLS/ROWS/body`; `https://`, or all that stands before the `?`, may be missing, the puzzle is
also called `hashikake` or `bridges`, with `_edit`, `_play` or `_test` behind or `m+` before it, options such as
`type=editor&` may stand in front, a field of flags before the size. The body holds the cells in row-major order:
`0`..`f` a clue, `-hh` one of 16..255, `+hhh` one of 256..4095, `.` an island without a number, `g`..`z` 1..20 cells of
water; what is missing at the end is water. The flag `v:` says that a puzzle has rules of its own without saying which.

Source: pzprjs, src/pzpr/parser.js and src/variety-common/Encode.js (decodeNumber16).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from kakehashi.formats.errors import FormatError
from kakehashi.formats.kinds._rows import check_size
from kakehashi.formats.kinds._skips import decode, encode, runs
from kakehashi.formats.lines import show, unreadable
from kakehashi.formats.registry import Feature, Format, Item, refuse
from kakehashi.puzzle.model import MOST_BRIDGES, SIDES, UNKNOWN_CLUE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kakehashi.formats.limits import Limits
    from kakehashi.formats.lines import Lines
    from kakehashi.puzzle.model import Puzzle

_CARRIES = frozenset({Feature.UNKNOWN_CLUES, Feature.TOUCHING, Feature.MANY})

_NAMES = ("hashi", "hashikake", "bridges")
_NAME = re.compile(rf"(?:m\+)?(?:{'|'.join(_NAMES)})(?:_edit|_play|_test)?\Z")
_START = re.compile(
    r"(?:https?://(?![^\s#?]{0,200}bridges[^\s#/?]{0,20}#)\S"  # but no link to an id of `tatham`
    r"|(?:\w[\w-]{0,62}\.[\w.:-]{1,200}/[^\s#?]{0,200}\?|\??)"  # where browsers hide https://
    rf"(?:\w+=\w*&)*(?:m\+)?(?:{'|'.join(_NAMES)})(?:_\w+)?(?:/|%2[Ff]))"
)
_OPTION = re.compile(r"\w+=[^&/?]*&")
_OPTIONS = 8
"""How many options are passed over."""

_NUMBER = re.compile(r"[0-9]{1,9}\Z")
_PIECE = re.compile(r"-..|\+...|.", re.DOTALL)
_WIDEST = 4
"""Characters of the longest piece."""

_LETTERS = "ghijklmnopqrstuvwxyz"
_LARGEST = MOST_BRIDGES * SIDES
_CLUES = {clue: f"{clue:x}" if clue < 16 else f"-{clue:02x}" for clue in range(1, _LARGEST + 1)}
_ISLANDS = _CLUES | {UNKNOWN_CLUE: "."}
_TABLES = {
    largest: {text: bytes([clue]) for clue, text in _ISLANDS.items() if clue <= largest or clue == UNKNOWN_CLUE}
    | runs(_LETTERS)
    for largest in range(_LARGEST + 1)
}
"""What a piece of the body stands for, by the largest clue."""


def _sniff(head: str) -> bool:
    """A URL, or what stands behind its question mark, in the first line."""
    return _START.match(head.lstrip()) is not None


def _read(lines: Lines, limits: Limits) -> Iterator[Item]:
    while (line := lines.skip_blank()) is not None:
        try:
            yield _one(line, lines.number, limits)
        except FormatError as error:
            yield Item(lines.number, error=error)


def _one(line: str, number: int, limits: Limits) -> Item:
    """The puzzle of a URL.

    Raises:
        FormatError: it is no URL of such a puzzle.
    """
    problem = unreadable(line, number)
    if problem is not None:
        raise problem
    text = line.rstrip().removesuffix("/")
    if "%2" in text:
        text = unquote(text)
    start = text.find("?") + 1
    for _ in range(_OPTIONS):
        option = _OPTION.match(text, start)
        start = option.end() if option else start
    name, *fields = text[start:].lstrip().split("/", 4)
    if not _NAME.match(name):
        wanted = f"a puzzle of the kind {' or '.join(_NAMES)} (.../p?hashi/COLS/ROWS/body)"
        raise FormatError.expected(wanted, show(name), line=number, column=start + 1)
    note = None
    if fields and not _NUMBER.match(fields[0]):
        if fields[0].startswith("v:"):
            note = "the URL says that the puzzle has rules of its own, but not which: read with those asked for"
        fields = fields[1:]
    elif len(fields) > 3:
        fields[2:] = ["/".join(fields[2:])]
    if len(fields) < 2 or not (_NUMBER.match(fields[0]) and _NUMBER.match(fields[1])):
        found = show("/".join(fields[:2]))
        raise FormatError.expected("COLS/ROWS behind the name of the puzzle", found, line=number)
    cols, rows = int(fields[0]), int(fields[1])
    check_size(rows, cols, number, limits)
    body = "/".join(fields[2:])
    pieces: str | list[str] = body
    if "-" in body or "+" in body:
        pieces = _PIECE.findall(body, 0, _WIDEST * (rows * cols + 1))  # what is behind that is too much anyway
    table = _TABLES[min(limits.max_clue, _LARGEST)]
    wanted = f"a clue 1..{limits.max_clue} in hexadecimal, '.', or g..z for water"
    column = len(text) - len(body) + 1 if text in line else 0
    cells = decode(pieces, table, rows * cols, wanted, line=number, column=column)
    return Item(number, rows, cols, cells.ljust(rows * cols, b"\x00"), note=note)


def _write(puzzle: Puzzle) -> str:
    refuse(puzzle, "puzzlink", _CARRIES)
    body = encode(puzzle.cells, _ISLANDS, _LETTERS)
    return f"https://puzz.link/p?hashi/{puzzle.cols}/{puzzle.rows}/{body}\n"


FORMAT = Format(
    name="puzzlink",
    summary="URLs of puzz.link, pzv.jp and others: ...?hashi/COLS/ROWS/body",
    rank=4,
    sniff=_sniff,
    read=_read,
    write=_write,
    extension=".txt",
    limits="A URL has no answer: take pzprv3 for it.",
    examples=(
        "https://puzz.link/p?hashi/4/3/2h2j1h.\n",
        "http://pzv.jp/p.html?hashikake_edit/3/1/2g2\n",
        "https://puzz.link/p?type=editor&bridges/v:/3/3/2g2\nhashi/3/1/1g1\n",
    ),
    carries=_CARRIES,
    separator="",
    inline=True,
    long_lines=True,
)
