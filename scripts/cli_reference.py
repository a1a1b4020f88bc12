"""Write docs/cli.md, the reference of the command line, from the program itself.

    python scripts/cli_reference.py            write it
    python scripts/cli_reference.py --check    exit 1 when it is not current

A test runs the check, so that what the page says is what `--help` says.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parent.parent / "docs" / "cli.md"

WIDTH = 80
"""Columns of the help texts, whatever the terminal has that this runs in."""

HEAD = """\
# Command line

<!-- Written by scripts/cli_reference.py: change the help texts in src/kakehashi/cli and run it again. -->

`kakehashi COMMAND --help` says the same in the terminal; `python -m kakehashi` is the same program. What the
machine-readable formats hold, and the exit codes, are in [results.md](results.md). Every setting can also be an
environment variable or a line of `kakehashi.toml`: `kakehashi config show` lists them with their sources.
"""


def commands(command: Any, name: str, parent: Any = None) -> Iterator[tuple[str, str]]:
    """The full name and the help text of a command and of all below it, in the order of the program."""
    context = command.make_context(
        name, [], parent=parent, resilient_parsing=True, terminal_width=WIDTH, max_content_width=WIDTH
    )
    yield context.command_path, context.get_help()
    for below in getattr(command, "commands", {}).values():
        yield from commands(below, below.name, context)


def reference() -> str:
    """The page."""
    from typer.main import get_command

    from kakehashi.cli.app import app

    parts = [HEAD]
    for path, text in commands(get_command(app), "kakehashi"):
        parts.append(f"## {path}\n\n```text\n{text.rstrip()}\n```\n")
    return "\n".join(parts)


def main() -> int:
    """Write the page, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the page is not current")
    arguments = parser.parse_args()
    page = reference()
    if not arguments.check:
        PAGE.write_text(page, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == page:
        return 0
    print(f"{PAGE.name} is not current: python scripts/cli_reference.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
