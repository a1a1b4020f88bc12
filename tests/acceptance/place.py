"""A folder in which `kakehashi` is used as a person would: as a process, in a terminal's working folder."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kakehashi.errors import KakehashiError
from kakehashi.storage import Repository

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kakehashi.storage.records import Progress

ROOT = Path(__file__).parents[2]
MARK = "KAKEHASHI_TEST_MARK"
"""Stands in the environment of every process that a place starts, and of those that they start."""

QUICK = {
    "KAKEHASHI_LEASE": "3s",
    "KAKEHASHI_PULSE": "500ms",
    "KAKEHASHI_TIME_SLICE": "1s",
    "KAKEHASHI_SWEEP_EVERY": "200ms",
    "KAKEHASHI_RING_AGAIN": "1s",
    "KAKEHASHI_ENGINES": "tests.support.worker_engines",
}
"""Settings with which a fault shows, and is mended, within seconds; and the tests' engines."""

PATIENCE = 60.0
"""Seconds after which a test gives up waiting for what has to come."""


@dataclass(frozen=True)
class Said:
    """What a command came to."""

    code: int
    out: str
    err: str


class Place:
    """A working folder, a folder for temporary files, and the processes that were started here."""

    def __init__(self, folder: Path, *, settings: dict[str, str] | None = None) -> None:
        self.mark = uuid.uuid4().hex
        self.here = folder / "here"
        self.temporary = folder / "t"
        for made in (self.here, self.temporary):
            made.mkdir()
        self.db = self.here / "kakehashi.db"
        self.url = str(self.db)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("KAKEHASHI_")}
        self.environment = kept | {
            MARK: self.mark,
            "TMPDIR": str(self.temporary),
            "PYTHONPATH": str(ROOT),
            "COLUMNS": "80",
            **(settings or {}),
        }

    def start(self, *arguments: str | Path, inside: Sequence[str] = (), **options: Any) -> subprocess.Popen[str]:
        """Start a command in a process group of its own, as a shell does; `inside` another that becomes it."""
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(
            [*inside, sys.executable, "-m", "kakehashi", *map(str, arguments)],
            cwd=self.here,
            text=True,
            start_new_session=True,
            **{**streams, "env": self.environment, **options},
        )

    def call(self, *arguments: str | Path, expect: int | None = 0) -> Said:
        """Run a command to its end, which has to come with this exit code."""
        return self.end(self.start(*arguments), expect)

    def end(self, process: subprocess.Popen[str], expect: int | None = 0) -> Said:
        """Wait for the end of a command that was started."""
        out, err = process.communicate(timeout=PATIENCE)
        said = Said(process.returncode, out, err)
        assert expect is None or said.code == expect, said
        assert "Traceback" not in err, err
        return said

    def interrupt(self, process: subprocess.Popen[str]) -> None:
        """Do what Ctrl-C does: SIGINT for every process of the group."""
        os.killpg(process.pid, signal.SIGINT)

    def wait_for(self, run: int, until: Callable[[Progress], bool]) -> Progress:
        """Look at a run until it is so."""
        seen: Progress = wait(lambda: self._progress(run), lambda progress: progress is not None and until(progress))
        return seen

    def _progress(self, run: int) -> Progress | None:
        with contextlib.suppress(KakehashiError), Repository(self.url) as repository:
            return repository.progress(run)
        return None  # there is no database, or no such run, yet

    def processes(self) -> list[str]:
        """The processes that carry the mark, by number and command."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # it ended meanwhile, or is somebody else's
                if f"{MARK}={self.mark}".encode() in (entry / "environ").read_bytes():
                    command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    found.append(f"{entry.name} {command}")
        return found

    def leftovers(self) -> list[str]:
        """What is left that should not be: processes, temporary files, files beside the database."""
        stray = [path.name for path in self.here.iterdir() if path.name.endswith(("-wal", "-shm", "-journal"))]
        return self.processes() + [str(path) for path in self.temporary.iterdir()] + stray


@contextlib.contextmanager
def a_place(**settings: str) -> Iterator[Place]:
    """A place with a short path (a unix socket's name has room for a hundred bytes), which is empty at the end."""
    with tempfile.TemporaryDirectory(prefix="ka", ignore_cleanup_errors=True) as folder:
        place = Place(Path(folder), settings=settings)
        try:
            yield place
        finally:
            for process in place.processes():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(process.split()[0]), signal.SIGKILL)


def wait(look: Callable[[], Any], until: Callable[[Any], bool], seconds: float = PATIENCE) -> Any:
    """Look again and again until it is so, and return what was seen; fail when it never comes."""
    ends = time.monotonic() + seconds
    while not until(seen := look()):
        assert time.monotonic() < ends, f"it never came so far: {seen}"
        time.sleep(0.05)
    return seen
