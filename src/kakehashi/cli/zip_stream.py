"""A zip archive that is written in one go, with memory for one file at a time.

`zipfile` keeps an object for each file until the end, which for a million files is most of a gigabyte. Here the
directory, which stands at an archive's end, grows in a temporary file meanwhile. Source: PKWARE's APPNOTE.TXT 6.3.10,
sections 4.3.7 (local header), 4.3.12 (directory), 4.3.14 and 4.3.15 (zip64), 4.3.16 (end).
"""

from __future__ import annotations

import shutil
import struct
import tempfile
import zlib
from typing import IO, TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

_LOCAL = struct.Struct("<4s5H3I2H")
_ENTRY = struct.Struct("<4s6H3I5H2I")
_END_64 = struct.Struct("<4sQ2H2I4Q")
_LOCATOR_64 = struct.Struct("<4sIQI")
_END = struct.Struct("<4s4H2IH")

_VERSION, _VERSION_64 = 20, 45
_MADE_ON_UNIX = 3 << 8
_UTF8_NAME = 1 << 11
_DEFLATED = 8
_FIRST_DAY = (1980 - 1980) << 9 | 1 << 5 | 1  # a fixed date: the same export gives the same bytes
_REGULAR_FILE = (0o100000 | 0o644) << 16
_MOST_16, _MOST_32 = 0xFFFF, 0xFFFFFFFF


class ZipStream:
    """Writes an archive to a file that is open for writing in binary; `with` ends it.

    A file in it is written at once, so it has to be less than 4 GiB; archive and number of files may be of any size.
    """

    def __init__(self, target: IO[bytes]) -> None:
        self._target = target
        self._directory = tempfile.TemporaryFile()  # noqa: SIM115 - closed in __exit__
        self._count = 0
        self._at = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._directory:
            if kind is None:
                self._end()

    def add(self, name: str, data: bytes) -> None:
        """Add a file; `name` is its path in the archive, with `/` between folders."""
        packer = zlib.compressobj(level=6, wbits=-15)
        packed = packer.compress(data) + packer.flush()
        raw = name.encode()
        crc, sizes = zlib.crc32(data), (len(packed), len(data))
        local = _LOCAL.pack(
            b"PK\x03\x04", _VERSION, _UTF8_NAME, _DEFLATED, 0, _FIRST_DAY, crc, *sizes, len(raw), 0
        )  # fmt: skip
        far = struct.pack("<2HQ", 1, 8, self._at) if self._at >= _MOST_32 else b""
        version = _VERSION_64 if far else _VERSION
        self._directory.write(
            _ENTRY.pack(
                b"PK\x01\x02", _MADE_ON_UNIX | version, version, _UTF8_NAME, _DEFLATED, 0, _FIRST_DAY, crc, *sizes,
                len(raw), len(far), 0, 0, 0, _REGULAR_FILE, _MOST_32 if far else self._at,
            ) + raw + far
        )  # fmt: skip
        self._write(local, raw, packed)
        self._count += 1

    def _write(self, *parts: bytes) -> None:
        for part in parts:
            self._target.write(part)
            self._at += len(part)

    def _end(self) -> None:
        """Put the directory behind the files, and say where it is."""
        start, size, count = self._at, self._directory.tell(), self._count
        self._directory.seek(0)
        shutil.copyfileobj(self._directory, self._target)
        self._at += size
        if count >= _MOST_16 or size >= _MOST_32 or start >= _MOST_32:
            end_64 = _END_64.pack(
                b"PK\x06\x06", 44, _MADE_ON_UNIX | _VERSION_64, _VERSION_64, 0, 0, count, count, size, start
            )  # fmt: skip
            locator = _LOCATOR_64.pack(b"PK\x06\x07", 0, self._at, 1)
            self._write(end_64, locator)
        few = min(count, _MOST_16)
        self._write(_END.pack(b"PK\x05\x06", 0, 0, few, few, min(size, _MOST_32), min(start, _MOST_32), 0))
