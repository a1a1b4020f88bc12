"""How boards and solutions are packed into bytes, and text is made fit for both databases."""

from __future__ import annotations

import zlib

from kakehashi.puzzle import Puzzle, Touching, rules_of

_RAW, _DEFLATED = b"\x00", b"\x01"
_WORTH_IT = 64
"""Shorter than this, deflating wins a few bytes at most and costs more than it saves."""


def pack(data: bytes) -> bytes:
    """One byte that names the coding, then the data: as it is, or deflated where that is shorter."""
    if len(data) >= _WORTH_IT:
        deflater = zlib.compressobj(level=6, wbits=-9 if len(data) <= 256 else -12, memLevel=5)
        deflated = deflater.compress(data) + deflater.flush()
        if len(deflated) < len(data):
            return _DEFLATED + deflated
    return _RAW + data


def unpack(packed: bytes) -> bytes:
    """The data that `pack` was given.

    Raises:
        ValueError: the first byte names no coding that is known here.
    """
    packed = bytes(packed)
    coding = packed[:1]
    if coding == _RAW:
        return packed[1:]
    if coding == _DEFLATED:
        return zlib.decompress(packed[1:], wbits=-15)
    raise ValueError(f"unknown coding {coding!r} of a stored board: it was written by a newer version")


def stored_puzzle(rows: int, cols: int, variant: str, touching: str, clues: bytes) -> Puzzle:
    """The puzzle of a row of the table `puzzle`.

    Raises:
        ValueError: its coding or its rules are not known here.
    """
    max_bridges, loops = rules_of(variant)
    return Puzzle(rows, cols, unpack(clues), Touching(touching), max_bridges, loops)


def clean(text: str) -> str:
    """The text with what one of the databases refuses (NUL, lone surrogates of odd file names) written as an escape."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode("utf-8")
