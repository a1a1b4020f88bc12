"""The command line: thin. Each command parses, calls the layers below, prints."""

from __future__ import annotations

import sys


def main() -> None:
    """The entry point of the `kakehashi` command."""
    try:
        from kakehashi.cli.app import app

        app()
    except KeyboardInterrupt:  # before, or after, a command that deals with it itself
        from kakehashi.cli.exits import INTERRUPTED

        print("kakehashi: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
