"""`jsonl`: one JSON value a line, each a puzzle in a shape that `json` reads. A broken line costs only itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kakehashi.formats.errors import FormatError
from kakehashi.formats.kinds._json_text import JsonText
from kakehashi.formats.kinds.json_file import CARRIES, is_lines, items, one_line, plain, read_answer
from kakehashi.formats.lines import Lines, unreadable
from kakehashi.formats.registry import Feature, Format, Item

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kakehashi.formats.limits import Limits
    from kakehashi.puzzle.model import Puzzle, Solution


def _read(lines: Lines, limits: Limits) -> Iterator[Item]:
    while (line := lines.skip_blank()) is not None:
        start = lines.number
        quick = plain(line, start, limits) if line.isascii() else None
        if quick is not None:
            yield quick
            continue
        text = JsonText(Lines([line], start - 1), limits.max_bytes)
        try:
            problem = unreadable(line, start)
            if problem is not None:
                raise problem
            value, place = text.value()
            if text.peek():
                raise text.error("expected the end of the line")
        except FormatError as error:
            yield Item(start, error=error)
        else:
            yield from items(value, place, limits)


def _write(puzzle: Puzzle) -> str:
    return one_line(puzzle)


def _write_answer(solution: Solution) -> str:
    return one_line(solution.puzzle, solution.bridges)


FORMAT = Format(
    name="jsonl",
    summary="one JSON object a line, as `json` has them, and what `results --format ndjson` prints",
    rank=0,
    sniff=is_lines,
    read=_read,
    write=_write,
    extension=".jsonl",
    limits="",
    examples=(
        (
            '{"size": 3, "islands": [{"row": 0, "col": 0, "clue": 1}, {"row": 2, "col": 0, "clue": 1}]}\n'
            '{"grid": [[2, 0, "?"]], "max_bridges": 3}\n'
        ),
        "[[2, 0, 2]]\n\n[[1, 0, 1]]\n",
    ),
    carries=CARRIES | {Feature.MANY},
    separator="",
    write_answer=_write_answer,
    read_answer=read_answer,
    suffixes=(".jsonl", ".ndjson"),
    long_lines=True,
    alone=True,
)
