"""Signals that ask a program to stop, moments in which they have to wait, and the one that only asks who is there."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, a polite kill, and a terminal that was closed."""


@contextlib.contextmanager
def handled(handle: Callable[[], None]) -> Iterator[None]:
    """Call `handle` for each of these signals; one that is ignored (nohup) stays ignored."""

    def call(*_: Any) -> None:
        handle()

    chosen = [number for number in STOP_SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, call) for number in chosen}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Hold them back, so that between the start of a process and the note of its number nothing can come.

    A process that is started here does not get them either, until it lets them in (`let_in`).
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def let_in() -> None:
    """Let signals in again that whoever started this process held back."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)


def lives(pid: int) -> bool:
    """Whether a process of this user has this number."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError):  # another user's has it now
        return False
    return True
