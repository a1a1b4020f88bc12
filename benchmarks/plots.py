"""The plots of the report: each function draws one figure, to be called with `STYLE` in force."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.fits import SPAN, power_law
from benchmarks.records import PROMISED_PART, PROMISED_SECONDS, Attempt, Clock, Measurement, Status
from benchmarks.rivals.registry import NAMES
from benchmarks.tables import BASE, by_runner, by_set, puzzle_seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.records import Logged

PANELS = 6
"""Panels of one figure, at most."""

LEAST_OVERSHOOT = 1e-4
"""What took less beyond its budget is drawn here: the scale is logarithmic."""

CACTUS_PUZZLES = 10
"""A curve over fewer puzzles shows nothing that the table does not."""


@dataclass(frozen=True, slots=True)
class Ink:
    """How a rival is drawn, the same in all figures."""

    colour: str
    marker: str


INKS = {
    "native": Ink("#0072B2", "o"),
    "pysat": Ink("#56B4E9", "s"),
    "prototype": Ink("#000000", "D"),
    "plain-pysat": Ink("#E69F00", "^"),
    "clingo": Ink("#009E73", "v"),
    "clingo-handy": Ink("#66C2A5", "<"),
    "cp-sat": Ink("#D55E00", "P"),
    "highs": Ink("#CC79A7", "X"),
}
"""Okabe and Ito's palette ("Color universal design", 2008), which the colour-blind tell apart; markers differ too."""

STYLE = {
    "axes.grid": True,
    "axes.grid.which": "major",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "grid.alpha": 0.35,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "savefig.dpi": 130,
    "svg.fonttype": "none",
    "svg.hashsalt": "kakehashi",  # the same measurements give the same file
}


def cactus(logs: Sequence[Logged]) -> Any | None:
    """How many puzzles of a set are solved when each may take so long; a panel for each set."""
    chosen = [taken for taken in largest_samples(logs) if len({one.puzzle for one in taken}) >= CACTUS_PUZZLES][:PANELS]
    if not chosen:
        return None
    figure, panels = with_panels(len(chosen))
    for panel, taken in zip(panels, chosen, strict=True):
        for rival, mine in _values(taken).items():
            solved = sorted(puzzle_seconds(_decided(mine)).values())
            panel.plot(range(1, len(solved) + 1), solved, color=INKS[rival].colour, label=rival)
        panel.set_yscale("log")
        panel.set_title(taken[0].set)
        panel.set_xlabel("puzzles decided")
        panel.set_ylabel("each within")
        seconds_on(panel.yaxis)
    _legend(figure, panels)
    return figure


def scatter(logs: Sequence[Logged]) -> Any | None:
    """Each puzzle of each set: the native engine's time against a rival's."""
    points: dict[str, list[tuple[float, float, bool]]] = defaultdict(list)
    for log in logs:
        for taken in by_set(log.measurements).values():
            by_rival = _values(taken)
            ours = puzzle_seconds(by_rival.pop(BASE, []))
            for rival, mine in by_rival.items():
                late = {one.puzzle for one in mine if one.status is Status.TIMEOUT}
                points[rival] += [
                    (ours[puzzle], seconds, puzzle in late)
                    for puzzle, seconds in puzzle_seconds(mine).items()
                    if puzzle in ours
                ]
    if not points:
        return None
    figure, (panel,) = with_panels(1, size=(8.5, 5.6))
    left, right = _limits([ours for each in points.values() for ours, _, _ in each])
    bottom, top = _limits([theirs for each in points.values() for _, theirs, _ in each])
    for factor in (1, 10, 100, 1000, 10000):
        if bottom < right * factor and left * factor < top:
            panel.plot([left, right], [left * factor, right * factor], color="#999999", linewidth=0.8, zorder=0)
            x = min(right, top / factor)
            name = "equal" if factor == 1 else f"{factor:,} x"
            at_top = x < right
            panel.annotate(
                name, (x, x * factor), xytext=(0, 3) if at_top else (3, 0), textcoords="offset points", fontsize=8,
                color="#555555", ha="center" if at_top else "left", va="bottom" if at_top else "center",
            )  # fmt: skip
    for rival in (name for name in NAMES if name in points):
        ink = INKS[rival]
        for unsolved in (False, True):
            chosen = [(x, y) for x, y, out in points[rival] if out is unsolved]
            if chosen:
                xs, ys = zip(*chosen, strict=True)
                panel.scatter(
                    xs, ys, s=22, marker=ink.marker, linewidths=0.8, alpha=0.75, edgecolors=ink.colour,
                    facecolors="none" if unsolved else ink.colour, label=f"{rival}, time-out" if unsolved else rival,
                    rasterized=True,  # thousands of points: as shapes they are a megabyte
                )  # fmt: skip
    panel.set(xscale="log", yscale="log", xlim=(left, right), ylim=(bottom, top))
    panel.set_xlabel(f"time of {BASE}")
    panel.set_ylabel("time of the rival")
    seconds_on(panel.xaxis, panel.yaxis)
    figure.legend(loc="outside right center", fontsize=9)
    return figure


def islands(logs: Sequence[Logged]) -> Any | None:
    """Time over the number of islands, for each family of sets that has small boards and large ones."""
    families: dict[str, list[Measurement]] = defaultdict(list)
    for taken in largest_samples(logs):
        families[family(taken[0].set)] += taken
    chosen = []
    for name, taken in families.items():
        sizes = [one.islands for one in taken]
        if max(sizes) >= SPAN * min(sizes):
            chosen.append((name, taken))
    if not chosen:
        return None
    figure, panels = with_panels(len(chosen[:PANELS]))
    for panel, (name, taken) in zip(panels, chosen[:PANELS], strict=True):
        for rival, mine in _values(taken).items():
            _time_over_islands(panel, rival, _decided(mine), alpha=0.35)
        panel.set_title(name)
        panel.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    return figure


def growth(measurements: Sequence[Measurement]) -> Any | None:
    """Time and memory of one board of each size, each in a process of its own."""
    if not measurements:
        return None
    figure, (left, right) = with_panels(2)
    for (rival, clock), mine in by_runner(measurements).items():
        done = _decided(mine)
        if not done:
            continue
        whole = clock is Clock.WHOLE
        name = "kakehashi.solve" if whole else rival
        _time_over_islands(left, rival, done, alpha=0.8, name=name, dashed=whole)
        peaks: dict[int, float] = {}
        for one in done:
            peaks[one.islands] = max(peaks.get(one.islands, 0.0), one.peak_mb or 0.0)
        ink = INKS[rival]
        right.plot(
            peaks.keys(), peaks.values(), color=ink.colour, marker=ink.marker, label=name, markersize=4,
            linestyle="--" if whole else "-",
        )  # fmt: skip
    left.set_title("time")
    left.legend(fontsize=8, loc="upper left")
    right.set_title("peak of memory, Python included")
    right.set(xscale="log", xlabel="islands", ylabel="megabytes", ylim=(0, None))
    _counts(right.xaxis)
    right.legend(fontsize=8, loc="upper left")
    return figure


def budgets(attempts: Sequence[Attempt]) -> Any | None:
    """By how much budgets were overshot: over the budget beside the promise, and how often by so much or more."""
    ended = [one for one in attempts if one.at_its_budget]
    if not ended:
        return None
    figure, (left, right) = with_panels(2)
    for engine in dict.fromkeys(one.engine for one in ended):
        mine = [one for one in ended if one.engine == engine]
        ink = INKS[engine]
        over = [max(one.overshoot, LEAST_OVERSHOOT) for one in mine]
        parts = [100 * (k + 1) / len(over) for k in range(len(over))]
        left.scatter([one.budget for one in mine], over, s=9, color=ink.colour, marker=ink.marker, alpha=0.6)
        right.step(sorted(over, reverse=True), parts, color=ink.colour, label=engine)
    low, high = _limits([one.budget for one in ended])
    line = [low, max(low, PROMISED_SECONDS / PROMISED_PART), high]
    promised = [max(PROMISED_SECONDS, PROMISED_PART * budget) for budget in line]
    left.plot(line, promised, color="#D55E00", label="promised")
    right.axvline(PROMISED_SECONDS, color="#D55E00", label="promised, up to 2.5 s")
    left.set(xscale="log", yscale="log", xlabel="budget", ylabel="overshoot", title="each attempt")
    right.set(
        xscale="log", yscale="log", xlabel="overshoot", ylabel="attempts with at least so much", title="how often"
    )
    seconds_on(left.xaxis, left.yaxis, right.xaxis)
    right.yaxis.set_major_formatter(lambda part, _: f"{part:g} %")
    left.legend(fontsize=8, loc="upper left")
    right.legend(fontsize=8, loc="lower left")
    return figure


def largest_samples(logs: Iterable[Logged]) -> list[list[Measurement]]:
    """For each set the run over the most puzzles of it, where there was a smaller sample too, in order."""
    found: dict[str, list[Measurement]] = {}
    for log in logs:
        for name, taken in by_set(log.measurements).items():
            bare = without_sample(name)
            before = found.get(bare)
            if before is None or len({one.puzzle for one in taken}) > len({one.puzzle for one in before}):
                found[bare] = taken
    return list(found.values())


def without_sample(name: str) -> str:
    """A set's name without the size of the sample: `coelho400 (12 of 180)` is `coelho400`."""
    return re.sub(r" \(\d+ of \d+\)$", "", name)


def family(name: str) -> str:
    """What sets of one kind and different size have in common: `ones1000` and `ones5000` are `ones`."""
    return without_sample(name).rstrip("0123456789") or name


def _time_over_islands(
    panel: Any, rival: str, mine: Sequence[Measurement], *, alpha: float, name: str = "", dashed: bool = False
) -> None:
    """Points, and the power law through them with its exponent in the legend."""
    sizes = {one.puzzle + one.set: one.islands for one in mine}
    seconds = {key: time for each in by_set(mine).values() for key, time in _keyed(each).items()}
    xs, ys = [sizes[key] for key in seconds], list(seconds.values())
    ink = INKS[rival]
    label = name or rival
    law = power_law(xs, ys)
    if law is not None:
        label += f": n^{law.exponent:.2f}"
        ends = [min(xs), max(xs)]
        panel.plot(ends, [law.at(x) for x in ends], color=ink.colour, linestyle="--" if dashed else "-", linewidth=1.5)
    panel.scatter(
        xs,
        ys,
        s=14,
        facecolors="none" if dashed else ink.colour,
        edgecolors=ink.colour,
        marker=ink.marker,
        alpha=alpha,
        linewidths=0.7,
        label=label,
        rasterized=len(xs) > 400,
    )
    panel.set(xscale="log", yscale="log", xlabel="islands", ylabel="time")
    _counts(panel.xaxis)
    seconds_on(panel.yaxis)


def _keyed(taken: Sequence[Measurement]) -> dict[str, float]:
    return {puzzle + taken[0].set: seconds for puzzle, seconds in puzzle_seconds(taken).items()}


def _values(taken: Iterable[Measurement]) -> dict[str, list[Measurement]]:
    """The measurements from clues to values, by rival."""
    return {rival: mine for (rival, clock), mine in by_runner(taken).items() if clock is Clock.VALUES}


def _decided(taken: Iterable[Measurement]) -> list[Measurement]:
    return [one for one in taken if one.status in {Status.SOLVED, Status.INFEASIBLE}]


def with_panels(count: int, size: tuple[float, float] = (4.6, 3.7), columns: int = 3) -> tuple[Any, list[Any]]:
    """A figure with so many panels of a size in inches, so many in a row at most."""
    from matplotlib.figure import Figure

    columns = min(count, columns) if count != 4 else 2
    rows = math.ceil(count / columns)
    figure = Figure(figsize=(size[0] * columns, size[1] * rows))
    made = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for left_over in made[count:]:
        left_over.set_axis_off()
    return figure, made[:count]


def _legend(figure: Any, panels: Sequence[Any]) -> None:
    """One legend for all panels, below them."""
    entries: dict[str, Any] = {}
    for panel in panels:
        handles, labels = panel.get_legend_handles_labels()
        entries |= dict(zip(labels, handles, strict=True))
    names = [name for name in NAMES if name in entries]
    width = 2 * len({panel.get_position().x0 for panel in panels}) + 1  # as many as there is room for
    figure.legend([entries[name] for name in names], names, loc="outside lower center", ncols=min(width, len(names)))


def seconds_on(*axes: Any) -> None:
    """Times in units that one reads: 1 ms, not 10^-3."""
    for axis in axes:
        axis.set_major_formatter(lambda seconds, _: unit(seconds))


def _counts(axis: Any) -> None:
    """Numbers of islands: written out, at 1, 2 and 5 of each power of ten where there is room."""
    from matplotlib.ticker import LogLocator, NullFormatter

    low, high = axis.get_data_interval()
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 200 * low else (1,)))
    axis.set_major_formatter(lambda count, _: f"{count:,.0f}")
    axis.set_minor_formatter(NullFormatter())


def unit(seconds: float) -> str:
    """A round time with its unit."""
    for factor, name in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 0.999:
            return f"{seconds * factor:g} {name}"
    return f"{seconds:g} s"


def _limits(values: Sequence[float]) -> tuple[float, float]:
    """Where a logarithmic axis begins and ends, with some room."""
    return min(values) / 1.5, max(values) * 1.5
