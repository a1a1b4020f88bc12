from __future__ import annotations

import io
import sys
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageColor

from kakehashi.errors import UsageError
from kakehashi.puzzle import check
from kakehashi.render.drawing import drawing
from kakehashi.render.png import png
from kakehashi.render.theme import DARK, LIGHT, Theme
from tests.unit.render.boards import board, bridge

if TYPE_CHECKING:
    from kakehashi.puzzle import Bridge, Puzzle


def picture(puzzle: Puzzle, bridges: list[Bridge], theme: Theme = Theme.LIGHT, cell: int | None = None) -> Image.Image:
    """The image in RGB; what the checker complains of is marked."""
    made = png(drawing(puzzle, bridges, violations=check(puzzle, bridges) if bridges else ()), theme, cell)
    return Image.open(io.BytesIO(made)).convert("RGB")


def colour(text: str) -> tuple[int, ...]:
    return ImageColor.getrgb(text)


@pytest.mark.parametrize("cell", [10, 14, 25, 26, 47, 48, 100])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_bridges_are_counted_sharp_and_symmetrical(cell: int, count: int) -> None:
    margin = max(1, round(cell / 6))
    for across in (True, False):
        puzzle = board("?.?", max_bridges=4) if across else board("?", ".", "?", max_bridges=4)
        end = (0, 2) if across else (2, 0)
        image = picture(puzzle, [bridge((0, 0), end, count)], cell=cell)
        at = (margin + cell + cell // 2, margin) if across else (margin, margin + cell + cell // 2)
        line = [
            image.getpixel((at[0], at[1] + k) if across else (at[0] + k, at[1])) for k in range(cell)
        ]  # the cell in the middle, from side to side
        assert set(line) == {colour(LIGHT.bridge), colour(LIGHT.board)}  # no shades: no blurred edge
        assert line == line[::-1]
        on = [False, *(pixel == colour(LIGHT.bridge) for pixel in line)]
        assert sum(is_on and not before for before, is_on in pairwise(on)) == count


def test_size_and_words() -> None:
    made = png(drawing(board("1.1", "..."), title="Nº 1"))
    image = Image.open(io.BytesIO(made))
    assert image.size == (160, 112)
    assert image.info["Software"] == "Kakehashi"
    assert image.info["Title"] == "Nº 1"
    assert image.info["Description"] == "2 islands"


@pytest.mark.parametrize("theme", list(Theme))
def test_colours_are_exact(theme: Theme) -> None:
    colours = DARK if theme is Theme.DARK else LIGHT
    image = picture(board("1.1", "..."), [bridge((0, 0), (0, 2))], theme)
    assert image.getpixel((0, 0)) == colour(colours.board)
    assert image.getpixel((32, 80)) == colour(colours.water)
    assert image.getpixel((80, 32)) == colour(colours.bridge)
    assert image.getpixel((32 - 18, 32)) == colour(colours.outline)
    assert image.getpixel((32, 32 - 13)) == colour(colours.island)


def test_islands_hold_their_clue() -> None:
    pictures = {clue: picture(board(clue, max_bridges=4), []).tobytes() for clue in ("1", "8", "g", "?")}
    assert len(set(pictures.values())) == 4
    clue = bytes(colour(LIGHT.clue))
    assert all(clue in made for made in pictures.values())


def test_what_is_wrong_is_dashed_and_crossed() -> None:
    puzzle = board(".1.", "1.1", ".1.")
    image = picture(puzzle, [bridge((0, 1), (2, 1)), bridge((1, 0), (1, 2))])
    line = [image.getpixel((x, 80)) for x in range(32, 128)]
    assert line.count(colour(LIGHT.wrong)) > 20
    assert colour(LIGHT.board) in line[20:40]
    assert image.getpixel((80 - 7, 80 - 7)) == colour(LIGHT.wrong)


def test_the_longer_side_is_about_the_same_for_large_boards() -> None:
    puzzle = board("1" + "." * 59)
    assert Image.open(io.BytesIO(png(drawing(puzzle)))).size[0] in range(1500, 1600)


def test_a_picture_that_nothing_could_show_is_refused() -> None:
    puzzle = board(*["1" * 300] * 300)
    with pytest.raises(UsageError, match="30034 x 30034 pixels is too large: take smaller cells, or SVG"):
        png(drawing(puzzle), cell=100)


def test_without_pillow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(UsageError, match=r"pip install 'kakehashi\[png\]'"):
        png(drawing(board("1.1")))
