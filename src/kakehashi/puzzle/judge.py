"""The judge in C++ (native/judge): is an answer right? Yes or no, from the clues and the bridges alone."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from kakehashi.puzzle.model import LaidBridges, Puzzle


@cache
def compiled_judge() -> Callable[[Puzzle, LaidBridges], bool] | None:
    """The judge; None where the package was built without a compiler.

    It raises ValueError for arrays that do not fit together.
    """
    try:
        from kakehashi.puzzle import _judge
    except ImportError:
        return None

    def is_right(puzzle: Puzzle, laid: LaidBridges) -> bool:
        return _judge.is_right(puzzle.cells, puzzle.rows, puzzle.cols, puzzle.max_bridges, puzzle.loops, *laid)

    return is_right
