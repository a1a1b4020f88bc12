"""A small disk that fills up, for SQLite."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Self

import pytest

if TYPE_CHECKING:
    from pathlib import Path

MEGABYTES = 16


class SmallDisk:
    """A file system in memory, mounted on a new folder. Skips the test of whoever is not root."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    def fill(self, leave: int = 0) -> None:
        """Leave so many bytes."""
        free = os.statvfs(self.folder).f_bavail * os.statvfs(self.folder).f_frsize
        with self._filler.open("ab", buffering=0) as filler:
            filler.write(bytes(max(0, free - leave)))

    def make_room(self) -> None:
        """Take away what filled it."""
        self._filler.unlink()

    def allow(self, how: str) -> None:
        """Let it be written (`rw`), or only read (`ro`)."""
        subprocess.run(["mount", "-o", f"remount,{how}", self.folder], check=True)

    def __enter__(self) -> Self:
        if os.geteuid() != 0:
            pytest.skip("only root may mount a small disk")
        self.folder.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "kakehashi", str(self.folder)]
        if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
            pytest.skip("a small disk cannot be mounted here")
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["umount", "--lazy", self.folder], check=True)
