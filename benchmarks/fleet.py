"""Where the design saturates: `python -m benchmarks.fleet` (`just fleet-simulation`) writes docs/scale.

Simulates fleets of 1 to 1,000 workers with 8 processes each (benchmarks/fleet_model.py) from measured costs
(`python -m benchmarks.fleet_costs > docs/scale/costs.json`), draws docs/scale/throughput.svg, and puts the tables
between the marks in docs/scale.md.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.fleet_costs import Costs
from benchmarks.fleet_model import Fleet, Load, simulate
from benchmarks.plots import INKS, STYLE

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[1]
PAGE, FOLDER = ROOT / "docs" / "scale.md", ROOT / "docs" / "scale"

WORKERS = (1, 10, 30, 100, 1000)
KINDS = {"0.2 ms": Fleet(solve=0.2e-3), "2 ms": Fleet(solve=2e-3), "20 ms": Fleet(solve=20e-3, shard=50)}
"""Puzzles by the CPU that one takes; shards as the planner cuts them, about a second of work and 500 at most."""

BILLION = 1e9

REMEDIES = {
    "as it is": {},
    "sweeps every 10 s, water marks x 10": {"sweep_every": 10.0, "low_water": 500, "high_water": 2000},
    "twice the disk": {"disk": 1e9},
    "twice the disk, 32 cores": {"disk": 1e9, "cores": 32},
    "4 databases": {"databases": 4},
    "20 databases": {"databases": 20},
}
"""What could be done for 1,000 workers at puzzles of 2 ms."""


def row(name: str, fleet: Fleet, load: Load) -> str:
    """One line of a table."""
    cells = [
        name, f"{fleet.workers:,}", f"{load.puzzles:,.0f}", f"{BILLION / load.puzzles / 3600:,.1f} h",
        f"{load.work:.0%}", f"{load.database:.0%}", f"{load.disk:.0%}", f"{load.broker:.0%}", f"{load.bells:,.0f}",
        f"{load.transactions:,.0f}", f"{load.sweeps:,.0f}", f"{load.wal / 1e6:,.0f} MB", f"{load.connections:,}",
        load.wall or "-",
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


HEAD = (
    "| {} | workers | puzzles/s | a billion | solving | database | disk | broker | bells/s | transactions/s | sweeps/s "
    "| WAL/s | connections | wall |\n|---" + "|---:" * 12 + "|---|"
)


def plot(found: dict[str, list[tuple[Fleet, Load]]]) -> Any:
    """Throughput and the busiest part, against the number of workers; a ring where there is a wall."""
    from matplotlib import pyplot as plt

    figure, (above, below) = plt.subplots(2, 1, figsize=(8.5, 7.0), sharex=True)
    for (name, loads), ink in zip(found.items(), INKS.values(), strict=False):
        workers = [fleet.workers for fleet, _ in loads]
        above.plot(workers, [load.puzzles for _, load in loads], color=ink.colour, marker=ink.marker, label=name)
        ideal = [fleet.workers * fleet.processes / fleet.solve for fleet, _ in loads]
        above.plot(workers, ideal, color=ink.colour, linewidth=0.8, linestyle=":")
        walls = [(fleet.workers, load.puzzles) for fleet, load in loads if load.wall]
        above.plot(*zip(*walls, strict=True), "o", color="#D55E00", fillstyle="none", markersize=13) if walls else None
        busiest = [max(load.database, load.disk, load.broker) for _, load in loads]
        below.plot(workers, busiest, color=ink.colour, marker=ink.marker, label=name)
    above.set(xscale="log", yscale="log", ylabel="puzzles a second")
    above.set_title("Throughput (dotted: solving alone; ring: a wall)")
    below.set(xlabel="workers with 8 processes", ylabel="part of its time", ylim=(0, 1.05))
    below.set_title("The busiest of database, disk and broker")
    above.legend(title="CPU of a puzzle")
    return figure


def between(page: str, mark: str, text: str) -> str:
    """The page with a text between the marks of this name."""
    pattern = re.compile(rf"(<!-- {mark}: begin -->\n).*?(<!-- {mark}: end -->)", re.DOTALL)
    changed, count = pattern.subn(lambda found: f"{found[1]}{text}\n{found[2]}", page)
    if count != 1:
        raise SystemExit(f"{PAGE}: expected the marks of {mark!r} once")
    return changed


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate, draw, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--costs", type=Path, default=FOLDER / "costs.json")
    parser.add_argument("--most", type=int, default=WORKERS[-1], help="workers of the largest fleet")
    given = parser.parse_args(arguments)
    costs = Costs.from_json(given.costs.read_text(encoding="utf-8"))
    found: dict[str, list[tuple[Fleet, Load]]] = {}
    for name, kind in KINDS.items():
        for workers in WORKERS:
            if workers <= given.most:
                fleet = replace(kind, workers=workers)
                found.setdefault(name, []).append((fleet, simulate(fleet, costs)))
                print(row(name, *found[name][-1]), flush=True)
    sizes = [HEAD.format("CPU of a puzzle"), *(row(name, *one) for name, loads in found.items() for one in loads)]
    remedies = [HEAD.format("")]
    for name, changes in REMEDIES.items():
        fleet = replace(KINDS["2 ms"], workers=given.most, **changes)  # type: ignore[arg-type]
        remedies.append(row(name, fleet, simulate(fleet, costs)))
        print(remedies[-1], flush=True)
    import matplotlib as mpl

    with mpl.rc_context(STYLE):
        plot(found).savefig(FOLDER / "throughput.svg", metadata={"Date": None})
    page = between(PAGE.read_text(encoding="utf-8"), "sizes", "\n".join(sizes))
    PAGE.write_text(between(page, "remedies", "\n".join(remedies)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
