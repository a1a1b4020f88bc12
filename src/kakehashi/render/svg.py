"""A drawing as SVG: markup to be read and edited by hand, one element a line, in whole units.

Colours are attributes of groups, not a style sheet: a sheet inside a picture would rule over the whole page that the
picture is put into. Only the theme `auto` has one, under a class of its own. No id is used, for the same reason. Every
part has a class, so that a page may colour it anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from kakehashi.render.drawing import (
    BRIDGE,
    CROSS,
    DASH,
    DOT,
    GAP,
    MARGIN,
    OUTLINE,
    PITCH,
    RADIUS,
    STEPS,
    Look,
)
from kakehashi.render.theme import DARK, Theme, palette

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kakehashi.render.drawing import Channel, Drawing
    from kakehashi.render.theme import Palette

TARGET, LEAST_CELL, MOST_CELL = 800, 20, 40
"""Pixels that a picture is high or wide where the page does not say otherwise, and bounds for those of a cell."""

_HALF = MARGIN + PITCH // 2
_FONT, _WIDE_FONT = 24, 20
_BASELINE, _WIDE_BASELINE = 9, 7
"""Size of a clue with one or two characters, and how far below the middle of the island it stands: digits are about
0.72 of the size high in every sans-serif font."""


def svg(drawing: Drawing, theme: Theme = Theme.LIGHT, cell: int | None = None) -> str:
    """The picture as the text of an SVG file.

    Args:
        drawing: the board.
        theme: its colours.
        cell: pixels of a cell where nothing else scales the picture.
    """
    return "\n".join(_lines(drawing, theme, cell or drawing.cell_for(TARGET, LEAST_CELL, MOST_CELL))) + "\n"


def _lines(drawing: Drawing, theme: Theme, cell: int) -> Iterator[str]:
    colours = palette(theme)
    width, height = drawing.width, drawing.height
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="kakehashi kakehashi-{theme}" role="img" '
        f'width="{width * cell // PITCH}" height="{height * cell // PITCH}" viewBox="0 0 {width} {height}">'
    )
    yield f"<title>{escape(drawing.title)}</title>"
    yield f"<desc>{escape(drawing.description)}</desc>"
    if theme is Theme.AUTO:
        yield from _dark_where_preferred()
    yield f'<rect class="board" width="{width}" height="{height}" fill="{colours.board}"/>'
    yield from _water(drawing, colours)
    yield from _bridges(drawing, colours)
    yield from _islands(drawing, colours)
    yield from _clues(drawing, colours)
    yield from _crosses(drawing, colours)
    yield "</svg>"


def _water(drawing: Drawing, colours: Palette) -> Iterator[str]:
    """Dots: dashes without a length, rounded off, one a cell. A run is a unit longer, so that its last dot shows."""
    if not drawing.water:
        return
    yield (
        f'<g class="water" fill="none" stroke="{colours.water}" stroke-width="{DOT}" stroke-linecap="round" '
        f'stroke-dasharray="0 {PITCH}">'
    )
    for row, first, last in drawing.water:
        yield f'<path d="M{_HALF + PITCH * first} {_HALF + PITCH * row}H{_HALF + PITCH * last + 1}"/>'
    yield "</g>"


def _bridges(drawing: Drawing, colours: Palette) -> Iterator[str]:
    for look, colour, more in (
        (Look.PLAIN, colours.bridge, ""),
        (Look.WRONG, colours.wrong, f' stroke-dasharray="{DASH} {GAP}"'),
    ):
        channels = [channel for channel in drawing.channels if channel.look is look]
        if channels:
            yield f'<g class="{_class("bridges", look)}" fill="none" stroke="{colour}" stroke-width="{BRIDGE}"{more}>'
            for channel in channels:
                yield f'<path d="{_strokes(channel)}"/>'
            yield "</g>"


def _strokes(channel: Channel) -> str:
    """The strokes of a channel from middle to middle of its islands, which are drawn above."""
    (r1, c1), (r2, c2), strokes, _ = channel
    x1, y1, x2, y2 = _HALF + PITCH * c1, _HALF + PITCH * r1, _HALF + PITCH * c2, _HALF + PITCH * r2
    offsets = _OFFSETS[strokes]
    if r1 == r2:
        return "".join(f"M{x1} {y1 + offset}H{x2}" for offset in offsets)
    return "".join(f"M{x1 + offset} {y1}V{y2}" for offset in offsets)


_OFFSETS = {count: [step * (2 * k - count + 1) // 2 for k in range(count)] for count, step in STEPS.items()}


def _islands(drawing: Drawing, colours: Palette) -> Iterator[str]:
    for look, fill, stroke, width in (
        (Look.PLAIN, colours.island, colours.outline, OUTLINE),
        (Look.DONE, colours.done, colours.outline, OUTLINE),
        (Look.WRONG, colours.island, colours.wrong, 2 * OUTLINE),
    ):
        discs = [disc for disc in drawing.discs if disc.look is look]
        if discs:
            yield f'<g class="{_class("islands", look)}" fill="{fill}" stroke="{stroke}" stroke-width="{width}">'
            for row, col, _, _ in discs:
                yield f'<circle cx="{_HALF + PITCH * col}" cy="{_HALF + PITCH * row}" r="{RADIUS}"/>'
            yield "</g>"


def _clues(drawing: Drawing, colours: Palette) -> Iterator[str]:
    yield (
        f'<g class="clues" fill="{colours.clue}" font-family="Helvetica, Arial, sans-serif" font-size="{_FONT}" '
        'text-anchor="middle">'
    )
    for row, col, text, _ in drawing.discs:
        x, y = _HALF + PITCH * col, _HALF + PITCH * row
        if len(text) == 1:
            yield f'<text x="{x}" y="{y + _BASELINE}">{text}</text>'
        else:
            yield f'<text x="{x}" y="{y + _WIDE_BASELINE}" font-size="{_WIDE_FONT}">{text}</text>'
    yield "</g>"


def _crosses(drawing: Drawing, colours: Palette) -> Iterator[str]:
    if not drawing.crosses:
        return
    yield f'<g class="crosses" fill="none" stroke="{colours.wrong}" stroke-width="{BRIDGE}" stroke-linecap="round">'
    for row, col in drawing.crosses:
        left, top = _HALF + PITCH * col - CROSS, _HALF + PITCH * row - CROSS
        right, bottom = left + 2 * CROSS, top + 2 * CROSS
        yield f'<path d="M{left} {top}L{right} {bottom}M{left} {bottom}L{right} {top}"/>'
    yield "</g>"


def _dark_where_preferred() -> Iterator[str]:
    """What overrules the light colours."""
    yield "<style>"
    yield "@media (prefers-color-scheme: dark) {"
    for part, rule in (
        ("board", f"fill: {DARK.board}"),
        ("water", f"stroke: {DARK.water}"),
        ("bridges", f"stroke: {DARK.bridge}"),
        ("islands", f"fill: {DARK.island}; stroke: {DARK.outline}"),
        ("done", f"fill: {DARK.done}"),
        ("clues", f"fill: {DARK.clue}"),
        ("wrong", f"stroke: {DARK.wrong}"),
        ("crosses", f"stroke: {DARK.wrong}"),
    ):
        yield f".kakehashi-auto .{part} {{ {rule} }}"
    yield "}"
    yield "</style>"


def _class(part: str, look: Look) -> str:
    return part if look is Look.PLAIN else f"{part} {look}"
