from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING

import pytest

from kakehashi.errors import ServiceUnreachable
from kakehashi.producer.bells import OVERDUE, Ringer, refill
from kakehashi.settings import Settings
from kakehashi.storage import Repository
from tests.support.storing import fill, new, take

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kakehashi.storage import Bell

SETTINGS = Settings(low_water=3, high_water=5)


class FakeBroker:
    """Counts bells; the real one is tested in the integration tests."""

    def __init__(self) -> None:
        self.waiting: list[int] = []
        self.away = False

    def depth(self) -> int:
        return len(self.waiting)

    def ring(self, bells: Iterable[Bell]) -> None:
        if self.away:
            raise ServiceUnreachable("away")
        self.waiting += [bell.shard for bell in bells]


def test_bells_are_refilled_below_the_low_water_mark_up_to_the_high_one(sqlite_url: str) -> None:
    broker = FakeBroker()
    with Repository(sqlite_url) as repository:
        fill(repository, 12, shard=1)
        assert refill(repository, broker, SETTINGS) == 5  # type: ignore[arg-type]
        assert broker.waiting == [1, 2, 3, 4, 5]  # the oldest first
        assert refill(repository, broker, SETTINGS) == 0  # type: ignore[arg-type]
        del broker.waiting[:2]
        assert refill(repository, broker, SETTINGS) == 0  # type: ignore[arg-type]
        del broker.waiting[0]
        assert refill(repository, broker, SETTINGS) == 3  # type: ignore[arg-type]
        assert broker.waiting == [4, 5, 6, 7, 8]


def test_a_lost_bell_is_rung_again_only_when_the_broker_is_empty(sqlite_url: str) -> None:
    broker = FakeBroker()
    at_once = dataclasses.replace(SETTINGS, ring_again=0.001)
    with Repository(sqlite_url) as repository:
        fill(repository, 2, shard=1)
        refill(repository, broker, at_once)  # type: ignore[arg-type]
        time.sleep(0.01)
        broker.waiting = [1]
        assert refill(repository, broker, at_once) == 0  # type: ignore[arg-type]
        broker.waiting = []  # flushed
        assert refill(repository, broker, SETTINGS) == 0  # type: ignore[arg-type]  # rung too short a time ago
        assert refill(repository, broker, at_once) == 2  # type: ignore[arg-type]
        time.sleep(0.01)
        take(repository, 1)
        broker.waiting = []
        assert refill(repository, broker, at_once) == 1  # type: ignore[arg-type]
        assert broker.waiting == [2]  # shard 1 is in somebody's hands


def test_a_broker_that_is_away_leaves_the_shards_to_be_rung(sqlite_url: str) -> None:
    broker = FakeBroker()
    broker.away = True
    with Repository(sqlite_url) as repository:
        fill(repository, 2, shard=1)
        with pytest.raises(ServiceUnreachable):
            refill(repository, broker, SETTINGS)  # type: ignore[arg-type]
        broker.away = False
        assert refill(repository, broker, SETTINGS) == 2  # type: ignore[arg-type]


def test_a_submission_outlives_its_broker(sqlite_url: str, caplog: pytest.LogCaptureFixture) -> None:
    broker = FakeBroker()
    broker.away = True
    with Repository(sqlite_url) as repository:
        ring = Ringer(repository, broker, SETTINGS)  # type: ignore[arg-type]
        fill(repository, 2, shard=1)
        ring(1, 1, 0)
        ring(1, 1, 2)
        assert [record.message for record in caplog.records] == ["the workers are told later: away"]  # once
        broker.away = False
        ring()
        assert broker.waiting == [1, 2]


def test_a_lost_bell_does_not_wait_for_an_end_of_the_work(sqlite_url: str) -> None:
    """Whoever submits keeps the broker busy; a bell that was taken in vain (a worker that stopped) comes again."""
    broker = FakeBroker()
    at_once = dataclasses.replace(SETTINGS, ring_again=0.001)
    with Repository(sqlite_url) as repository:
        fill(repository, 5, shard=1)
        refill(repository, broker, at_once)  # type: ignore[arg-type]
        broker.waiting = [2]  # the others were taken, and nobody claimed their shards
        time.sleep(0.001 * OVERDUE + 0.02)
        fill(repository, [new(100 + number) for number in range(9)], shard=1)
        assert refill(repository, broker, at_once) == 4  # type: ignore[arg-type]
        assert broker.waiting == [2, 1, 2, 6, 7]  # half of the room for the oldest bells, half for new ones
