"""Processes as Linux shows them in /proc: who belongs to whom, how much memory each has, how much CPU it took."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Level:
    """The memory of a process at a moment.

    Attributes:
        at: seconds since the watch began.
        process: what it is, with a number where there are several: `worker 2`.
        rss_mb: what it has in memory, shared pages included.
        pss_mb: the same with only its part of what it shares.
        peak_mb: the most that it ever had in memory.
    """

    at: float
    process: str
    rss_mb: float
    pss_mb: float
    peak_mb: float


def tree(root: int, depth: int = 0) -> Iterator[tuple[int, int]]:
    """A process and all below it, with their distance from it; those that end meanwhile are left out."""
    try:
        children = Path(f"/proc/{root}/task/{root}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return
    yield root, depth
    for child in map(int, children):
        yield from tree(child, depth + 1)


def cpu_seconds(root: int) -> float:
    """CPU that a process and all below it took so far, those included that have ended and were waited for."""
    ticks = 0
    for pid, _ in tree(root):
        with suppress(FileNotFoundError, ProcessLookupError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))  # utime, stime, and both of the children
    return ticks / _TICKS


class Memory:
    """Looks at the memory of a process, and of all that it starts, until it is stopped.

    Args:
        root: the process.
        names: what the processes are called, by their distance from the root; those further away as the last.
        every: seconds between two looks.
    """

    def __init__(self, root: int, names: Sequence[str] = ("process",), every: float = 0.1) -> None:
        self.levels: list[Level] = []
        self._root = root
        self._names = names
        self._every = every
        self._began = time.monotonic()
        self._called: dict[int, str] = {}
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> float:
        """Stop looking; the largest resident set that any of the processes reached, in megabytes."""
        self._done.set()
        self._thread.join()
        return max((level.peak_mb for level in self.levels), default=0.0)

    def _look(self) -> None:
        while not self._done.wait(self._every):
            at = time.monotonic() - self._began
            for pid, depth in tree(self._root):
                with suppress(FileNotFoundError, ProcessLookupError):
                    rss, peak = _kilobytes(f"/proc/{pid}/status", "VmRSS", "VmHWM")
                    (pss,) = _kilobytes(f"/proc/{pid}/smaps_rollup", "Pss")
                    self.levels.append(Level(at, self._name(pid, depth), rss / 1024, pss / 1024, peak / 1024))

    def _name(self, pid: int, depth: int) -> str:
        if pid not in self._called:
            name = self._names[min(depth, len(self._names) - 1)]
            same = sum(other.rpartition(" ")[0] == name for other in self._called.values())
            self._called[pid] = f"{name} {same + 1}"
        return self._called[pid]


def _kilobytes(path: str, *names: str) -> list[int]:
    """Numbers of a file of /proc; 0 where one is not there, as in a process that has just ended."""
    found = {}
    for line in Path(path).read_text().splitlines():
        name, _, value = line.partition(":")
        found[name] = value
    return [int(found.get(name, "0").split()[0]) for name in names]
