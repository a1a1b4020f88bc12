"""What an export costs: `python benchmarks/export.py` makes a finished batch of a million and exports it in every way.

The rows are put into the database in bulk (`filled.py`). Each export is a process of its own; its peak memory is what
the kernel says.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from kakehashi.storage import Status

if TYPE_CHECKING:
    from collections.abc import Iterator

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks import filled
from benchmarks.filled import Plan, boards

DISTINCT = 2000


def fill(url: str, rows: int, side: int) -> None:
    """Make the tables, and a batch with so many entries, each of them solved."""
    made = boards(DISTINCT, side, side)
    plan = Plan("export", rows, made, lambda _: Status.SOLVED, lambda pos: f"boards/{pos // 1000:04}.txt")
    filled.fill(url, plan)


def exports(folder: Path, formats: list[str]) -> Iterator[tuple[str, list[str], Path]]:
    """Name, arguments and target of each export."""
    for name in formats:
        if name == "zip":
            yield name, ["--format", "grid"], folder / "answers.zip"
        else:
            yield name, ["--format", name], folder / f"rows.{name}"


def main(arguments: list[str]) -> int:
    """Fill a database, export it in every way, print a line for each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--side", type=int, default=10, help="rows and columns of a board")
    parser.add_argument("--db", help="a database that is filled where it is not there; by default a temporary one")
    parser.add_argument("--formats", default="ndjson,csv,parquet,zip")
    given = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="kakehashi-export-"))
    try:
        url = given.db or str(folder / "export.db")
        if "://" in url or not Path(url).exists():
            started = time.monotonic()
            fill(url, given.rows, given.side)
            print(f"filled in {time.monotonic() - started:.0f} s", flush=True)
        print(f"{'format':<8}  {'rows/s':>7}  {'seconds':>7}  {'peak MiB':>8}  {'size MiB':>8}")
        for name, options, target in exports(folder, given.formats.split(",")):
            seconds, peak = _measured(["export", "1", str(target), "--db", url, *options])
            size = target.stat().st_size / 2**20
            print(f"{name:<8}  {given.rows / seconds:7.0f}  {seconds:7.1f}  {peak:8.0f}  {size:8.1f}", flush=True)
            target.unlink()
    finally:
        shutil.rmtree(folder)
    return 0


def _measured(arguments: list[str]) -> tuple[float, float]:
    """Run a command of the program: its seconds, and the most memory it held, in MiB."""
    started = time.monotonic()
    process = os.posix_spawn(sys.executable, [sys.executable, "-m", "kakehashi", *arguments], os.environ)
    _, status, usage = os.wait4(process, 0)
    if status:
        raise SystemExit(f"{arguments} failed")
    return time.monotonic() - started, usage.ru_maxrss / 1024


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
