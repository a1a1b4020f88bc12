"""From measurements to the numbers and tables of the report.

A puzzle's time is the median of its repeats, and a time-out counts as the budget. A ratio is taken between the totals
of one alternation, in which all rivals had the same moments of the machine, and is the median over the alternations.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.records import Clock, Measurement, Status
from benchmarks.rivals.registry import NAMES, OURS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

BASE = OURS[0]
"""Whom ratios are counted from."""


@dataclass(frozen=True, slots=True)
class Row:
    """One rival on one set. Seconds.

    Attributes:
        rival, clock: who, and how the times were taken.
        puzzles: how many.
        median, largest: over the puzzles' times.
        total: of the set, the median over the alternations.
        timeouts: puzzles that the budget was not enough for, in any alternation.
        wrong: puzzles with a wrong answer or a failure.
    """

    rival: str
    clock: Clock
    puzzles: int
    median: float
    largest: float
    total: float
    timeouts: int
    wrong: int


def puzzle_seconds(measurements: Iterable[Measurement]) -> dict[str, float]:
    """The time of each puzzle, for measurements of one rival and one clock."""
    seconds: dict[str, list[float]] = defaultdict(list)
    for one in measurements:
        seconds[one.puzzle].append(one.charged)
    return {puzzle: statistics.median(each) for puzzle, each in seconds.items()}


def totals(measurements: Iterable[Measurement]) -> dict[int, float]:
    """The total of each alternation, for measurements of one rival and one clock."""
    found: dict[int, float] = defaultdict(float)
    for one in measurements:
        found[one.repeat] += one.charged
    return dict(found)


def ratio(measurements: Iterable[Measurement], base: Iterable[Measurement]) -> float:
    """How many times the base's total a rival's is: the median over the alternations that both had.

    Raises:
        ValueError: they had none in common.
    """
    above, below = totals(measurements), totals(base)
    common = above.keys() & below.keys()
    if not common:
        raise ValueError("the two were never measured in the same alternation")
    return statistics.median(above[repeat] / below[repeat] for repeat in common)


def row(measurements: Sequence[Measurement]) -> Row:
    """The numbers of one rival on one set."""
    seconds = puzzle_seconds(measurements)
    failures = {Status.WRONG, Status.FAILED}
    return Row(
        rival=measurements[0].rival,
        clock=measurements[0].clock,
        puzzles=len(seconds),
        median=statistics.median(seconds.values()),
        largest=max(seconds.values()),
        total=statistics.median(totals(measurements).values()),
        timeouts=len({one.puzzle for one in measurements if one.status is Status.TIMEOUT}),
        wrong=len({one.puzzle for one in measurements if one.status in failures}),
    )


def by_runner(measurements: Iterable[Measurement]) -> dict[tuple[str, Clock], list[Measurement]]:
    """Measurements of one set by rival and clock, in the order of the tables."""
    found: dict[tuple[str, Clock], list[Measurement]] = defaultdict(list)
    for one in measurements:
        found[one.rival, one.clock].append(one)
    clocks = list(Clock)
    return dict(sorted(found.items(), key=lambda item: (NAMES.index(item[0][0]), clocks.index(item[0][1]))))


def by_set(measurements: Iterable[Measurement]) -> dict[str, list[Measurement]]:
    """Measurements by set, in the order in which they came."""
    found: dict[str, list[Measurement]] = defaultdict(list)
    for one in measurements:
        found[one.set].append(one)
    return dict(found)


def summary(measurements: Sequence[Measurement]) -> str:
    """The table of one set: a line for each rival, the time of `kakehashi.solve` beside our engines'."""
    runners = by_runner(measurements)
    base = runners.get((BASE, Clock.VALUES))
    with_whole = any(clock is Clock.WHOLE for _, clock in runners)
    head = ["", "median", "largest", "total", f"times {BASE}", "time-outs"]
    lines = [head + (["`kakehashi.solve`: median", "total"] if with_whole else [])]
    for (rival, clock), taken in runners.items():
        if clock is Clock.VALUES:
            numbers = row(taken)
            line = [rival, shown(numbers.median), shown(numbers.largest), shown(numbers.total)]
            line.append(times(ratio(taken, base), at_least=numbers.timeouts > 0) if base else "")
            line.append(missed(numbers))
            if with_whole:
                whole = runners.get((rival, Clock.WHOLE))
                line += [shown(row(whole).median), shown(row(whole).total)] if whole else ["", ""]
            lines.append(line)
    return heading(measurements) + "\n\n" + markdown(lines)


def heading(measurements: Sequence[Measurement]) -> str:
    """A set's name, with what it consists of."""
    islands = [one.islands for one in measurements]
    span = f"{min(islands):,}" if min(islands) == max(islands) else f"{min(islands):,} to {max(islands):,}"
    puzzles = len({one.puzzle for one in measurements})
    alternations = len({one.repeat for one in measurements})
    return (
        f"**{measurements[0].set}**: {_counted(puzzles, 'puzzle')} of {span} islands, "
        f"{_counted(alternations, 'alternation')}, budget {measurements[0].budget:g} s"
    )


def uniqueness(measurements: Sequence[Measurement]) -> list[list[str]]:
    """For each engine of a set that was asked for uniqueness: a line of the report's table."""
    runners = by_runner(measurements)
    lines = []
    for (rival, clock), taken in runners.items():
        if clock is Clock.UNIQUE:
            plain, numbers = runners[rival, Clock.VALUES], row(taken)
            answers = {one.puzzle: one.unique for one in taken if one.unique is not None}
            lines.append(
                [
                    taken[0].set,
                    rival,
                    str(sum(answers.values())),
                    str(len(answers) - sum(answers.values())),
                    str(numbers.puzzles - len(answers)),
                    shown(row(plain).total),
                    shown(numbers.total),
                    times(ratio(taken, plain), at_least=numbers.timeouts > 0),
                ]
            )
    return lines


def markdown(lines: Sequence[Sequence[str]]) -> str:
    """A table; the first line is its head. The first column is text, all others are numbers."""
    widths = [max(3, *(len(line[k]) for line in lines)) for k in range(len(lines[0]))]

    def drawn(line: Sequence[str]) -> str:
        cells = [
            text.rjust(width) if k else text.ljust(width)
            for k, (text, width) in enumerate(zip(line, widths, strict=True))
        ]
        return "| " + " | ".join(cells) + " |"

    rule = "|" + "|".join("-" * (width + 1) + (":" if k else "-") for k, width in enumerate(widths)) + "|"
    return "\n".join([drawn(lines[0]), rule, *map(drawn, lines[1:])])


def shown(seconds: float) -> str:
    """A time with three digits and its unit."""
    if seconds >= 1:
        return f"{_three(seconds)} s"
    return f"{_three(seconds * 1000)} ms" if seconds >= 0.001 else f"{_three(seconds * 1e6)} us"


def times(factor: float, *, at_least: bool = False) -> str:
    """A ratio with two or three digits; `at_least` where a time-out cut it short."""
    digits = f"{factor:.2f}" if factor < 10 else f"{factor:.1f}" if factor < 100 else f"{factor:,.0f}"
    return f"> {digits}" if at_least else digits


def missed(numbers: Row) -> str:
    """How many puzzles a rival did not decide; wrong ones loudly."""
    wrong = f"**{numbers.wrong} WRONG**" if numbers.wrong else ""
    return ", ".join(filter(None, [str(numbers.timeouts) if numbers.timeouts else "", wrong])) or "-"


def _three(number: float) -> str:
    return f"{number:.2f}" if number < 9.995 else f"{number:.1f}" if number < 99.95 else f"{number:.0f}"


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" + ("" if number == 1 else "s")
