"""What a format is, and which ones there are.

A new format is one file in `kakehashi/formats/kinds/` that defines `FORMAT`; nothing else has to be touched.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from kakehashi.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kakehashi.formats.errors import FormatError
    from kakehashi.formats.limits import Limits
    from kakehashi.formats.lines import Lines
    from kakehashi.puzzle.model import Puzzle


@dataclass(frozen=True, slots=True)
class Item:
    """One puzzle as a format found it: cells (one byte each, row-major, 0..8), or what is wrong.

    `line` is where it begins. `note` is a sentence where two readings fit and one was chosen.
    """

    line: int
    rows: int = 0
    cols: int = 0
    cells: bytes = b""
    error: FormatError | None = None
    note: str | None = None


@dataclass(frozen=True)
class Format:
    """One way to write puzzles down.

    Attributes:
        name: as it is given to `--from`.
        summary: one line of help.
        rank: the order in which formats are tried when none is named: the stricter a format, the lower its rank.
        suffixes: file name endings (with the dot, lower case) that belong to this format alone.
        sniff: whether the beginning of a text (some thousand characters) is surely of this format. It must be strict:
            where two formats claim a text, the lower rank is taken and the entry carries a note.
        read: the puzzles of a text, one by one. A bad puzzle is an item with an error, and where the structure allows
            the reading goes on behind it. It raises nothing, looks at the limits before it allocates, and keeps one
            puzzle at a time.
        write: the text of one puzzle, which `read` gives back; None when the format is only read.
        read_answer: an answer grid in this format, or FormatError raised; None when it has no answers.
    """

    name: str
    summary: str
    rank: int
    sniff: Callable[[str], bool]
    read: Callable[[Lines, Limits], Iterator[Item]]
    write: Callable[[Puzzle], str] | None = None
    read_answer: Callable[[Lines, Limits], list[list[int]]] | None = None
    suffixes: tuple[str, ...] = ()


@cache
def formats() -> tuple[Format, ...]:
    """Every format, in the order in which they are tried."""
    from kakehashi.formats import kinds

    names = sorted(module.name for module in pkgutil.iter_modules(kinds.__path__) if not module.name.startswith("_"))
    modules = [importlib.import_module(f"{kinds.__name__}.{name}") for name in names]
    found: list[Format] = [module.FORMAT for module in modules]
    return tuple(sorted(found, key=lambda format_: (format_.rank, format_.name)))


def get(name: str) -> Format:
    """The format of this name.

    Raises:
        UsageError: there is none.
    """
    for format_ in formats():
        if format_.name == name:
            return format_
    raise UsageError(f"there is no format {name!r}: choose one of {', '.join(sorted(f.name for f in formats()))}")


def detect(head: str, suffix: str = "") -> tuple[Format, str | None]:
    """The format of a text that begins like this, and a note where more than one fits.

    The file name's suffix decides where it belongs to one format; then the first format that claims the text; else
    `grid`, whose error messages then say what is wrong, or `text` where nothing separates the cells.
    """
    for format_ in formats():
        if suffix and suffix in format_.suffixes:
            return format_, None
    claims = [format_ for format_ in formats() if format_.sniff(head)]
    if claims:
        others = ", ".join(format_.name for format_ in claims[1:])
        note = f"read as {claims[0].name}, though {others} fits too (name one with --from)" if others else None
        return claims[0], note
    first = head.strip().partition("\n")[0]
    return get("grid" if "," in first or " " in first or "\t" in first else "text"), None
