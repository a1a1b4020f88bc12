"""Boards as one string, which several formats share: characters for islands, letters for runs of water."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kakehashi.formats.errors import FormatError
from kakehashi.formats.lines import show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_RUNS = re.compile(rb"\x00+|[^\x00]")
_ISLAND = bytes.maketrans(bytes(range(256)), bytes([0, *([1] * 255)]))
_BESIDE = re.compile(rb"\x01(?=\x01)")


def runs(letters: str) -> dict[str, bytes]:
    """What letters stand for, the first one for one cell of water, the next one for two, and so on."""
    return {letter: bytes(length) for length, letter in enumerate(letters, 1)}


def decode(
    pieces: Sequence[str], table: Mapping[str, bytes], size: int, wanted: str, *, line: int, column: int
) -> bytes:
    """The cells of a board, `size` at most.

    Args:
        pieces: the string, or its pieces where some take several characters.
        table: what each piece stands for.
        size: how many cells the board has.
        wanted: what a piece may be, for the error.
        line, column: where the string begins, 1-based.

    Raises:
        FormatError: a piece is not in the table, or there are too many cells.
    """
    try:
        cells = b"".join(map(table.__getitem__, pieces[: size + 1]))  # each is one cell at least: no board is larger
    except KeyError:
        at = next(k for k, piece in enumerate(pieces) if piece not in table)
        raise FormatError.expected(wanted, show(pieces[at]), line=line, column=_column(pieces, at, column)) from None
    if len(cells) > size:
        filled = at = 0
        while filled <= size:
            filled += len(table[pieces[at]])
            at += 1
        raise FormatError.expected(f"{size} cells", "more", line=line, column=_column(pieces, at - 1, column))
    return cells


def _column(pieces: Sequence[str], at: int, column: int) -> int:
    return column + sum(map(len, pieces[:at])) if column else 0


def encode(cells: bytes, islands: Mapping[int, str], letters: str) -> str:
    """The string of a board: the longest runs that there are letters for.

    Raises:
        KeyError: there is no character for an island.
    """
    longest = len(letters)
    parts = []
    for found in _RUNS.findall(cells):
        if found[0]:
            parts.append(islands[found[0]])
            continue
        whole, rest = divmod(len(found), longest)
        parts.append(letters[-1] * whole + (letters[rest - 1] if rest else ""))
    return "".join(parts)


def touching(cells: bytes, cols: int) -> int | None:
    """The place of an island that touches the one at its right or below; None when no islands touch."""
    where = cells.translate(_ISLAND)
    for found in _BESIDE.finditer(where):
        if found.start() % cols != cols - 1:
            return found.start()
    below = int.from_bytes(where[:-cols], "little") & int.from_bytes(where[cols:], "little")
    return ((below & -below).bit_length() - 1) // 8 if below else None
