"""One puzzle as it was handed in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kakehashi.formats.errors import FormatError
    from kakehashi.puzzle.model import Bridge, Puzzle


@dataclass(frozen=True, slots=True)
class Entry:
    """One puzzle of a file, or why it is none: exactly one of `puzzle` and `error` is there.

    Attributes:
        name: the file as it was named, with `#k` (1-based) behind it where the file holds several puzzles.
        source: the file as it was named, `archive.zip!folder/file.txt` in an archive; `-` for standard input, `<text>`
            for a text.
        line: where the puzzle begins, 1-based; 0 where the whole file is meant.
        puzzle: the clues.
        error: what is wrong, with its place.
        note: a sentence where two readings fit and one was chosen.
        bridges: a solution that came along with the puzzle, unchecked; None where there was none.
    """

    name: str
    source: str
    line: int
    puzzle: Puzzle | None = None
    error: FormatError | None = None
    note: str | None = None
    bridges: tuple[Bridge, ...] | None = None
