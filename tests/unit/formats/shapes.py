"""Entries in short, for tables of samples."""

from __future__ import annotations

from kakehashi.formats import Limits, read
from kakehashi.puzzle import UNKNOWN_CLUE


def shape(text: str, name: str | None, *, max_bridges: int | None = None, limits: Limits | None = None) -> list[str]:
    """Each entry as its rows split by `/`, with its rules and bridges where there are any; or as its error.

    A clue is one character, `A` for 10 and so on.
    """
    shown = []
    for entry in read("\n" + text, format=name, max_bridges=max_bridges, limits=limits or Limits()):
        if entry.puzzle is None:
            error = entry.error
            assert error is not None
            place = f"{error.line - 1}:{error.column} " if error.column else f"{error.line - 1} " if error.line else ""
            shown.append(place + error.message)
            continue
        rows = ["".join(map(_cell, row)) for row in entry.puzzle.to_rows()]
        rules = "" if entry.puzzle.variant == "classic" else " " + entry.puzzle.variant
        laid = "".join(f" {r1},{c1}-{r2},{c2}x{count}" for (r1, c1), (r2, c2), count in entry.bridges or ())
        shown.append("/".join(rows) + rules + laid)
    return shown


def _cell(clue: int) -> str:
    return "?" if clue == UNKNOWN_CLUE else f"{clue}" if clue < 10 else chr(ord("A") + clue - 10)
