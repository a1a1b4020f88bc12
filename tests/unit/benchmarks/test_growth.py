from __future__ import annotations

import pytest

from benchmarks.child import ask, peak_mb
from benchmarks.growth import DENSITY, SIZES, Course, measure, recipe
from benchmarks.records import Clock, Status
from kakehashi import Puzzle


def test_the_largest_board_is_500_squared() -> None:
    assert (recipe(SIZES[-1]).side, recipe(SIZES[-1]).islands) == (500, 100_000)
    for islands in SIZES:
        assert recipe(islands).islands / recipe(islands).side ** 2 <= DENSITY


def test_a_process_of_its_own_measures_time_and_peak() -> None:
    ballast = bytearray(200 * 2**20)  # a process counts what it holds, not what its parent does
    ballast[:: 2**12] = b"x" * len(ballast[:: 2**12])
    taken = ask(Puzzle.from_rows([[2, 0, 2]]), "pysat", Clock.WHOLE, 30.0)
    assert (taken.status, taken.rival, taken.clock, taken.islands) == (Status.SOLVED, "pysat", Clock.WHOLE, 2)
    assert taken.peak_mb is not None
    assert 5 < taken.peak_mb < 200 < peak_mb()


def test_a_process_that_fails_is_told() -> None:
    with pytest.raises(RuntimeError, match="abacus"):
        ask(Puzzle.from_rows([[2, 0, 2]]), "abacus", Clock.VALUES, 30.0)


def test_each_course_goes_up_to_its_largest_board() -> None:
    courses = [Course("pysat", Clock.VALUES, 200), Course("pysat", Clock.WHOLE, 100)]
    taken = list(measure(courses, 200, 2, 30.0))
    assert [(one.islands, one.clock, one.repeat) for one in taken] == [
        (100, Clock.VALUES, 0), (100, Clock.WHOLE, 0), (100, Clock.VALUES, 1), (100, Clock.WHOLE, 1),
        (200, Clock.VALUES, 0), (200, Clock.VALUES, 1),
    ]  # fmt: skip
    assert {one.puzzle for one in taken} == {"16 x 16", "23 x 23"}
