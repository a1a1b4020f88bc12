"""The rivals by name; each is loaded when it is asked for, and what it needs with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.rivals.rival import RivalMissing
from kakehashi.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.rivals.rival import Rival

OURS = ("native", "pysat")
"""The engines, the faster one first: ratios are counted from `native`."""

NAMES = (*OURS, "prototype", "plain-pysat", "clingo", "clingo-handy", "cp-sat", "highs")
"""All rivals, in the order of the tables."""


def load(name: str, prototype: Path | None = None) -> Rival:
    """The rival of this name, ready to be measured: its libraries are imported.

    Args:
        name: one of `NAMES`.
        prototype: the folder with the prototype's sources.

    Raises:
        RivalMissing: a library is not installed, or there is no folder for the prototype.
        ValueError: there is no such rival.
    """
    try:
        rival = _made(name, prototype)
        assert rival.version  # noqa: S101 - asking for it imports the library
    except (ImportError, UsageError) as error:
        raise RivalMissing(f"{name} is left out: {error} (uv sync --group benchmarks)") from error
    return rival


def _made(name: str, prototype: Path | None) -> Rival:
    from benchmarks.rivals.asp import QUICKEST, Clingo
    from benchmarks.rivals.cpsat import CpSat
    from benchmarks.rivals.engine import EngineRival
    from benchmarks.rivals.mip import Highs
    from benchmarks.rivals.plain import PlainPysat
    from benchmarks.rivals.prototype import Prototype

    match name:
        case "native" | "pysat":
            return EngineRival(name)
        case "plain-pysat":
            return PlainPysat()
        case "clingo":
            return Clingo()
        case "clingo-handy":
            return Clingo(QUICKEST)
        case "cp-sat":
            return CpSat()
        case "highs":
            return Highs()
        case "prototype":
            if prototype is None:
                raise RivalMissing("prototype is left out: no folder was given for it (--prototype DIR)")
            return Prototype(prototype)
        case _:
            raise ValueError(f"there is no rival {name!r}; known are {', '.join(NAMES)}")
