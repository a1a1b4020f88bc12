"""Colours of pictures.

Blue and orange are told apart with every common colour blindness, and no meaning rests on colour alone: single and
double bridges differ in their strokes, what is wrong is dashed, outlined boldly or crossed.
(Okabe and Ito, "Color Universal Design", https://jfly.uni-koeln.de/color/)
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Theme(enum.StrEnum):
    """The look of a picture."""

    LIGHT = "light"
    DARK = "dark"
    AUTO = "auto"
    """Light or dark as the viewer prefers: SVG only, elsewhere light."""


@dataclass(frozen=True)
class Palette:
    """Colours as #rrggbb, for each part of a picture."""

    board: str
    water: str
    bridge: str
    island: str
    outline: str
    clue: str
    done: str
    wrong: str


LIGHT = Palette(
    board="#ffffff",
    water="#c3cad3",
    bridge="#0f5fa6",
    island="#ffffff",
    outline="#1d2733",
    clue="#10161d",
    done="#d3e6f7",
    wrong="#d55e00",
)
DARK = Palette(
    board="#14181d",
    water="#465260",
    bridge="#62b0f5",
    island="#1f262e",
    outline="#dfe5ec",
    clue="#f4f7fa",
    done="#1e4468",
    wrong="#ff9d45",
)


def palette(theme: Theme) -> Palette:
    """The colours of a theme; those of `auto` where nothing is known of the viewer."""
    return DARK if theme is Theme.DARK else LIGHT
