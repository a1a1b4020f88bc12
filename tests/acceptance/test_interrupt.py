"""`run` that is stopped in the middle: nothing is lost, nothing is left, `resume` goes on."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kakehashi.storage.records import Status
from tests.acceptance.boards import write_marked
from tests.acceptance.place import Place, wait

if TYPE_CHECKING:
    import subprocess

    from tests.acceptance.conftest import Cli

COUNT = 6
"""Puzzles of half a second each."""


def started(place: Place) -> subprocess.Popen[str]:
    """A run that is in the middle: some are solved, most are not."""
    write_marked(place.here / "puzzles", COUNT)
    process = place.start("run", "puzzles", "--engine", "slow-marked", "--workers", "2", "--format", "json")
    place.wait_for(1, lambda progress: progress.counts[Status.SOLVED] >= 1)
    return process


def resumed(place: Place) -> None:
    """Go on, and see that every puzzle has exactly one final row."""
    summary = json.loads(place.call("resume", "--workers", "2", "--format", "json").out)
    assert (summary["total"], summary["solved"]) == (COUNT, COUNT)
    with contextlib.closing(sqlite3.connect(place.db)) as connection:
        rows = connection.execute("SELECT pos, verdict, termination FROM attempt ORDER BY pos").fetchall()
    assert rows == [(pos, "solved", "completed") for pos in range(COUNT)]


def test_ctrl_c(place: Place, cli: Cli) -> None:
    process = started(place)
    place.interrupt(process)
    said = place.end(process, expect=130)
    summary = json.loads(said.out)
    assert summary["solved"] >= 1
    assert summary["queued"] >= 1
    assert summary["solved"] + summary["queued"] == summary["total"] == COUNT
    assert "stopping: the puzzles in hand are given back" in said.err
    assert said.err.endswith("next: kakehashi resume 1\n")
    assert place.leftovers() == []
    resumed(place)
    assert place.leftovers() == []
    assert "there is nothing to resume" in cli("resume", "--db", place.db, expect=2).err


def test_ctrl_c_twice_stops_at_once(place: Place) -> None:
    process = started(place)
    place.interrupt(process)
    time.sleep(0.1)
    place.interrupt(process)
    said = place.end(process, expect=130)
    summary = json.loads(said.out)
    assert summary["solved"] + summary["queued"] == summary["total"] == COUNT
    assert "next: kakehashi resume 1\n" in said.err
    assert place.leftovers() == []


def test_sigterm_at_the_very_start(place: Place) -> None:
    write_marked(place.here / "puzzles", COUNT)
    process = place.start("run", "puzzles", "--engine", "slow-marked")
    assert process.stderr is not None
    assert "starting" in process.stderr.readline()
    assert "batch 1, run 1" in process.stderr.readline()
    process.terminate()
    place.end(process, expect=130)
    assert place.leftovers() == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("sign", ["kakehashi-*", "kakehashi-*/valkey.pid"])
def test_while_it_starts(place: Place, number: signal.Signals, sign: str) -> None:
    write_marked(place.here / "puzzles", COUNT)
    process = place.start("run", "puzzles", "--engine", "slow-marked")
    wait(lambda: list(place.temporary.glob(sign)), bool)
    process.send_signal(number)
    place.end(process, expect=130)
    assert place.leftovers() == []


def test_an_interrupt_while_a_text_is_executed(tmp_path: Path) -> None:
    """As when a dataclass is made. `python -m` would die of SIGINT, whatever exit code is asked for."""
    (tmp_path / "interrupted.py").write_text("def interrupt():\n    raise KeyboardInterrupt\n\neval('interrupt()')\n")
    (tmp_path / "a.txt").write_text("1 0 1\n")
    ended = subprocess.run(
        [sys.executable, "-m", "kakehashi", "solve", "a.txt"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path), "KAKEHASHI_ENGINES": "interrupted"},
        check=False,
        capture_output=True,
    )
    assert (ended.returncode, ended.stderr) == (130, b"kakehashi: interrupted\n")
