"""The puzzle: model, rules, graph, answer grid and the checker. Standard library alone."""

from kakehashi.puzzle.checker import check, check_grid
from kakehashi.puzzle.graph import Graph
from kakehashi.puzzle.hidden import TooManyWays
from kakehashi.puzzle.model import (
    CLASSIC,
    MAX_BRIDGES,
    MAX_CLUE,
    MAX_SIDE,
    MOST_BRIDGES,
    SIDES,
    UNKNOWN_CLUE,
    Bridge,
    Cell,
    Confirm,
    InvalidPuzzle,
    Island,
    Puzzle,
    Solution,
    Termination,
    Touching,
    Uniqueness,
    Verdict,
    bridge_between,
    clue_text,
    rules_of,
)
from kakehashi.puzzle.violation import Violation, ViolationCode

__all__ = [
    "CLASSIC",
    "MAX_BRIDGES",
    "MAX_CLUE",
    "MAX_SIDE",
    "MOST_BRIDGES",
    "SIDES",
    "UNKNOWN_CLUE",
    "Bridge",
    "Cell",
    "Confirm",
    "Graph",
    "InvalidPuzzle",
    "Island",
    "Puzzle",
    "Solution",
    "Termination",
    "TooManyWays",
    "Touching",
    "Uniqueness",
    "Verdict",
    "Violation",
    "ViolationCode",
    "bridge_between",
    "check",
    "check_grid",
    "clue_text",
    "rules_of",
]
