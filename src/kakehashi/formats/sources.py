"""Where puzzles come from: files, folders, standard input, text. Nothing here knows of any format."""

# A name stays as it was given ("./a.txt"), which pathlib would change.
# ruff: noqa: PTH112, PTH116, PTH118, PTH122, PTH123, PTH208

from __future__ import annotations

import io
import os
import stat
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from kakehashi.formats.errors import FormatError
from kakehashi.formats.lines import split_lines, stream_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kakehashi.formats.limits import Limits

HEAD = 16 * 1024
"""How many bytes of a file are looked at to tell its format; smaller files are read in one go."""

STDIN = "-"
TEXT = "<text>"

_ARCHIVES = (".zip", ".gz", ".tgz", ".tar", ".bz2", ".xz", ".7z", ".zst", ".rar")
_MAGIC = (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"\x28\xb5\x2f\xfd", b"Rar!")


@dataclass(frozen=True)
class Opened:
    """A text that is being read: its beginning, its name's suffix, and all of its lines."""

    head: str
    suffix: str
    lines: Iterable[str]


def walk(path: str) -> Iterator[str | tuple[str, FormatError]]:
    """The files below a path in sorted order, the path itself where it is no folder; or a path and what is wrong there.

    In folders, hidden files, `README*` and `*.md` are skipped, and only regular files are taken.
    """
    if path == STDIN or not os.path.isdir(path):
        yield path
        return
    empty = True
    for found in _walk(path, frozenset()):
        empty = False
        yield found
    if empty:
        yield path, FormatError("there is no puzzle file in this folder", source=path)


def _walk(folder: str, above: frozenset[tuple[int, int]]) -> Iterator[str | tuple[str, FormatError]]:
    try:
        here = os.stat(folder)
        identity = (here.st_dev, here.st_ino)
        if identity in above:
            yield folder, FormatError("this folder contains itself by a symbolic link", source=folder)
            return
        names = sorted(name for name in os.listdir(folder) if not _skipped(name))
    except OSError as error:
        yield folder, _unreadable(folder, error)
        return
    for name in names:
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            yield from _walk(path, above | {identity})
            continue
        try:
            regular = stat.S_ISREG(os.stat(path).st_mode)
        except OSError as error:
            yield path, _unreadable(path, error)
            continue
        yield path if regular else (path, FormatError("this is no regular file", source=path))


def _skipped(name: str) -> bool:
    return name.startswith((".", "README")) or name.lower().endswith(".md")


@contextmanager
def open_source(path: str, limits: Limits) -> Iterator[Opened]:
    """The text of a file or of standard input, as it streams.

    Raises:
        FormatError: it cannot be opened or read, is empty, an archive or binary.
    """
    suffix = os.path.splitext(path)[1].lower()
    try:
        if path == STDIN:
            yield _opened(sys.stdin.buffer, path, "", limits)
        else:
            with open(path, "rb", buffering=0) as raw:
                yield _opened(raw, path, suffix, limits)
    except OSError as error:
        raise _unreadable(path, error) from error


def open_text(text: str) -> Opened:
    """A text that is there already."""
    lines = split_lines(text.removeprefix("\ufeff"))
    return Opened("\n".join(lines[:200])[:HEAD], "", lines)


def _opened(raw: IO[bytes], path: str, suffix: str, limits: Limits) -> Opened:
    head = _read_head(raw)
    if suffix in _ARCHIVES or head.startswith(_MAGIC):
        size = "it is empty, and " if not head else ""
        raise FormatError(f"{size}archives are not read yet: unpack it and give the folder", source=path)
    if not head:
        raise FormatError("the file is empty", source=path)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FormatError("this looks like UTF-16 text: save it as UTF-8", source=path)
    if b"\x00" in head:
        column = head.index(b"\x00") + 1
        raise FormatError(f"byte {column} is 0: this is binary data, not a puzzle", source=path)
    text = head.decode("utf-8-sig", "surrogateescape")
    lines = split_lines(text)
    if len(head) < HEAD:
        return Opened("\n".join(lines), suffix, lines)
    rest = io.TextIOWrapper(
        io.BufferedReader(_Joined(head, raw), 64 * 1024), encoding="utf-8-sig", errors="surrogateescape", newline=None
    )
    return Opened("\n".join(lines), suffix, stream_lines(rest, limits.max_line))


def _read_head(raw: IO[bytes]) -> bytes:
    head = raw.read(HEAD)
    while len(head) < HEAD and (more := raw.read(HEAD - len(head))):
        head += more
    return head


class _Joined(io.RawIOBase):
    """The beginning of a stream that was read already, and what follows it: works for pipes too."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        data = self._head[: len(view)] or self._rest.read(len(view))
        self._head = self._head[len(view) :]
        view[: len(data)] = data
        return len(data)


def _unreadable(path: str, error: OSError) -> FormatError:
    return FormatError(f"cannot be read: {error.strerror or error}", source=path)
