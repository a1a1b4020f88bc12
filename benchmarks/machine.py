"""The machine that is measured on, in the words of the report."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.records import Machine

if TYPE_CHECKING:
    from collections.abc import Iterable


def this_machine(versions: Iterable[str]) -> Machine:
    """The machine, with the versions of what is measured there."""
    return Machine(
        cpu=_cpu(),
        cores=os.cpu_count() or 1,
        python=platform.python_version(),
        system=platform.system(),
        versions=tuple(dict.fromkeys(versions)),
    )


def _cpu() -> str:
    """What the processor calls itself, on Linux; elsewhere its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())
