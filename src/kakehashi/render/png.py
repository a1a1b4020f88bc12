"""A drawing as PNG, with Pillow (the extra `png`), which brings a font along.

Bridges are rectangles on whole pixels, so that they are sharp at any size. Islands, dots and crosses are stamps: made
once for each look, at several times their size, and then reduced, so that circles are round and clues smooth.
"""

from __future__ import annotations

import io
from dataclasses import astuple
from functools import lru_cache
from typing import TYPE_CHECKING

from kakehashi.errors import UsageError
from kakehashi.render.drawing import BRIDGE, CROSS, DASH, DOT, GAP, MARGIN, OUTLINE, PITCH, RADIUS, STEPS, Look
from kakehashi.render.theme import Theme, palette

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

    from kakehashi.render.drawing import Channel, Drawing
    from kakehashi.render.theme import Palette

TARGET, LEAST_CELL, MOST_CELL = 1600, 10, 48
"""Pixels of the longer side, about, and bounds for those of a cell."""

MOST_PIXELS = 150_000_000
"""A larger picture is refused: it would take half a gigabyte, and hardly a viewer shows it."""

_FINE = 8
"""How many times larger a stamp is made."""

_SHADES = 20
"""Steps from one colour to another at a smooth edge."""

_APART = 8
"""How much a shade differs at least from a colour, in red, green or blue."""

_LEVEL = 4
"""Of compression, 0 to 9: the ninth takes ten times as long for a sixth less."""

_FONT, _WIDE_FONT = 25, 21
"""Size of a clue with one or two characters, in units."""

_BOLD = 0.4
"""Units by which a clue is made bolder: the font has thin strokes."""

_Box = tuple[int, int, int, int]


def png(drawing: Drawing, theme: Theme = Theme.LIGHT, cell: int | None = None) -> bytes:
    """The picture as the bytes of a PNG file.

    Args:
        drawing: the board.
        theme: its colours; `auto` is light.
        cell: pixels of a cell; by default such that the longer side has about 1600.

    Raises:
        UsageError: Pillow is not installed, or the picture would be too large.
    """
    try:
        from PIL import Image, ImageDraw, PngImagePlugin
    except ImportError:
        raise UsageError(
            "PNG pictures need the extra `png`, which is not installed: pip install 'kakehashi[png]'; SVG needs nothing"
        ) from None
    cell = cell or drawing.cell_for(TARGET, LEAST_CELL, MOST_CELL)
    margin = _pixels(MARGIN, cell)
    size = drawing.cols * cell + 2 * margin, drawing.rows * cell + 2 * margin
    if size[0] * size[1] > MOST_PIXELS:
        raise UsageError(f"a picture of {size[0]} x {size[1]} pixels is too large: take smaller cells, or SVG")
    colours = palette(theme)
    image = Image.new("RGB", size, colours.board)
    pen = ImageDraw.Draw(image)
    for channel in drawing.channels:
        colour = colours.bridge if channel.look is Look.PLAIN else colours.wrong
        for x1, y1, x2, y2 in _strokes(channel, cell):
            pen.rectangle((margin + x1, margin + y1, margin + x2 - 1, margin + y2 - 1), colour)
    for row, col, stamp, (left, top, _, _) in _stamps(drawing, colours, cell):
        image.paste(stamp, (margin + col * cell + left, margin + row * cell + top), stamp)
    info = PngImagePlugin.PngInfo()
    info.add_text("Software", "Kakehashi")
    info.add_itxt("Title", drawing.title)
    info.add_itxt("Description", drawing.description)
    out = io.BytesIO()
    _few_colours(image, colours).save(out, "PNG", pnginfo=info, compress_level=_LEVEL)
    return out.getvalue()


def _few_colours(image: Image, colours: Palette) -> Image:
    """The image with a palette, the colours and shades between them: half the bytes, written in a fifth of the time."""
    from PIL import Image as Images

    palette_image = Images.new("P", (1, 1))
    palette_image.putpalette([level for shade in _shades(colours) for level in shade])
    return image.quantize(palette=palette_image, dither=Images.Dither.NONE)


@lru_cache(maxsize=4)
def _shades(colours: Palette) -> list[tuple[int, ...]]:
    """The colours, and steps from one to another where they meet at a smooth edge; fewer than 256 together.

    Pillow looks for the nearest one by the upper six bits of a colour. For white that may be a shade which is nearly
    white, so there is none so near to a colour.
    """
    from PIL.ImageColor import getrgb

    edges = (
        (colours.board, (colours.water, colours.outline, colours.wrong)),
        (colours.bridge, (colours.outline, colours.wrong)),
        (colours.island, (colours.outline, colours.wrong, colours.clue)),
        (colours.done, (colours.outline, colours.clue)),
    )
    exact = [getrgb(colour) for colour in dict.fromkeys(astuple(colours))]
    shades: dict[tuple[int, ...], None] = dict.fromkeys(exact)
    for first, last in ((getrgb(ground), getrgb(other)) for ground, others in edges for other in others):
        for part in range(1, _SHADES):
            shade = tuple((a * (_SHADES - part) + b * part) // _SHADES for a, b in zip(first, last, strict=True))
            if all(max(abs(a - b) for a, b in zip(shade, colour, strict=True)) >= _APART for colour in exact):
                shades[shade] = None
    return list(shades)


def _pixels(units: float, cell: int) -> int:
    return max(1, round(units * cell / PITCH))


def _strokes(channel: Channel, cell: int) -> Iterator[_Box]:
    """The rectangles of a channel, without the margin: left, top, and right and bottom, which are excluded."""
    (r1, c1), (r2, c2), strokes, look = channel
    middle = cell // 2
    length = (r2 - r1 + c2 - c1) * cell
    dashes = [(0, length)]
    if look is Look.WRONG:
        on, period = _pixels(DASH, cell), _pixels(DASH, cell) + _pixels(GAP, cell)
        dashes = [(at, min(at + on, length)) for at in range(0, length, period)]
    for first, last in _bands(strokes, cell):
        for begin, end in dashes:
            if channel.across:
                left = c1 * cell + middle
                yield left + begin, r1 * cell + first, left + end, r1 * cell + last
            else:
                top = r1 * cell + middle
                yield c1 * cell + first, top + begin, c1 * cell + last, top + end


def _bands(strokes: int, cell: int) -> list[tuple[int, int]]:
    """Where the strokes of a channel begin and end across a cell, symmetrical to its middle.

    For that, what they take together must be even where the cell is: an odd number of strokes is adjusted by their
    width, an even one by the step between them.
    """
    width = _pixels(BRIDGE, cell)
    if strokes % 2:
        width += (width + cell) % 2
    step = max(_pixels(STEPS[strokes], cell), width + 1)
    if strokes % 2 == 0:
        step += (width + step + cell) % 2
    first = (cell - width - (strokes - 1) * step) // 2
    return [(first + k * step, first + k * step + width) for k in range(strokes)]


def _stamps(drawing: Drawing, colours: Palette, cell: int) -> Iterator[tuple[int, int, Image, _Box]]:
    """Every island, dot and cross: its cell, its image, and where in the cell that lies."""
    if drawing.water:
        dot = _dot(colours, cell)
        for row, first, last in drawing.water:
            for col in range(first, last + 1):
                yield row, col, *dot
    for row, col, text, look in drawing.discs:
        yield row, col, *_island(text, look, colours, cell)
    for row, col in drawing.crosses:
        yield row, col, *_cross(colours, cell)


@lru_cache(maxsize=256)  # the same few for thousands of pictures
def _island(text: str, look: Look, colours: Palette, cell: int) -> tuple[Image, _Box]:
    from PIL import ImageFont

    def draw(pen: ImageDraw, scale: float) -> None:
        outline = 2 * OUTLINE if look is Look.WRONG else OUTLINE
        _disc(pen, scale, RADIUS + outline / 2, colours.wrong if look is Look.WRONG else colours.outline)
        _disc(pen, scale, RADIUS - outline / 2, colours.done if look is Look.DONE else colours.island)
        font = ImageFont.load_default((_FONT if len(text) == 1 else _WIDE_FONT) * scale)
        top = font.getbbox("0", anchor="ms")[1]
        middle = PITCH / 2 * scale
        pen.text((middle, middle - top / 2), text, colours.clue, font, anchor="ms", stroke_width=_BOLD * scale)

    return _stamp(cell, draw)


@lru_cache(maxsize=16)
def _dot(colours: Palette, cell: int) -> tuple[Image, _Box]:
    return _stamp(cell, lambda pen, scale: _disc(pen, scale, DOT / 2, colours.water))


@lru_cache(maxsize=16)
def _cross(colours: Palette, cell: int) -> tuple[Image, _Box]:
    def draw(pen: ImageDraw, scale: float) -> None:
        first, last = (PITCH / 2 - CROSS) * scale, (PITCH / 2 + CROSS) * scale
        width = round(BRIDGE * scale)
        pen.line((first, first, last, last), colours.wrong, width)
        pen.line((first, last, last, first), colours.wrong, width)

    return _stamp(cell, draw)


def _stamp(cell: int, draw: Callable[[ImageDraw, float], None]) -> tuple[Image, _Box]:
    """What `draw` draws in a cell that is `_FINE` times larger; it is told how many pixels a unit has."""
    from PIL import Image, ImageDraw

    large = Image.new("RGBA", (cell * _FINE, cell * _FINE))
    draw(ImageDraw.Draw(large), cell * _FINE / PITCH)
    image = large.reduce(_FINE)
    box = image.getbbox() or (0, 0, cell, cell)
    return image.crop(box), box


def _disc(pen: ImageDraw, scale: float, radius: float, colour: str) -> None:
    first, last = (PITCH / 2 - radius) * scale, (PITCH / 2 + radius) * scale
    pen.ellipse((first, first, last, last), colour)
