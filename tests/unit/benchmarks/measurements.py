"""Measurements by hand."""

from __future__ import annotations

from benchmarks.records import Clock, Measurement, Status


def measurement(
    puzzle: str = "a",
    rival: str = "native",
    seconds: float = 1.0,
    repeat: int = 0,
    status: Status = Status.SOLVED,
    clock: Clock = Clock.VALUES,
    *,
    set_name: str = "set",
    islands: int = 10,
    budget: float = 20.0,
    unique: bool | None = None,
    note: str = "",
) -> Measurement:
    """A measurement; what a test does not speak of has a default."""
    return Measurement(
        set=set_name,
        puzzle=puzzle,
        islands=islands,
        rival=rival,
        clock=clock,
        repeat=repeat,
        seconds=seconds,
        budget=budget,
        status=status,
        unique=unique,
        note=note,
    )
