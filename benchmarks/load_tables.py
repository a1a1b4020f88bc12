"""The tables of the chapters "Under load" and "A million rows"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.tables import markdown, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.records import Latency, Load, Memory


def extra_ms(load: Load, bare: Load) -> float:
    """What a puzzle costs beyond reading, solving and checking it, submit included, in milliseconds of CPU."""
    return (load.submit_cpu + load.work_cpu - bare.work_cpu) / load.puzzles * 1000


def load_table(loads: Sequence[Load]) -> str:
    """The loads, each beside the pool of its alternation."""
    lines = [
        [
            "", "puzzles", "submitted/s", "worked/s", "CPU ms a puzzle: submit", "work", "beyond the pool", "database",
            "results/s", "results MB", "bytes a puzzle: tables", "indexes",
        ]
    ]  # fmt: skip
    bare = {load.repeat: load for load in loads if load.database == "pool"}
    for load in loads:
        line = [load.database, f"{load.puzzles:,}"]
        each = 1000 / load.puzzles
        if load.database == "pool":
            line += ["", f"{load.puzzles / load.work:,.0f}", "", f"{load.work_cpu * each:.3f}", *[""] * 6]
        else:
            line += [
                f"{load.puzzles / load.submit:,.0f}", f"{load.puzzles / load.work:,.0f}",
                f"{load.submit_cpu * each:.3f}", f"{load.work_cpu * each:.3f}",
                f"{extra_ms(load, bare[load.repeat]):.3f}" if load.repeat in bare else "",
                f"{load.database_cpu * each:.3f}", f"{load.puzzles / load.results:,.0f}", f"{load.results_mb:.0f}",
                f"{load.table_bytes / load.puzzles:.0f}", f"{load.index_bytes / load.puzzles:.0f}",
            ]  # fmt: skip
        lines.append(line)
    return markdown(lines)


def latency_table(found: Sequence[Latency]) -> str:
    """What was asked and what it took, a column for each database."""
    databases = list(dict.fromkeys(one.database for one in found))
    lines = [["batch", "what", "asked", "rows", *databases]]
    for batch, what in dict.fromkeys((one.batch, one.what) for one in found):
        here = {one.database: one for one in found if (one.batch, one.what) == (batch, what)}
        some = next(iter(here.values()))
        times = [
            shown(here[name].seconds) + (" (late)" if here[name].late else "") for name in databases if name in here
        ]
        lines.append([batch, what, shown(some.asked), f"{some.rows:,}", *times])
    return markdown(lines)


def memory_table(levels: Sequence[Memory]) -> str:
    """The most memory that each kind of process had, and at half of the time: it must not grow with the batch."""
    head = ["process", "database", "how many", "largest RSS, MB", "largest PSS, MB", "until half time", "at the end"]
    lines = [head]
    for database in dict.fromkeys(level.database for level in levels):
        here = [level for level in levels if level.database == database and level.repeat == 0]
        half = max(level.at for level in here) / 2
        for kind in dict.fromkeys(_kind(level.process) for level in here):
            mine = [level for level in here if _kind(level.process) == kind]
            before = [level.pss_mb for level in mine if level.at <= half]
            lines.append(
                [
                    kind, database, str(len({level.process for level in mine})),
                    f"{max(level.rss_mb for level in mine):.0f}", f"{max(level.pss_mb for level in mine):.0f}",
                    f"{max(before):.0f}" if before else "", f"{max(level.pss_mb for level in mine[-2:]):.0f}",
                ]
            )  # fmt: skip
    return markdown(lines)


def _kind(process: str) -> str:
    """`worker process 2` is a `worker process`."""
    return process.rstrip(" 0123456789")
