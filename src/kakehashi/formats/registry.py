"""What a format is, and which ones there are.

A new format is one file in `kakehashi/formats/kinds/` that defines `FORMAT`; nothing else has to be touched.
"""

from __future__ import annotations

import enum
import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from kakehashi.errors import UsageError
from kakehashi.formats.errors import FormatError
from kakehashi.puzzle.model import MAX_BRIDGES, UNKNOWN_CLUE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kakehashi.formats.limits import Limits
    from kakehashi.formats.lines import Lines
    from kakehashi.puzzle.model import Bridge, Puzzle, Solution

_UNKNOWN = bytes([UNKNOWN_CLUE])


class Feature(enum.StrEnum):
    """What a format may have room for beyond a board of numbers."""

    UNKNOWN_CLUES = "unknown clues"
    """Islands without a number."""
    MAX_BRIDGES = "most bridges"
    """The text says how many bridges a channel may carry."""
    NO_LOOPS = "no loops"
    """The text says that loops are forbidden."""
    TOUCHING = "touching islands"
    """Islands may share an edge."""
    MANY = "many puzzles"
    """Several puzzles in one text."""


@dataclass(frozen=True, slots=True)
class Item:
    """One puzzle as a format found it, or what is wrong.

    Attributes:
        line: where it begins, 1-based.
        rows, cols: the size of the board.
        cells: one byte each, row-major, as in `Puzzle.cells`. Whether a clue fits the rules is looked at later.
        error: why there is no puzzle.
        note: a sentence where two readings fit and one was chosen.
        max_bridges, loops: the rules that the text states; None where it says nothing.
        bridges: a solution that came along, unchecked.
    """

    line: int
    rows: int = 0
    cols: int = 0
    cells: bytes = b""
    error: FormatError | None = None
    note: str | None = None
    max_bridges: int | None = None
    loops: bool | None = None
    bridges: tuple[Bridge, ...] | None = None


@dataclass(frozen=True)
class Format:
    """One way to write puzzles down.

    Attributes:
        name: as it is given to `--from`.
        summary: one line of help.
        rank: the order in which formats are tried when none is named: the stricter a format, the lower its rank.
        sniff: whether the beginning of a text (some thousand characters) is surely of this format. It must be strict:
            where two formats claim a text, the lower rank is taken and the entry carries a note.
        read: the puzzles of a text, one by one. A bad puzzle is an item with an error, and where the structure allows
            the reading goes on behind it. It raises nothing, looks at the limits before it allocates, and keeps one
            puzzle at a time.
        write: the text of one puzzle, ended by a line end, which `read` gives back. It raises FormatError where the
            format cannot hold the puzzle; `refuse` says so for what `carries` leaves out.
        extension: with the dot, for files that are written.
        limits: what the format cannot hold beyond `carries`, as one sentence for the documents; empty for nothing.
        examples: texts of this format, each read, written and told from the others by a test.
        carries: what the format has room for.
        separator: text between two puzzles in one file; None where a file holds one puzzle (no `Feature.MANY`).
        write_answer: the text of a puzzle with its answer, as the programs of this format open it, or of the answer
            alone where the format keeps them apart. It raises FormatError as `write` does.
        read_answer: an answer grid or bridges in this format, or FormatError raised; None when it has no answers. The
            puzzle is None where it is not known.
        sniff_answer: as `sniff`, for answers; None where those look like puzzles of this format.
        suffixes: file name endings (with the dot, lower case) that belong to this format alone.
        inline: whether a puzzle may be given in place of a path, as an id or URL on one line.
        long_lines: whether one line may hold a whole puzzle: `Limits.max_bytes` bounds it then, not `Limits.max_line`.
        alone: whether no other format can mean a text that `sniff` claims, so that none of them is asked.
        pieces: whether a long line comes in pieces, each but the last ended by `lines.CONTINUED`: for texts in which
            lines mean nothing.
    """

    name: str
    summary: str
    rank: int
    sniff: Callable[[str], bool]
    read: Callable[[Lines, Limits], Iterator[Item]]
    write: Callable[[Puzzle], str]
    extension: str
    limits: str
    examples: tuple[str, ...]
    carries: frozenset[Feature] = frozenset()
    separator: str | None = None
    write_answer: Callable[[Solution], str] | None = None
    read_answer: Callable[[Lines, Limits, Puzzle | None], list[list[int]] | list[Bridge]] | None = None
    sniff_answer: Callable[[str], bool] | None = None
    suffixes: tuple[str, ...] = ()
    inline: bool = False
    long_lines: bool = False
    pieces: bool = False
    alone: bool = False


def refuse(puzzle: Puzzle, name: str, carries: frozenset[Feature], *, largest: int | None = None) -> None:
    """See that a format has room for a puzzle, for its writer to begin with.

    Args:
        puzzle: what is to be written.
        name: the name of the format.
        carries: what it has room for.
        largest: the largest clue that it can write; None for any.

    Raises:
        FormatError: it has not.
    """
    if puzzle.max_bridges != MAX_BRIDGES and Feature.MAX_BRIDGES not in carries:
        most = "1 bridge" if puzzle.max_bridges == 1 else f"{puzzle.max_bridges} bridges"
        raise FormatError(f"{name} cannot say that a channel carries at most {most}")
    if not puzzle.loops and Feature.NO_LOOPS not in carries:
        raise FormatError(f"{name} cannot say that loops are forbidden")
    if puzzle.has_unknown_clues and Feature.UNKNOWN_CLUES not in carries:
        raise FormatError(f"{name} has no sign for an island without a number")
    if Feature.TOUCHING not in carries and (pair := puzzle.first_touching_pair) is not None:
        (r1, c1), (r2, c2) = pair
        raise FormatError(
            f"{name} has no touching islands, as at row {r1 + 1}, column {c1 + 1} and row {r2 + 1}, column {c2 + 1}"
        )
    if largest is not None and (clue := max(puzzle.cells.replace(_UNKNOWN, b""), default=0)) > largest:
        raise FormatError(f"{name} has no sign for the clue {clue}: at most {largest}")


def answer_along(item: Item, puzzle: Puzzle | None) -> list[Bridge]:
    """The bridges that came along with a puzzle, for `read_answer` of a format that keeps both in one file.

    Raises:
        FormatError: the item is an error, or not the puzzle that is to be answered.
    """
    if item.error is not None:
        raise item.error
    if puzzle is not None and (item.rows, item.cols, item.cells) != (puzzle.rows, puzzle.cols, puzzle.cells):
        raise FormatError("this is the answer of another puzzle: its cells are not the same", line=item.line)
    return list(item.bridges or ())


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


def inline(given: str) -> Format | None:
    """The format whose id or URL this is, so that it may stand in place of a path; None when it looks like none."""
    head = given.strip()
    return next((format_ for format_ in formats() if format_.inline and format_.sniff(head)), None)


def detect_answer(head: str) -> Format | None:
    """The format of an answer that begins like this; None when no format claims it."""
    for format_ in formats():
        if format_.read_answer is not None and (format_.sniff_answer or format_.sniff)(head):
            return format_
    return None


def detect(head: str, suffix: str = "") -> tuple[Format, str | None]:
    """The format of a text that begins like this, and a note where more than one fits.

    The file name's suffix decides where it belongs to one format; then the first format that claims the text; else
    `grid`, whose error messages then say what is wrong, or `text` where nothing separates the cells.
    """
    for format_ in formats():
        if suffix and suffix in format_.suffixes:
            return format_, None
    claims: list[Format] = []
    for format_ in formats():
        if format_.sniff(head):
            claims.append(format_)
            if format_.alone:
                break
    if claims:
        others = ", ".join(format_.name for format_ in claims[1:])
        note = f"read as {claims[0].name}, though {others} fits too (name one with --from)" if others else None
        return claims[0], note
    first = head.strip().partition("\n")[0]
    return get("grid" if "," in first or " " in first or "\t" in first else "text"), None
