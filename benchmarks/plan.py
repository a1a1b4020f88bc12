"""All that docs/performance.md shows, one measuring after the other: `python -m benchmarks.plan DATA --out DIR`.

DATA holds the folders coelho, contest, hard and janko. Sets and samples are chosen so that the whole takes about an
hour: whoever needs seconds for a board of 400 islands gets a sample, and the others the same one beside it. Each
measuring is a process of its own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

QUICK = "native,pysat,prototype,plain-pysat,clingo,clingo-handy"
"""The rivals that whole sets are measured with."""

EVERY = f"{QUICK},cp-sat,highs"
COMPILED = "native,prototype"


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a command of `benchmarks`; sources that are no `made:` are folders of the data."""

    module: str
    sources: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    def command(self, data: Path, out: Path, prototype: Path | None) -> list[str]:
        """The command line; the prototype is left out where it is not there."""
        sources = [source if ":" in source else str(data / source) for source in self.sources]
        line = [sys.executable, "-m", f"benchmarks.{self.module}", *sources, *self.options, "--out", str(out)]
        if self.module == "compare" and prototype is not None:
            line += ["--prototype", str(prototype)]
        return line


def compare(sources: str, rivals: str, *options: str) -> Step:
    """Rivals on sets; the names of the sets are split by blanks."""
    return Step("compare", tuple(sources.split()), ("--rivals", rivals, *options))


def coelho(islands: int, rivals: str, *options: str) -> Step:
    """Rivals on the boards of one size."""
    return compare("coelho", rivals, "--select", f"_{islands}_", "--label", f"coelho{islands}", *options)


STEPS = (
    coelho(100, QUICK),
    coelho(200, QUICK),
    coelho(400, QUICK),
    compare("janko", QUICK, "--unique"),
    compare("contest", EVERY),
    compare("janko", EVERY, "--sample", "30"),
    coelho(100, EVERY, "--sample", "12"),
    coelho(200, EVERY, "--sample", "12"),
    coelho(400, f"{QUICK},cp-sat", "--sample", "30"),
    coelho(400, EVERY, "--sample", "8"),
    compare("hard/big1000 hard/ones1000 hard/big5000", QUICK),
    compare("hard/dense5000 hard/ones5000", COMPILED, "--budget", "60"),
    compare("hard/dense5000 hard/ones5000", QUICK, "--budget", "30", "--sample", "1", "--repeats", "1", "--no-whole"),
    compare("made:ones10000", COMPILED, "--budget", "60", "--no-whole"),
    Step(
        "twins",
        ("contest", "janko", "hard/big1000", "hard/ones1000", "hard/big5000", "hard/dense5000", "hard/ones5000"),
    ),
    *(Step("twins", ("coelho",), ("--select", f"_{n}_", "--label", f"coelho{n}")) for n in (100, 200, 400)),
    Step("growth"),
    Step("budgets"),
    Step("load"),
    Step("load", options=("--count", "20000", "--repeat", "3")),
    Step("million"),
)


def main() -> int:
    """Measure step after step; a step that fails is told, and the others go on."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plan", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path, help="a folder with the sets")
    parser.add_argument("--out", type=Path, default=Path("build/benchmarks"), help="folder for the results")
    parser.add_argument("--prototype", type=Path, help="a folder with the prototype's sources")
    parser.add_argument("--show", action="store_true", help="print the commands and do nothing")
    given = parser.parse_args()
    failed = 0
    began = time.monotonic()
    for step in STEPS:
        command = step.command(given.data, given.out, given.prototype)
        print(f"[{time.monotonic() - began:5.0f} s] python {' '.join(command[1:])}", file=sys.stderr, flush=True)
        if not given.show:
            failed += subprocess.run(command, check=False).returncode != 0
    print(f"[{time.monotonic() - began:5.0f} s] {failed} of {len(STEPS)} steps failed", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
