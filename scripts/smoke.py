"""Use an installed Kakehashi as a person would, and assert that it works and leaves nothing behind.

    VENV/bin/python scripts/smoke.py examples

Runs the `kakehashi` of the environment that the Python belongs to, in a folder of its own, with temporary files in
another one. The first thing that is not as it should be ends it with one sentence and exit code 1. Standard library
only: the environment has no development tools.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

KAKEHASHI = Path(sys.executable).parent / "kakehashi"
MARK = "KAKEHASHI_SMOKE"
ASIDE = {"kakehashi.db", "kakehashi.db-shm", "kakehashi.db-wal"}
"""What `run` may leave in the current folder: the results."""


class Smoke:
    """A folder to work in, a folder for temporary files, and a mark in the environment of every process."""

    def __init__(self, folder: Path) -> None:
        self.mark = uuid.uuid4().hex
        self.here = folder / "here"
        self.temporary = folder / "t"
        self.runtime = folder / "r"
        for made in (self.here, self.temporary, self.runtime):
            made.mkdir(mode=0o700)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("KAKEHASHI_")}
        self.environment = kept | {
            MARK: self.mark,
            "TMPDIR": str(self.temporary),
            "XDG_RUNTIME_DIR": str(self.runtime),
        }

    def call(self, *arguments: str | Path, expect: int = 0) -> str:
        """Run one command, assert its exit code and return what it printed."""
        began = time.monotonic()
        done = subprocess.run(
            [KAKEHASHI, *arguments],
            cwd=self.here,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        print(
            f"    kakehashi {' '.join(map(str, arguments))}: exit {done.returncode}, {time.monotonic() - began:.1f} s"
        )
        if done.returncode != expect:
            sys.exit(f"expected exit code {expect}\n--- stdout\n{done.stdout}\n--- stderr\n{done.stderr}")
        return done.stdout

    def processes(self) -> list[str]:
        """The processes that carry the mark, by number and command; where there is no /proc, none is seen."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if f"{MARK}={self.mark}".encode() in (entry / "environ").read_bytes():
                    command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    found.append(f"{entry.name} {command}")
            except OSError:
                continue  # it ended meanwhile, or is somebody else's
        return found


def demand(holds: bool, sentence: str) -> None:
    """End with the sentence unless it holds: an assertion that -O does not drop."""
    if not holds:
        sys.exit(sentence)


def solve_and_check(smoke: Smoke, puzzle: Path) -> None:
    """Solve one puzzle, let the checker judge the answer, and a spoilt one too."""
    answer = smoke.here / "answer.txt"
    spoilt = smoke.here / "spoilt.txt"
    text = smoke.call("solve", puzzle)
    answer.write_text(text, encoding="utf-8")
    smoke.call("check", puzzle, answer)
    demand("-" in text, f"the answer grid of {puzzle} holds no bridge:\n{text}")
    spoilt.write_text(re.sub("-[1-4]", "0", text), encoding="utf-8")
    judged = json.loads(smoke.call("check", puzzle, spoilt, "--format", "json", expect=1))
    demand(judged["ok"] is False and judged["violations"], f"the checker found no fault in a spoilt answer: {judged}")
    answer.unlink()
    spoilt.unlink()


def run_all(smoke: Smoke, examples: Path) -> None:
    """Run the whole pipeline and assert that every puzzle was decided."""
    summary: dict[str, Any] = json.loads(smoke.call("run", examples, "--format", "json"))
    total, decided = summary["total"], summary["solved"] + summary["infeasible"]
    demand(total > 0 and total == decided, f"not every puzzle of {examples} was decided: {summary}")
    lines = smoke.call("results", str(summary["batch"]), "--format", "ndjson").splitlines()
    demand(len(lines) == total, f"the run counted {total} puzzles, `results` shows {len(lines)}")


def nothing_left(smoke: Smoke) -> None:
    """Assert that no process, no temporary file and no stray file is left."""
    processes = smoke.processes()
    demand(not processes, "processes were left behind:\n" + "\n".join(processes))
    for folder in (smoke.temporary, smoke.runtime):
        left = sorted(str(path) for path in folder.rglob("*"))
        demand(not left, "temporary files were left behind:\n" + "\n".join(left))
    stray = {path.name for path in smoke.here.iterdir()} - ASIDE
    demand(not stray, f"stray files were left in the current folder: {sorted(stray)}")


def main() -> None:
    """Run all checks in order."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("examples", type=Path, help="the folder of examples; statement.txt in it is solved alone")
    examples = parser.parse_args().examples.resolve()
    statement = examples / "statement.txt"
    demand(statement.is_file(), f"{statement} is not there: the 7x7 of the statement is solved alone")
    # A short path: a unix socket's name has room for about a hundred bytes.
    with tempfile.TemporaryDirectory(prefix="ks.") as folder:
        smoke = Smoke(Path(folder))
        smoke.call("--help")
        solve_and_check(smoke, statement)
        run_all(smoke, examples)
        nothing_left(smoke)
    print("    nothing was left behind")


if __name__ == "__main__":
    main()
