"""`python -m kakehashi` is the `kakehashi` command."""

from __future__ import annotations

from kakehashi.cli import main

if __name__ == "__main__":
    main()
