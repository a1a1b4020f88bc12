"""The fault suite as one command: `python -m tests.faults`. Exit code 1 when anything is lost, doubled or wrong."""

from __future__ import annotations

import argparse
import contextlib
import json
import signal
import sys
import traceback
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console
from rich.table import Table

from tests.faults.scenario import Scenario, perform, scenarios
from tests.services import PostgreSQL

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

COLUMNS = (
    "fault", "database", "times", "puzzles", "lost", "doubled", "wrong", "changed", "leases", "bells", "left",
    "seconds",
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the scenarios that were asked for, and print what came out; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--list", action="store_true", help="name the faults, and end")
    parser.add_argument("--only", metavar="GLOB", default="*", help="faults whose name fits (default: all)")
    parser.add_argument("--database", choices=["sqlite", "postgresql"], help="on this one alone")
    parser.add_argument("--repeat", metavar="N", type=int, default=1, help="so often, each time otherwise (default: 1)")
    parser.add_argument("--seed", type=int, default=0, help="for all that is drawn at random (default: 0)")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the table there too")
    options = parser.parse_args(arguments)

    chosen = [
        (scenario, database)
        for scenario in scenarios()
        if fnmatch(scenario.name, options.only)
        for database in scenario.databases
        if options.database in (None, database)
    ]
    if options.list:
        print(*(f"{scenario.name} ({database})" for scenario, database in chosen), sep="\n")
        return 0
    rows = []
    with contextlib.ExitStack() as stack:

        @cache
        def postgresql() -> PostgreSQL:
            server = PostgreSQL()
            stack.callback(server.stop)
            return server

        for repeat in range(options.repeat):
            for scenario, database in chosen:
                row = _row(scenario, database, postgresql, options.seed, repeat)
                print(f"{scenario.name} ({database}): {row['ended']}", file=sys.stderr, flush=True)
                rows.append(row)
                if options.json:
                    options.json.write_text(json.dumps(rows, indent=1) + "\n")
    _show(rows)
    return int(not rows or any(row["failed"] for row in rows))


def _row(
    scenario: Scenario, database: str, postgresql: Callable[[], PostgreSQL], seed: int, repeat: int
) -> dict[str, Any]:
    """The cells of one play, and how it ended."""
    row = {"fault": scenario.name, "database": database}
    try:
        report = perform(scenario, database, postgresql, seed=seed, repeat=repeat)
    except pytest.skip.Exception as skipped:
        return row | {"failed": False, "ended": f"skipped: {skipped}"}
    except Exception as error:  # noqa: BLE001 - the next fault is still of interest
        traceback.print_exc()
        return row | {"failed": True, "ended": f"failed: {error}"}
    found = report.faults or ("ok" if report.times else "the fault was not done once")
    return report.row() | {"failed": found != "ok", "ended": f"{report.seconds} s {found}"}


def _show(rows: list[dict[str, Any]]) -> None:
    table = Table(*COLUMNS)
    for row in rows:
        cells = [str(row.get(name, "")) for name in COLUMNS]
        table.add_row(*cells, style="bold red" if row["failed"] else "")
    Console(width=None if sys.stdout.isatty() else 160).print(table)
    for row in rows:
        if "times" not in row:
            print(f"{row['fault']} ({row['database']}): {row['ended']}")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C, so that no server or worker is left
    sys.exit(main())
