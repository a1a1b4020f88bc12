"""Pictures of puzzles and solutions: text for a terminal, SVG, PNG.

`kakehashi.render` is a folder and, for users of the library, a function: so this module can be called, and is then the
function `render` in it.
(https://docs.python.org/3/reference/datamodel.html#customizing-module-attribute-access)
"""

from __future__ import annotations

import sys
from types import ModuleType

from kakehashi.render.picture import PictureFormat, render
from kakehashi.render.terminal import draw
from kakehashi.render.theme import Theme

__all__ = ["PictureFormat", "Theme", "draw", "render"]


class _CallableModule(ModuleType):
    """This module, callable as `render`."""

    __call__ = staticmethod(render)


sys.modules[__name__].__class__ = _CallableModule
