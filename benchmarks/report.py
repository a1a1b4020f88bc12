"""Tables and plots of measurements: `python -m benchmarks.report DIR... --out docs`.

Reads the results of compare, growth, twins, budgets, load and million, and writes `performance.md` with the plots in
`performance/*.svg`.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import budgets, growth, load_plots, plots, twins
from benchmarks.audit import complaints
from benchmarks.load_tables import latency_table, load_table, memory_table
from benchmarks.records import Clock, Logged, Measurement, load
from benchmarks.rivals.registry import NAMES
from benchmarks.tables import (
    BASE,
    by_runner,
    by_set,
    markdown,
    ratio,
    row,
    shown,
    summary,
    times,
    uniqueness,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

METHOD = Path(__file__).with_name("method.md")


@dataclass(frozen=True)
class Results:
    """All that was measured, by the chapter that it belongs to."""

    compared: tuple[Logged, ...]
    grown: tuple[Logged, ...]
    twins: tuple[Logged, ...]
    budgets: tuple[Logged, ...] = ()
    loaded: tuple[Logged, ...] = ()
    looked: tuple[Logged, ...] = ()

    @classmethod
    def of(cls, logs: Iterable[Logged]) -> Results:
        """Sort files by what they hold; those without a measurement are left out."""
        compared: list[Logged] = []
        grown: list[Logged] = []
        twin: list[Logged] = []
        tried: list[Logged] = []
        loaded: list[Logged] = []
        looked: list[Logged] = []
        for log in logs:
            if log.loads:
                loaded.append(log)
            elif log.latencies:
                looked.append(log)
            elif log.draws:
                twin.append(log)
            elif log.attempts:
                tried.append(log)
            elif log.measurements:
                (grown if log.measurements[0].set == growth.SET else compared).append(log)
        return cls(tuple(compared), tuple(grown), tuple(twin), tuple(tried), tuple(loaded), tuple(looked))

    @property
    def logs(self) -> tuple[Logged, ...]:
        """All of them."""
        return self.compared + self.grown + self.twins + self.budgets + self.loaded + self.looked


def page(results: Results, drawn: Sequence[str]) -> str:
    """The whole page.

    Args:
        results: what was measured.
        drawn: the names of the plots that there are.
    """
    chapters = [METHOD.read_text(encoding="utf-8").rstrip()]
    wrong = [line for log in results.logs for line in complaints(log.measurements)]
    if wrong:
        chapters.append("\n".join(["## What went wrong", "", *(f"- {line}" for line in wrong)]))
    chapters.append(machines(results))
    if results.compared:
        chapters += ["## How many times the native engine's time", overview(results.compared)]
        chapters += [_image(name, CAPTIONS[name]) for name in ("cactus", "scatter", "islands") if name in drawn]
        chapters.append("## Set by set")
        chapters += [summary(taken) for log in results.compared for taken in by_set(log.measurements).values()]
        lines = [line for log in results.compared for line in uniqueness(log.measurements)]
        if lines:
            chapters += ["## Uniqueness", UNIQUENESS, markdown([UNIQUENESS_HEAD, *lines])]
    if results.twins:
        chapters += ["## Infeasible twins", TWINS, twins_table(results.twins)]
    if results.grown:
        chapters += ["## Up to 100,000 islands", GROWTH]
        chapters += [_image(name, CAPTIONS[name]) for name in ("growth",) if name in drawn]
        chapters += [growth_table(log.measurements) for log in results.grown]
    if results.budgets:
        attempts = [one for log in results.budgets for one in log.attempts]
        chapters += ["## Budgets", budgets.METHOD, budgets.summary(attempts)]
        chapters += [_image(name, CAPTIONS[name]) for name in ("budgets",) if name in drawn]
        chapters += filter(None, [budgets.table(attempts), budgets.outliers(attempts)])
    if results.loaded:
        chapters += ["## Under load", LOAD, *(load_table(log.loads) for log in results.loaded)]
        chapters += [_image(name, CAPTIONS[name]) for name in ("pace", "memory") if name in drawn]
        chapters.append(memory_table(_longest(results.loaded).memories))
    if results.looked:
        chapters += ["## A million rows", MILLION]
        chapters += [_image(name, CAPTIONS[name]) for name in ("latencies",) if name in drawn]
        chapters += [latency_table(log.latencies) for log in results.looked]
    return "\n\n".join(chapters) + "\n"


CAPTIONS = {
    "cactus": "Puzzles decided when each may take so long; lower and further to the right is better",
    "scatter": "Each puzzle of each set, the native engine's time against a rival's",
    "islands": "Time over islands, with the exponent of the power law through the points; time-outs are left out",
    "growth": "Time and memory over islands",
    "budgets": "Overshoot of the attempts that ended by their budget, over the budget and how often it was so large",
    "pace": "Puzzles that ended in a second, over time",
    "memory": "Memory of each process over time; what processes share is divided among them (PSS)",
    "latencies": "The median of every look, beside what is asked of it",
}

UNIQUENESS = "From the clues to the proof that the solution is the only one, beside the time of the solution alone."
UNIQUENESS_HEAD = ["set", "engine", "unique", "several", "open", "solution", "and uniqueness", "ratio"]

TWINS = (
    "One clue raised and one lowered by 1, at most four channels away, drawn until the board has no solution and "
    "propagation\nalone does not see it; up to 200 draws for five of a set. *Seen by propagation*, *feasible* and "
    "*undecided* are draws that\nwere no twins. The medians are those of the native engine: of the twins, and of the "
    "boards of the set, which are feasible."
)
GROWTH = (
    "Square boards of the easy kind with 0.4 islands for each cell, each solved in a process of its own. Its peak of "
    "memory\ncounts Python and all libraries."
)

LOAD = (
    "Distinct boards of 10x10 to 14x14 from one file, through `kakehashi submit`, `kakehashi worker` and\n"
    "`kakehashi results`, and through a bare process pool that reads, solves and checks the same. *Beyond the pool*\n"
    "is the CPU of submit and worker without what the pool needs; at most 0.15 ms a puzzle is promised. PostgreSQL's\n"
    "processes are counted apart (*database*). Rates of submit and results include the start of Python."
)
MILLION = (
    "Batches of a million entries: one that has *ended* (90 % solved, 5 % timeouts, 3 % invalid, 1 % crashed, 1 %\n"
    "infeasible), one in which every puzzle is *repeated*, one *waiting* in a million shards, one *cancelled*. Asked\n"
    "is 0.2 s for a status and for the first page of a filter that has an index, and 0.5 s for a glob over names and\n"
    "for another writer's wait while 50,000 timeouts are tried again and a million attempts cancelled."
)


def machines(results: Results) -> str:
    """Where and with what was measured, each machine once."""
    found = dict.fromkeys(machine for log in results.logs for machine in log.machines)
    lines = {f"- {m.cpu}, {m.cores} cores, {m.system}, Python {m.python}" for m in found}
    versions = sorted({version for machine in found for version in machine.versions})
    return "\n".join(["Measured on:", "", *sorted(lines), f"- {', '.join(versions)}"])


def overview(logs: Sequence[Logged]) -> str:
    """Ratios of totals: a line for each set, a column for each rival that was measured anywhere."""
    sets = [taken for log in logs for taken in by_set(log.measurements).values()]
    by_rival = [
        {rival: mine for (rival, clock), mine in by_runner(taken).items() if clock is Clock.VALUES} for taken in sets
    ]
    rivals = [name for name in NAMES if name != BASE and any(name in mine for mine in by_rival)]
    lines = [["set", f"{BASE}, total", *rivals]]
    for taken, mine in zip(sets, by_rival, strict=True):
        if BASE in mine:
            line = [taken[0].set, shown(row(mine[BASE]).total)]
            line += [_ratio(mine[rival], mine[BASE]) if rival in mine else "" for rival in rivals]
            lines.append(line)
    return markdown(lines)


def twins_table(logs: Sequence[Logged]) -> str:
    """How the twins of each set were found, and how long they take beside its feasible boards."""
    head = [
        "set",
        "draws",
        "seen by propagation",
        "feasible",
        "undecided",
        "twins",
        "median",
        "largest",
        "feasible median",
    ]
    lines = [[*head, "ratio"]]
    for log in logs:
        by_name = by_set(one for one in log.measurements if one.rival == BASE)
        for drawn in log.draws:
            line = [drawn.set, *map(str, (drawn.draws, drawn.refuted, drawn.feasible, drawn.undecided, drawn.twins))]
            feasible, twin = by_name.get(drawn.set), by_name.get(drawn.set + twins.SUFFIX)
            if feasible and twin:
                ours, theirs = row(twin), row(feasible)
                line += [
                    shown(ours.median),
                    shown(ours.largest),
                    shown(theirs.median),
                    times(ours.median / theirs.median),
                ]
            lines.append(line + [""] * (len(lines[0]) - len(line)))
    return markdown(lines)


def growth_table(measurements: Sequence[Measurement]) -> str:
    """A line for each size: time and peak of each course."""
    courses = by_runner(measurements)
    head = ["islands", "board"]
    for rival, clock in courses:
        name = "`kakehashi.solve`" if clock is Clock.WHOLE else rival
        head += [name, "MB"]
    lines = [head]
    for size in sorted({one.islands for one in measurements}):
        board = next(one.puzzle for one in measurements if one.islands == size)
        line = [f"{size:,}", board]
        for mine in courses.values():
            here = [one for one in mine if one.islands == size]
            numbers = row(here) if here else None
            peaks = [one.peak_mb for one in here if one.peak_mb is not None]
            late = "> " if numbers and numbers.timeouts else ""
            line += [late + shown(numbers.median) if numbers else "", f"{max(peaks):.0f}" if peaks else ""]
        lines.append(line)
    return markdown(lines)


def figures(results: Results) -> dict[str, Any]:
    """All plots that there is something to draw for, by name."""
    grown = [one for log in results.grown for one in log.measurements]
    drawn = {
        "cactus": plots.cactus(results.compared),
        "scatter": plots.scatter(results.compared),
        "islands": plots.islands(results.compared),
        "growth": plots.growth(grown),
        "budgets": plots.budgets([one for log in results.budgets for one in log.attempts]),
        "pace": load_plots.pace(_longest(results.loaded).paces if results.loaded else ()),
        "memory": load_plots.memory(_longest(results.loaded).memories if results.loaded else ()),
        "latencies": load_plots.latencies([one for log in results.looked for one in log.latencies]),
    }
    return {name: figure for name, figure in drawn.items() if figure is not None}


def write(results: Results, out: Path, png: Path | None) -> None:
    """The page and its plots; as PNG too where a folder for that is given."""
    from matplotlib import rc_context

    folder = out / "performance"
    folder.mkdir(parents=True, exist_ok=True)
    with rc_context(plots.STYLE):
        drawn = figures(results)
        for name, figure in drawn.items():
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
            if png is not None:
                png.mkdir(parents=True, exist_ok=True)
                figure.savefig(png / f"{name}.png")
    (out / "performance.md").write_text(page(results, list(drawn)), encoding="utf-8")


def _longest(logs: Sequence[Logged]) -> Logged:
    """The load of the most puzzles."""
    return max(logs, key=lambda log: max(load.puzzles for load in log.loads))


def _ratio(mine: Sequence[Measurement], base: Sequence[Measurement]) -> str:
    return times(ratio(mine, base), at_least=row(mine).timeouts > 0)


def _image(name: str, caption: str) -> str:
    return f"![{caption}](performance/{name}.svg)\n\n*{caption}.*"


def main() -> int:
    """Read, write; 1 when something is wrong in what was measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("results", nargs="+", type=Path, help="folders or files that the other commands wrote")
    parser.add_argument("--out", type=Path, default=Path("docs"), help="folder for the page")
    parser.add_argument("--png", type=Path, help="a folder for the plots as PNG, to look at them")
    given = parser.parse_args()
    try:
        results = Results.of(load(given.results))
    except (OSError, ValueError) as error:
        parser.error(str(error))
    write(results, given.out, given.png)
    wrong = [line for log in results.logs for line in complaints(log.measurements)]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
