"""Files and folders that appear whole or not at all: written under another name beside the place, then renamed."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kakehashi.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 50
"""Characters of a name that are kept in that of its part: file systems take 255 bytes."""


@contextmanager
def whole_file(path: Path, *, force: bool) -> Iterator[Path]:
    """Give a name to write under; what was written there takes its place at the end, and is removed after an error.

    Raises:
        UsageError: the place cannot be written to; or something is there already and `force` does not say to replace
            it; or it is a folder or a device, which is never replaced.
    """
    if path.exists() and not path.is_file():
        what = "a folder" if path.is_dir() else "no ordinary file"
        raise UsageError(f"{path} is {what}: expected the name of a file")
    _must_be_free(path, force)
    goal = path.resolve()  # a link stays, and what it points to is replaced
    part = beside(goal)
    try:
        with _told(path):
            part.touch(exist_ok=False)  # so that no link is followed that somebody else left there
            yield part
            with part.open("rb") as written:
                os.fsync(written.fileno())
            part.replace(goal)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path, *, force: bool) -> Iterator[Path]:
    """Give a folder to write into, which takes its place at the end, and is removed after an error.

    With `force`, a folder that is there already is written into as it is: its other files are nobody's business here.

    Raises:
        UsageError: the place cannot be written to; or it is not empty and `force` does not say to write into it; or it
            is a file.
    """
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path} is a file: expected the name of a folder")
    filled = path.is_dir() and any(path.iterdir())
    if filled:
        _must_be_free(path, force)
        with _told(path):
            yield path
        return
    part = beside(path)
    try:
        with _told(path):
            part.mkdir()
            yield part
            part.replace(path)  # an empty folder that is there gives way
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _must_be_free(path: Path, force: bool) -> None:
    if not force and os.path.lexists(path):
        raise UsageError(f"{path} is there already: choose another name, or overwrite with --force")


def beside(path: Path) -> Path:
    """A name in the same folder that nobody can know before."""
    return path.parent / f".{path.name[:LONGEST]}.{secrets.token_hex(8)}.part"


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Tell a failure of the file system in one sentence."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error
