"""What becomes of a shard whose worker dies, once, twice, and for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from kakehashi.storage import Claim, LeaseLost, Repository, Status
from kakehashi.storage.schema import shard
from kakehashi.storage.sweeps import _bury_expired
from tests.support.storing import drain, fill, outcomes, positions, take

if TYPE_CHECKING:
    import pytest


def die(repository: Repository, shard: int | None = None, noted: int | None = None) -> None:
    """Claim a shard and die over it."""
    claim = take(repository, shard, lease=-1.0)
    if noted is not None:
        repository.note(claim, noted)
    assert repository.expire_leases() == 1


def waiting(repository: Repository) -> list[Claim]:
    """Claim all that waits, to look at it."""
    return [take(repository, bell.shard) for bell in repository.due_bells(100)]


def test_the_first_death_makes_a_shard_careful(repository: Repository) -> None:
    fill(repository, 4)
    die(repository)
    (claim,) = waiting(repository)
    assert (positions(claim), claim.tries, claim.careful) == ([0, 1, 2, 3], 1, True)


def test_the_culprit_goes_on_alone(repository: Repository) -> None:
    _, run = fill(repository, 5, shard=5)
    die(repository)
    claim = take(repository, lease=-1.0)
    repository.note(claim, 0)
    repository.record(claim, outcomes(claim, positions=[0]), -1.0)
    repository.note(claim, 2)
    assert repository.expire_leases() == 1
    left, culprit, right = waiting(repository)
    assert [positions(part) for part in (left, culprit, right)] == [[1], [2], [3, 4]]
    assert [part.careful for part in (left, culprit, right)] == [False, True, False]
    progress = repository.progress(run)
    assert (progress.total, progress.counts[Status.SOLVED], progress.counts[Status.QUEUED]) == (5, 1, 4)


def test_a_noted_attempt_is_the_culprit_at_the_first_death_too(repository: Repository) -> None:
    fill(repository, 3)
    die(repository, noted=0)
    assert [positions(claim) for claim in waiting(repository)] == [[0], [1, 2]]


def test_three_deaths_are_enough(repository: Repository, caplog: pytest.LogCaptureFixture) -> None:
    batch, run = fill(repository, 4)
    die(repository, noted=1)
    culprit = repository.due_bells(10)[1].shard
    die(repository, culprit, noted=1)
    die(repository, culprit, noted=1)
    found = repository.result(batch, 1)
    assert (found.status, found.error) == (Status.CRASHED, "the worker died 3 times while it solved this puzzle")
    assert [vars(record)["attempt"] for record in caplog.records] == [found.id]
    assert repository.claim(culprit, "worker", 60.0) is None
    repository.unring(range(100))
    drain(repository)
    progress = repository.progress(run)
    assert progress.finished
    assert (progress.counts[Status.SOLVED], progress.counts[Status.CRASHED]) == (3, 1)


def test_a_note_is_wiped_by_the_next_write(repository: Repository) -> None:
    fill(repository, 3)
    claim = take(repository, lease=-1.0)
    repository.note(claim, 0)
    repository.record(claim, outcomes(claim, positions=[0]), -1.0)
    repository.expire_leases()
    assert [positions(left) for left in waiting(repository)] == [[1, 2]]


def test_a_note_of_what_has_ended_names_nobody(repository: Repository) -> None:
    fill(repository, 3)
    claim = take(repository, lease=-1.0)
    repository.record(claim, outcomes(claim, positions=[0]), -1.0)
    repository.note(claim, 0)
    repository.expire_leases()
    assert [positions(left) for left in waiting(repository)] == [[1, 2]]


def test_deaths_before_a_note_halve_the_shard(repository: Repository) -> None:
    fill(repository, 5, shard=5)
    die(repository)
    die(repository)
    halves = waiting(repository)
    assert [(positions(half), half.tries) for half in halves] == [([0, 1], 2), ([2, 3, 4], 2)]


def test_no_shard_is_retaken_for_ever(repository: Repository) -> None:
    batch, run = fill(repository, 7, shard=7)
    for _ in range(200):
        bells = repository.due_bells(1)
        if not bells:
            break
        die(repository, bells[0].shard)
    progress = repository.progress(run)
    assert progress.finished
    assert progress.counts[Status.CRASHED] == 7
    assert {found.status for found in repository.results(batch)} == {Status.CRASHED}


def test_a_split_of_a_careful_shard_stays_careful(repository: Repository) -> None:
    fill(repository, 4)
    die(repository)
    claim = take(repository)
    repository.finish(claim, [], [[0, 1], [2, 3]])
    assert [part.careful for part in waiting(repository)] == [True, True]


def test_the_shard_of_a_dead_owner_is_taken_over_at_once(repository: Repository) -> None:
    fill(repository, 4)
    claim = take(repository, owner="child 1")
    repository.note(claim, 2)
    taken = repository.claim(claim.shard, "child 2", 60.0, lambda owner: "" if owner == "child 1" else None)
    assert taken is None  # it was split around the culprit: there are new bells to ring
    assert [positions(part) for part in waiting(repository)] == [[0, 1], [2], [3]]


def test_a_dead_owner_without_a_note_leaves_the_same_shard(repository: Repository) -> None:
    fill(repository, 4)
    claim = take(repository, owner="child 1")
    taken = repository.claim(claim.shard, "child 2", 60.0, lambda owner: "" if owner == "child 1" else None)
    assert taken is not None
    assert (taken.shard, taken.tries, positions(taken)) == (claim.shard, 1, [0, 1, 2, 3])


def test_a_bell_leaves_an_expired_lease_to_the_sweeper(repository: Repository) -> None:
    """The clock may have leapt, and bells of shards in hand seem old then, too: only the sweeper knows."""
    fill(repository, 4)
    claim = take(repository, lease=-1.0)
    assert repository.claim(claim.shard, "other", 60.0) is None
    assert repository.expire_leases() == 1
    taken = take(repository, claim.shard)
    assert taken.tries == 1
    assert taken.token != claim.token


def test_only_the_asked_run_is_swept(repository: Repository) -> None:
    _, first = fill(repository, 4)
    _, second = fill(repository, 4)
    for bell in repository.due_bells(2):
        take(repository, bell.shard, lease=-1.0)
    assert repository.expire_leases(second) == 1
    assert repository.progress(first).shards_leased == 1
    assert repository.expire_leases() == 1
    assert repository.open_leases() == 0


def test_a_lease_that_was_extended_meanwhile_is_not_buried(repository: Repository) -> None:
    fill(repository, 4)
    claim = take(repository, lease=-1.0)
    repository.extend(claim, 60.0)  # between the sweeper's look and its grasp
    assert repository._db.write(lambda connection: _bury_expired(connection, claim.shard, claim.token)) is False
    repository.finish(claim, outcomes(claim))


def test_what_a_worker_had_that_was_killed_on_purpose_is_free_and_nobody_died(repository: Repository) -> None:
    fill(repository, 8)
    theirs, other = take(repository, owner="host_1-a/7"), take(repository, owner="hostx1-a/7")
    repository.note(theirs, 0)
    assert repository.take_back("host_1-a") == 1
    again = take(repository, theirs.shard)
    assert not again.careful
    assert [work.deaths for work in again.work] == [0] * 4
    with pytest.raises(LeaseLost):
        repository.extend(theirs, 60.0)
    assert not repository.extend(other, 60.0)


def test_a_worker_that_froze_in_the_middle_of_a_write_holds_up_no_sweep(postgresql_url: str) -> None:
    with Repository(postgresql_url) as repository, Repository(postgresql_url) as frozen:
        fill(repository, 8)
        first, second = take(repository, lease=-1.0), take(repository, lease=-1.0)
        with frozen._db.engine.begin() as connection:
            connection.execute(update(shard).where(shard.c.id == first.shard).values(noted=0))
            assert repository.expire_leases() == 1
            kept = connection.exec_driver_sql("SHOW idle_in_transaction_session_timeout").scalar_one()
        assert kept == "30s"
        assert repository.expire_leases() == 1
        assert take(repository, second.shard).careful
