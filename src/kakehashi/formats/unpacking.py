"""Compressed bytes as plain ones, piece by piece and under limits: nothing is unpacked ahead of its reader."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING, Any, Protocol

from kakehashi.formats.errors import BrokenSource
from kakehashi.formats.packing import CHUNK, Packing

if TYPE_CHECKING:
    from collections.abc import Callable

    from kakehashi.formats.limits import Limits

_XZ_MEMORY = 128 * 1024 * 1024
"""What a decompressor of xz may allocate: twice what `xz -9` needs. The file itself asks for it, up to 4 GiB."""

DAMAGE = (
    EOFError, NotImplementedError, OSError, OverflowError, RuntimeError, ValueError, lzma.LZMAError, struct.error,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""What the standard library raises over a damaged archive; each of these was seen or is documented."""


class Allowance:
    """How much may still come out of one packed file.

    Args:
        limits: the most bytes, and the most for each packed byte.
        packed: tells how many packed bytes were read so far, or all there are.
    """

    def __init__(self, limits: Limits, packed: Callable[[], int]) -> None:
        self._limits, self._packed = limits, packed
        self._unpacked = 0
        self.spent = False
        """Whether more was asked for than is allowed: nothing more is read then."""

    def take(self, count: int) -> None:
        """Count bytes that came out.

        Raises:
            BrokenSource: they are too many.
        """
        self._unpacked += count
        limits = self._limits
        if self._unpacked > limits.max_unpacked:
            self._refuse(f"more than {limits.max_unpacked} bytes come out of it")
        if self._unpacked > limits.max_bytes and self._unpacked > limits.max_ratio * self._packed():
            self._refuse(f"more than {limits.max_ratio} bytes come out for each byte in it, as from a zip bomb")

    def _refuse(self, what: str) -> None:
        self.spent = True
        raise BrokenSource(f"{what}: the rest of the archive is not read (if you trust it, unpack it yourself)")


class _Inner(Protocol):
    """What `gzip.GzipFile`, `zipfile.ZipExtFile` and the streams below have in common."""

    def read1(self, size: int, /) -> bytes: ...


class Unpacked(io.RawIOBase):
    """A stream of a library's decompressor, counted, its many errors made one; broken once is broken for good."""

    def __init__(self, inner: _Inner, allowance: Allowance) -> None:
        self._inner = inner
        self._allowance = allowance
        self.broken: BrokenSource | None = None

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read as much as is at hand.

        Raises:
            BrokenSource: the packed bytes are damaged, end too early, or too many come out.
        """
        if self.broken is not None:
            raise self.broken
        view = memoryview(buffer).cast("B")
        try:
            data = self._inner.read1(min(len(view), CHUNK))
            self._allowance.take(len(data))
        except BrokenSource as broken:
            self.broken = broken
            raise
        except DAMAGE as error:
            self.broken = BrokenSource(f"the archive is damaged here: {reason(error)}")
            raise self.broken from error
        view[: len(data)] = data
        return len(data)


def unpack(packing: Packing, packed: io.RawIOBase, allowance: Allowance) -> Unpacked:
    """The plain bytes of a gzip, bzip2 or xz stream."""
    if packing is Packing.GZIP:
        return Unpacked(gzip.GzipFile(fileobj=io.BufferedReader(packed, CHUNK)), allowance)
    return Unpacked(_Streams(bz2.BZ2Decompressor if packing is Packing.BZIP2 else _xz, packed), allowance)


def reason(error: BaseException) -> str:
    """What a library says of a damaged archive, without a full stop."""
    return str(error).partition("\n")[0].rstrip(".") or type(error).__name__


class _Decompressor(Protocol):
    """What bz2 and lzma have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


def _xz() -> lzma.LZMADecompressor:
    """`lzma.LZMAFile` sets no limit for the memory that a file may ask for."""
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)


class _Streams(io.RawIOBase):
    """One or more compressed streams, one behind the other."""

    def __init__(self, make: Callable[[], _Decompressor], packed: io.RawIOBase) -> None:
        self._make, self._packed = make, packed
        self._engine = make()

    def read1(self, size: int) -> bytes:
        """What comes out of the next packed bytes, at most `size`; empty at the end.

        Raises:
            EOFError, OSError, LZMAError: as bz2 and lzma do.
        """
        while True:
            data = b""
            if self._engine.eof:
                data = self._engine.unused_data.lstrip(b"\x00")  # xz files may be padded with zeros
                while not data:
                    more = self._packed.read(CHUNK)
                    if not more:
                        return b""
                    data = more.lstrip(b"\x00")
                self._engine = self._make()
            elif self._engine.needs_input:
                data = self._packed.read(CHUNK) or b""
                if not data:
                    raise EOFError("it ends before its end was marked")
            out = self._engine.decompress(data, size)
            if out:
                return out
