"""`grid`: rows of integers split by blanks or commas, 0 for water, `?` for an island without a number.

The format of the contest, and the default.

Several puzzles in one file are separated by blank lines, or given as counted subtests: the number of subtests, then for
each its `ROWS COLS` and that many rows. It is counted where the first line is a single integer and the next one two
integers: as a board, those rows would differ in length. Where a blank line stands between them, the row below the size
must have as many cells as it says: read otherwise, the file would begin with a board of one cell, which has no answer.

Answers are grids with -1, -2, -3, -4 for bridges (see `kakehashi.puzzle.answer_grid`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kakehashi.formats.errors import FormatError
from kakehashi.formats.kinds._rows import board, check_size, failed, integers, refuse_length, row, split
from kakehashi.formats.lines import show, unreadable
from kakehashi.formats.registry import Feature, Format, Item, refuse
from kakehashi.puzzle.model import UNKNOWN_CLUE, clue_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kakehashi.formats.limits import Limits
    from kakehashi.formats.lines import Lines
    from kakehashi.puzzle.model import Puzzle, Solution

_CARRIES = frozenset({Feature.UNKNOWN_CLUES, Feature.TOUCHING, Feature.MANY})


_LOOK = 100
"""So many cells of a row are looked at to tell what they are for the most part."""


def _sniff(head: str) -> bool:
    """Counted subtests, a column of digits, or two lines of as many cells, integers for the most part."""
    lines = head.lstrip("\n").split("\n")
    first, second = split(lines[0]), split(lines[1]) if len(lines) > 1 else []
    if len(first) == 1 and not _is_cell(first[0]):
        return False  # a row of characters, mostly: what follows would say the same, and take longer
    if _counted(lines):
        return True
    if max(len(first), len(second)) == 1:
        column = [part for line in lines[:3] for part in split(line)]
        digits = all(part == "?" or (len(part) == 1 and part.isdecimal()) for part in column)
        return digits and {".", "-", "_"}.isdisjoint(map(str.strip, lines))
    if (second and len(first) != len(second)) or not {".", "-", "_", ""}.isdisjoint(first + second):
        return False
    return all(2 * sum(map(_is_cell, parts[:_LOOK])) >= len(parts[:_LOOK]) for parts in (first, second))


def _is_cell(part: str) -> bool:
    return part == "?" or part.lstrip("-").isdecimal()


def _counted(head: list[str]) -> bool:
    """Whether these lines begin with a number of subtests and a size; behind a blank line, also with a row of it."""
    first = [line for line in head[:8] if line.strip()][:3]
    if not first or len(split(first[0])) != 1:
        return False
    numbers = [integers(line) for line in first]
    blank_between = len(head) > 1 and not head[1].strip()
    match numbers:
        case [[count], [_, _]]:
            return count > 0 and not blank_between
        case [[count], [_, cols], cells]:
            return count > 0 and (not blank_between or (cells is not None and len(cells) == cols))
    return False


def _read(lines: Lines, limits: Limits) -> Iterator[Item]:
    first = lines.skip_blank()
    if first is None:
        return
    head = [first, *lines.peek(8)]
    if _counted(head):
        yield from _subtests(first, lines, limits)
        return
    line: str | None = first
    while line is not None:
        yield board(line, lines, limits)
        line = lines.skip_blank()


def _subtests(first: str, lines: Lines, limits: Limits) -> Iterator[Item]:
    """The counted subtests; where one is cut short or lies, the next size is looked for."""
    count = int(first)
    for found in range(1, count + 1):
        header = lines.skip_blank()
        if header is None:
            message = f"the file says {count} subtests, found {found - 1}"
            yield Item(lines.number, error=FormatError(message, line=lines.number))
            return
        size = integers(header)
        if size is None or len(size) != 2:
            message = f"expected the size ROWS COLS of subtest {found} of {count}, found {show(header.strip())}"
            problem = unreadable(header, lines.number) or FormatError(message, line=lines.number)
            yield failed(lines.number, problem, lines, limits)
            continue
        yield _subtest(size[0], size[1], lines, limits)
    extra = lines.skip_blank()
    if extra is not None:
        message = f"expected the end of the file after {count} subtests, found {show(extra.strip())}"
        yield Item(lines.number, error=FormatError(message, line=lines.number))
        lines.close()


def _subtest(rows: int, cols: int, lines: Lines, limits: Limits) -> Item:
    """One subtest, whose size was handed out just now."""
    start = lines.number
    try:
        check_size(rows, cols, start, limits)
    except FormatError as error:
        return _passed_over(start, error, rows, lines, limits)
    cells = bytearray()
    for done in range(rows):
        line = lines.skip_blank()
        missing = FormatError(f"the size in line {start} says {rows} rows, found {done}", line=lines.number)
        if line is None:
            return Item(start, error=missing)
        try:
            more = row(line, lines.number, limits)
            if len(more) != cols:
                refuse_length(more, cols, start, line, lines.number)
        except FormatError as error:
            if cols != 2 and _is_size(line):
                lines.push_back(line)
                return Item(start, error=missing)
            return _passed_over(start, error, rows - done - 1, lines, limits)
        cells += more
    return Item(start, rows, cols, bytes(cells))


def _is_size(line: str) -> bool:
    """Whether a line is two integers, so that the next subtest may begin with it."""
    return len(line) < 32 and len(integers(line) or ()) == 2


def _passed_over(start: int, error: FormatError, rows: int, lines: Lines, limits: Limits) -> Item:
    """The item of a bad subtest, the lines moved on behind its remaining rows, or to a blank line or a size."""
    left = limits.max_bytes
    for _ in range(max(rows, 0)):
        line = next(lines, None)
        if line is None or not line.strip():
            break
        if _is_size(line):
            lines.push_back(line)
            break
        left -= len(line)
        if left < 0:
            lines.close()
            message = f"{error.message} (the rest of the file was not read)"
            return Item(start, error=FormatError(message, line=error.line, column=error.column))
    return Item(start, error=error)


def _write(puzzle: Puzzle) -> str:
    refuse(puzzle, "grid", _CARRIES)
    return _text(puzzle.to_rows())


def _write_answer(solution: Solution) -> str:
    if solution.grid is None:
        raise FormatError("an answer grid has no signs for more than two bridges in a channel")
    return _text(solution.grid)


def _text(rows: list[list[int]]) -> str:
    return "".join(" ".join(map(clue_text, cells)) + "\n" for cells in rows)


def _sniff_answer(head: str) -> bool:
    """Rows of integers, one of them at least below zero."""
    first = [part for line in head.strip().split("\n")[:8] for part in split(line)]
    return all(map(_is_cell, first)) and any(part.startswith("-") for part in first)


def _read_answer(lines: Lines, limits: Limits, puzzle: Puzzle | None) -> list[list[int]]:  # noqa: ARG001
    grid: list[list[int]] = []
    line = lines.skip_blank()
    while line is not None and line.strip():
        if len(grid) >= limits.max_rows or len(split(line)) > limits.max_cols:
            message = f"the answer is larger than {limits.max_rows} x {limits.max_cols}"
            raise FormatError(message, line=lines.number)
        shown = split(line)
        cells = integers(line) if "?" not in shown else integers(" ".join(_numbers(shown)))
        if cells is None:
            bad = next((part for part in shown if part != "?" and integers(part) is None), "")
            problem = unreadable(line, lines.number)
            column = line.find(bad) + 1
            raise problem or FormatError.expected("integers", show(bad), line=lines.number, column=column)
        grid.append(cells)
        line = next(lines, None)
    if not grid:
        raise FormatError("there is no answer in it: the text is empty")
    extra = lines.skip_blank()
    if extra is not None:
        raise FormatError.expected("one answer", f"more behind it: {show(extra.strip())}", line=lines.number)
    return grid


def _numbers(parts: list[str]) -> list[str]:
    """The cells of a row, a number for an island without one."""
    return [str(UNKNOWN_CLUE) if part == "?" else part or "none" for part in parts]


FORMAT = Format(
    name="grid",
    summary="rows of integers split by blanks or commas; several puzzles a file",
    rank=20,
    sniff=_sniff,
    read=_read,
    write=_write,
    extension=".grid",
    limits="Answers have at most two bridges in a channel.",
    examples=("2 0 2\n0 0 0\n1 0 1\n", "2,0,?\n0,0,0\n", "1 0 1\n\n2 0 2\n", "2\n1 3\n1 0 1\n2 3\n2 0 1\n0 0 0\n"),
    carries=_CARRIES,
    separator="\n",
    write_answer=_write_answer,
    read_answer=_read_answer,
    sniff_answer=_sniff_answer,
    suffixes=(".grid",),
)
