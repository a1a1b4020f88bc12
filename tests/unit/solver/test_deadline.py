from __future__ import annotations

import math

import pytest

from kakehashi.solver.deadline import BEAT_INTERVAL, Cancelled, Deadline, OutOfTime, Stopped


class Clock:
    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


def test_without_a_budget_it_never_ends() -> None:
    clock = Clock()
    deadline = Deadline(clock=clock)
    clock.time += 1e9
    deadline.check()
    assert deadline.left == math.inf


def test_it_ends_exactly_at_its_time() -> None:
    clock = Clock()
    deadline = Deadline(2, clock=clock)
    clock.time += 1.5
    deadline.check()
    assert deadline.left == 0.5
    assert deadline.now == 101.5
    clock.time += 0.5
    with pytest.raises(OutOfTime):
        deadline.check()
    assert deadline.left == 0


def test_a_budget_of_zero_is_over_at_once() -> None:
    with pytest.raises(OutOfTime):
        Deadline(0).check()


def test_it_beats_once_an_interval() -> None:
    clock = Clock()
    beats: list[float] = []

    def beat() -> bool:
        beats.append(clock.time)
        return False

    deadline = Deadline(clock=clock, beat=beat)
    for _ in range(100):
        clock.time += BEAT_INTERVAL / 10
        deadline.check()
    assert 9 <= len(beats) <= 10


def test_the_beat_cancels() -> None:
    clock = Clock()
    deadline = Deadline(10, beat=lambda: True, clock=clock)
    deadline.check()
    clock.time += BEAT_INTERVAL
    with pytest.raises(Cancelled):
        deadline.check()


def test_the_end_of_the_budget_comes_before_the_beat() -> None:
    clock = Clock()
    deadline = Deadline(1, beat=lambda: True, clock=clock)
    clock.time += 2
    with pytest.raises(OutOfTime):
        deadline.check()


def test_both_ends_are_a_stop() -> None:
    assert issubclass(OutOfTime, Stopped)
    assert issubclass(Cancelled, Stopped)
