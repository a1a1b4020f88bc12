"""The database's clock is set back: rows that were written before lie in the future."""

from __future__ import annotations

import contextlib
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import event, update

from kakehashi.errors import ServiceUnreachable
from kakehashi.producer.broker import Broker
from kakehashi.settings import Settings
from kakehashi.storage import Repository
from kakehashi.storage.schema import shard
from kakehashi.worker.sweeper import Leaps, sweep
from tests.support.storing import fill, outcomes, take

HOUR = 3600.0


def set_back(repository: Repository, by: float = HOUR) -> None:
    """What a clock that goes back means for the rows that are there."""
    later = {"lease_until": shard.c.lease_until + by, "rung_at": shard.c.rung_at + by}
    repository._db.write(lambda connection: connection.execute(update(shard).values(**later)))


def test_the_lease_of_a_dead_worker_does_not_last_until_the_clock_has_caught_up(repository: Repository) -> None:
    fill(repository, 4)
    claim = take(repository, lease=15.0)
    set_back(repository)
    assert repository.pull_back(-1.0, 60.0) == 1
    assert repository.expire_leases() == 1
    taken = take(repository, claim.shard)
    assert taken.tries == 1


def test_who_lives_goes_on(repository: Repository) -> None:
    fill(repository, 4)
    claim = take(repository, lease=15.0)
    set_back(repository)
    assert repository.pull_back(15.0, 60.0) == 1
    assert repository.pull_back(15.0, 60.0) == repository.expire_leases() == 0
    assert repository.extend(claim, 15.0) is False
    repository.finish(claim, outcomes(claim))


def test_a_bell_from_the_future_is_rung_again(repository: Repository) -> None:
    fill(repository, 8)
    assert len(repository.due_bells(9)) == 2
    set_back(repository)
    assert repository.due_bells(9, again_after=-1.0) == []
    assert repository.pull_back(15.0, 60.0) == 2
    assert len(repository.due_bells(9, again_after=-1.0)) == 2


def test_what_other_settings_explain_is_left_alone(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing is written: that would lock an SQLite file with each sweep."""
    fill(repository, 8)
    take(repository, lease=50.0)
    take(repository, lease=-1.0)
    monkeypatch.setattr(repository._db, "write", lambda *_: pytest.fail("there is nothing to pull back"))
    assert repository.pull_back(15.0, 60.0) == 0


def test_only_the_asked_run_is_pulled_back(repository: Repository) -> None:
    _, first = fill(repository, 4)
    _, second = fill(repository, 4)
    for bell in repository.due_bells(2):
        take(repository, bell.shard)
    set_back(repository)
    assert [repository.pull_back(15.0, 60.0, run) for run in (second, second)] == [1, 0]
    assert repository.pull_back(15.0, 60.0) == 1
    assert repository.progress(first).shards_leased == 1


def test_nobody_is_buried_by_a_clock_that_is_not_trusted(repository: Repository) -> None:
    fill(repository, 4)
    take(repository, lease=-1.0)
    asked: list[float] = []

    def trusted(there: float) -> bool:
        asked.append(there)
        return len(asked) > 1

    assert [repository.expire_leases(trusted=trusted) for _ in range(3)] == [0, 1, 0]
    assert asked == sorted(asked)


def test_a_clock_that_leaps_while_leases_are_looked_at_is_noticed(repository: Repository) -> None:
    """It is looked at after them: what had run out before the leap had run out."""
    fill(repository, 4)
    said: list[str] = []
    event.listen(repository._db.engine, "before_cursor_execute", lambda *given: said.append(given[2]))
    repository.expire_leases()
    assert "lease_until" in said[-2]
    assert "FROM" not in said[-1].replace("EXTRACT(epoch FROM", "")


def test_who_had_no_chance_to_extend_since_the_tables_were_locked_goes_on(postgresql_url: str) -> None:
    settings = Settings(db=postgresql_url, lease=1.5, pulse=0.5, low_water=0)
    leaps = Leaps(settings.lease)
    with Repository(postgresql_url) as repository, Repository(postgresql_url) as other, Broker(settings) as broker:
        fill(repository, 1)
        claim = take(repository, lease=settings.lease)
        with ThreadPoolExecutor(1) as pool:
            with other._db.engine.begin() as connection:
                connection.exec_driver_sql("LOCK TABLE shard")
                swept = pool.submit(sweep, repository, broker, settings, leaps)
                time.sleep(2.0)
            with contextlib.suppress(ServiceUnreachable):
                swept.result()
        repository.extend(claim, 60.0)
