from __future__ import annotations

from typing import TYPE_CHECKING

from kakehashi.errors import ServiceUnreachable
from kakehashi.settings import Settings
from kakehashi.storage import Repository
from kakehashi.worker import sweeper as sweeper_module
from kakehashi.worker.sweeper import Leaps, Sweeper
from tests.support.storing import fill, take

if TYPE_CHECKING:
    import pytest


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


def test_a_database_that_was_away_when_it_was_opened_is_given_a_lease_too(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broker was away first, or the sweep had come to its bells."""
    buried: list[int] = []
    opened: list[None] = []
    with Repository(sqlite_url) as before:
        fill(before, 4)
        take(before, lease=-1.0)

    class Away(Repository):
        def __init__(self, url: str) -> None:
            opened.append(None)
            if len(opened) == 1:
                raise ServiceUnreachable("away")
            super().__init__(url)

    def swept(repository: Repository, broker: object, settings: Settings, leaps: Leaps, *_: object) -> None:
        buried.append(repository.expire_leases(trusted=leaps.over))
        sweeper._stop.set()

    monkeypatch.setattr(sweeper_module, "Repository", Away)
    monkeypatch.setattr(sweeper_module, "sweep", swept)
    monkeypatch.setattr(sweeper_module, "PAUSE_AFTER_FAILURE", 0.0)
    sweeper = Sweeper(Settings(db=sqlite_url))
    sweeper._loop()
    assert buried == [0]
