"""How files are packed, told by their first bytes. What unpacks them is loaded when the first packed file is met."""

from __future__ import annotations

import enum

CHUNK = 64 * 1024
"""How many bytes are read at once."""


class Packing(enum.Enum):
    """How the bytes of a file are packed, told by how they begin."""

    ZIP = (b"PK\x03\x04", b"PK\x05\x06")
    TAR = ()  # no magic at the beginning, see below
    GZIP = (b"\x1f\x8b",)
    BZIP2 = (b"BZh",)
    XZ = (b"\xfd7zXZ\x00",)
    OTHER = (b"7z\xbc\xaf\x27\x1c", b"\x28\xb5\x2f\xfd", b"Rar!\x1a", b"\x04\x22\x4d\x18", b"\x1f\x9d")
    """7z, Zstandard, RAR, LZ4, compress: known, and not read."""

    @classmethod
    def of(cls, head: bytes) -> Packing | None:
        """The packing of a file that begins like this; None when it is not packed."""
        if head[257:262] == b"ustar":
            return cls.TAR
        if not head.startswith(_MAGIC):
            return None  # nearly always: this is asked of every file
        return next(packing for packing in cls if packing.value and head.startswith(packing.value))


_MAGIC = tuple(magic for packing in Packing for magic in packing.value)
