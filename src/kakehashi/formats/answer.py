"""Read one answer to check it: in any format that has answers, or JSON as `kakehashi solve --format json` prints it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from kakehashi.errors import UsageError
from kakehashi.formats.errors import FormatError
from kakehashi.formats.kinds._rows import integers
from kakehashi.formats.limits import Limits
from kakehashi.formats.registry import detect_answer, formats, get
from kakehashi.formats.sources import open_text

if TYPE_CHECKING:
    from kakehashi.puzzle.model import Bridge, Puzzle

_DEFAULT_LIMITS = Limits()

_LINK = 5
"""How many integers a line of CodinGame's answers has."""


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
            it, or where it shows just the clues of the puzzle.
        puzzle: what it answers, which some formats need.
        limits: how large it may be.

    Raises:
        FormatError: it cannot be read, or holds no answer.
        UsageError: there is no such format, or it has no answers.
    """
    if len(text) > limits.max_bytes:
        raise FormatError(f"the answer is longer than {limits.max_bytes} characters")
    opened = open_text(text)
    if format is not None:
        chosen = get(format)
    else:
        chosen = get("grid") if _shows(opened.head, puzzle) else detect_answer(opened.head) or get("grid")
    if chosen.read_answer is None:
        able = ", ".join(sorted(other.name for other in formats() if other.read_answer is not None))
        raise UsageError(f"{chosen.name} has no answers that can be read: choose one of {able}")
    return chosen.read_answer(opened.read(chosen, limits), limits, puzzle)


def _shows(head: str, puzzle: Puzzle | None) -> bool:
    """Whether rows of integers show the clues of the puzzle: five in a row may be CodinGame's links, too."""
    if puzzle is None or puzzle.cols != _LINK:
        return False
    rows = [integers(line) for line in head.split("\n") if line.strip()]
    cells = [max(cell, 0) for row in rows for cell in row or ()]
    return len(rows) == puzzle.rows and cells == list(puzzle.cells)


def is_inline_answer(given: str) -> bool:
    """Whether this is an answer that may be given in place of a path (moves of an id, a URL), and no file's name."""
    found = detect_answer(given.strip())
    return found is not None and found.inline and not os.path.lexists(given)
