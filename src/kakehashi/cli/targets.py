"""Where texts go: one file, standard output, or files of their own in a folder or a zip archive."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kakehashi.cli.atomic_files import whole_file, whole_folder
from kakehashi.cli.zip_stream import ZipStream
from kakehashi.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO

    from kakehashi.formats import Format


def is_archive(out: str) -> bool:
    """Whether a name is that of an archive, which holds files of their own."""
    return out.lower().endswith(".zip")


def is_folder(out: str) -> bool:
    """Whether a name is that of a folder, there or not."""
    return out.endswith(("/", os.sep)) or Path(out).is_dir()


@contextmanager
def files_at(out: str, *, force: bool) -> Iterator[Callable[[str, bytes], None]]:
    """Give what adds a file, as its path and its bytes, to a folder or an archive that appears when it is whole.

    Raises:
        UsageError: as `whole_file` and `whole_folder`.
    """
    if is_archive(out):
        with whole_file(Path(out), force=force) as path, path.open("wb") as file, ZipStream(file) as archive:
            yield archive.add
    else:
        with whole_folder(Path(out), force=force) as folder:
            yield _into(folder)


def _into(folder: Path) -> Callable[[str, bytes], None]:
    made: set[Path] = {folder}
    real = folder.resolve()

    def add(name: str, data: bytes) -> None:
        path = folder / name
        if path.parent not in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            made.add(path.parent)
            _no_link(path.parent, path.parent.resolve() != real / path.parent.relative_to(folder))
        _no_link(path, path.is_symlink())
        path.write_bytes(data)

    return add


def _no_link(path: Path, is_link: bool) -> None:
    """Refuse to write through a symbolic link that happens to have a name which comes from outside."""
    if is_link:
        raise UsageError(f"{path} is a symbolic link, or stands behind one: nothing is written there")


@contextmanager
def texts_at(chosen: Format, out: str | None, *, force: bool) -> Iterator[Callable[[str, str], None]]:
    """Give what puts the text of a puzzle, with a name for its file, where texts of a format go.

    Args:
        chosen: the format; where it holds one puzzle a file, a name without an ending is that of a folder.
        out: a file, a folder, an archive; None is standard output.
        force: replace a file that is there, write into a folder that is not empty.

    Raises:
        UsageError: the place cannot be written to, or has no room for a second puzzle.
    """
    if out is not None and (is_archive(out) or is_folder(out) or (chosen.separator is None and not Path(out).suffix)):
        names = _Names()
        with files_at(out, force=force) as add:
            yield lambda name, text: add(names.free(name) + chosen.extension, text.encode())
        return
    with ExitStack() as stack:
        stream = _Stream(chosen, lambda: _opened(stack, out, force))
        yield stream.put
        stream.end()


def _opened(stack: ExitStack, out: str | None, force: bool) -> TextIO:
    if out is None:
        return sys.stdout
    path = stack.enter_context(whole_file(Path(out), force=force))
    return stack.enter_context(path.open("w", encoding="utf-8", newline="\n"))


class _Stream:
    """One file, opened with the first text: without any, there is none."""

    def __init__(self, chosen: Format, opened: Callable[[], TextIO]) -> None:
        self._chosen, self._opened = chosen, opened
        self._file: TextIO | None = None
        self._first: str | None = None

    def put(self, name: str, text: str) -> None:
        """Write the text; where the format holds one puzzle a file, only when it is sure that no other follows.

        Raises:
            UsageError: there is a second one that has no room, or the file cannot be written.
        """
        del name  # all go to the same place
        if self._chosen.separator is None:
            if self._first is not None:
                raise UsageError(
                    f"{self._chosen.name} holds one puzzle a file, and there are several: give --out FOLDER"
                )
            self._first = text
            return
        self._write(self._chosen.separator + text if self._file is not None else text)

    def end(self) -> None:
        """Write what waited for a second one."""
        if self._first is not None:
            self._write(self._first)

    def _write(self, text: str) -> None:
        if self._file is None:
            self._file = self._opened()
        self._file.write(text)


class _Names:
    """Names of files, each given once; case is none, as on some disks."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def free(self, name: str) -> str:
        """The name, or the first of `name-2`, `name-3`, ... that was not given yet."""
        key = name.lower()
        number = self._taken.get(key, 0)
        free = name
        while free.lower() in self._taken:
            number += 1
            free = f"{name}-{number + 1}"
        self._taken[key] = number
        self._taken.setdefault(free.lower(), 0)
        return free
