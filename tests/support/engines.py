"""Engines that do what a test needs; `tests.support.worker_engines` makes them known to worker processes."""

from __future__ import annotations

import ctypes
import hashlib
import os
import signal
import time
from typing import TYPE_CHECKING, Self

from kakehashi.solver.engine import Statistics
from kakehashi.solver.engines import engine_named

if TYPE_CHECKING:
    from collections.abc import Callable

    from kakehashi.puzzle import Graph
    from kakehashi.solver.deadline import Deadline
    from kakehashi.solver.engine import Search


class ScriptedEngine:
    """Does something of the test's choosing, and then what the pysat engine does."""

    def __init__(self, name: str, act: Callable[[Graph, Deadline], None]) -> None:
        self.name = name
        self._act = act

    def open(self, graph: Graph, deadline: Deadline) -> Search:
        self._act(graph, deadline)
        return engine_named("pysat").open(graph, deadline)


class Liar:
    """Says of every puzzle that it has no solution."""

    name = "liar"

    def __init__(self) -> None:
        self.statistics = Statistics()

    def open(self, graph: Graph, deadline: Deadline) -> Self:
        return self

    def next_solution(self) -> bytes | None:
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def spin(graph: Graph, deadline: Deadline) -> None:
    """Never come to an end, but look at the deadline, as an engine has to."""
    while True:
        time.sleep(0.01)
        deadline.check()


def is_hard(graph: Graph) -> bool:
    """The mark of a puzzle that the engines below treat badly: its first two islands have the clues 1 and 3."""
    return list(graph.clue_most[:2]) == [1, 3]


def slow(graph: Graph, deadline: Deadline) -> None:
    """Take half a second for marked puzzles."""
    if is_hard(graph):
        ends = time.monotonic() + 0.5
        while time.monotonic() < ends:
            time.sleep(0.01)
            deadline.check()


def spin_on_marked(graph: Graph, deadline: Deadline) -> None:
    """Never come to an end with marked puzzles."""
    if is_hard(graph):
        spin(graph, deadline)


def on_marked(act: Callable[[], object]) -> Callable[[Graph, Deadline], None]:
    """Do something with marked puzzles."""

    def with_marked(graph: Graph, deadline: Deadline) -> None:
        if is_hard(graph):
            act()

    return with_marked


def eat_memory() -> None:
    """Ask Python for ever more memory."""
    eaten = []
    while True:
        eaten.append(bytearray(1 << 20))


def eat_memory_in_c() -> None:
    """Ask C for ever more memory, and do what C++ does where nobody catches std::bad_alloc."""
    malloc = ctypes.CDLL(None).malloc
    malloc.restype = ctypes.c_void_p
    while malloc(1 << 20):
        pass
    os.abort()


def spin_in_c() -> None:
    """Use up CPU time in a C function that neither lets go of the GIL nor lets signals in: a power of a huge number."""
    modulus = (1 << 100_000) - 1
    while True:
        pow(3, 1 << 100_000, modulus)


POISONS = (lambda: os._exit(3), lambda: os.kill(os.getpid(), signal.SIGSEGV), eat_memory, eat_memory_in_c, spin_in_c)
"""Ways to end a process, to need all of its memory, or to hang."""


def poison(graph: Graph, deadline: Deadline) -> None:
    """Do with `storing.marked(number)` what POISONS has for that number."""
    if is_hard(graph):
        POISONS[(graph.island_col[2] - 4) % len(POISONS)]()


SLOW_NUMBERS = 50


def soak(graph: Graph, deadline: Deadline) -> None:
    """Be slow with the first SLOW_NUMBERS marked puzzles; the others are poison."""
    if is_hard(graph) and graph.island_col[2] - 4 >= SLOW_NUMBERS:
        poison(graph, deadline)
    slow(graph, deadline)


def spin_in_c_without_the_gil() -> None:
    """Use up CPU time in a C function that has let go of the GIL."""
    hashlib.pbkdf2_hmac("sha256", b"", b"", (1 << 31) - 1)


def sleep_with_the_gil() -> None:
    """Wait in a C function that holds the GIL, and use no CPU time."""
    ctypes.PyDLL(None).sleep(1 << 20)


_kept: list[bytes] = []


def leak(graph: Graph, deadline: Deadline) -> None:
    """Keep a quarter of a megabyte for each puzzle, for ever."""
    _kept.append(os.urandom(1 << 18))


ENGINES = {
    "spin": spin,
    "spin-marked": spin_on_marked,
    "slow-marked": slow,
    "die-marked": on_marked(lambda: os.kill(os.getpid(), signal.SIGKILL)),
    "poison": poison,
    "soak": soak,
    "spin-in-c-marked": on_marked(spin_in_c),
    "spin-without-gil-marked": on_marked(spin_in_c_without_the_gil),
    "sleep-marked": on_marked(sleep_with_the_gil),
    "leak": leak,
}
"""By name."""
