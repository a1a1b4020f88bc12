from __future__ import annotations

import pickle

import pytest

from kakehashi.puzzle import Confirm, Termination, Uniqueness, Verdict
from kakehashi.storage import LeaseLost, NotFound, RunOptions, Status, StorageError, status_of
from kakehashi.storage.outcomes import RANK_SURE, count, rank_of


@pytest.mark.parametrize(
    ("verdict", "termination", "expected"),
    [
        (None, None, Status.QUEUED),
        (Verdict.SOLVED, Termination.COMPLETED, Status.SOLVED),
        (Verdict.SOLVED, Termination.TIMEOUT, Status.SOLVED),
        (Verdict.INFEASIBLE, Termination.COMPLETED, Status.INFEASIBLE),
        (Verdict.UNKNOWN, Termination.TIMEOUT, Status.TIMEOUT),
        (Verdict.UNKNOWN, Termination.CRASHED, Status.CRASHED),
        (Verdict.UNKNOWN, Termination.COMPLETED, Status.CRASHED),
        (Verdict.UNKNOWN, Termination.CANCELLED, Status.CANCELLED),
        (Verdict.UNKNOWN, Termination.INVALID_INPUT, Status.INVALID),
    ],
)
def test_the_word_for_a_verdict_and_a_termination(
    verdict: Verdict | None, termination: Termination | None, expected: Status
) -> None:
    assert status_of(verdict, termination) is expected


def test_what_is_worth_more_to_know() -> None:
    ranks = [
        rank_of(Verdict.UNKNOWN, Termination.CANCELLED, Uniqueness.UNCHECKED),
        rank_of(Verdict.UNKNOWN, Termination.CRASHED, Uniqueness.UNCHECKED),
        rank_of(Verdict.UNKNOWN, Termination.TIMEOUT, Uniqueness.UNCHECKED),
        rank_of(Verdict.INFEASIBLE, Termination.COMPLETED, Uniqueness.UNCHECKED),
        rank_of(Verdict.SOLVED, Termination.TIMEOUT, Uniqueness.UNKNOWN),
        rank_of(Verdict.SOLVED, Termination.COMPLETED, Uniqueness.MULTIPLE),
    ]
    assert ranks == sorted(set(ranks))
    assert ranks[-1] == RANK_SURE


def test_options_survive_and_unknown_ones_are_refused() -> None:
    options = RunOptions(budget=2.5, unique=True, engine="pysat", confirm=Confirm.ALL)
    assert RunOptions.from_json(options.to_json()) == options
    with pytest.raises(StorageError, match=r"does not know \(proof\): upgrade the program"):
        RunOptions.from_json({**options.to_json(), "proof": True})
    with pytest.raises(StorageError, match=r"does not know \(confirm: 'most' is not one of none, auto, all\)"):
        RunOptions.from_json({**options.to_json(), "confirm": "most"})


def test_a_run_from_before_there_was_a_confirmation_is_made_without() -> None:
    assert RunOptions.from_json({"budget": 2.5, "unique": True, "engine": "pysat"}).confirm is Confirm.NONE


def test_outcomes_are_counted_by_status() -> None:
    assert count([Status.TIMEOUT, Status.TIMEOUT]) == {
        "add_solved": 0, "add_infeasible": 0, "add_timeout": 2, "add_crashed": 0, "add_cancelled": 0,
    }  # fmt: skip


def test_errors_travel_between_processes() -> None:
    error = pickle.loads(pickle.dumps(LeaseLost(7)))
    assert (error.shard, str(error)) == (7, str(LeaseLost(7)))
    assert issubclass(NotFound, StorageError)
