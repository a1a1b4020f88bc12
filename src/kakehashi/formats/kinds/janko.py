"""`janko`: page sources of janko.at. Below `[problem]` the rows, `-` for water; below `[solution]` those of the answer.

In the answer, 1 and 2 are bridges across, a and b bridges down. What stands above `[problem]`, between the parts and
behind `[end]` is passed over, so a saved page can be read as it is. Several puzzles may follow each other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kakehashi.formats.errors import FormatError
from kakehashi.formats.kinds import _letters
from kakehashi.formats.kinds._rows import check_rows, check_size
from kakehashi.formats.kinds._strokes import shown_bridges
from kakehashi.formats.registry import Feature, Format, Item, refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kakehashi.formats.limits import Limits
    from kakehashi.formats.lines import Lines
    from kakehashi.puzzle.model import Puzzle, Solution

_CARRIES = frozenset({Feature.TOUCHING, Feature.MANY})

_SECTION = re.compile(r"\s*\[([a-z]+)\]\s*\Z", re.IGNORECASE)
_PROBLEM = re.compile(r"^[ \t]*\[problem\][ \t]*$", re.IGNORECASE | re.MULTILINE)
_SOLUTION = re.compile(r"^[ \t]*\[solution\][ \t]*$", re.IGNORECASE | re.MULTILINE)
_BEGIN = re.compile(r"^[ \t]*\[begin\][ \t]*$", re.IGNORECASE | re.MULTILINE)


def _sniff(head: str) -> bool:
    return "[" in head and (_PROBLEM.search(head) is not None or _BEGIN.search(head) is not None)


def _sniff_answer(head: str) -> bool:
    return "[" in head and (_SOLUTION.search(head) is not None or _sniff(head))


def _section(line: str) -> str | None:
    """The name of the part that begins here; None where none does."""
    if "[" not in line:
        return None
    found = _SECTION.match(line)
    return found[1].lower() if found else None


def _read(lines: Lines, limits: Limits) -> Iterator[Item]:
    seen, found = 0, False
    for line in lines:
        if _section(line) == "problem":
            found = True
            yield _one(lines, limits)
        elif not found and seen == 0 and line.strip():
            seen = lines.number
    if seen and not found:
        yield Item(seen, error=FormatError("expected a line [problem] with the puzzle below, found none", line=seen))


def _one(lines: Lines, limits: Limits) -> Item:
    """The puzzle below the line `[problem]`, which was handed out just now, with its answer."""
    start = lines.number
    try:
        rows, cols, cells = _problem(lines, limits)
    except FormatError as error:
        return Item(start, error=error)
    grid, note = None, None
    try:
        grid = _solution(lines, rows, cols, cells)
    except FormatError as error:
        note = f"its answer was not read: line {error.line}: {error.message}"
    return Item(start, rows, cols, cells, note=note, bridges=shown_bridges(grid) if grid else None)


def _problem(lines: Lines, limits: Limits) -> tuple[int, int, bytes]:
    """The size and the cells of the puzzle.

    Raises:
        FormatError: it cannot be read; the lines stand at the next part or within it.
    """
    start = lines.number
    cells = bytearray()
    rows = cols = 0
    for line in _body(lines):
        row = _letters.clues(line, lines.number, limits.max_clue)
        if not rows:
            cols = len(row)
            check_size(1, cols, lines.number, limits)
        elif len(row) != cols:
            raise FormatError.expected(f"{cols} cells as in the first row", str(len(row)), line=lines.number)
        rows += 1
        check_rows(rows, lines.number, limits)
        cells += row
    if not rows:
        raise FormatError.expected("the rows of the puzzle", "nothing below [problem]", line=start)
    return rows, cols, bytes(cells)


def _body(lines: Lines) -> Iterator[str]:
    """The lines of a part that are not blank; the head of the next part is handed out again."""
    for line in lines:
        if _section(line) is not None:
            lines.push_back(line)
            return
        if line.strip():
            yield line


def _solution(lines: Lines, rows: int, cols: int, cells: bytes) -> list[list[int]] | None:
    """The answer grid, where the puzzle has one; the lines stand at the next part.

    Raises:
        FormatError: it cannot be read.
    """
    line = next(lines, None)
    while line is not None and _section(line) not in ("solution", "problem", "end"):
        line = next(lines, None)
    if line is None or _section(line) != "solution":
        if line is not None and _section(line) == "problem":
            lines.push_back(line)
        return None
    grid: list[list[int]] = []
    for row in _body(lines):
        if len(grid) == rows:
            raise FormatError.expected(f"{rows} rows as in the puzzle", "more", line=lines.number)
        grid.append(_letters.signs(row, lines.number, cells[len(grid) * cols :][:cols]))
    if len(grid) < rows:
        raise FormatError.expected(f"{rows} rows as in the puzzle", str(len(grid)), line=lines.number)
    return grid


def _read_answer(lines: Lines, limits: Limits, puzzle: Puzzle | None) -> list[list[int]]:
    """The answer below `[solution]`; islands are those of `[problem]`, else of the puzzle that is given."""
    line = next((line for line in lines if _section(line) in ("problem", "solution")), None)
    if line is None:
        raise FormatError("expected a line [solution] with the answer below, found none")
    if _section(line) == "problem":
        rows, cols, cells = _problem(lines, limits)
    elif puzzle is not None:
        rows, cols, cells = puzzle.rows, puzzle.cols, puzzle.cells
        lines.push_back(line)
    else:
        raise FormatError("an answer in letters needs its puzzle: expected [problem] above [solution]")
    grid = _solution(lines, rows, cols, cells)
    if grid is None:
        raise FormatError("expected a line [solution] with the answer below, found none", line=lines.number)
    return grid


def _write(puzzle: Puzzle) -> str:
    refuse(puzzle, "janko", _CARRIES)
    return f"[problem]\n{_letters.clue_rows(puzzle.to_rows())}[end]\n"


def _write_answer(solution: Solution) -> str:
    refuse(solution.puzzle, "janko", _CARRIES)
    rows = _letters.clue_rows(solution.puzzle.to_rows())
    return f"[problem]\n{rows}[solution]\n{_letters.sign_rows(solution.grid or ())}[end]\n"


FORMAT = Format(
    name="janko",
    summary="page sources of janko.at: [problem] and [solution]",
    rank=5,
    sniff=_sniff,
    read=_read,
    write=_write,
    extension=".txt",
    limits="",
    examples=(
        "[problem]\n1 - 1\n- - -\n[end]\n",
        "[begin]\npuzzle hashi\n[problem]\n2 - 2\n- - -\n[solution]\n- 2 -\n- - -\n[moves]\n0\n[end]\n",
    ),
    carries=_CARRIES,
    separator="",
    write_answer=_write_answer,
    read_answer=_read_answer,
    sniff_answer=_sniff_answer,
    alone=True,
)
