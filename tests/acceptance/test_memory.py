"""Commands that need more memory than they may have end with a sentence."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps the limit")

PROGRAM = """
import resource, runpy
resource.setrlimit(resource.RLIMIT_DATA, (25 << 20, 25 << 20))
runpy.run_module("kakehashi", run_name="__main__")
"""


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """90,000 islands."""
    path = tmp_path / "board.txt"
    path.write_text("\n".join(["4 " * 300] * 300))
    return path


def call(*arguments: str | Path) -> tuple[int, str]:
    said = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], check=False, capture_output=True, text=True)
    return said.returncode, said.stderr


@pytest.mark.parametrize("engine", ["auto", "pysat"])
def test_solve_says_that_memory_ran_out(board: Path, engine: str) -> None:
    assert call("solve", board, "--engine", engine) == (1, f"{board}: crashed: out of memory\n")


def test_so_does_a_command_that_runs_out_elsewhere(board: Path) -> None:
    code, said = call("convert", board, "--to", "json")
    assert code == 1
    assert said == "kakehashi: out of memory: this takes more than the machine has, or than `ulimit` allows\n"
