"""How fast is each format written and read, beside solving the same puzzles?

    python -m benchmarks.formats [--count 100000] [--min 10] [--max 20] [--format NAME ...] [--solve 10000]

Made puzzles are written in each format: into one file where the format holds many, else into a folder, one file each.
Then they are read back as `kakehashi run` reads them, without a named format, and compared: once from the files, and
once from texts in memory, a text for each puzzle, which is the reader alone. Measured is the processor time of this one
process, so that others on the machine disturb little; opening files is in it. The last two columns
are these times as parts of the time in which the native engine solves and checks the same puzzles. The first of them,
that of the reader, has to stay below 100 %: with a file for each puzzle the second can be above it.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.make_puzzles import make_many
from kakehashi.formats import formats, get, parse, read
from kakehashi.puzzle import Verdict
from kakehashi.solver import solve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kakehashi.formats import Format
    from kakehashi.puzzle import Puzzle

IN_MEMORY = 20_000
"""At most so many puzzles are read from texts in memory."""

PER_FOLDER = 1000
"""Files in a folder, where a format needs a file for each puzzle."""


@dataclass(frozen=True)
class Rates:
    """What was measured for one format: puzzles in a second of processor time, and bytes for a puzzle."""

    name: str
    written: float
    parsed: float
    read: float
    size: float
    files: int


def write_all(format_: Format, puzzles: Sequence[Puzzle], folder: Path) -> tuple[float, int, int]:
    """Write the puzzles; seconds, bytes and files."""
    size = files = 0
    start = time.process_time()
    if format_.separator is not None:
        with (folder / f"all{format_.extension}").open("w", encoding="utf-8") as file:
            for k, puzzle in enumerate(puzzles):
                size += file.write((format_.separator if k else "") + format_.write(puzzle))
        files = 1
    else:
        for k, puzzle in enumerate(puzzles):
            inside = folder / f"{k // PER_FOLDER:04}"
            if k % PER_FOLDER == 0:
                inside.mkdir()
            size += (inside / f"{k:07}{format_.extension}").write_text(format_.write(puzzle), encoding="utf-8")
            files += 1
    return time.process_time() - start, size, files


def measure(format_: Format, puzzles: Sequence[Puzzle]) -> Rates:
    """Write and read the puzzles in one format.

    Raises:
        SystemExit: what was read is not what was written.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wrote, size, files = write_all(format_, puzzles, folder)
        start = time.process_time()
        same = sum(entry.puzzle == puzzle for entry, puzzle in zip(read(folder), puzzles, strict=True))
        took = time.process_time() - start
    if same != len(puzzles):
        raise SystemExit(f"{format_.name}: only {same} of {len(puzzles)} puzzles are read as they were written")
    texts = [format_.write(puzzle) for puzzle in puzzles[:IN_MEMORY]]
    start = time.process_time()
    for text in texts:
        parse(text)
    parsed = len(texts) / (time.process_time() - start)
    count = len(puzzles)
    return Rates(format_.name, count / wrote, parsed, count / took, size / count, files)


def solving_rate(puzzles: Sequence[Puzzle], engine: str) -> float:
    """Puzzles that are solved and checked in a second of processor time."""
    start = time.process_time()
    solved = sum(solve(puzzle, engine=engine).verdict is Verdict.SOLVED for puzzle in puzzles)
    took = time.process_time() - start
    if solved != len(puzzles):
        raise SystemExit(f"only {solved} of {len(puzzles)} puzzles were solved")
    return len(puzzles) / took


def main(arguments: list[str]) -> int:
    """Measure and print; ends with 1 where a reader takes longer than solving."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--min", type=int, default=10, help="smallest side")
    parser.add_argument("--max", type=int, default=20, help="largest side")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", action="append", help="a format; all of them where none is named")
    parser.add_argument("--solve", type=int, default=10_000, help="how many of the puzzles are solved for the rate")
    parser.add_argument("--engine", default="native")
    given = parser.parse_args(arguments)
    puzzles = list(make_many(given.seed, given.count, given.min, given.max))
    solving = solving_rate([type(one)(one.rows, one.cols, one.cells) for one in puzzles[: given.solve]], given.engine)
    gc.freeze()  # the puzzles stay: the collector need not walk over them again and again
    print(f"{given.count} puzzles of {given.min} to {given.max} rows and columns, seed {given.seed}")
    print(f"{given.engine} solves and checks {solving:,.0f} puzzles/s\n")
    print(f"{'format':<10} {'write/s':>9} {'parse/s':>9} {'read/s':>9} {'bytes':>6} {'files':>7}  beside solving")
    slow = False
    for format_ in [get(name) for name in given.format] if given.format else formats():
        rates = measure(format_, puzzles)
        part = solving / rates.parsed
        slow = slow or part >= 1
        print(
            f"{rates.name:<10} {rates.written:>9,.0f} {rates.parsed:>9,.0f} {rates.read:>9,.0f} {rates.size:>6.0f}"
            f" {rates.files:>7,}  {part:>6.0%} {solving / rates.read:>6.0%}{'  too slow' if part >= 1 else ''}",
            flush=True,
        )
    return int(slow)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
