"""The total budget of a run, in words: once it is over, no new puzzle of the run starts."""

from __future__ import annotations


def in_words(seconds: float) -> str:
    """Seconds as people say it: `45 s`, `10 min`, `1.5 h`."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{round(seconds / size, 2):g} {unit}"
    return f"{round(seconds, 2):g} s"


def not_started(seconds: float) -> str:
    """Why an attempt of a run with this total budget was cancelled."""
    return f"not started: the run's total budget of {in_words(seconds)} was over"
