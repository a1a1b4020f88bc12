from __future__ import annotations

import importlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from kakehashi.worker import app as module
from kakehashi.worker import deaths
from kakehashi.worker.interrupts import lives

if TYPE_CHECKING:
    import pytest


def test_a_dead_process_of_this_worker_is_known_to_be_dead() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert module._death(module._owner(process.pid)) is None
    finally:
        process.communicate()
    deaths.forget(process.pid)
    assert module._death(module._owner(process.pid)) == ""
    deaths.note(process.pid, 3)
    assert module._death(module._owner(process.pid)) == "it ended itself with exit code 3"


def test_one_that_was_killed_counts_as_dead_before_it_is_gone() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        deaths.note(process.pid, -9)
        assert module._death(module._owner(process.pid)) == "killed by signal 9, SIGKILL"
        deaths.forget(process.pid)
        assert module._death(module._owner(process.pid)) is None
    finally:
        process.communicate()


def test_a_number_that_is_another_users_now_is_a_dead_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuse)
    assert module._death(module._owner(2**22)) == ""
    assert not lives(2**22)


def test_the_parent_has_no_connection_that_could_cross_the_fork() -> None:
    assert module._Process.repository is None
    assert module._Process.runner is None


def test_no_puzzle_pays_for_what_its_engine_imports_late(monkeypatch: pytest.MonkeyPatch) -> None:
    imported: list[str] = []
    monkeypatch.setattr(importlib, "import_module", imported.append)
    monkeypatch.setattr(module, "answer", lambda *_: None)  # it would stay registered
    module._prepare()
    assert "pysat.solvers" in imported


def test_of_others_nothing_is_known() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert module._death(f"another-worker/{process.pid}") is None
    assert module._death(module._owner(os.getpid())) is None
