"""Write the tables of docs/formats.md from the registry of formats.

    python scripts/formats_reference.py            write them
    python scripts/formats_reference.py --check    exit 1 when they are not current

The text around them is written by hand. A test runs the check, so that the page says what the program does.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kakehashi.formats import Format

PAGE = Path(__file__).parent.parent / "docs" / "formats.md"

_MARKS = re.compile(r"(<!-- begin (\w+) -->\n).*?(<!-- end \2 -->)", re.DOTALL)


def rows(head: Iterable[str], body: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    head = list(head)
    lines = [head, ["---"] * len(head), *map(list, body)]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def yes(value: object) -> str:
    """A cell that is filled or not."""
    return "yes" if value else ""


def overview(known: Iterable[Format]) -> str:
    """What each format is, and what can be done with it."""
    return rows(
        ("format", "what", "puzzles", "answers", "in place of a path", "written files"),
        (
            (
                f"`{format_.name}`",
                format_.summary,
                "read, written",
                ", ".join(
                    word
                    for word, able in (("read", format_.read_answer), ("written", format_.write_answer))
                    if able is not None
                ),
                yes(format_.inline),
                f"`{format_.extension}`",
            )
            for format_ in sorted(known, key=lambda format_: format_.name)
        ),
    )


def room(known: Iterable[Format]) -> str:
    """What each format has room for."""
    from kakehashi.formats import Feature

    return rows(
        ("format", *Feature, "limits"),
        (
            (f"`{format_.name}`", *(yes(feature in format_.carries) for feature in Feature), format_.limits)
            for format_ in sorted(known, key=lambda format_: format_.name)
        ),
    )


def order(known: Iterable[Format]) -> str:
    """The order in which formats are tried."""
    return "".join(f"{number}. `{format_.name}`{_suffixes(format_)}\n" for number, format_ in enumerate(known, start=1))


def _suffixes(format_: Format) -> str:
    return f" (and every file that ends in {', '.join(format_.suffixes)})" if format_.suffixes else ""


def samples(known: Iterable[Format]) -> str:
    """One example of each format."""
    return "\n".join(
        f"`{format_.name}`\n\n```text\n{format_.examples[0].rstrip()}\n```\n"
        for format_ in sorted(known, key=lambda format_: format_.name)
    )


def current(page: str) -> str:
    """The page with its tables as they should be."""
    from kakehashi.formats import formats

    makers = {"overview": overview, "room": room, "order": order, "samples": samples}
    return _MARKS.sub(lambda found: found[1] + makers[found[2]](formats()) + found[3], page)


def main() -> int:
    """Write the tables, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the page is not current")
    arguments = parser.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    made = current(page)
    if not arguments.check:
        PAGE.write_text(made, encoding="utf-8")
        return 0
    if page == made:
        return 0
    print(f"{PAGE.name} is not current: python scripts/formats_reference.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
