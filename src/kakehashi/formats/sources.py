"""Where puzzles come from: files, folders, archives, standard input, text. Nothing here knows of any format."""

# A name stays as it was given ("./a.txt"), which pathlib would change.
# ruff: noqa: PTH112, PTH114, PTH116, PTH118, PTH119, PTH122, PTH123

from __future__ import annotations

import io
import os
import stat
import sys
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import IO, TYPE_CHECKING, Any

from kakehashi.formats.errors import BrokenSource, FormatError
from kakehashi.formats.lines import Lines, stream_lines, stream_pieces, unify
from kakehashi.formats.packing import CHUNK, Packing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from kakehashi.formats.archives import Member
    from kakehashi.formats.limits import Limits
    from kakehashi.formats.registry import Format

HEAD = 16 * 1024
"""How many bytes of a file are looked at to tell its format; smaller files are read in one go."""

STDIN = "-"
TEXT = "<text>"

IN = "!"
"""Stands in a name between an archive and what is in it."""

_PACKED = (".gz", ".bz2", ".xz")
_ARCHIVES = (".zip", ".tar", ".tgz", ".tbz2", ".txz", *_PACKED)


@dataclass(frozen=True)
class Opened:
    """A text that is being read.

    Attributes:
        head: its beginning, with LF for every line end.
        suffix: the ending of its name, lower case, with the dot; without that of a compression.
        lines: all of its lines, once; the argument is the most characters that a line may have.
        pieces: the same in pieces of at most so many characters (see `lines.stream_pieces`).
    """

    head: str
    suffix: str
    lines: Callable[[int], Iterable[str]]
    pieces: Callable[[int], Iterable[str]]

    @classmethod
    def of(cls, head: str, suffix: str, lines: list[str]) -> Opened:
        """A text that is there already."""
        return cls(head, suffix, lambda _: lines, lambda _: lines)

    def read(self, format_: Format, limits: Limits) -> Lines:
        """The lines as a format wants them."""
        if format_.pieces:
            return Lines(self.pieces(limits.max_line))
        return Lines(self.lines(limits.max_bytes if format_.long_lines else limits.max_line))


@dataclass(frozen=True)
class Source:
    """Something to read, or why it cannot be read: exactly one of `opened` and `error` is there.

    `name` says where it is: a path, `-`, or `archive.zip!folder/file.txt`.
    """

    name: str
    opened: Opened | None = None
    error: FormatError | None = None


def sources(path: str, limits: Limits, leave: frozenset[str] = frozenset()) -> Iterator[Source]:
    """All that is to be read below a path, in an order that is always the same; each ends when the next is asked for.

    Folders are walked; the files in zip and tar archives come one by one; gzip, bzip2 and xz are unpacked on the way,
    inside archives too. Archives inside archives are refused. The files in `leave`, real paths, are not opened.
    """
    for found in walk(path):
        if isinstance(found, tuple):
            yield Source(found[0], error=found[1])
            continue
        if leave and _is_left(found, leave):
            continue
        try:
            if found == STDIN:
                yield from _texts(_Rest(sys.stdin.buffer), found, limits)
            else:
                with open(found, "rb", buffering=0) as raw:
                    yield from _texts(_Rest(raw), found, limits)
        except OSError as error:
            yield Source(found, error=_unreadable(found, error))


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
        with os.scandir(folder) as listed:  # it knows what most of them are without a look at each
            inside = sorted((entry for entry in listed if not is_skipped(entry.name)), key=lambda entry: entry.name)
    except OSError as error:
        yield folder, _unreadable(folder, error)
        return
    for entry in inside:
        path = os.path.join(folder, entry.name)
        try:
            kind = stat.S_IFMT(os.stat(path).st_mode) if entry.is_symlink() else None
            is_folder = kind == stat.S_IFDIR if kind is not None else entry.is_dir()
            regular = kind == stat.S_IFREG if kind is not None else entry.is_file()
        except OSError as error:
            yield path, _unreadable(path, error)
            continue
        if is_folder:
            yield from _walk(path, above | {identity})
        else:
            yield path if regular else (path, FormatError("this is no regular file", source=path))


def _is_left(path: str, leave: frozenset[str]) -> bool:
    """Whether a path leads to one of these files; where it cannot, by its name, that costs little."""
    name = os.path.basename(path)
    if not os.path.islink(path) and not any(other.endswith(name) for other in leave):
        return False
    return os.path.realpath(path) in leave


def is_skipped(name: str) -> bool:
    """Whether a file or folder of this name is passed over where nobody named it: hidden, README, Markdown."""
    return name.startswith((".", "README")) or name.lower().endswith(".md")


def open_text(text: str) -> Opened:
    """A text that is there already."""
    text = unify(text.removeprefix("\ufeff"))
    return Opened.of(text[:HEAD], "", text.split("\n"))


class _Rest(io.RawIOBase):
    """A stream whose beginning was looked at, from that beginning on: works for pipes too."""

    def __init__(self, raw: IO[bytes] | io.RawIOBase) -> None:
        self.raw = raw
        self.count = 0
        """How many bytes were handed out."""
        self._broken: BrokenSource | None = None
        self.head = b""
        try:
            while len(self.head) < HEAD and (more := raw.read(HEAD - len(self.head))):
                self.head += more
        except BrokenSource as broken:
            self._broken = broken
        self._ahead = self.head

    def check(self) -> None:
        """Raises BrokenSource where nothing could be read at all."""
        if self._broken is not None and not self.head:
            raise self._broken

    @property
    def is_whole(self) -> bool:
        """Whether the beginning is all there is."""
        return len(self.head) < HEAD and self._broken is None

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read as much as is at hand.

        Raises:
            BrokenSource: the stream underneath cannot be read.
        """
        view = memoryview(buffer).cast("B")
        data = self._ahead[: len(view)]
        if data:
            self._ahead = self._ahead[len(data) :]
        elif self._broken is not None:
            raise self._broken
        else:
            try:
                data = self.raw.read(len(view)) or b""
            except OSError as error:
                raise BrokenSource(f"cannot be read: {error.strerror or error}") from error
        view[: len(data)] = data
        self.count += len(data)
        return len(data)


def _texts(packed: _Rest, name: str, limits: Limits) -> Iterator[Source]:
    """The texts in a file: one, or those in the archive that it is."""
    packing = Packing.of(packed.head)
    suffix = os.path.splitext(name)[1].lower()
    if packing is None and packed.head and suffix in _ARCHIVES:
        yield _bad(name, f"the name ends in {suffix}, but it is no such archive")
    elif packing is None or packing is Packing.OTHER:
        yield _text(packed, name, suffix)
    else:
        yield from _unpacked(packing, packed, name, limits)


def _unpacked(packing: Packing, packed: _Rest, name: str, limits: Limits) -> Iterator[Source]:
    """The texts in a packed file."""
    from kakehashi.formats.archives import tar_members, zip_members

    if packing is Packing.ZIP:
        with closing(_seekable(packed)) as file:
            yield from _members(zip_members(file, limits), name, limits)
        return
    if packing is Packing.TAR:
        yield from _members(tar_members(packed, limits), name, limits)
        return
    plain = _plain(packing, packed, limits)
    if Packing.of(plain.head) is Packing.TAR:
        yield from _members(tar_members(plain, limits), name, limits)
    else:
        yield _text(plain, name, _suffix_inside(name))


def _plain(packing: Packing, packed: _Rest, limits: Limits) -> _Rest:
    """What is in a compressed file."""
    from kakehashi.formats.unpacking import Allowance, unpack

    return _Rest(unpack(packing, packed, Allowance(limits, lambda: packed.count)))


def _members(members: Iterator[Member], archive: str, limits: Limits) -> Iterator[Source]:
    """The texts in an archive, and what is wrong with the others. Never none."""
    empty = True
    for member in members:
        empty = False
        name = f"{archive}{IN}{member.name}" if member.name else archive
        if member.stream is None:
            yield _bad(name, member.problem or "it cannot be read")
            continue
        packed = _Rest(member.stream)
        packing = Packing.of(packed.head)
        if packing in (Packing.GZIP, Packing.BZIP2, Packing.XZ):
            yield _text(_plain(packing, packed, limits), name, _suffix_inside(name))
        else:
            yield _text(packed, name, os.path.splitext(name)[1].lower())
    if empty:
        yield _bad(archive, "there is no puzzle file in this archive")


def _suffix_inside(name: str) -> str:
    """The ending of a name without that of its compression: `.txt` of `a.txt.gz`."""
    stem, ending = os.path.splitext(name)
    return os.path.splitext(stem)[1].lower() if ending.lower() in _PACKED else ""


def _seekable(packed: _Rest) -> IO[bytes]:
    """A zip file that can be read from its end: a pipe is laid down in a temporary file first."""
    import shutil
    import tempfile

    raw = packed.raw
    if isinstance(raw, io.FileIO) and raw.seekable():
        return io.BufferedReader(io.FileIO(os.dup(raw.fileno())))
    file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - whoever asked for it closes it
    shutil.copyfileobj(packed, file, CHUNK)
    return file


def _text(stream: _Rest, name: str, suffix: str) -> Source:
    """The text of a stream; an error where it is empty, broken from the start, packed (once more) or binary."""
    head = stream.head
    try:
        stream.check()
    except BrokenSource as broken:
        return _bad(name, str(broken))
    packing = Packing.of(head)
    if packing is Packing.OTHER:
        return _bad(name, "this kind of archive is not read: unpack it and give the folder")
    if packing is not None:
        return _bad(name, "an archive inside an archive is not read: unpack it and give the folder")
    if not head:
        return _bad(name, "the file is empty")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _bad(name, "this looks like UTF-16 text: save it as UTF-8")
    if b"\x00" in head:
        return _bad(name, f"byte {head.index(0) + 1} is 0: this is binary data, not a puzzle")
    beginning = unify(head.decode("utf-8-sig", "surrogateescape"))
    if stream.is_whole:
        return Source(name, Opened.of(beginning, suffix, beginning.split("\n")))
    rest = io.TextIOWrapper(
        io.BufferedReader(stream, CHUNK), encoding="utf-8-sig", errors="surrogateescape", newline=None
    )
    return Source(name, Opened(beginning, suffix, partial(stream_lines, rest), partial(stream_pieces, rest)))


def _bad(name: str, message: str) -> Source:
    return Source(name, error=FormatError(message, source=name))


def _unreadable(path: str, error: OSError) -> FormatError:
    return FormatError(f"cannot be read: {error.strerror or error}", source=path)
