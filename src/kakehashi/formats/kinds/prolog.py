"""`prolog`: facts `island(X, Y, Degree).`, X the column and Y the row, from 0 on.

The format of r/dailyprogrammer 263 and of courses. The facts do not say how large the board is: it goes as far as the
islands do, unless a comment `% size(COLS, ROWS).` says more, which is how a larger board is written. Other comments and
directives (`:- ...`) are passed over. One puzzle a file.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from kakehashi.formats.errors import FormatError
from kakehashi.formats.kinds._rows import check_size
from kakehashi.formats.lines import Lines, show, unreadable
from kakehashi.formats.registry import Feature, Format, Item, refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kakehashi.formats.limits import Limits
    from kakehashi.puzzle.model import Puzzle

_CARRIES = frozenset({Feature.TOUCHING})

_FACT = re.compile(
    r"\s*island\s*\(\s*([0-9]{1,9})\s*,\s*([0-9]{1,9})\s*,\s*([0-9]{1,9})\s*\)\s*\.(?=\s|%|/\*|\Z|island)"
)
_PLAIN = re.compile(
    r"(?:% size\(([0-9]{1,9}), ([0-9]{1,9})\)\.\n)?((?:island\([0-9]{1,9}, ?[0-9]{1,9}, ?[0-9]{1,9}\)\.\s*+)++)"
)
_NUMBERS = re.compile(r"\(([0-9]+), ?([0-9]+), ?([0-9]+)\)")
_SHORT = 256 * 1024
"""A text of fewer characters is read in one go where it holds nothing but facts."""

_SIZE = re.compile(r"\s*%\s*size\s*\(\s*([0-9]{1,9})\s*,\s*([0-9]{1,9})\s*\)\s*\.?\s*\Z")
_PASSED = re.compile(r"\s*(?:%.*|:-[^.]*\.|\Z)")
_FIRST = re.compile(r"(?:\s*+(?:%[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/|:-[^.\n]*+\.))*+\s*+island\s*+\(")


class _Fact(NamedTuple):
    """An island and where it stands in the text."""

    col: int
    row: int
    clue: int
    line: int
    column: int


def _sniff(head: str) -> bool:
    return _FIRST.match(head) is not None


def _read(lines: Lines, limits: Limits) -> Iterator[Item]:
    first = lines.skip_blank()
    if first is None:
        return
    start = lines.number
    taken = [first, *lines.take(_SHORT)]
    quick = _plain("\n".join(taken), start, limits) if sum(map(len, taken)) < _SHORT else None
    if quick is not None:
        yield quick
        return
    again = Lines(chain(taken, lines), start - 1)
    try:
        yield _board(start, again, limits)
    except FormatError as error:
        lines.close()
        yield Item(start, error=error)


def _plain(text: str, start: int, limits: Limits) -> Item | None:
    """The puzzle of facts alone that are right; None for any other text, in which something has to be looked for."""
    found = _PLAIN.fullmatch(text)
    if found is None:
        return None
    facts = _NUMBERS.findall(found[3])
    cols, rows, clues = (list(map(int, numbers)) for numbers in zip(*facts, strict=True))
    height, width = max(rows) + 1, max(cols) + 1
    if found[1] is not None:
        if height > int(found[2]) or width > int(found[1]):
            return None
        height, width = int(found[2]), int(found[1])
    if height > limits.max_rows or width > limits.max_cols or not 1 <= min(clues) <= max(clues) <= limits.max_clue:
        return None
    cells = bytearray(height * width)
    for row, col, clue in zip(rows, cols, clues, strict=True):
        cells[row * width + col] = clue
    return Item(start, height, width, bytes(cells)) if len(cells) - cells.count(0) == len(facts) else None


def _board(start: int, lines: Lines, limits: Limits) -> Item:
    """The puzzle of all facts.

    Raises:
        FormatError: there is something else, or the islands make no board.
    """
    size: tuple[int, int] | None = None
    facts: list[_Fact] = []
    most = limits.max_rows * limits.max_cols
    within = False
    for line in lines:
        stated = _SIZE.match(line)
        if stated is not None:
            size = int(stated[2]), int(stated[1])
            check_size(*size, lines.number, limits)
            continue
        within = _facts_in(line, lines.number, facts, limits, within=within)
        if len(facts) > most:
            raise FormatError(f"more than {most} islands", line=lines.number)
    if within:
        raise FormatError.expected("the end of a comment, */", "the end of the text", line=lines.number)
    if not facts:
        raise FormatError.expected("island(X, Y, Degree).", "no such fact", line=start)
    if size is None:
        size = max(fact.row for fact in facts) + 1, max(fact.col for fact in facts) + 1
        check_size(*size, start, limits)
    rows, cols = size
    cells = bytearray(rows * cols)
    for fact in facts:
        if fact.row >= rows or fact.col >= cols:
            message = f"the island at X {fact.col}, Y {fact.row} is not on the board of {cols} x {rows} that is stated"
            raise FormatError(message, line=fact.line, column=fact.column)
        place = fact.row * cols + fact.col
        if cells[place]:
            message = f"there is an island at X {fact.col}, Y {fact.row} already"
            raise FormatError(message, line=fact.line, column=fact.column)
        cells[place] = fact.clue
    return Item(start, rows, cols, bytes(cells))


def _facts_in(line: str, number: int, facts: list[_Fact], limits: Limits, *, within: bool) -> bool:
    """Add the facts of a line; `within`, and the answer, say whether a comment goes on over its ends.

    Raises:
        FormatError: there is something else.
    """
    at = 0
    while at < len(line):
        if within or line.startswith("/*", at):
            end = line.find("*/", at if within else at + 2)
            if end < 0:
                return True
            within, at = False, end + 2
            continue
        found = _FACT.match(line, at)
        if found is not None:
            col, row, clue = int(found[1]), int(found[2]), int(found[3])
            if not 1 <= clue <= limits.max_clue:
                wanted = f"a degree 1..{limits.max_clue}"
                raise FormatError.expected(wanted, str(clue), line=number, column=found.start(3) + 1)
            facts.append(_Fact(col, row, clue, number, found.start() + 1))
            at = found.end()
            continue
        passed = _PASSED.match(line, at)
        if passed is None or (passed.end() == at):
            rest = line[at:]
            column = at + len(rest) - len(rest.lstrip()) + 1
            if rest.lstrip().startswith("/*"):
                at = column - 1
                continue
            error = FormatError.expected("island(X, Y, Degree).", show(rest.strip()), line=number, column=column)
            raise unreadable(line, number) or error
        at = passed.end()
    return within


def _write(puzzle: Puzzle) -> str:
    refuse(puzzle, "prolog", _CARRIES)
    islands = puzzle.islands
    size = max(island.row for island in islands) + 1, max(island.col for island in islands) + 1
    head = "" if size == (puzzle.rows, puzzle.cols) else f"% size({puzzle.cols}, {puzzle.rows}).\n"
    return head + "".join([f"island({col}, {row}, {clue}).\n" for row, col, clue in islands])


FORMAT = Format(
    name="prolog",
    summary="facts island(X, Y, Degree).",
    rank=6,
    sniff=_sniff,
    read=_read,
    write=_write,
    extension=".pl",
    limits="The size of the board is a comment where rows or columns behind the last island are empty.",
    examples=(
        "island(0, 0, 1).\nisland(2, 0, 1).\n",
        "% size(4, 2).\n/* two islands */ island(0,0,2). island(0,1,2).\n",
    ),
    carries=_CARRIES,
    suffixes=(".pl", ".pro"),
    long_lines=True,
    alone=True,
)
