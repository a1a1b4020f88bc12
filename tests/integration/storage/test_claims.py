from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import sqlalchemy

from kakehashi.puzzle import Confirm, Puzzle, Termination, Uniqueness, Verdict
from kakehashi.solver.outcome import Outcome
from kakehashi.storage import Claim, Job, LeaseLost, Repository, RunOptions, Status, StorageError
from tests.support.storing import board, drain, fill, new, outcome, outcomes, positions, shards_of, take

if TYPE_CHECKING:
    from collections.abc import Callable


def snapshot(repository: Repository) -> dict[str, list[tuple[object, ...]]]:
    """All rows of the tables that a worker writes."""

    def work(connection: sqlalchemy.Connection) -> dict[str, list[tuple[object, ...]]]:
        tables = {"shard": "id", "attempt": "run, pos", "puzzle": "batch, pos"}
        queries = {name: f"SELECT * FROM {name} ORDER BY {key}" for name, key in tables.items()}
        return {name: [tuple(row) for row in connection.exec_driver_sql(query)] for name, query in queries.items()}

    return repository._db.read(work)


def test_a_claim_brings_the_work(repository: Repository) -> None:
    batch, run = fill(repository, 5, shard=4)
    claim = take(repository)
    assert (claim.batch, claim.run, claim.tries, claim.careful) == (batch, run, 0, False)
    assert claim.options == RunOptions(budget=10.0)
    assert [(work.pos, work.budget, work.puzzle) for work in claim.work] == [(i, 10.0, board(i)) for i in range(4)]
    assert repository.open_leases() == 1


def test_a_shard_that_somebody_holds_is_left_alone(repository: Repository) -> None:
    fill(repository, 4)
    claim = take(repository)
    assert repository.claim(claim.shard, "other", 60.0) is None
    assert repository.claim(claim.shard, "other", 60.0, lambda owner: "" if owner == "somebody else" else None) is None


def test_a_shard_that_is_closed_unknown_or_cancelled_is_left_alone(repository: Repository) -> None:
    _, run = fill(repository, 8)
    claim = take(repository)
    repository.finish(claim, outcomes(claim))
    assert repository.claim(claim.shard, "worker", 60.0) is None
    assert repository.claim(999, "worker", 60.0) is None
    repository.cancel_run(run)
    assert repository.claim(claim.shard + 1, "worker", 60.0) is None


def test_a_run_that_confirms_in_a_way_that_is_not_known_is_left_alone_too(repository: Repository) -> None:
    batch = repository.create_batch("b", {})
    run = repository.create_run(batch, RunOptions(confirm=Confirm.ALL))
    repository.append(batch, run, 0, [new(0)], shards_of(1))
    assert repository.run_info(run).options.confirm is Confirm.ALL
    options = '{"confirm": "most"}'
    repository._db.write(lambda connection: connection.exec_driver_sql(f"UPDATE run SET options = '{options}'"))
    with pytest.raises(StorageError, match="'most' is not one of none, auto, all"):
        repository.claim(repository.due_bells(1)[0].shard, "worker", 60.0)
    assert repository.open_leases() == 0


def test_what_a_second_engine_said_is_stored(repository: Repository) -> None:
    batch, run = fill(repository, 3)
    claim = take(repository)
    agreed, silent, unasked = outcomes(claim, Status.INFEASIBLE)
    repository.finish(
        claim,
        [
            (agreed[0], replace(agreed[1], confirmed_by="pysat", confirm_ms=12.5)),
            (silent[0], replace(silent[1], confirm_ms=10_000.25)),
            unasked,
        ],
    )
    found = [(result.confirmed_by, result.confirm_ms) for result in repository.results(batch)]
    assert found == [("pysat", 12.5), (None, 10_000.25), (None, None)]
    assert [result.confirmed_by for result in repository.slowest(run)] == ["pysat", None, None]


def test_a_run_with_options_of_a_newer_version_is_left_to_newer_workers(repository: Repository) -> None:
    _, run = fill(repository, 2)
    shard = repository.due_bells(1)[0].shard
    options = '{"budget": 10.0, "unique": false, "engine": "auto", "proof": true}'
    repository._db.write(lambda connection: connection.exec_driver_sql(f"UPDATE run SET options = '{options}'"))
    for _ in range(3):
        with pytest.raises(StorageError, match=r"does not know \(proof\): upgrade"):
            repository.claim(shard, "older", -1.0)
        assert repository.expire_leases() == 0
    progress = repository.progress(run)
    assert (progress.counts[Status.CRASHED], progress.counts[Status.QUEUED], progress.shards_leased) == (0, 2, 0)


def test_an_outcome_is_stored_whole(repository: Repository) -> None:
    batch, run = fill(repository, 1)
    claim = take(repository)
    came = replace(outcome(claim.work[0].puzzle), error="a note \0", wall_ms=0.1 + 0.2)
    repository.finish(claim, [(0, came)])
    found = repository.result(batch, 0)
    assert came.solution is not None
    assert (found.verdict, found.termination, found.uniqueness) == (came.verdict, came.termination, came.uniqueness)
    assert (found.run, found.values, found.engine) == (run, came.solution.values, "test")
    assert (found.wall_ms, found.cpu_ms) == (came.wall_ms, came.cpu_ms)
    assert (found.error, found.budget, found.attempts) == (r"a note \x00", 10.0, 1)


@pytest.mark.parametrize("ended", [Termination.COMPLETED, Termination.INVALID_INPUT])
def test_an_outcome_that_says_nothing_is_a_crash(repository: Repository, ended: Termination) -> None:
    batch, run = fill(repository, 1)
    claim = take(repository)
    repository.finish(claim, [(0, Outcome(claim.work[0].puzzle, Verdict.UNKNOWN, ended))])
    found = repository.result(batch, 0)
    assert (found.status, found.error) == (Status.CRASHED, f"the solver ended ({ended.value}) without a verdict")
    assert repository.progress(run).counts[Status.CRASHED] == 1


def test_work_is_written_in_parts(repository: Repository) -> None:
    _, run = fill(repository, 4)
    claim = take(repository)
    assert repository.record(claim, outcomes(claim, positions=[0, 1]), 60.0) is False
    assert repository.progress(run).counts[Status.SOLVED] == 2
    repository.finish(claim, outcomes(claim, Status.TIMEOUT, positions=[2, 3]))
    progress = repository.progress(run)
    assert (progress.counts[Status.SOLVED], progress.counts[Status.TIMEOUT]) == (2, 2)
    assert progress.finished
    assert progress.first_claim is not None
    assert progress.last_write is not None
    assert progress.created_at <= progress.first_claim <= progress.last_write <= progress.now


def test_what_is_left_is_split_into_new_shards(repository: Repository) -> None:
    _, run = fill(repository, 9, shard=9)
    claim = take(repository)
    repository.record(claim, outcomes(claim, positions=[1]), 60.0)
    repository.finish(claim, outcomes(claim, positions=[0, 4]), [[2, 3, 5], [6], [7, 8]])
    progress = repository.progress(run)
    assert (progress.total, progress.counts[Status.QUEUED], progress.shards_open) == (9, 6, 3)
    parts = [take(repository, bell.shard) for bell in repository.due_bells(10)]
    assert [positions(part) for part in parts] == [[2, 3, 5], [6], [7, 8]]
    for part in parts:
        repository.finish(part, outcomes(part))
    assert repository.progress(run).counts[Status.SOLVED] == 9


@pytest.mark.parametrize("rest", [[], [[2]], [[2], [3], [4]], [[3, 2]], [[2, 3], [3]], [[1, 2, 3]]], ids=str)
def test_a_split_must_cover_the_open_work(repository: Repository, rest: list[list[int]]) -> None:
    fill(repository, 8, shard=4)
    claim = take(repository)
    before = snapshot(repository)
    with pytest.raises(StorageError, match="2 are open"):
        repository.finish(claim, outcomes(claim, positions=[0, 1]), rest)
    assert snapshot(repository) == before


def test_outcomes_must_be_open_attempts_of_the_shard(repository: Repository) -> None:
    fill(repository, 8, shard=4)
    claim, other = (take(repository, bell.shard) for bell in repository.due_bells(2))
    repository.record(claim, outcomes(claim, positions=[0]), 60.0)
    before = snapshot(repository)
    for wrong in (outcomes(claim, Status.TIMEOUT, positions=[0, 1]), outcomes(other, positions=[4])):
        with pytest.raises(StorageError, match="open attempts"):
            repository.record(claim, wrong, 60.0)
    assert snapshot(repository) == before


def test_a_slow_puzzle_sheds_what_waits_behind_it(repository: Repository) -> None:
    _, run = fill(repository, 6, shard=6)
    claim = take(repository)
    repository.note(claim, 1)
    assert repository.shed(claim, outcomes(claim, positions=[0]), [[2, 3], [4, 5]], 60.0) is False
    progress = repository.progress(run)
    assert (progress.total, progress.counts[Status.QUEUED], progress.shards_open, progress.shards_leased) == (
        6,
        5,
        3,
        1,
    )
    assert [positions(take(repository, bell.shard)) for bell in repository.due_bells(9)] == [[2, 3], [4, 5]]
    with pytest.raises(StorageError):
        repository.shed(claim, [], [[1]], 60.0)
    with pytest.raises(StorageError):
        repository.shed(claim, [], [[2]], 60.0)
    repository.shed(claim, [], [], 60.0)
    repository.finish(claim, outcomes(claim, positions=[1]))
    assert repository.progress(run).counts[Status.SOLVED] == 2


def test_a_released_shard_is_rung_for_again(repository: Repository) -> None:
    fill(repository, 4)
    claim = take(repository)
    assert repository.due_bells(1) == []
    repository.release(claim, outcomes(claim, positions=[0]))
    again = take(repository)
    assert (again.shard, positions(again), again.careful) == (claim.shard, [1, 2, 3], False)
    repository.release(again)
    last = take(repository)
    repository.release(last, outcomes(last))
    assert repository.due_bells(1) == []
    assert repository.progress(last.run).finished


def test_cancelling_is_seen_by_whoever_writes(repository: Repository) -> None:
    _, run = fill(repository, 4)
    claim = take(repository)
    assert repository.extend(claim, 60.0) is False
    repository.cancel_run(run)
    assert repository.extend(claim, 60.0) is True
    assert repository.record(claim, outcomes(claim, positions=[0]), 60.0) is True
    assert repository.shed(claim, [], [[3]], 60.0) is True


FENCED: dict[str, Callable[[Repository, Claim], object]] = {
    "extend": lambda repository, claim: repository.extend(claim, 60.0),
    "note": lambda repository, claim: repository.note(claim, 1),
    "record": lambda repository, claim: repository.record(claim, outcomes(claim, Status.TIMEOUT), 60.0),
    "record nothing": lambda repository, claim: repository.record(claim, [], 60.0),
    "shed": lambda repository, claim: repository.shed(claim, [], [[2, 3]], 60.0),
    "finish": lambda repository, claim: repository.finish(claim, outcomes(claim, Status.TIMEOUT)),
    "split": lambda repository, claim: repository.finish(claim, [], [[0, 1], [2, 3]]),
    "release": lambda repository, claim: repository.release(claim),
    "release some": lambda repository, claim: repository.release(claim, outcomes(claim, positions=[0])),
}


@pytest.mark.parametrize("call", FENCED.values(), ids=FENCED.keys())
@pytest.mark.parametrize("fate", ["buried", "retaken", "closed"])
def test_a_lost_lease_writes_nothing(
    repository: Repository, call: Callable[[Repository, Claim], object], fate: str
) -> None:
    fill(repository, 4)
    claim = take(repository, lease=-1.0)
    assert repository.expire_leases() == 1
    if fate != "buried":
        newer = take(repository, claim.shard)
        if fate == "closed":
            repository.finish(newer, outcomes(newer))
    before = snapshot(repository)
    with pytest.raises(LeaseLost, match="lease on shard 1 is lost"):
        call(repository, claim)
    assert snapshot(repository) == before


def test_a_lease_that_ran_out_unnoticed_still_holds(repository: Repository) -> None:
    fill(repository, 4)
    claim = take(repository, lease=-1.0)
    repository.extend(claim, 60.0)
    assert repository.expire_leases() == 0
    repository.finish(claim, outcomes(claim))


def test_a_solution_beats_everything_and_the_newer_run_its_equal(
    repository: Repository, caplog: pytest.LogCaptureFixture
) -> None:
    batch, run = fill(repository, 4)
    drain(repository, Status.TIMEOUT)
    shown = []
    for status in (Status.CRASHED, Status.TIMEOUT, Status.SOLVED, Status.CANCELLED, Status.SOLVED):
        jobs = [row.job for row in repository.rerun_jobs(batch, list(Status))]
        again = repository.create_run(batch, RunOptions(), parent=run)
        repository.append_attempts(again, jobs, lambda rows: [len(rows)])
        drain(repository, status)
        shown.append([(found.run, found.status) for found in repository.results(batch)][3])
    assert shown == [
        (1, Status.TIMEOUT), (3, Status.TIMEOUT), (4, Status.SOLVED), (4, Status.SOLVED), (6, Status.SOLVED),
    ]  # fmt: skip
    assert repository.result(batch, 3).attempts == 6
    assert not caplog.records


def test_a_contradiction_is_no_secret(repository: Repository, caplog: pytest.LogCaptureFixture) -> None:
    batch, run = fill(repository, 1)
    drain(repository, Status.INFEASIBLE)
    again = repository.create_run(batch, RunOptions(), parent=run)
    jobs = [row.job for row in repository.rerun_jobs(batch, [Status.INFEASIBLE])]
    repository.append_attempts(again, jobs, lambda rows: [len(rows)])
    drain(repository, Status.SOLVED)
    assert "puzzle 1:0 is solved in one of the runs 1 and 2" in caplog.text
    assert repository.result(batch, 0).status is Status.SOLVED


def disputed(puzzle: Puzzle) -> Outcome:
    return Outcome(
        puzzle, Verdict.UNKNOWN, Termination.CRASHED, engine="test", confirm_ms=1.5, error="the engines disagree: ..."
    )


@pytest.mark.parametrize(
    ("before", "uniqueness", "after"),
    [
        (Status.INFEASIBLE, Uniqueness.UNCHECKED, Status.CRASHED),
        (Status.SOLVED, Uniqueness.UNIQUE, Status.CRASHED),
        (Status.SOLVED, Uniqueness.UNCHECKED, Status.SOLVED),
        (Status.TIMEOUT, Uniqueness.UNKNOWN, Status.TIMEOUT),
    ],
)
def test_a_dispute_overturns_what_an_older_run_knew_by_an_engines_word(
    repository: Repository, before: Status, uniqueness: Uniqueness, after: Status
) -> None:
    batch, run = fill(repository, 1)
    claim = take(repository)
    repository.finish(claim, [(0, replace(outcome(board(0), before), uniqueness=uniqueness))])
    again = repository.create_run(batch, RunOptions(), run)
    repository.append_attempts(again, [Job(0, 1, 5.0)], shards_of(1))
    repository.finish(take(repository), [(0, disputed(board(0)))])
    assert repository.result(batch, 0).status is after
    last = repository.create_run(batch, RunOptions(), again)
    repository.append_attempts(last, [Job(0, 1, 5.0)], shards_of(1))
    repository.finish(take(repository), [(0, outcome(board(0), Status.INFEASIBLE))])
    known = Status.INFEASIBLE if after is not Status.SOLVED else Status.SOLVED
    assert repository.result(batch, 0).status is known


def test_a_dispute_of_an_older_run_overturns_nothing(repository: Repository) -> None:
    batch, run = fill(repository, 1)
    again = repository.create_run(batch, RunOptions(), run)
    repository.append_attempts(again, [Job(0, 1, 5.0)], shards_of(1))
    first, second = take(repository, 1), take(repository, 2)
    repository.finish(second, [(0, outcome(board(0), Status.INFEASIBLE))])
    repository.finish(first, [(0, disputed(board(0)))])
    assert repository.result(batch, 0).status is Status.INFEASIBLE
