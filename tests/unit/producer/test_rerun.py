from __future__ import annotations

import pytest

from kakehashi.errors import UsageError
from kakehashi.producer import rerun as module
from kakehashi.producer.rerun import NewBudget, rerun, selected
from kakehashi.storage import Repository, RunOptions, Status
from tests.support.storing import drain, fill


def test_a_budget_in_seconds_or_as_a_multiple() -> None:
    assert NewBudget.parse("60s", most=600).after(10) == 60
    assert NewBudget.parse("x4", most=600).after(10) == 40
    assert NewBudget.parse("x1.5", most=600).after(10) == 15
    assert NewBudget.parse("x100", most=600).after(10) == 600


@pytest.mark.parametrize("text", ["x0", "x", "4x", "0s", "much"])
def test_a_budget_that_is_none(text: str) -> None:
    with pytest.raises(UsageError):
        NewBudget.parse(text, most=600)


def test_a_budget_above_the_largest_is_refused_not_lowered_silently() -> None:
    with pytest.raises(UsageError, match="--max-budget"):
        NewBudget.parse("11m", most=600)


def test_a_rerun_takes_what_timed_out_in_pages(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAGE", 3)
    with Repository(sqlite_url) as repository:
        filled = fill(repository, 8, shard=4, budget=2.0)
        drain(repository, Status.TIMEOUT)
        budget = NewBudget.parse("x10", most=600)
        listed = list(selected(repository, filled.batch, {Status.TIMEOUT}, budget))
        assert [job.pos for job, _ in listed] == list(range(8))
        assert {job.budget for job, _ in listed} == {20.0}
        assert listed[3][1] == "puzzle-3"

        seen: list[tuple[int, int]] = []
        run = rerun(
            repository, filled.batch, {Status.TIMEOUT}, budget, RunOptions(budget=20.0), filled.run,
            on_chunk=lambda run, attempts: seen.append((run, attempts)),
        )  # fmt: skip
        assert run is not None
        assert seen == [(run, 3), (run, 6), (run, 8)]
        assert repository.run_info(run).parent == filled.run
        progress = repository.progress(run)
        assert (progress.total, progress.counts[Status.QUEUED], progress.sealed) == (8, 8, True)
        drain(repository, Status.SOLVED)
        assert repository.progress(run).counts[Status.SOLVED] == 8
        assert repository.progress(filled.run).counts[Status.TIMEOUT] == 8  # history stays


def test_a_rerun_of_nothing_makes_no_run(sqlite_url: str) -> None:
    with Repository(sqlite_url) as repository:
        filled = fill(repository, 2)
        drain(repository, Status.SOLVED)
        budget = NewBudget.parse("60s", most=600)
        assert rerun(repository, filled.batch, {Status.TIMEOUT}, budget, RunOptions(), filled.run) is None
        assert len(repository.runs(filled.batch)) == 1
