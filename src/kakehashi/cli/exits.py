"""Exit codes, documented in the README."""

from __future__ import annotations

DECIDED = 0
UNDECIDED = 1
USAGE = 2
UNREACHABLE = 3
INTERRUPTED = 130
