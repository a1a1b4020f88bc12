from __future__ import annotations

import random

import pytest

from benchmarks.budgets import KINDS, board, engines, in_processes, outliers, summary, table
from benchmarks.records import Attempt


def tried(
    seconds: float, budget: float = 1.0, *, engine: str = "native", islands: int = 100, termination: str = "timeout"
) -> Attempt:
    return Attempt("solve", engine, "ones", islands, budget, seconds, seconds / 2, termination, 0.3, "a.look")


@pytest.mark.parametrize(
    ("seconds", "budget", "beyond"),
    [(1.25, 1.0, False), (1.26, 1.0, True), (0.31, 0.05, True), (5.4, 5.0, False), (5.6, 5.0, True)],
)
def test_the_promise_is_ten_per_cent_or_a_quarter_of_a_second(seconds: float, budget: float, beyond: bool) -> None:
    assert tried(seconds, budget).is_beyond == beyond


def test_what_ends_late_is_at_its_budget_whatever_came_of_it() -> None:
    assert [tried(seconds, termination="completed").at_its_budget for seconds in (0.9, 1.1)] == [False, True]
    assert tried(1.0).at_its_budget
    assert (tried(0.9).overshoot, tried(1.5).overshoot) == (0.0, 0.5)


def test_each_engine_has_a_line_for_each_class_of_sizes() -> None:
    attempts = [tried(1.1), tried(2.0), tried(0.1, termination="completed"), tried(1.2, engine="pysat", islands=5000)]
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table(attempts).splitlines()[2:]]
    assert len(lines) == 6
    assert lines[1] == ["native, `solve`", "50 to 500", "3", "2", "100 ms", "100 ms", "1.00 s", "1"]
    assert lines[5] == ["pysat, `solve`", "500 to 5,000", "1", "1", "200 ms", "200 ms", "200 ms", "0"]
    assert summary(attempts).startswith("3 of 4 attempts kept the promise (75.00 %")


def test_an_outlier_says_which_look_came_late() -> None:
    told = outliers([tried(1.1), tried(2.0)])
    (line,) = [line for line in told.splitlines() if "a.look" in line]
    assert [cell.strip() for cell in line.split("|")[1:-1]] == [
        "native, `solve`, ones", "100", "1.00 s", "1.00 s", "300 ms", "1.00 s", "a.look"
    ]  # fmt: skip
    assert outliers([tried(1.1)]) == ""


def test_boards_have_the_size_that_is_asked_for() -> None:
    for kind in ("easy", "ones", "changed ones"):
        assert [board(random.Random(1), kind, islands).island_count for islands in (5, 300)] == [5, 300]


def test_processes_make_attempts_with_each_engine() -> None:
    there = engines()
    assert "pysat" in there
    attempts = sorted(in_processes(len(there), 1), key=lambda one: one.engine)
    assert [(one.way, one.engine) for one in attempts] == [("solve", name) for name in there]
    for one in attempts:
        assert one.board in KINDS
        assert 0.05 <= one.budget <= 5
        assert one.where
