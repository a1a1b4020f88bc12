"""Where texts of puzzles go: one file, standard output, or a folder with a file for each."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

from kakehashi.errors import UsageError

if TYPE_CHECKING:
    from types import TracebackType
    from typing import TextIO

    from kakehashi.formats import Format


class Target(Protocol):
    """Where texts go."""

    def put(self, name: str, text: str) -> None:
        """Write the text of one puzzle."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


def target_of(chosen: Format, out: str | None, *, force: bool) -> Target:
    """Where the texts of a format go; `force` replaces files that are in a folder already.

    Raises:
        UsageError: it cannot be written to.
    """
    if out is None:
        return _Stream(chosen, None)
    folder = out.endswith(("/", os.sep)) or Path(out).is_dir()
    if folder or (chosen.separator is None and not Path(out).suffix):
        return _Folder(chosen, Path(out), force)
    return _Stream(chosen, Path(out))


class _Stream:
    """One file, or standard output. A file is there when it is whole."""

    def __init__(self, chosen: Format, path: Path | None) -> None:
        self._chosen, self._path = chosen, path
        self._partial = path and path.with_name(f".{path.name}.{os.getpid()}")
        self._file: TextIO | None = None
        self._first: str | None = None

    def __enter__(self) -> Self:
        return self

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

    def _write(self, text: str) -> None:
        if self._file is None:
            self._file = sys.stdout if self._partial is None else _opened(self._partial, self._path)
        self._file.write(text)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        if kind is None and self._first is not None:
            self._write(self._first)
        if self._partial is None or self._path is None or self._file is None:
            return
        self._file.close()
        if kind is None:
            self._partial.replace(self._path)
        else:
            self._partial.unlink()


class _Folder:
    """A folder with a file for each puzzle."""

    def __init__(self, chosen: Format, folder: Path, force: bool) -> None:
        self._ending, self._folder, self._force = chosen.extension, folder, force
        self._taken: dict[str, int] = {}
        self._made: set[Path] = set()

    def __enter__(self) -> Self:
        return self

    def put(self, name: str, text: str) -> None:
        """Write the text to a file of this name; with a number where the name was used already.

        Raises:
            UsageError: the file cannot be written, or is there already and may not be replaced: the folder may be the
                one that is read.
        """
        path = self._folder / (self._free(name) + self._ending)
        if path.parent not in self._made:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UsageError(f"{path.parent}: cannot be made: {error.strerror}") from None
            self._made.add(path.parent)
        if not self._force and os.path.lexists(path):
            raise UsageError(f"{path} is there already: choose another folder, or overwrite with --force")
        with _opened(path) as file:
            file.write(text)

    def _free(self, name: str) -> str:
        """The name, or the first of `name-2`, `name-3`, ... that was not used; case is none, as on some disks."""
        key = name.lower()
        number = self._taken.get(key, 0)
        free = name
        while free.lower() in self._taken:
            number += 1
            free = f"{name}-{number + 1}"
        self._taken[key] = number
        self._taken.setdefault(free.lower(), 0)
        return free

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Every file is closed already."""


def _opened(path: Path, goal: Path | None = None) -> TextIO:
    """A file to write; `goal` is what it will be called in the end, for the error."""
    try:
        return path.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{goal or path}: cannot be written: {error.strerror}") from None
