"""Engines that do what a test needs; `tests.support.worker_engines` makes them known to worker processes."""

from __future__ import annotations

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


def die_on_marked(graph: Graph, deadline: Deadline) -> None:
    """Take the whole process down with marked puzzles."""
    if is_hard(graph):
        os.kill(os.getpid(), signal.SIGKILL)


ENGINES = {"spin": spin, "spin-marked": spin_on_marked, "slow-marked": slow, "die-marked": die_on_marked}
"""By name."""
