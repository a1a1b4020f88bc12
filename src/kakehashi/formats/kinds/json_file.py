"""`json`: puzzles as programs and data sets hold them; the shapes are those of `_json_shapes`.

A file holds one puzzle, an array of puzzles, or a data set `{"data": {name: puzzle}}`; several such values may follow
each other. An array streams, whatever its length; any other value may have `Limits.max_bytes` characters. Where the
JSON itself is broken, nothing is read behind the place.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any

from kakehashi.formats.errors import FormatError
from kakehashi.formats.kinds._json_answers import answer_in
from kakehashi.formats.kinds._json_shapes import ShapeError, board
from kakehashi.formats.kinds._json_text import DECODER, JsonText
from kakehashi.formats.lines import Lines, show
from kakehashi.formats.registry import Feature, Format, Item
from kakehashi.puzzle.model import UNKNOWN_CLUE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kakehashi.formats.kinds._json_shapes import Board
    from kakehashi.formats.kinds._json_text import Place
    from kakehashi.formats.limits import Limits
    from kakehashi.puzzle.model import Bridge, Puzzle, Solution

CARRIES = frozenset({Feature.UNKNOWN_CLUES, Feature.MAX_BRIDGES, Feature.NO_LOOPS, Feature.TOUCHING})

_BEGINS = re.compile(r"""\s*(?:\{\s*(?:["}]|\Z)|\[\s*(?:[\[\]{"0-9-]|\Z))""")
_LINE = re.compile(r"\s*(?:\{.*\}[ \t]*\n\s*(?:\{|\Z)|\[.*\][ \t]*\n\s*\[)")
_OF_ROWS = re.compile(r"\[\s*\[\s*[^\s\[{]")
_LOOK = 200
"""How many characters tell an array of rows from an array of puzzles."""

_SHORT = 64 * 1024
"""A text of fewer characters is read in one go where it is one puzzle."""

_SETS = ("data", "puzzles")


def begins(head: str) -> bool:
    """Whether a text begins as JSON does."""
    return _BEGINS.match(head) is not None


def is_lines(head: str) -> bool:
    """Whether the first line of a text looks like a whole object and nothing else is below but objects, or arrays."""
    return _LINE.match(head) is not None and begins(head)


def _sniff(head: str) -> bool:
    return begins(head) and not is_lines(head)


def _read(lines: Lines, limits: Limits) -> Iterator[Item]:
    first = lines.skip_blank()
    if first is None:
        return
    start = lines.number
    taken = [first, *lines.take(_SHORT)]
    quick = plain("\n".join(taken), start, limits) if sum(map(len, taken)) < _SHORT else None
    if quick is not None:
        yield quick
        return
    text = JsonText(Lines(chain(taken, lines), start - 1), limits.max_bytes)
    try:
        while text.peek():
            yield from _document(text, limits)
    except FormatError as error:
        lines.close()
        yield Item(error.line or text.line, error=error)


def plain(text: str, start: int, limits: Limits) -> Item | None:
    """The puzzle of a text that is one and right, without looking for places; None for any other."""
    try:
        value = DECODER.decode(text)
        return as_item(start, board(value, limits)) if isinstance(value, dict) and not is_set(value) else None
    except (ShapeError, ValueError, RecursionError):
        return None


def _document(text: JsonText, limits: Limits) -> Iterator[Item]:
    """The puzzles of one value.

    Raises:
        FormatError: it is no JSON, or neither object nor array, and then hardly JSON.
    """
    start = text.peek(_LOOK)
    if start[0] not in "[{":
        raise text.error(f"expected an object or an array, found {show(start.partition(chr(10))[0].strip())}")
    if start[0] != "[" or _OF_ROWS.match(start):
        yield from items(*text.value(), limits)
        return
    text.take()
    while text.peek() != "]":
        yield item(*text.value(), limits)
        follows = text.peek()
        if follows not in (",", "]") or not follows:
            raise text.error("this is not JSON: Expecting ',' delimiter")
        if follows == ",":
            text.take()
            if text.peek() == "]":
                raise text.error("this is not JSON: Expecting value")
    text.take()


def is_set(value: Any) -> bool:
    """Whether a value is a data set with many puzzles in it."""
    return (
        isinstance(value, dict)
        and any(isinstance(value.get(key), dict | list) for key in _SETS)
        and not {"islands", "grid", "problem"} & value.keys()
    )


def items(value: Any, place: Place, limits: Limits) -> Iterator[Item]:
    """The puzzles of a value that is at hand: one, or those of a data set."""
    if not is_set(value):
        yield item(value, place, limits)
        return
    key = next(key for key in _SETS if isinstance(value.get(key), dict | list))
    for _, puzzle, where in place.inside((key,)).members():
        yield item(puzzle, where, limits)


def item(value: Any, place: Place, limits: Limits) -> Item:
    """The one puzzle of a value."""
    try:
        return as_item(place.line, board(value, limits))
    except ShapeError as error:
        line, column = _where(place.inside(error.path))
        return Item(place.line, error=FormatError(str(error), line=line, column=column))


def as_item(line: int, found: Board) -> Item:
    """A puzzle as it is handed on."""
    rows, cols, cells, most, loops, bridges, note = found
    return Item(line, rows, cols, cells, note=note, max_bridges=most, loops=loops, bridges=bridges)


def _where(place: Place) -> tuple[int, int]:
    return place.line, place.column


def read_answer(lines: Lines, limits: Limits, puzzle: Puzzle | None) -> list[list[int]] | list[Bridge]:
    """An answer in any shape that `_json_shapes` knows.

    Raises:
        FormatError: it is none.
    """
    text = JsonText(lines, limits.max_bytes)
    if not text.peek():
        raise FormatError("there is no answer in it: the text is empty")
    value, _ = text.value()
    if text.peek():
        raise text.error("expected one answer, found more behind it")
    return answer_in(value, limits, puzzle.cells if puzzle else None)


def _pairs(puzzle: Puzzle) -> list[str]:
    return [
        f'{{"row": {row}, "col": {col}, "clue": {clue}}}'
        if clue != UNKNOWN_CLUE
        else f'{{"row": {row}, "col": {col}, "clue": "?"}}'
        for row, col, clue in puzzle.islands
    ]


def pieces(puzzle: Puzzle) -> list[str]:
    """The members of the object of a puzzle but its islands, each as JSON."""
    return [
        f'"width": {puzzle.cols}, "height": {puzzle.rows}',
        f'"max_bridges": {puzzle.max_bridges}, "no_loops": {"false" if puzzle.loops else "true"}',
    ]


def one_line(puzzle: Puzzle, bridges: Sequence[Bridge] | None = None) -> str:
    """The object of a puzzle, and of its answer where there is one, on one line."""
    parts = [*pieces(puzzle), f'"islands": [{", ".join(_pairs(puzzle))}]']
    if bridges is not None:
        parts.append(f'"bridges": [{", ".join(map(_bridge, bridges))}]')
    return f"{{{', '.join(parts)}}}\n"


def _bridge(bridge: Bridge) -> str:
    (r1, c1), (r2, c2), count = bridge
    return f'{{"from": [{r1}, {c1}], "to": [{r2}, {c2}], "count": {count}}}'


def _write(puzzle: Puzzle) -> str:
    return _laid_out(puzzle, None)


def _write_answer(solution: Solution) -> str:
    return _laid_out(solution.puzzle, solution.bridges)


def _laid_out(puzzle: Puzzle, bridges: Sequence[Bridge] | None) -> str:
    """The object of a puzzle, an island on each line."""
    parts = [*pieces(puzzle), _list("islands", _pairs(puzzle))]
    if bridges is not None:
        parts.append(_list("bridges", list(map(_bridge, bridges))))
    return "{\n  " + ",\n  ".join(parts) + "\n}\n"


def _list(key: str, values: Sequence[str]) -> str:
    inside = ",\n    ".join(values)
    return f'"{key}": [\n    {inside}\n  ]' if values else f'"{key}": []'


FORMAT = Format(
    name="json",
    summary="objects with islands or a grid, arrays and data sets of them, and what `solve --format json` prints",
    rank=1,
    sniff=_sniff,
    read=_read,
    write=_write,
    extension=".json",
    limits="Arrays and data sets of many puzzles are read; one puzzle a file is written (`jsonl` holds many).",
    examples=(
        '{\n  "size": 3, "islands": [\n    {"row": 0, "col": 0, "clue": 1}, {"row": 0, "col": 2, "clue": "?"}]\n}\n',
        '{"rows": 1, "cols": 3, "no_loops": true, "islands": [{"x": 0, "y": 0, "num": 2}, {"x": 2, "y": 0, "num": 2}]}',
        "[[2, 0, 2]]\n",
        '[{"grid": [[1, 0, 1]]}, {"size": 3, "islands": [{"row": 0, "column": 0, "required_bridges": 1}]}]\n',
        '{"count": 1, "data": {"a": {"problem": "1 3\\n1 - 1", "solution": "1 3\\n- 1 -"}}}',
    ),
    carries=CARRIES,
    write_answer=_write_answer,
    read_answer=read_answer,
    sniff_answer=begins,
    suffixes=(".json",),
    pieces=True,
    alone=True,
)
