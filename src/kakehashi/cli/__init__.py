"""The command line: thin. Each command parses, calls the layers below, prints."""

from __future__ import annotations


def main() -> None:
    """The entry point of the `kakehashi` command."""
    from kakehashi.cli.app import app

    app()
