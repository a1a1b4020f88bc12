"""Read one answer to check it: in any format that has answers, or JSON as `kakehashi solve --format json` prints it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from kakehashi.errors import UsageError
from kakehashi.formats.errors import FormatError
from kakehashi.formats.limits import Limits
from kakehashi.formats.lines import Lines
from kakehashi.formats.registry import detect_answer, formats, get
from kakehashi.formats.sources import open_text
from kakehashi.puzzle.model import Bridge, Cell

if TYPE_CHECKING:
    from kakehashi.puzzle.model import Puzzle

_DEFAULT_LIMITS = Limits()


def read_answer(
    text: str,
    *,
    format: str | None = None,  # noqa: A002 - the word that the command line uses
    puzzle: Puzzle | None = None,
    limits: Limits = _DEFAULT_LIMITS,
) -> list[list[int]] | list[Bridge]:
    """An answer grid (rows of integers), or a list of bridges.

    The text is an answer grid in the `grid` format, an answer in another format that has them, or JSON: rows of
    integers, or an object with `grid` and `bridges` (`[{"from": [row, col], "to": [row, col], "count": n}]`, 0-based).
    The bridges are taken where there are any, since a grid cannot show those between touching islands.
    `kakehashi.puzzle.check` and `check_grid` judge them.

    Args:
        text: the answer.
        format: the name of its format; None looks at the text, and takes it for an answer grid where no format claims
            it.
        puzzle: what it answers, which some formats need.
        limits: how large it may be.

    Raises:
        FormatError: it cannot be read, or holds no answer.
        UsageError: there is no such format, or it has no answers.
    """
    if len(text) > limits.max_bytes:
        raise FormatError(f"the answer is longer than {limits.max_bytes} characters")
    if format is None and text.lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
        return _from_json(text.lstrip("\ufeff"))
    opened = open_text(text)
    chosen = get(format) if format is not None else detect_answer(opened.head) or get("grid")
    if chosen.read_answer is None:
        able = ", ".join(sorted(other.name for other in formats() if other.read_answer is not None))
        raise UsageError(f"{chosen.name} has no answers that can be read: choose one of {able}")
    longest = limits.max_bytes if chosen.long_lines else limits.max_line
    return chosen.read_answer(Lines(opened.lines(longest)), limits, puzzle)


def is_inline_answer(given: str) -> bool:
    """Whether this is an answer that may be given in place of a path (moves of an id, a URL), and no file's name."""
    found = detect_answer(given.strip())
    return found is not None and found.inline and not os.path.lexists(given)


def _from_json(text: str) -> list[list[int]] | list[Bridge]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"this is not JSON: {error.msg}", line=error.lineno, column=error.colno) from error
    except (RecursionError, ValueError) as error:
        raise FormatError("this JSON is nested too deeply or has numbers too long for an answer") from error
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        value = value[0]
    if isinstance(value, list):
        return _grid(value)
    bridges, grid = value.get("bridges"), value.get("grid")
    if bridges is not None:
        return _bridges(bridges)
    if grid is not None:
        return _grid(grid)
    verdict = value.get("verdict")
    why = f": its verdict is {verdict!r}" if isinstance(verdict, str) else ", neither `bridges` nor `grid`"
    raise FormatError(f"this object holds no answer{why}")


def _grid(value: Any) -> list[list[int]]:
    rows = [row for row in value if isinstance(row, list) and all(map(_is_int, row))] if isinstance(value, list) else []
    if not rows or len(rows) != len(value):
        raise FormatError("expected an answer grid as a list of rows of integers")
    return rows


def _bridges(value: Any) -> list[Bridge]:
    if not isinstance(value, list):
        raise FormatError.expected("a list of bridges", type(value).__name__)
    bridges = []
    for k, item in enumerate(value, 1):
        match item:
            case {"from": [int(r1), int(c1)], "to": [int(r2), int(c2)], "count": int(count)}:
                bridges.append(Bridge(Cell(r1, c1), Cell(r2, c2), count))
            case _:
                raise FormatError(f'bridge {k}: expected {{"from": [row, col], "to": [row, col], "count": n}}')
    return bridges


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
