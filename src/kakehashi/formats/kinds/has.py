"""`has`: two sizes and the number of islands, then rows of integers.

The format of Coelho, Laporte, Lindbeck, Vidal, "Benchmark Instances and Branch-and-Cut Algorithm for the Hashiwokakero
Puzzle", arXiv 1905.00973. Readers disagree whether the first size is rows or columns, so the rows are taken as they
stand, and a header that contradicts them in both readings is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kakehashi.formats.errors import FormatError
from kakehashi.formats.kinds._rows import board, check_size, failed, integers
from kakehashi.formats.lines import show, unreadable
from kakehashi.formats.registry import Feature, Format, Item, refuse
from kakehashi.puzzle.model import UNKNOWN_CLUE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kakehashi.formats.limits import Limits
    from kakehashi.formats.lines import Lines
    from kakehashi.puzzle.model import Puzzle

_CARRIES = frozenset({Feature.TOUCHING, Feature.MANY})


def _sniff(head: str) -> bool:
    """Three integers above rows of another length; above rows of three, all that the header says must be true."""
    lines = head.lstrip("\n").split("\n")
    header = integers(lines[0])
    if header is None or len(header) != 3:
        return False
    first = integers(lines[1]) if len(lines) > 1 else None
    if not first or len(first) not in header[:2]:
        return False
    if len(first) != 3:
        return True
    rows = [integers(line) for line in lines[1:] if line.strip()]
    islands = sum(cell > 0 for row in rows for cell in row or ())
    return sorted(header[:2]) == sorted((len(rows), 3)) and islands == header[2]


def _read(lines: Lines, limits: Limits) -> Iterator[Item]:
    while (line := lines.skip_blank()) is not None:
        yield _one(line, lines, limits)


def _one(line: str, lines: Lines, limits: Limits) -> Item:
    start = lines.number
    header = integers(line)
    if header is None or len(header) != 3:
        wanted = "three integers, two sizes and the number of islands"
        problem = unreadable(line, start) or FormatError.expected(wanted, show(line.strip()), line=start)
        return failed(start, problem, lines, limits)
    first, second, islands = header
    try:
        check_size(first, second, start, limits)
    except FormatError as error:
        return failed(start, error, lines, limits)
    above = next(lines, "")
    if not above.strip():
        return Item(start, error=FormatError.expected("rows of clues", "nothing below the header", line=start))
    item = board(above, lines, limits)
    if item.error is not None:
        return Item(start, error=item.error)
    if UNKNOWN_CLUE in item.cells:
        at = start + 1 + item.cells.index(UNKNOWN_CLUE) // item.cols
        return Item(start, error=FormatError("every island has a number in this format, found '?'", line=at))
    counted = len(item.cells) - item.cells.count(0)
    if {(first, second), (second, first)}.isdisjoint({(item.rows, item.cols)}) or islands != counted:
        message = (
            f"the header says {first} x {second} with {islands} islands, "
            f"the rows show {item.rows} x {item.cols} with {counted}"
        )
        return Item(start, error=FormatError(message, line=start))
    return Item(start, item.rows, item.cols, item.cells)


def _write(puzzle: Puzzle) -> str:
    refuse(puzzle, "has", _CARRIES)
    header = f"{puzzle.rows} {puzzle.cols} {len(puzzle.islands)}\n"
    return header + "".join(" ".join(map(str, cells)) + "\n" for cells in puzzle.to_rows())


FORMAT = Format(
    name="has",
    summary="the benchmark of Coelho and others: ROWS COLS ISLANDS, then rows of integers",
    rank=10,
    sniff=_sniff,
    read=_read,
    write=_write,
    extension=".has",
    limits="Blank lines separate several puzzles, which is our addition.",
    examples=("2 4 2\n1 0 0 1\n0 0 0 0\n", "3 2 2\n1 0\n0 0\n1 0\n"),
    carries=_CARRIES,
    separator="\n",
    suffixes=(".has",),
)
