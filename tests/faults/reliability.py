"""docs/reliability.md, from what the fault suite and the soaks wrote."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DOCS = Path(__file__).parents[2] / "docs"

ZEROS = ("lost", "doubled", "wrong", "changed", "leases")
"""What the audit counts."""

ROLES = {"supervisor": "#0072B2", "Celery": "#E69F00", "process": "#009E73"}
"""The processes of a worker, and how each is drawn."""

HEAD = """\
# Reliability

What faults cost. Written by `python -m tests.faults.soak --report`; [tests/faults](../tests/faults/README.md) says how
faults are done and judged. After each, plain SQL and the checker look at everything:

- **lost**: entries without exactly one final attempt, shards that are open, and what the counts of shards are out by;
- **doubled**: attempts that were made final more than once (triggers in the database note each write);
- **wrong**: answers that the checker refuses, and verdicts that contradict those of a quiet run;
- **changed**: attempts without a verdict where a quiet run has one;
- **leases**, **bells**, **left**: shards that are still held, bells that wait, processes and temporary files that are
  left.
"""


@dataclass(frozen=True)
class Told:
    """What a soak's file tells.

    Attributes:
        begin, end: its first and last line.
        faults: when, in seconds, and what.
        written: when, in seconds, and how many attempts had been written by then.
        samples: the lines that are samples.
    """

    begin: dict[str, Any]
    end: dict[str, Any]
    faults: list[tuple[float, str]]
    written: list[tuple[float, int]]
    samples: list[dict[str, Any]]

    def standstills(self) -> list[tuple[float, str, float]]:
        """Each fault: when it came, what it was, and the longest time without a written attempt until the next one.

        A time that began before the next fault counts until its end.
        """
        found = []
        ends = [at for at, _ in self.faults[1:]] + [self.end["at"]]
        moments = [then for then, _ in self.written]
        for (at, fault), until in zip(self.faults, ends, strict=True):
            following = [then for then in moments if then >= until][:1]
            steps = [at, *(then for then in moments if at < then < until), *following]
            found.append((at, fault, max((b - a for a, b in pairwise(steps)), default=0.0)))
        return found

    def memory(self, role: str) -> list[tuple[float, float]]:
        """When, and the megabytes of the largest process with this role."""
        return [(one["at"], max(one["memory"][role])) for one in self.samples if one["memory"][role]]


def read(log: Path) -> Told:
    """Read a soak's file.

    Raises:
        ValueError: the soak did not come to its end.
    """
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    if not lines or lines[-1]["kind"] != "end":
        raise ValueError(f"{log}: this soak did not come to its end")
    return Told(
        lines[0],
        lines[-1],
        [(line["at"], line["fault"]) for line in lines if line["kind"] == "fault"],
        [(line["at"], line["attempts"]) for line in lines if line["kind"] == "written"],
        [line for line in lines if line["kind"] == "sample"],
    )


def write(logs: Sequence[Path], faults: Path | None, docs: Path = DOCS) -> None:
    """Write the page and its plots.

    Args:
        logs: of soaks, one for each database.
        faults: what `python -m tests.faults --json` wrote.
        docs: the folder of the page.
    """
    told = [read(log) for log in logs]
    parts = [HEAD]
    if faults is not None:
        parts.append(one_by_one(json.loads(faults.read_text())))
    (docs / "reliability").mkdir(exist_ok=True)
    parts.append(soaked(told))
    for one in told:
        name = f"reliability/soak-{one.begin['database']}.svg"
        plot(one, docs / name)
        parts.append(f"![{one.begin['database']}: attempts, memory and standstills over time]({name})\n")
    (docs / "reliability.md").write_text("\n".join(parts))


def one_by_one(rows: Iterable[dict[str, Any]]) -> str:
    """The table of the fault suite; faults that were skipped are named."""
    rows = list(rows)
    columns = ("fault", "database", "times", "puzzles", *ZEROS, "bells", "left", "seconds")
    skipped = [f"{row['fault']} ({row['database']}): {row['ended']}" for row in rows if "times" not in row]
    text = "## Fault by fault\n\n" + table(columns, ([row[name] for name in columns] for row in rows if "times" in row))
    return text + "".join(f"\n- {line}" for line in skipped) + "\n" * bool(skipped)


def soaked(told: Sequence[Told]) -> str:
    """All of the soaks but the plots."""
    columns = ("database", "minutes", "faults", "puzzles", "attempts", "deaths", *ZEROS, "bells", "left")
    sums = [
        [
            one.begin["database"], one.begin["minutes"], len(one.faults), one.end["audit"]["puzzles"],
            one.written[-1][1], one.end["deaths"], *(one.end["audit"][name] for name in ZEROS), one.end["bells"],
            len(one.end["left"]),
        ]
        for one in told
    ]  # fmt: skip
    still: dict[tuple[str, str], list[float]] = {}
    for one in told:
        for _, fault, seconds in one.standstills():
            still.setdefault((fault, one.begin["database"]), []).append(seconds)
    standstills = [
        [*kind, len(seconds), f"{median(seconds):.1f}", f"{max(seconds):.1f}"]
        for kind, seconds in sorted(still.items())
    ]
    memory = []
    for one in told:
        for role in ROLES:
            values = [size for _, size in one.memory(role)]
            quarter = max(1, len(values) // 4)
            first, last = median(values[:quarter]), median(values[-quarter:])
            memory.append([role, one.begin["database"], f"{first:.0f}", f"{last:.0f}", f"{max(values):.0f}"])
    return f"""\
## Under random faults

{told[0].begin["workers"]} workers solve batches that keep coming, while every few seconds a fault comes, drawn at
random. Among the puzzles are slow, infeasible and known ones, and some that kill their process, hang or eat all memory;
these are the only ones that may crash. Runs are cancelled and puzzles rerun meanwhile. "Deaths" are those of processes
that had a puzzle noted. Machine: {told[0].begin["cpu"]}.

{table(columns, sums)}
The longest time in which nothing at all was written between a fault and the next one, in seconds; a service that is
away is so for up to 6 s.

{table(("fault", "database", "times", "median", "longest"), standstills)}
Memory of the largest process of each kind, in megabytes: in the first quarter, in the last, and at its highest. A
process may take 384.

{table(("process", "database", "first quarter", "last quarter", "highest"), memory)}"""


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown; numbers stand to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    right = [all(row[k].replace(".", "").isdigit() for row in cells) for k in range(len(columns))]
    lines = [list(columns), ["---:" if numbers else "---" for numbers in right], *cells]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def plot(told: Told, path: Path) -> None:
    """Attempts, memory and standstills over time, as an SVG."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from benchmarks.plots import STYLE

    with rc_context(STYLE):
        figure = Figure(figsize=(8.5, 7.5))
        attempts, memory, standstills = figure.subplots(3, sharex=True)
        attempts.plot([at / 60 for at, _ in told.written], [count for _, count in told.written], color="#0072B2")
        attempts.set_title(f"Attempts written, {told.begin['database']}")
        for role, colour in ROLES.items():
            points = told.memory(role)
            memory.plot([at / 60 for at, _ in points], [size for _, size in points], color=colour, label=role)
        memory.set_title("Memory of the largest process, MB")
        memory.set_ylim(bottom=0)
        memory.legend(ncols=len(ROLES))
        known = told.standstills()
        standstills.vlines([at / 60 for at, *_ in known], 0, [seconds for *_, seconds in known], color="#D55E00")
        standstills.set_title("Longest time without a written attempt after each fault, s")
        standstills.set_ylim(bottom=0)
        standstills.set_xlabel("minutes")
        figure.savefig(path, metadata={"Date": None})
