"""One call for every kind of picture."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Literal, TypeVar, overload

from kakehashi.errors import UsageError
from kakehashi.puzzle import Solution
from kakehashi.render.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kakehashi.puzzle import Bridge, Puzzle, Violation


class PictureFormat(enum.StrEnum):
    """What a picture is made of."""

    TEXT = "text"
    SVG = "svg"
    PNG = "png"


_Kind = TypeVar("_Kind", bound=enum.StrEnum)

LEAST_CELL, MOST_CELL = 10, 512
"""Bounds for the pixels of a cell."""


@overload
def render(
    puzzle: Puzzle | Solution,
    solution: Solution | Iterable[Bridge] | None = None,
    *,
    format: Literal["text", "svg"] = ...,
    theme: Theme | str = ...,
    cell: int | None = ...,
    title: str | None = ...,
    violations: Iterable[Violation] = ...,
    color: bool = ...,
    ascii: bool = ...,
) -> str: ...


@overload
def render(
    puzzle: Puzzle | Solution,
    solution: Solution | Iterable[Bridge] | None = None,
    *,
    format: Literal["png"],
    theme: Theme | str = ...,
    cell: int | None = ...,
    title: str | None = ...,
    violations: Iterable[Violation] = ...,
    color: bool = ...,
    ascii: bool = ...,
) -> bytes: ...


def render(  # noqa: PLR0913 - one call for all of them
    puzzle: Puzzle | Solution,
    solution: Solution | Iterable[Bridge] | None = None,
    *,
    format: PictureFormat | str = PictureFormat.TEXT,  # noqa: A002 - the word that the command line uses
    theme: Theme | str = Theme.LIGHT,
    cell: int | None = None,
    title: str | None = None,
    violations: Iterable[Violation] = (),
    color: bool = False,
    ascii: bool = False,  # noqa: A002 - the word for it
) -> str | bytes:
    """Draw a puzzle, or a solution with its puzzle.

    Args:
        puzzle: the clues; or a solution, which knows its puzzle.
        solution: the bridges to draw, right or wrong, all or some; None draws the clues alone.
        format: `text` for a terminal, `svg`, or `png` (needs the extra `png`).
        theme: `light`, `dark`, or `auto`, as the viewer prefers (SVG only). Of SVG and PNG.
        cell: pixels of a cell, 10 to 512; by default so that the whole fits a page. Of SVG and PNG.
        title: what the picture is called for those who do not see it. Of SVG and PNG.
        violations: what `kakehashi.check` says of the bridges: is marked. Of SVG and PNG.
        color: mark with ANSI escape codes. Of text.
        ascii: ASCII characters alone. Of text.

    Returns:
        Text ended by a line end; for `png`, the bytes of the file.

    Raises:
        UsageError: there is no such format or theme, a cell is too small or too large, or the extra `png` is missing.
    """
    made_of = _one_of(PictureFormat, format, "picture format")
    colours = _one_of(Theme, theme, "theme")
    if cell is not None and not LEAST_CELL <= cell <= MOST_CELL:
        raise UsageError(f"a cell has {LEAST_CELL} to {MOST_CELL} pixels, not {cell}")
    if isinstance(puzzle, Solution):
        solution = puzzle if solution is None else solution
        puzzle = puzzle.puzzle
    if made_of is PictureFormat.TEXT:
        from kakehashi.render.terminal import draw

        return draw(puzzle, solution, color=color, ascii=ascii)

    from kakehashi.render.drawing import drawing

    board = drawing(puzzle, solution, violations=violations, title=title)
    if made_of is PictureFormat.SVG:
        from kakehashi.render.svg import svg

        return svg(board, colours, cell)

    from kakehashi.render.png import png

    return png(board, colours, cell)


def _one_of(kind: type[_Kind], word: str, what: str) -> _Kind:
    try:
        return kind(word)
    except ValueError:
        raise UsageError(f"there is no {what} {str(word)!r}; there are {', '.join(kind)}") from None
