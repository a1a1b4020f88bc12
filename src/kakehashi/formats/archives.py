"""The files in a zip or a tar archive, one at a time, each a stream or a reason why it is none. Nothing is extracted.

Members come in the order in which the archive has them, so the k-th is the same whenever it is read again.
"""

from __future__ import annotations

import io
import os
import re
import stat
import tarfile
import zipfile
from dataclasses import dataclass
from hashlib import blake2b
from typing import IO, TYPE_CHECKING, Any, cast

from kakehashi.formats.errors import BrokenSource
from kakehashi.formats.packing import CHUNK
from kakehashi.formats.sources import is_skipped
from kakehashi.formats.unpacking import DAMAGE, Allowance, Unpacked, reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kakehashi.formats.limits import Limits

_BLOCK = tarfile.BLOCKSIZE
_MAX_HEADER = 64 * 1024
"""The longest name, and the longest list of attributes, that a tar archive may give a member."""

_LEADS_OUT = re.compile(r"[/\\]|[A-Za-z]:[/\\]|(?:.*[/\\])?\.\.(?:[/\\]|\Z)", re.DOTALL)


@dataclass(frozen=True)
class Member:
    """One file in an archive: a stream, which ends when the next member is asked for, or what is wrong.

    `name` is its path in the archive; empty where the archive itself is meant.
    """

    name: str
    stream: io.RawIOBase | None = None
    problem: str | None = None


class _Names:
    """The names that an archive had so far."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._seen: set[bytes] = set()
        self._count = 0

    def one_more(self) -> str | None:
        """Count a member; the problem when there are too many."""
        self._count += 1
        return _too_many(self._limits) if self._count > self._limits.max_members else None

    def problem(self, name: str) -> str | None:
        """What is wrong with the name of a file; None when it can be read."""
        if not name:
            return "a file without a name"
        if _LEADS_OUT.match(name):
            return "its name leads out of the archive: no such file is read"
        key = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if key in self._seen:
            return "the archive has this name twice: only the first is read"
        self._seen.add(key)
        return None


def _too_many(limits: Limits) -> str:
    return f"it has more than {limits.max_members} members: the rest is not read (unpack it and give the folder)"


def _passed_over(name: str) -> bool:
    """Whether the file or a folder above it is passed over; `..` is no hidden folder."""
    return any(is_skipped(part) and part not in (".", "..") for part in re.split(r"[/\\]", name))


def zip_members(file: IO[bytes], limits: Limits) -> Iterator[Member]:
    """The files in a zip archive; the file must be seekable."""
    size, count = _zip_directory(file)
    if count > limits.max_members or size > limits.max_members * 512:
        yield Member("", problem=_too_many(limits))
        return
    try:
        archive = zipfile.ZipFile(file)
    except DAMAGE as error:
        yield Member("", problem=f"the archive is damaged: {reason(error)}")
        return
    with archive:
        length = file.seek(0, os.SEEK_END)
        allowance = Allowance(limits, lambda: length)
        names = _Names(limits)
        for info in archive.infolist():
            problem = names.one_more()
            if problem is not None:
                yield Member("", problem=problem)
                return
            if info.is_dir() or _passed_over(info.filename):
                continue
            yield from _zip_member(archive, info, names, allowance)
            if allowance.spent:
                return


def _zip_member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, names: _Names, allowance: Allowance
) -> Iterator[Member]:
    problem = names.problem(info.filename)
    kind = stat.S_IFMT(info.external_attr >> 16)
    if problem is None and kind not in (0, stat.S_IFREG):
        problem = "a link: only regular files are read" if kind == stat.S_IFLNK else "no regular file"
    if problem is None and info.flag_bits & 0x1:
        problem = "it is encrypted: unpack it with its password first"
    # bzip2 and LZMA in a zip file are unpacked by the library without a limit of memory, and hardly anybody uses them.
    if problem is None and info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        problem = f"compression method {info.compress_type} is not read, only stored (0) and deflated (8)"
    if problem is None:
        try:
            with archive.open(info) as stream:
                # A ZipExtFile, which typeshed calls IO[bytes].
                yield Member(info.filename, Unpacked(cast("zipfile.ZipExtFile", stream), allowance))
        except DAMAGE as error:
            problem = f"the archive is damaged here: {reason(error)}"
    if problem is not None:
        yield Member(info.filename, problem=problem)


def _zip_directory(file: IO[bytes]) -> tuple[int, int]:
    """How long a zip archive says that its directory is, in bytes and members, before anybody allocates it."""
    end = file.seek(0, os.SEEK_END)
    file.seek(max(0, end - (1 << 16) - 256))
    tail = file.read()
    file.seek(0)
    found = tail.rfind(b"PK\x05\x06")
    count, size = int.from_bytes(tail[found + 10 : found + 12], "little"), tail[found + 12 : found + 16]
    large = tail.rfind(b"PK\x06\x06", 0, max(found, 0))
    if large >= 0:
        count = int.from_bytes(tail[large + 32 : large + 40], "little")
        size = tail[large + 40 : large + 48]
    return (int.from_bytes(size, "little"), count) if found >= 0 else (0, 0)


class _Window(io.RawIOBase):
    """The bytes of one member of a tar archive."""

    def __init__(self, stream: io.RawIOBase, size: int) -> None:
        self.stream, self.left = stream, size
        self.broke = False

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read as much as is at hand.

        Raises:
            BrokenSource: the archive ends before the member does, or is damaged.
        """
        view = memoryview(buffer).cast("B")[: min(self.left, CHUNK)]
        if not view:
            return 0
        try:
            data = self.stream.read(len(view))
        except (BrokenSource, OSError):
            self.broke = True
            raise
        if not data:
            self.broke = True
            raise BrokenSource("the archive is cut short here")
        view[: len(data)] = data
        self.left -= len(data)
        return len(data)


@dataclass
class _Attributes:
    """What stands in front of a member: a long name, or attributes in the manner of pax."""

    name: str | None = None
    size: int | None = None
    sparse: bool = False


def tar_members(stream: io.RawIOBase, limits: Limits) -> Iterator[Member]:
    """The files in a tar archive (ustar, GNU, pax), read from front to back.

    `tarfile` reads a whole header of any length into memory and keeps all members; `tarfile.TarInfo` is used alone.
    """
    names = _Names(limits)
    try:
        while (header := _tar_header(stream)) is not None:
            info, attributes = header
            problem = names.one_more()
            if problem is not None:
                yield Member("", problem=problem)
                return
            window = _Window(stream, info.size)
            if not info.isdir() and not _passed_over(info.name):
                problem = names.problem(info.name) or _tar_problem(info, attributes)
                yield Member(info.name, None if problem else window, problem)
                if window.broke:
                    return  # whoever read the member has told it
            _skip(window, -info.size % _BLOCK)
    except BrokenSource as broken:
        yield Member("", problem=str(broken))


def _tar_problem(info: tarfile.TarInfo, attributes: _Attributes) -> str | None:
    if info.issym() or info.islnk():
        return "a link: only regular files are read"
    if attributes.sparse or info.type == tarfile.GNUTYPE_SPARSE:
        return "a sparse file, which is not read: unpack the archive and give the folder"
    return None if info.type in (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE) else "no regular file"


def _tar_header(stream: io.RawIOBase) -> tuple[tarfile.TarInfo, _Attributes] | None:
    """The next member, its data next in the stream; None at the end of the archive.

    Raises:
        BrokenSource: the archive is damaged or cut short.
    """
    attributes = _Attributes()
    while True:
        block = _exactly(stream, _BLOCK)
        if not any(block):
            return None
        try:
            info = tarfile.TarInfo.frombuf(block, "utf-8", "backslashreplace")
        except tarfile.HeaderError as error:
            raise BrokenSource(f"the archive is damaged: {reason(error)}") from error
        if info.type in (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE):
            if not 0 <= info.size <= _MAX_HEADER:
                raise BrokenSource(f"the archive is damaged: a header of {info.size} bytes")
            data = _exactly(stream, info.size)
            _exactly(stream, -info.size % _BLOCK)
            if info.type == tarfile.GNUTYPE_LONGNAME:
                attributes.name = data.partition(b"\x00")[0].decode("utf-8", "backslashreplace")
            elif info.type == tarfile.XHDTYPE:
                _read_pax(data, attributes)
            continue
        if info.type == tarfile.GNUTYPE_SPARSE and block[482]:
            while _exactly(stream, _BLOCK)[504]:
                pass
        info.name = info.name if attributes.name is None else attributes.name
        info.size = info.size if attributes.size is None else attributes.size
        if info.type in (tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE):
            info.size = 0  # whatever it says, there is no data
        if info.size < 0:
            raise BrokenSource("the archive is damaged: a negative size")
        return info, attributes


def _read_pax(data: bytes, attributes: _Attributes) -> None:
    """Take name, size and sparseness from records `LENGTH KEY=VALUE` (POSIX.1-2001, pax).

    Raises:
        BrokenSource: these are no such records.
    """
    while data.strip(b"\x00"):
        found = re.match(rb"([0-9]{1,9}) ([^=]+)=", data)
        length = int(found[1]) if found else 0
        if found is None or not found.end() < length <= len(data) or data[length - 1 : length] != b"\n":
            raise BrokenSource("the archive is damaged: expected attributes of a file, found something else")
        key, value = found[2], data[found.end() : length - 1]
        if key == b"path":
            attributes.name = value.decode("utf-8", "backslashreplace")
        elif key == b"size" and re.fullmatch(rb"[0-9]{1,18}", value):
            attributes.size = int(value)
        elif key.startswith(b"GNU.sparse."):
            attributes.sparse = True
        data = data[length:]


def _exactly(stream: io.RawIOBase, size: int) -> bytes:
    """So many bytes.

    Raises:
        BrokenSource: there are fewer.
    """
    data = b""
    while len(data) < size:
        more = stream.read(min(size - len(data), CHUNK))
        if not more:
            raise BrokenSource("the archive is cut short: its end is not marked")
        data += more
    return data


def _skip(window: _Window, padding: int) -> None:
    """Pass over what nobody read of a member, and over the zeros that fill its last block."""
    while window.left:
        window.read(CHUNK)
    _exactly(window.stream, padding)
