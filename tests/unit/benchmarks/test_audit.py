from __future__ import annotations

import pytest

from benchmarks.audit import complaints
from benchmarks.records import Clock, Measurement, Status
from tests.unit.benchmarks.measurements import measurement


def test_nothing_is_wrong_where_all_agree() -> None:
    assert complaints([measurement("a"), measurement("a", "clingo"), measurement("b", status=Status.INFEASIBLE)]) == []


@pytest.mark.parametrize(
    ("taken", "words"),
    [
        ([measurement(status=Status.WRONG, note="two groups")], "native on set/a: WRONG ANSWER: two groups"),
        ([measurement(rival="highs", status=Status.FAILED, note="x")], "highs on set/a: FAILED: x"),
        ([measurement(status=Status.TIMEOUT)], "native on set/a: NO VERDICT within 20 s"),
        (
            [measurement(), measurement(rival="pysat"), measurement(rival="clingo", status=Status.INFEASIBLE)],
            "set/a: CONTRADICTION: clingo calls infeasible what native, pysat solved",
        ),
        (
            [
                measurement(clock=Clock.UNIQUE, unique=True),
                measurement(rival="pysat", clock=Clock.UNIQUE, unique=False),
            ],
            "set/a: CONTRADICTION: native calls unique what is not",
        ),
    ],
)
def test_each_kind_of_fault_is_told_once(taken: list[Measurement], words: str) -> None:
    assert complaints(taken * 3) == [words]


def test_a_rival_may_run_out_of_time() -> None:
    assert complaints([measurement(), measurement(rival="clingo", status=Status.TIMEOUT)]) == []


def test_the_same_name_in_two_sets_is_no_contradiction() -> None:
    assert complaints([measurement(), measurement(set_name="other", status=Status.INFEASIBLE)]) == []
