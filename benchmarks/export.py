"""What an export costs: `python benchmarks/export.py` makes a finished batch of a million and exports it in every way.

The rows are put into the database in bulk: 2,000 boards of 10x10 are made and solved, and every one of them, with its
answer, stands in the batch many times under different digests. An export does not look at digests, so it does the work
of a batch of distinct puzzles. Each export is a process of its own; its peak memory is what the kernel says.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kakehashi.solver import solve
from kakehashi.storage import Repository, RunOptions
from kakehashi.storage.bulk import insert_many
from kakehashi.storage.codec import pack
from kakehashi.storage.database import Database
from kakehashi.storage.outcomes import RANK_SURE
from kakehashi.storage.schema import attempt, batch, entry, puzzle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.make_puzzles import make_many

DISTINCT = 2000
PAGE = 20_000

PUZZLE = ("batch", "pos", "digest", "rows", "cols", "islands", "variant", "touching", "best_run", "best_rank", "clues")
ENTRY = ("batch", "pos", "name", "source", "line", "puzzle")
ATTEMPT = (
    "run", "pos", "budget", "verdict", "termination", "uniqueness", "wall_ms", "cpu_ms", "engine", "solution"
)  # fmt: skip


class Board(NamedTuple):
    """What is stored of one of the boards."""

    rows: int
    cols: int
    islands: int
    clues: bytes
    solution: bytes


def boards(side: int) -> list[Board]:
    """The boards, solved."""
    made = []
    for board in make_many(1, DISTINCT, side, side):
        solution = solve(board).solution
        if solution is None:
            raise AssertionError("a puzzle that was made has a solution")
        made.append(Board(side, side, board.island_count, pack(board.cells), pack(solution.values)))
    return made


def fill(url: str, rows: int, side: int) -> None:
    """Make the tables, and a batch with so many entries, each of them solved."""
    with Repository(url, create=True) as repository:
        number, run = repository.begin("export", {}, RunOptions())
        repository.seal_batch(number)
        repository.seal_run(run)
    made = boards(side)
    database = Database(url)
    positions = iter(range(rows))
    while page := list(islice(positions, PAGE)):
        database.write(lambda connection, page=page: _insert(connection, number, run, page, made))  # type: ignore[misc]
    database.write(lambda connection: connection.execute(batch.update().values(entries=rows)))
    database.close()


def _insert(connection: Connection, number: int, run: int, page: list[int], made: list[Board]) -> None:
    puzzles, entries, attempts = [], [], []
    for pos in page:
        board = made[pos % len(made)]
        digest = pos.to_bytes(16, "big")
        puzzles.append(
            (number, pos, digest, board.rows, board.cols, board.islands, "classic", "join", run, RANK_SURE, board.clues)
        )
        entries.append((number, pos, f"boards/{pos // 1000:04}.txt#{pos % 1000 + 1}", f"boards/{pos // 1000:04}.txt",
                        pos % 1000 * (board.rows + 1) + 1, pos))  # fmt: skip
        wall = 1.0 + pos * 0.7 % 9
        attempts.append((run, pos, 10.0, "solved", "completed", "unique", wall, wall, "native", board.solution))
    insert_many(connection, puzzle, PUZZLE, puzzles)
    insert_many(connection, entry, ENTRY, entries)
    insert_many(connection, attempt, ATTEMPT, attempts)


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
