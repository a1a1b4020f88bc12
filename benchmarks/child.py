"""One board in a process of its own, for the peak of its memory: `python -m benchmarks.child ENGINE CLOCK BUDGET`.

The board comes on standard input: a line `ROWS COLS`, then a byte for each cell. The measurement goes to standard
output as a line of JSON.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measuring import WARM_UP, Runner, fresh, take
from benchmarks.records import Clock, Measurement, decode, encode
from benchmarks.rivals.engine import EngineRival
from benchmarks.sets import Named
from kakehashi.puzzle import Puzzle

if TYPE_CHECKING:
    from benchmarks.rivals.rival import Answer


def ask(board: Puzzle, engine: str, clock: Clock, budget: float) -> Measurement:
    """Measure a board in a process of its own; the set and the puzzle's name are left to the caller.

    Raises:
        RuntimeError: the process failed.
    """
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.child", engine, clock, str(budget)],
        input=f"{board.rows} {board.cols}\n".encode() + board.cells,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the process of its own failed: {done.stderr.decode(errors='replace')[-2000:]}")
    record = decode(done.stdout.decode())
    if not isinstance(record, Measurement):
        raise TypeError(f"expected a measurement, found {record}")
    return record


def main(engine: str, clock: Clock, budget: float) -> None:
    """Solve what comes in once, then look at the peak; the checker comes after both."""
    header, _, cells = sys.stdin.buffer.read().partition(b"\n")
    rows, cols = map(int, header.split())
    rival = EngineRival(engine)
    runner = Runner(engine, clock, rival.solve_whole if clock is Clock.WHOLE else rival.solve)
    runner.solve(fresh(WARM_UP), 60.0)
    peaks: list[float] = []

    def solve_and_look(puzzle: Puzzle, seconds: float) -> Answer:
        answer = runner.solve(puzzle, seconds)
        peaks.append(peak_mb())
        return answer

    taken = take(replace(runner, solve=solve_and_look), "", Named("", Puzzle(rows, cols, cells)), 0, budget)
    print(encode(replace(taken, peak_mb=peaks[0] if peaks else None)))


def peak_mb() -> float:
    """The largest resident set of this process so far, in megabytes.

    On Linux from /proc: what getrusage says there counts what the parent had when it forked.
    """
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


if __name__ == "__main__":
    main(sys.argv[1], Clock(sys.argv[2]), float(sys.argv[3]))
