from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.puzzle import Confirm, Puzzle, Termination, Uniqueness, Verdict
from kakehashi.solver import Outcome, confirmation, engines, solve
from kakehashi.solver.confirmation import in_sample, is_due
from tests.support.storing import easy
from tests.unit.solver.boards import board, small_boards, variant_board
from tests.unit.solver.conftest import NATIVE, WITHOUT_NATIVE
from tests.unit.solver.scripted import Scripted, Step, answer, fail, nothing, spin

if TYPE_CHECKING:
    from collections.abc import Callable

TWO_WAYS = board("3.2", "...", "3.2")
"""Two solutions: 1 2 1 1 and 2 1 2 0."""

ONE, OTHER = answer(1, 2, 1, 1), answer(2, 1, 2, 0)
APART = board("1.1", "...", "1.1")
"""Infeasible, and not on sight; four channels."""


@pytest.fixture(autouse=True)
def all_are_in_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confirmation, "SAMPLE", 1)


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Solve a board with a first engine and a judge that do what a test says."""

    def ask(
        first: list[Step],
        second: list[Step],
        *,
        unique: bool = True,
        confirm: Confirm = Confirm.AUTO,
        budget: float | None = None,
        beat: Callable[[], bool] | None = None,
    ) -> Outcome:
        one, judge = Scripted(*first, name="one"), Scripted(*second, name="native")
        monkeypatch.setitem(engines._loaded, "one", one)
        monkeypatch.setitem(engines._loaded, "native", judge)
        outcome = solve(TWO_WAYS, unique=unique, engine="one", confirm=confirm, budget=budget, beat=beat)
        assert one.closed == 1
        assert judge.closed == (outcome.confirm_ms is not None)
        assert not judge.steps, "it was not asked as often as expected"
        assert outcome.engine == "one"
        return outcome

    return ask


def is_crashed(outcome: Outcome) -> None:
    assert outcome.verdict is Verdict.UNKNOWN
    assert outcome.termination is Termination.CRASHED
    assert (outcome.solution, outcome.second, outcome.confirmed_by) == (None, None, None)
    assert outcome.confirm_ms is not None
    assert outcome.disputed


# ------------------------------------------------------------------------------------------------------- they agree


@pytest.mark.parametrize(
    ("first", "second", "unique"),
    [
        ([nothing], [nothing], True),
        ([nothing], [nothing], False),
        ([ONE], [ONE], False),
        ([ONE], [OTHER], False),
        ([ONE, nothing], [ONE, nothing], True),
        ([ONE, OTHER], [OTHER, ONE], True),
    ],
)
def test_what_both_say_is_confirmed(
    ask: Callable[..., Outcome], first: list[Step], second: list[Step], unique: bool
) -> None:
    outcome = ask(first, second, unique=unique, confirm=Confirm.ALL)
    assert outcome.confirmed_by == "native"
    assert outcome.confirm_ms is not None
    assert outcome.confirm_ms > 0
    assert outcome.termination is Termination.COMPLETED
    assert outcome.decided
    assert outcome.error is None


def test_the_time_of_the_second_is_not_that_of_the_first(ask: Callable[..., Outcome]) -> None:
    outcome = ask([nothing], [spin], budget=0.1)
    assert outcome.confirm_ms is not None
    assert outcome.confirm_ms >= 100 > outcome.wall_ms


# ---------------------------------------------------------------------------------------------------- they disagree


@pytest.mark.parametrize(
    ("first", "second", "evidence"),
    [
        ([nothing], [ONE], "one says infeasible; native found the solution 1211"),
        ([ONE, nothing], [nothing], "one says unique: 1211; native says infeasible"),
        ([ONE, nothing], [OTHER], "one says unique: 1211; native found another one: 2120"),
        ([ONE, nothing], [ONE, OTHER], "one says unique: 1211; native found another one: 2120"),
        ([ONE, OTHER], [nothing], "one says multiple: 1211 and 2120; native says infeasible"),
        ([ONE, OTHER], [ONE, nothing], "one says multiple: 1211 and 2120; native says that this is the only one: 1211"),
    ],
)
def test_a_disagreement_is_a_crash_with_both_verdicts(
    ask: Callable[..., Outcome], first: list[Step], second: list[Step], evidence: str
) -> None:
    outcome = ask(first, second, confirm=Confirm.ALL)
    is_crashed(outcome)
    assert outcome.uniqueness is Uniqueness.UNKNOWN
    assert outcome.error == f"the engines disagree: {evidence}"


def test_a_disagreement_over_a_solution_is_a_crash_too(ask: Callable[..., Outcome]) -> None:
    outcome = ask([ONE], [nothing], unique=False, confirm=Confirm.ALL)
    is_crashed(outcome)
    assert outcome.uniqueness is Uniqueness.UNCHECKED
    assert outcome.error == "the engines disagree: one says solved: 1211; native says infeasible"


@pytest.mark.parametrize(
    ("first", "second", "evidence"),
    [
        ([nothing], [answer(2, 2, 1, 1)], "the checker refused the answer of the engine native: wrong_degree"),
        ([ONE, nothing], [answer(1, 2)], "the engine native gave 2 values for 4 channels"),
        ([ONE, nothing], [ONE, ONE], "the engine native gave the same solution twice: 1211"),
        ([ONE, OTHER], [ONE, ONE], "the engine native gave the same solution twice: 1211"),
    ],
)
def test_an_answer_that_is_none_is_a_disagreement(
    ask: Callable[..., Outcome], first: list[Step], second: list[Step], evidence: str
) -> None:
    outcome = ask(first, second, confirm=Confirm.ALL)
    is_crashed(outcome)
    assert outcome.error is not None
    assert outcome.error.startswith("the engines disagree: one says ")
    assert evidence in outcome.error


# --------------------------------------------------------------------------------------- the second comes to no end


@pytest.mark.parametrize("second", [[spin], [ONE, spin]])
def test_a_second_engine_out_of_time_leaves_the_verdict(ask: Callable[..., Outcome], second: list[Step]) -> None:
    outcome = ask([ONE, nothing], second, budget=0.05)
    assert (outcome.uniqueness, outcome.termination) == (Uniqueness.UNIQUE, Termination.COMPLETED)
    assert outcome.confirmed_by is None
    assert outcome.confirm_ms is not None
    assert outcome.error is None


def test_a_second_engine_that_fails_leaves_the_verdict_and_says_so(ask: Callable[..., Outcome]) -> None:
    outcome = ask([nothing], [fail(MemoryError("full"))])
    assert (outcome.verdict, outcome.termination) == (Verdict.INFEASIBLE, Termination.COMPLETED)
    assert outcome.confirmed_by is None
    assert outcome.error == "the engine native failed when it was to confirm: MemoryError: full"


def test_a_cancel_during_the_second_leaves_the_verdict(ask: Callable[..., Outcome]) -> None:
    beats: list[int] = []

    def beat() -> bool:
        beats.append(1)
        return True

    outcome = ask([nothing], [spin], beat=beat)
    assert beats == [1]
    assert (outcome.verdict, outcome.termination) == (Verdict.INFEASIBLE, Termination.COMPLETED)
    assert outcome.confirmed_by is None


def test_an_interrupt_goes_through(ask: Callable[..., Outcome]) -> None:
    with pytest.raises(KeyboardInterrupt):
        ask([nothing], [fail(KeyboardInterrupt())])


# ------------------------------------------------------------------------------------------------------ when it is due


@pytest.mark.parametrize("confirm", Confirm)
def test_a_timeout_is_never_confirmed(ask: Callable[..., Outcome], confirm: Confirm) -> None:
    outcome = ask([spin], [], budget=0.02, confirm=confirm)
    assert (outcome.termination, outcome.confirm_ms) == (Termination.TIMEOUT, None)


@pytest.mark.parametrize("confirm", Confirm)
def test_a_crash_is_never_confirmed(ask: Callable[..., Outcome], confirm: Confirm) -> None:
    outcome = ask([fail(ValueError("odd"))], [], confirm=confirm)
    assert (outcome.termination, outcome.confirm_ms) == (Termination.CRASHED, None)
    assert not outcome.disputed


def test_a_solution_whose_uniqueness_ran_out_of_time_is_confirmed_as_far_as_it_goes(
    ask: Callable[..., Outcome],
) -> None:
    outcome = ask([ONE, spin], [OTHER], budget=0.05, confirm=Confirm.ALL)
    assert (outcome.verdict, outcome.termination) == (Verdict.SOLVED, Termination.TIMEOUT)
    assert outcome.confirmed_by == "native"


@pytest.mark.parametrize("first", [[nothing], [ONE, nothing], [ONE, OTHER]])
def test_none_asks_nobody(ask: Callable[..., Outcome], first: list[Step]) -> None:
    outcome = ask(first, [], confirm=Confirm.NONE)
    assert (outcome.confirmed_by, outcome.confirm_ms) == (None, None)


@pytest.mark.parametrize(("first", "unique"), [([ONE, OTHER], True), ([ONE], False)])
def test_auto_asks_for_no_answer_that_the_checker_has_passed(
    ask: Callable[..., Outcome], first: list[Step], unique: bool
) -> None:
    assert ask(first, [], unique=unique).confirm_ms is None


@pytest.mark.parametrize("confirm", Confirm)
def test_what_is_infeasible_on_sight_asks_nobody(confirm: Confirm) -> None:
    outcome = solve(board("1.2"), confirm=confirm)
    assert (outcome.verdict, outcome.engine, outcome.confirm_ms) == (Verdict.INFEASIBLE, "", None)


def test_one_unique_in_a_hundred_is_in_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    puzzles = [easy(number) for number in range(900)]
    chosen = [puzzle for puzzle in puzzles if in_sample(puzzle)]
    assert 3 <= len(chosen) <= 20
    assert chosen == [puzzle for puzzle in puzzles if in_sample(Puzzle(puzzle.rows, puzzle.cols, puzzle.cells))]
    for puzzle in puzzles[:200]:
        outcome = Outcome(puzzle, Verdict.SOLVED, Termination.COMPLETED, Uniqueness.UNIQUE, engine="one")
        assert is_due(outcome, Confirm.AUTO) == (puzzle in chosen)
        assert is_due(outcome, Confirm.ALL)


def test_without_a_second_engine_nothing_is_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_BUILT_IN", {"pysat": engines._pysat})
    outcome = solve(APART, engine="pysat", confirm=Confirm.ALL)
    assert (outcome.verdict, outcome.confirmed_by, outcome.confirm_ms) == (Verdict.INFEASIBLE, None, None)


# --------------------------------------------------------------------------------------------------- with real engines


@pytest.mark.skipif(not NATIVE, reason=WITHOUT_NATIVE)
@given(puzzle=small_boards)
def test_the_engines_confirm_each_other(engine_name: str, puzzle: Puzzle) -> None:
    outcome = solve(puzzle, unique=True, engine=engine_name, confirm=Confirm.ALL)
    assert outcome.termination is Termination.COMPLETED
    other = {"native": "pysat", "pysat": "native"}[engine_name]
    assert outcome.confirmed_by == (other if outcome.engine else None)


@pytest.mark.skipif(not NATIVE, reason=WITHOUT_NATIVE)
@given(seed=st.integers(0, 10**9))
def test_the_engines_confirm_each_other_under_other_rules(engine_name: str, seed: int) -> None:
    puzzle = replace(variant_board(random.Random(seed)), loops=True)  # without loops, native refuses so far
    outcome = solve(puzzle, unique=True, engine=engine_name, confirm=Confirm.ALL)
    other = {"native": "pysat", "pysat": "native"}[engine_name]
    assert outcome.confirmed_by == (other if outcome.engine else None), outcome.error
