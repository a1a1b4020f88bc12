"""Kakehashi solves Hashiwokakero (Bridges) puzzles: exactly, with every answer checked.

    >>> import kakehashi
    >>> outcome = kakehashi.solve("2 0 2")
    >>> outcome.verdict.value, outcome.solution.grid
    ('solved', [[2, -3, 2]])

`read` takes puzzles from files, `solve` solves one, `check` judges an answer, `render` draws. None of it needs a
service. Importing the package is cheap: what a name stands for is loaded when the name is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kakehashi.errors import KakehashiError, UsageError
    from kakehashi.formats import Entry, FormatError, Limits, parse, read, read_answer
    from kakehashi.puzzle import (
        Bridge,
        Cell,
        Confirm,
        InvalidPuzzle,
        Puzzle,
        Solution,
        Termination,
        Touching,
        Uniqueness,
        Verdict,
        Violation,
        ViolationCode,
    )
    from kakehashi.render import render
    from kakehashi.solver.outcome import Outcome

    __version__: str

__all__ = [
    "Bridge",
    "Cell",
    "Confirm",
    "Entry",
    "FormatError",
    "InvalidPuzzle",
    "KakehashiError",
    "Limits",
    "Outcome",
    "Puzzle",
    "Solution",
    "Termination",
    "Touching",
    "Uniqueness",
    "UsageError",
    "Verdict",
    "Violation",
    "ViolationCode",
    "__version__",
    "check",
    "parse",
    "read",
    "read_answer",
    "render",
    "solve",
]

_HOMES = {
    "kakehashi.errors": ("KakehashiError", "UsageError"),
    "kakehashi.formats": ("Entry", "FormatError", "Limits", "parse", "read", "read_answer"),
    "kakehashi.puzzle": (
        "Bridge", "Cell", "Confirm", "InvalidPuzzle", "Puzzle", "Solution", "Termination", "Touching", "Uniqueness",
        "Verdict", "Violation", "ViolationCode",
    ),
    "kakehashi.solver.outcome": ("Outcome",),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def solve(
    puzzle: Puzzle | Sequence[Sequence[int]] | str,
    *,
    budget: float | None = None,
    unique: bool = False,
    engine: str = "auto",
    confirm: str = "none",
    beat: Callable[[], bool] | None = None,
    max_bridges: int | None = None,
    loops: bool | None = None,
) -> Outcome:
    """Solve one puzzle and check the answer, in this process.

    Args:
        puzzle: a `Puzzle`, rows of clues (0 = water), or the text of one puzzle in any format that `read` knows, an id
            or URL included (never a path: `read` opens files).
        budget: the most seconds of wall clock; None for no limit.
        unique: also find out whether the solution is the only one, within the same budget.
        engine: the name of an engine; `auto` takes the fastest that is there.
        confirm: what a second engine is asked too, for at most the budget again: `none`; `auto`, every proof that there
            is no solution and one in a hundred that there is no other one; `all`. See `Outcome.confirmed_by`.
        beat: called a few times a second; when it answers True the work is cancelled.
        max_bridges: the most bridges in a channel, 1 to 4, for rows, and for a text that does not say; None for 2.
        loops: False where loops are forbidden, for rows, and for a text that does not say.

    Returns:
        The outcome: `verdict` (solved, infeasible, unknown), `termination` (completed, timeout, ...), `solution`.

    Raises:
        InvalidPuzzle: the rows make no puzzle.
        FormatError: the text cannot be read, or does not hold exactly one puzzle.
        UsageError: the engine or the word for `confirm` is not known, the budget is no time, or rules were given with a
            `Puzzle`, which has its own.
    """
    from kakehashi.puzzle import Confirm
    from kakehashi.solver.solve import solve as solve_puzzle

    asked = Confirm.parse(confirm)
    board = _puzzle(puzzle, max_bridges, loops)
    return solve_puzzle(board, budget=budget, unique=unique, engine=engine, confirm=asked, beat=beat)


def check(
    puzzle: Puzzle | Sequence[Sequence[int]] | str,
    answer: Solution | Iterable[Bridge] | Sequence[Sequence[int]] | str,
    *,
    max_bridges: int | None = None,
    loops: bool | None = None,
) -> list[Violation]:
    """Judge an answer with the checker, which shares no code with the solver; an empty list means that it is right.

    Args:
        puzzle: as for `solve`.
        answer: a `Solution`, bridges, or an answer grid (rows of integers; bridges between touching islands, which a
            grid cannot show, are inferred), or the text of one in any format that `read_answer` knows.
        max_bridges, loops: as for `solve`.

    Raises:
        InvalidPuzzle, FormatError: the puzzle or the answer cannot be read.
        UsageError: rules were given with a `Puzzle`, which has its own.
        TooManyWays: the bridges that the answer grid cannot show would take too long to infer.
    """
    from kakehashi.puzzle import Bridge, Solution
    from kakehashi.puzzle.checker import check as check_bridges
    from kakehashi.puzzle.checker import check_grid

    asked = _puzzle(puzzle, max_bridges, loops)
    if isinstance(answer, Solution):
        return check_bridges(asked, answer.bridges)
    if isinstance(answer, str):
        from kakehashi.formats import read_answer

        answer = read_answer(answer, puzzle=asked)
    parts: list[Any] = list(answer)
    if all(isinstance(part, Bridge) for part in parts):
        return check_bridges(asked, parts)
    return check_grid(asked, parts)


def _puzzle(
    given: Puzzle | Sequence[Sequence[int]] | str, max_bridges: int | None = None, loops: bool | None = None
) -> Puzzle:
    """The puzzle that a caller means."""
    from kakehashi.errors import UsageError
    from kakehashi.formats import parse
    from kakehashi.puzzle import MAX_BRIDGES, Puzzle

    if isinstance(given, Puzzle):
        if (max_bridges, loops) != (None, None):
            raise UsageError("a Puzzle has its own max_bridges and loops: give them where it is made")
        return given
    if isinstance(given, str):
        return parse(given, max_bridges=max_bridges, loops=loops)
    most = MAX_BRIDGES if max_bridges is None else max_bridges
    return Puzzle.from_rows(given, max_bridges=most, loops=loops is not False)


def __getattr__(name: str) -> Any:
    """Load what a public name stands for (PEP 562)."""
    if name == "__version__":
        from importlib.metadata import version

        return version("kakehashi")
    if name == "render":
        return importlib.import_module("kakehashi.render")
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'kakehashi' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted({*globals(), *__all__})
