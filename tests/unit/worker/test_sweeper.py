from __future__ import annotations

from kakehashi.worker.sweeper import Leaps


def test_a_leap_ahead_is_over_after_a_lease() -> None:
    here = 0.0
    leaps = Leaps(15.0, lambda: here)

    def over(at: float, ahead: float) -> bool:
        nonlocal here
        here = at
        return leaps.over(at + ahead)

    assert over(0.0, 1000.0)
    assert over(1.0, 1004.9)
    assert not over(2.0, 4600.0)
    assert not over(16.9, 4600.0)
    assert over(17.0, 4600.0)
    assert over(18.0, 1000.0)  # set back again: no lease seems to run out
    assert not over(19.0, 1005.1)


def test_a_database_that_was_away_is_given_a_lease() -> None:
    here = 0.0
    leaps = Leaps(15.0, lambda: here)
    assert leaps.over(1000.0)
    leaps.lost()
    here = 60.0
    assert not leaps.over(1060.0)
    here = 74.9
    assert not leaps.over(1074.9)
    here = 75.0
    assert leaps.over(1075.0)
