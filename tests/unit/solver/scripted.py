"""An engine whose every answer is a test's choice."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Self

from kakehashi.solver import Deadline, Statistics

if TYPE_CHECKING:
    from types import TracebackType

    from kakehashi.puzzle import Graph

Step = Callable[[Deadline], bytes | None]


class Scripted:
    """An engine that does what a test says, one step for each question; also a search of itself."""

    def __init__(self, *steps: Step, name: str = "scripted") -> None:
        self.name = name
        self.steps = list(steps)
        self.statistics = Statistics(cuts=3, conflicts=5)
        self.closed = 0

    def open(self, graph: Graph, deadline: Deadline) -> Self:
        self.deadline = deadline
        return self

    def next_solution(self) -> bytes | None:
        return self.steps.pop(0)(self.deadline)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closed += 1


def answer(*values: int) -> Step:
    """Give this solution."""
    return lambda _: bytes(values)


def nothing(_: Deadline) -> None:
    """Say that there is no further one."""


def fail(error: BaseException) -> Step:
    """Raise."""

    def step(_: Deadline) -> bytes | None:
        raise error

    return step


def spin(deadline: Deadline) -> bytes | None:
    """Never comes to an end by itself."""
    pause = threading.Event()
    while True:
        pause.wait(0.001)
        deadline.check()
