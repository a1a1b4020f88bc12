"""Pictures as files: how they are drawn, what they are called, and what they may replace."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kakehashi.cli.atomic_files import beside
from kakehashi.errors import UsageError
from kakehashi.render import PictureFormat, Theme, render

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kakehashi.puzzle import Bridge, Puzzle, Solution, Violation

LONGEST_BEGIN, LONGEST_END = 24, 32
"""Characters of a puzzle's name in a file's: from its begin, where an id stands, and its end; up to 4 bytes each."""

_ENDING = re.compile(r"\.\w{1,5}(?=#|$)")
_UNSAFE = re.compile(r"[^\w.-]+")
_SIGN, _SIGN_WITHIN = b"kakehashi", 256
"""What stands in the first bytes of every SVG and PNG of ours, in small or capital letters."""


@dataclass(frozen=True)
class Brush:
    """How pictures are drawn.

    Attributes:
        format: what they are made of.
        theme, cell: of SVG and PNG.
        color, ascii: of text.
    """

    format: PictureFormat
    theme: Theme = Theme.LIGHT
    cell: int | None = None
    color: bool = False
    ascii: bool = False

    def draw(
        self,
        puzzle: Puzzle,
        answer: Solution | Iterable[Bridge] | None,
        *,
        title: str | None = None,
        violations: Iterable[Violation] = (),
    ) -> bytes:
        """The bytes of a file with this picture."""
        if self.format is PictureFormat.TEXT:
            return render(puzzle, answer, color=self.color, ascii=self.ascii).encode()
        if self.format is PictureFormat.SVG:
            return render(
                puzzle, answer, format="svg", theme=self.theme, cell=self.cell, title=title, violations=violations
            ).encode()
        return render(
            puzzle, answer, format="png", theme=self.theme, cell=self.cell, title=title, violations=violations
        )

    @property
    def ending(self) -> str:
        """Of the names of such files."""
        return ".txt" if self.format is PictureFormat.TEXT else f".{self.format}"


class Folder:
    """A folder that pictures are put into; it is made when it is not there.

    Raises:
        UsageError: it cannot be made, or is no folder.
    """

    def __init__(self, path: Path, ending: str, *, force: bool) -> None:
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"the folder {str(path)!r} cannot be made: {error.strerror}") from None
        self.path = path
        self.count = 0
        self._ending = ending
        self._force = force
        self._taken: set[str] = set()

    def put(self, name: str, data: bytes, *, unique: bool = False) -> None:
        """Write a picture under the puzzle's name, with a number behind it where this name was put before.

        Args:
            name: as the puzzle is called.
            data: the file.
            unique: no other picture has this name, so that it need not be remembered.

        Raises:
            UsageError: as `write`.
        """
        stem = file_name(name)
        if not unique:
            stem = self._free(stem)
        write(self.path / (stem + self._ending), data, force=self._force)
        self.count += 1

    def _free(self, stem: str) -> str:
        """The name, or the first of name-2, name-3, ... that was not put yet; some file systems see no capitals."""
        number, free = 1, stem
        while free.lower() in self._taken:
            number += 1
            free = f"{stem}-{number}"
        self._taken.add(free.lower())
        return free


def file_name(name: str) -> str:
    """A puzzle's name (a path, with `#k` behind it) as the name of a file: letters, digits, `-`, `_` and `.`."""
    safe = _UNSAFE.sub("-", _ENDING.sub("", name))
    if len(safe) > LONGEST_BEGIN + LONGEST_END:
        safe = f"{safe[:LONGEST_BEGIN]}--{safe[-LONGEST_END:]}"
    return safe.strip("-.") or "puzzle"


def write(path: Path, data: bytes, *, force: bool) -> None:
    """Write a file, whole or not at all. What is no picture of ours is only replaced with `force`.

    Raises:
        UsageError: it may not, or cannot, be written.
    """
    part = beside(path)
    try:
        if os.path.lexists(path):
            _must_be_replaceable(path, force)
        with part.open("xb") as file:
            file.write(data)
        part.replace(path)
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be written: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)


def _must_be_replaceable(path: Path, force: bool) -> None:
    if not path.is_file() or path.is_symlink():
        raise UsageError(f"{str(path)!r} exists and is no regular file")
    if force:
        return
    with path.open("rb") as file:
        ours = _SIGN in file.read(_SIGN_WITHIN).lower()
    if not ours:
        raise UsageError(f"{str(path)!r} exists and is no picture that Kakehashi drew: --force replaces it")
