"""The plots of the chapters "Under load" and "A million rows", to be called with `plots.STYLE` in force."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from benchmarks.plots import seconds_on, with_panels

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.records import Latency, Memory, Pace

COLOURS = {"sqlite": "#0072B2", "postgresql": "#D55E00"}

KINDS = {
    "supervisor": "#000000",
    "celery": "#E69F00",
    "worker process": "#0072B2",
    "valkey": "#CC79A7",
    "postgres": "#56B4E9",
    "backend": "#009E73",
}
"""The processes of a load in the order of the legend; `Memory.process` has a number behind the name."""

PACE_SECONDS = 2.0
"""A rate is that of so many seconds: results come in hundreds."""


def memory(levels: Iterable[Memory]) -> Any | None:
    """What each process had in memory over time, without what it shares; a panel for each database."""
    by_process: dict[str, dict[str, list[Memory]]] = defaultdict(lambda: defaultdict(list))
    for level in levels:
        if level.repeat == 0 and level.process.rpartition(" ")[0] in KINDS:
            by_process[level.database][level.process].append(level)
    if not by_process:
        return None
    figure, drawn = with_panels(len(by_process), size=(6.0, 3.7))
    for panel, (database, processes) in zip(drawn, by_process.items(), strict=True):
        for process, course in sorted(processes.items(), key=lambda item: list(KINDS).index(_kind(item[0]))):
            first = process.endswith(" 1")
            panel.plot(
                [level.at for level in course], [level.pss_mb for level in course],
                color=KINDS[_kind(process)], label=_kind(process) if first else None,
            )  # fmt: skip
        panel.set(title=database, xlabel="seconds since the worker was started", ylabel="megabytes", ylim=(0, None))
        panel.legend(fontsize=8)
    return figure


def pace(paces: Iterable[Pace]) -> Any | None:
    """How many puzzles ended in a second, over time; a curve for each load."""
    loads: dict[tuple[str, int], list[Pace]] = defaultdict(list)
    for one in paces:
        loads[one.database, one.repeat].append(one)
    if not loads:
        return None
    figure, (panel,) = with_panels(1, size=(8.5, 3.7))
    for (database, repeat), course in loads.items():
        times, rates = rates_of(course)
        panel.plot(times, rates, color=COLOURS[database], label=database if repeat == 0 else None)
    panel.set(xlabel="seconds since the worker was started", ylabel="puzzles a second", ylim=(0, None))
    panel.legend(fontsize=9)
    return figure


def rates_of(course: Sequence[Pace]) -> tuple[list[float], list[float]]:
    """Moments, and the puzzles a second between each and the one before."""
    times, rates = [], []
    before = course[0]
    for one in course[1:]:
        if one.at - before.at >= PACE_SECONDS or one is course[-1]:
            times.append(one.at)
            rates.append((one.done - before.done) / max(one.at - before.at, 1e-3))
            before = one
    return times, rates


def latencies(found: Sequence[Latency]) -> Any | None:
    """Every look at a million rows beside what is asked; a panel for each batch."""
    batches = [name for name in dict.fromkeys(one.batch for one in found) if _whats(found, name, least=10)]
    if not batches:
        return None
    rows = max(len(_whats(found, name)) for name in batches)
    figure, drawn = with_panels(len(batches), size=(6.4, 0.2 * rows + 1.2), columns=2)
    for panel, batch in zip(drawn, batches, strict=True):
        whats = _whats(found, batch)
        for database, colour in COLOURS.items():
            here = [one for one in found if (one.batch, one.database) == (batch, database)]
            heights = [whats.index(one.what) for one in here]
            panel.scatter([one.seconds for one in here], heights, color=colour, s=16, label=database, zorder=3)
        asked = {one.what: one.asked for one in found if one.batch == batch}
        panel.scatter([asked[what] for what in whats], range(len(whats)), color="#555555", marker="|", label="asked")
        panel.set(title=batch, xscale="log", yticks=range(len(whats)))
        panel.set_yticklabels(whats, fontsize=7)
        panel.invert_yaxis()
        seconds_on(panel.xaxis)
    figure.legend(*drawn[0].get_legend_handles_labels(), fontsize=8, loc="outside upper center", ncols=3)
    return figure


def _whats(found: Iterable[Latency], batch: str, least: int = 1) -> list[str]:
    whats = list(dict.fromkeys(one.what for one in found if one.batch == batch))
    return whats if len(whats) >= least else []


def _kind(process: str) -> str:
    return process.rpartition(" ")[0]
