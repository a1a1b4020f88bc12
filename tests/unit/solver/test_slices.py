from __future__ import annotations

from kakehashi.solver.slices import FEWEST, FIRST, MOST, TARGET, Slices


def test_a_quick_slice_makes_the_next_one_larger() -> None:
    slices = Slices()
    slices.record(TARGET / 10)
    assert slices.conflicts == 2 * FIRST


def test_a_slow_slice_makes_the_next_one_as_small_as_it_has_to_be() -> None:
    slices = Slices()
    slices.record(4 * TARGET)
    assert slices.conflicts == FIRST // 4


def test_a_slice_of_the_right_length_changes_nothing() -> None:
    slices = Slices()
    slices.record(0.75 * TARGET)
    assert slices.conflicts == FIRST


def test_there_are_limits() -> None:
    slices = Slices()
    for _ in range(100):
        slices.record(0.0)
    assert slices.conflicts == MOST
    slices.record(1e9)
    assert slices.conflicts == FEWEST
