"""Looking over measurements for what must not be: wrong answers, contradictions, and verdicts that are missing."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from benchmarks.records import Measurement, Status
from benchmarks.rivals.registry import OURS

if TYPE_CHECKING:
    from collections.abc import Iterable

MUST_DECIDE = OURS[0]
"""A time-out of a rival is a result. One of our best engine is a puzzle without a verdict."""


def complaints(measurements: Iterable[Measurement]) -> list[str]:
    """One sentence for each thing that is wrong, without repetitions; nothing is wrong where there is none."""
    found: dict[str, None] = {}
    said: dict[tuple[str, str], dict[Status, set[str]]] = defaultdict(lambda: defaultdict(set))
    unique: dict[tuple[str, str], dict[bool, set[str]]] = defaultdict(lambda: defaultdict(set))
    for one in measurements:
        where = f"{one.rival} on {one.set}/{one.puzzle}"
        if one.status is Status.WRONG:
            found[f"{where}: WRONG ANSWER: {one.note}"] = None
        elif one.status is Status.FAILED:
            found[f"{where}: FAILED: {one.note}"] = None
        elif one.status is Status.TIMEOUT:
            if one.rival == MUST_DECIDE:
                found[f"{where}: NO VERDICT within {one.budget:g} s"] = None
        else:
            said[one.set, one.puzzle][one.status].add(one.rival)
            if one.unique is not None:
                unique[one.set, one.puzzle][one.unique].add(one.rival)
    for (name, puzzle), by_status in said.items():
        if len(by_status) > 1:
            solved, refuted = (_list(by_status[status]) for status in (Status.SOLVED, Status.INFEASIBLE))
            found[f"{name}/{puzzle}: CONTRADICTION: {refuted} calls infeasible what {solved} solved"] = None
    for (name, puzzle), by_answer in unique.items():
        if len(by_answer) > 1:
            found[f"{name}/{puzzle}: CONTRADICTION: {_list(by_answer[True])} calls unique what is not"] = None
    return list(found)


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
