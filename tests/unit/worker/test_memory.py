from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kakehashi.settings import LEAST_MEMORY, Settings
from kakehashi.worker import memory
from kakehashi.worker.memory import machine_memory, memory_limit

MACHINE = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20


@pytest.mark.parametrize(
    ("own", "limits", "expected"),
    [
        ("0::/a/b\n", {"a/b/memory.max": "209715200\n"}, 200),
        ("0::/a/b\n", {"a/b/memory.max": "209715200\n", "a/memory.max": "104857600\n"}, 100),
        ("0::/a/b\n", {"a/b/memory.max": "max\n"}, MACHINE),
        # Within a container: what is seen as the root is its own, and the name is that of the machine around it.
        ("0::/docker/1\n", {"memory.max": "209715200\n"}, 200),
        ("5:cpu:/a\n4:memory:/a\n0::/\n", {"memory/a/memory.limit_in_bytes": "209715200\n"}, 200),
        ("4:memory:/a\n", {"memory/memory.limit_in_bytes": "209715200\n"}, 200),
        ("4:memory:/\n", {"memory/memory.limit_in_bytes": "9223372036854771712\n"}, MACHINE),
        ("", {}, MACHINE),
    ],
)
def test_the_smallest_limit_around_a_process_counts(
    tmp_path: Path, own: str, limits: dict[str, str], expected: int
) -> None:
    for name, text in limits.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "own").write_text(own)
    assert machine_memory(tmp_path, tmp_path / "own") == expected
    assert machine_memory(tmp_path, tmp_path / "none") == MACHINE


def test_processes_share_the_machine_unless_a_limit_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "machine_memory", lambda: 10_000)
    assert memory_limit(Settings(concurrency=4)) == 2000
    assert memory_limit(Settings(concurrency=4, memory_limit=3000)) == 3000
    assert memory_limit(Settings(concurrency=1000)) == LEAST_MEMORY


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps the limit")
def test_what_is_beyond_the_limit_is_a_memory_error() -> None:
    program = """
from kakehashi.worker.memory import limit_memory
limit_memory(256)
bytearray(100 << 20)
try:
    bytearray(300 << 20)
except MemoryError:
    print("no more")
"""
    assert subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout == b"no more\n"
