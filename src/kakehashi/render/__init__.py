"""Pictures of puzzles and solutions.

`kakehashi.render` is a folder and, for users of the library, a function: so this module can be called, which is `draw`.
(https://docs.python.org/3/reference/datamodel.html#customizing-module-attribute-access)
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from kakehashi.render.terminal import draw

if TYPE_CHECKING:
    from kakehashi.puzzle import Puzzle, Solution

__all__ = ["draw"]


class _CallableModule(ModuleType):
    """This module, callable as `draw`."""

    def __call__(
        self,
        puzzle: Puzzle,
        solution: Solution | None = None,
        *,
        color: bool = False,
        ascii: bool = False,  # noqa: A002
    ) -> str:
        """Draw a puzzle: see `kakehashi.render.terminal.draw`."""
        return draw(puzzle, solution, color=color, ascii=ascii)


sys.modules[__name__].__class__ = _CallableModule
