"""How much memory a worker process may take."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from kakehashi.settings import LEAST_MEMORY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kakehashi.settings import Settings

SHARE = 0.8
"""The part of the machine's memory that worker processes take at most, all together."""

CGROUPS = Path("/sys/fs/cgroup")
OWN_CGROUPS = Path("/proc/self/cgroup")


def memory_limit(settings: Settings) -> int:
    """Megabytes for each process: as it was set, or an equal share of what the machine has."""
    return settings.memory_limit or max(LEAST_MEMORY, int(SHARE * machine_memory() / settings.concurrency))


def limit_memory(megabytes: int) -> None:
    """Let this process take so much and no more: what it asks for beyond is a MemoryError, or std::bad_alloc in C++.

    RLIMIT_DATA counts what a process can write to and shares with nobody, as it was asked for. It is the one limit that
    does: RLIMIT_AS counts libraries and reserved addresses too, RLIMIT_RSS is not looked at. Linux alone keeps it;
    elsewhere this does nothing.
    """
    if sys.platform == "linux":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = megabytes << 20
        resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard < 0 else min(wanted, hard), hard))


def machine_memory(cgroups: Path = CGROUPS, own: Path = OWN_CGROUPS) -> int:
    """Megabytes that this machine, or the container around this process, has."""
    megabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    return min([megabytes, *_cgroup_limits(cgroups, own)])


def _cgroup_limits(cgroups: Path, own: Path) -> Iterator[int]:
    """The limits of this process's cgroup, of version 1 or 2, and of those around it, in megabytes.

    Within a container its own cgroup is the root, and there need not be a folder by the name that `own` gives.
    """
    if not own.exists():
        return
    for line in own.read_text().splitlines():
        _, controllers, name = line.split(":", 2)
        if controllers in ("", "memory"):
            root, file = (cgroups / "memory", "memory.limit_in_bytes") if controllers else (cgroups, "memory.max")
            inner = root / name.lstrip("/")
            for folder in (inner, *inner.parents):
                with contextlib.suppress(OSError, ValueError):  # not there, or "max"
                    yield int((folder / file).read_text()) >> 20
                if folder == root:
                    break
