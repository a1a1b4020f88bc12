"""Tables for people, JSON, NDJSON and CSV for programs. Results go to standard output, everything else to stderr.

A table is coloured and fitted only on a terminal, where columns that say nothing are left out; elsewhere it is plain
text with every column and nothing cut off, since what is piped is read by programs.
"""

from __future__ import annotations

import csv
import itertools
import json
import os
import re
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Row = dict[str, Any]

TABLE_PAGE = 500
"""Rows of a table that are laid out together; a longer table streams page by page."""


NOTHING = (None, 0, "", "unchecked")
"""Values that say nothing: on a terminal, a column of them is left out (the first page decides)."""

SHORT = 20
"""Width up to which a column is kept on one line where the terminal is narrow."""

GAP = 2
"""Blanks between two columns."""


class Format(StrEnum):
    """How to print rows."""

    TABLE = "table"
    JSON = "json"
    NDJSON = "ndjson"
    CSV = "csv"


class Color(StrEnum):
    """When to colour what is printed."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"

    @property
    def wanted(self) -> bool:
        """Whether standard output gets colours; `auto`: on a terminal, unless NO_COLOR is set (https://no-color.org)."""
        if self is Color.AUTO:
            return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return self is Color.ALWAYS


def count_of(number: int, noun: str, plural: str | None = None) -> str:
    """The number with its noun: 1 puzzle, 2 puzzles."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def note(message: str) -> None:
    """Tell a person something that is not a result."""
    print("\n".join(map(printable, message.split("\n"))), file=sys.stderr)


def emit(rows: Iterable[Row], output: Format, columns: Sequence[str], titles: Mapping[str, str] | None = None) -> None:
    """Print rows as they come.

    Args:
        columns: keys of the rows for `table` and `csv`; JSON and NDJSON print all keys.
        titles: column headings of a table where they differ from the key.
    """
    if output is Format.NDJSON:
        write_ndjson(rows, sys.stdout)
    elif output is Format.JSON:
        _emit_array(rows)
    elif output is Format.CSV:
        write_csv(rows, sys.stdout, columns)
    else:
        _emit_table(iter(rows), columns, titles or {})


def write_ndjson(rows: Iterable[Row], file: TextIO) -> None:
    """Write each row as one line of JSON, with all its keys."""
    for row in rows:
        print(dumps(row), file=file)


def write_csv(rows: Iterable[Row], file: TextIO, columns: Sequence[str]) -> None:
    """Write a line of headings, and one line for each row; None is an empty field.

    A file holds the texts as they are. On a terminal, what would steer it is shown as escapes.
    """
    shown = _shown if file.isatty() else lambda value: value
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([shown(row[column]) for column in columns] for row in rows)


def _shown(value: Any) -> Any:
    return printable(value) if isinstance(value, str) else value


def emit_object(row: Row, output: Format) -> None:
    """Print one row that stands for itself: an object in JSON, a line otherwise, two columns as a table."""
    if output is Format.JSON:
        print(dumps(row))
    elif output is Format.TABLE:
        width = max(map(len, row))
        for key, value in row.items():
            print(f"{key:<{width}}  {cell(value)}")
    else:
        emit([row], output, list(row))


def dumps(value: Any) -> str:
    """Compact JSON on one line, with nothing in it that steers a terminal or turns the direction of writing."""
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    return _STEERS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


_STEERS = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What json leaves as it is; in its texts, and it stands nowhere else, an escape means the same."""


def _emit_array(rows: Iterable[Row]) -> None:
    before = "["
    for row in rows:
        print(before, dumps(row), sep="\n" if before == "[" else "", end="")
        before = ",\n"
    print("[]" if before == "[" else "\n]")


def cell(value: Any) -> str:
    """A value as a person reads it in a table."""
    if value is None:
        return "-"
    if isinstance(value, float):
        if 0 < abs(value) < 0.1:
            return f"{value:.2g}"
        return f"{value:.1f}" if abs(value) < 1000 else f"{value:.0f}"
    return printable(str(value))


def printable(text: str) -> str:
    """The text with control characters written as escapes: a file's name must not steer somebody's terminal."""
    return text if text.isprintable() else "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def _emit_table(rows: Iterator[Row], columns: Sequence[str], titles: Mapping[str, str]) -> None:
    first = True
    headings: list[str] = []
    while page := list(itertools.islice(rows, TABLE_PAGE)):
        if first:
            if sys.stdout.isatty():
                columns = [column for column in columns if any(row[column] not in NOTHING for row in page)]
            headings = [titles.get(column, column) for column in columns]
        cells = [[cell(row[column]) for column in columns] for row in page]
        right = [all(isinstance(row[column], int | float | None) for row in page) for column in columns]
        if sys.stdout.isatty():
            _print_rich(headings if first else None, cells, right)
        else:
            _print_plain(headings if first else None, cells, right)
        first = False


def _print_plain(headings: Sequence[str] | None, cells: list[list[str]], right: Sequence[bool]) -> None:
    lines = [list(headings), *cells] if headings else cells
    widths = [max(len(line[i]) for line in lines) for i in range(len(right))]
    for line in lines:
        padded = (
            text.rjust(width) if r else text.ljust(width) for text, width, r in zip(line, widths, right, strict=True)
        )
        print("  ".join(padded).rstrip())


def _print_rich(headings: Sequence[str] | None, cells: list[list[str]], right: Sequence[bool]) -> None:
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=headings is not None, header_style="bold", pad_edge=False)
    needed = -GAP
    for i, is_right in enumerate(right):
        longest = max(cell_len(line[i]) for line in ([*cells, headings] if headings else cells))
        no_wrap = is_right or longest <= SHORT  # a long cell gives way first
        needed += GAP + (longest if no_wrap else SHORT)
        table.add_column(
            headings[i] if headings else "",
            justify="right" if is_right else "left",
            overflow="fold",
            no_wrap=no_wrap,
        )
    for line in cells:
        table.add_row(*(Text(text, style=STYLES.get(text, "")) for text in line))
    console = Console()
    # Cut off, 30000 would be 300: it is better that the terminal breaks the lines.
    console.size = (max(console.width, needed), console.height)
    console.print(table, crop=False)


STYLES = {
    "solved": "green",
    "unique": "green",
    "infeasible": "yellow",
    "multiple": "yellow",
    "timeout": "magenta",
    "invalid": "red",
    "crashed": "bold red",
    "cancelled": "dim",
    "queued": "cyan",
    "finished": "green",
    "incomplete": "magenta",
}
"""Colours of words that stand in tables."""
