from __future__ import annotations

from kakehashi.solver.slices import FEWEST, FIRST, MOST, TARGET, Slices


def test_a_quick_slice_makes_the_next_one_larger() -> None:
    slices = Slices()
    slices.record(TARGET / 10, conflicts=5)
    assert slices.propagations == 2 * FIRST


def test_a_slow_slice_makes_the_next_one_as_small_as_it_has_to_be() -> None:
    slices = Slices()
    slices.record(4 * TARGET, conflicts=5)
    assert slices.propagations == FIRST // 4


def test_a_slice_of_the_right_length_changes_nothing() -> None:
    slices = Slices()
    slices.record(0.75 * TARGET, conflicts=5)
    assert slices.propagations == FIRST


def test_after_a_slice_without_a_conflict_the_next_one_gets_further_however_slow_it_was() -> None:
    slices = Slices()
    slices.record(100 * TARGET, conflicts=0)
    assert slices.propagations == 2 * FIRST


def test_there_are_limits() -> None:
    slices = Slices()
    for _ in range(100):
        slices.record(0.0, conflicts=1)
    assert slices.propagations == MOST
    slices.record(1e9, conflicts=1)
    assert slices.propagations == FEWEST
