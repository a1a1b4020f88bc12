from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from hypothesis import given

from kakehashi.errors import UsageError
from kakehashi.puzzle import Puzzle, Termination, Uniqueness, Verdict, check
from kakehashi.solver import Deadline, Outcome, register, solve, unregister
from tests.unit.solver.boards import all_solutions, board, lopsided_board, planted_board, senseless_boards, small_boards
from tests.unit.solver.scripted import Scripted, Step, answer, fail, nothing, spin

TWO_WAYS = board("3.2", "...", "3.2")
"""Two solutions: 1 2 1 1 and 2 1 2 0."""

HARD = lopsided_board()
"""Not decided within some seconds."""


@pytest.fixture
def engine() -> Iterator[Scripted]:
    scripted = Scripted()
    register(scripted)
    yield scripted
    unregister("scripted")


def scripted_outcome(engine: Scripted, *steps: Step, unique: bool = True, budget: float | None = None) -> Outcome:
    engine.steps = list(steps)
    outcome = solve(TWO_WAYS, unique=unique, budget=budget, engine="scripted")
    assert engine.closed == 1
    assert outcome.engine == "scripted"
    assert (outcome.cuts, outcome.conflicts) == (3, 5)
    return outcome


def is_crashed(outcome: Outcome) -> None:
    assert outcome.verdict is Verdict.UNKNOWN
    assert outcome.termination is Termination.CRASHED
    assert outcome.uniqueness is Uniqueness.UNKNOWN
    assert outcome.solution is None
    assert outcome.second is None
    assert not outcome.decided


# ------------------------------------------------------------------------------------------------- with a real engine


@given(puzzle=small_boards)
def test_the_outcome_is_what_brute_force_finds(engine_name: str, puzzle: Puzzle) -> None:
    is_right(puzzle, engine_name)


@given(puzzle=senseless_boards())
def test_the_outcome_of_senseless_boards_is_what_brute_force_finds(engine_name: str, puzzle: Puzzle) -> None:
    is_right(puzzle, engine_name)


def is_right(puzzle: Puzzle, engine_name: str) -> None:
    count = len(all_solutions(puzzle))
    outcome = solve(puzzle, unique=True, engine=engine_name)
    assert outcome.termination is Termination.COMPLETED
    assert outcome.decided
    if count == 0:
        assert (outcome.verdict, outcome.uniqueness) == (Verdict.INFEASIBLE, Uniqueness.UNCHECKED)
        assert outcome.solution is None
    else:
        assert outcome.verdict is Verdict.SOLVED
        assert outcome.uniqueness is (Uniqueness.UNIQUE if count == 1 else Uniqueness.MULTIPLE)
        assert outcome.solution is not None
        assert not check(puzzle, outcome.solution.bridges)
        assert (outcome.second is not None) == (count > 1)
        if outcome.second is not None:
            assert not check(puzzle, outcome.second.bridges)
            assert outcome.second.values != outcome.solution.values


def test_uniqueness_is_unchecked_unless_asked_for(engine_name: str) -> None:
    outcome = solve(TWO_WAYS, engine=engine_name)
    assert outcome.verdict is Verdict.SOLVED
    assert outcome.uniqueness is Uniqueness.UNCHECKED
    assert outcome.second is None
    assert outcome.engine == engine_name
    assert outcome.error is None


def test_times_are_measured() -> None:
    outcome = solve(TWO_WAYS)
    assert outcome.wall_ms > 0
    assert outcome.cpu_ms > 0


def test_infeasible_on_sight_needs_no_engine(engine: Scripted) -> None:
    outcome = solve(board("1.2"), unique=True, engine="scripted")
    assert outcome.verdict is Verdict.INFEASIBLE
    assert outcome.termination is Termination.COMPLETED
    assert outcome.uniqueness is Uniqueness.UNCHECKED
    assert outcome.error == "the clues add up to 3, an odd number, but each bridge has two ends"
    assert outcome.engine == ""
    assert engine.closed == 0


def test_the_reason_of_an_infeasible_board_is_found_after_the_search(engine_name: str) -> None:
    outcome = solve(board("3.1"), unique=True, engine=engine_name)
    assert outcome.verdict is Verdict.INFEASIBLE
    assert outcome.error == "the island 3 at row 1, column 1 can have 1 bridge at most"
    assert outcome.engine == "", "none was needed"


def test_what_the_judges_disagree_about_is_a_crash(engine: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kakehashi.puzzle.checker.compiled_judge", lambda: lambda *_: False)
    outcome = scripted_outcome(engine, answer(1, 2, 1, 1))
    is_crashed(outcome)
    assert outcome.error is not None
    assert outcome.error.startswith("the compiled judge refuses an answer in which the checker finds nothing wrong")
    assert outcome.error.endswith(": 1211")


def test_infeasible_by_proof_names_the_engine(engine_name: str) -> None:
    outcome = solve(board("1.1.1.1"), engine=engine_name)
    assert outcome.verdict is Verdict.INFEASIBLE
    assert outcome.engine == engine_name
    assert outcome.error is None


@pytest.mark.parametrize("budget", [-1.0, float("nan")])
def test_a_budget_has_to_be_a_time(budget: float) -> None:
    with pytest.raises(UsageError, match="0 or more"):
        solve(TWO_WAYS, budget=budget)


def test_an_unknown_engine_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="there is no engine"):
        solve(TWO_WAYS, engine="fast")


def test_a_budget_of_zero_is_a_timeout_and_no_verdict(engine_name: str) -> None:
    outcome = solve(TWO_WAYS, budget=0, unique=True, engine=engine_name)
    assert outcome.verdict is Verdict.UNKNOWN
    assert outcome.termination is Termination.TIMEOUT
    assert outcome.uniqueness is Uniqueness.UNKNOWN


def test_a_hard_puzzle_out_of_time_is_unknown(engine_name: str) -> None:
    outcome = solve(HARD, budget=0.4, engine=engine_name)
    assert outcome.verdict is Verdict.UNKNOWN
    assert outcome.termination is Termination.TIMEOUT
    assert outcome.uniqueness is Uniqueness.UNCHECKED
    assert outcome.error is None


def test_a_hard_puzzle_beats_while_it_is_solved(engine_name: str) -> None:
    beats: list[int] = []

    def beat() -> bool:
        beats.append(1)
        return False

    solve(HARD, budget=0.8, beat=beat, engine=engine_name)
    assert beats


# -------------------------------------------------------------------------------------- with an engine as a test wants


def test_solved_and_then_out_of_time_stays_solved(engine: Scripted) -> None:
    outcome = scripted_outcome(engine, answer(1, 2, 1, 1), spin, budget=0.05)
    assert outcome.verdict is Verdict.SOLVED
    assert outcome.termination is Termination.TIMEOUT
    assert outcome.uniqueness is Uniqueness.UNKNOWN
    assert outcome.solution is not None
    assert outcome.decided


def test_an_engine_that_never_ends_is_out_of_time(engine: Scripted) -> None:
    outcome = scripted_outcome(engine, spin, budget=0.05)
    assert outcome.verdict is Verdict.UNKNOWN
    assert outcome.termination is Termination.TIMEOUT


def test_it_is_cancelled_when_the_beat_says_so(engine: Scripted) -> None:
    engine.steps = [spin]
    outcome = solve(TWO_WAYS, unique=True, engine="scripted", beat=lambda: True)
    assert outcome.verdict is Verdict.UNKNOWN
    assert outcome.termination is Termination.CANCELLED
    assert outcome.uniqueness is Uniqueness.UNKNOWN


def test_solved_and_then_cancelled_stays_solved(engine: Scripted) -> None:
    engine.steps = [answer(1, 2, 1, 1), spin]
    outcome = solve(TWO_WAYS, unique=True, engine="scripted", beat=lambda: True)
    assert outcome.verdict is Verdict.SOLVED
    assert outcome.termination is Termination.CANCELLED
    assert outcome.uniqueness is Uniqueness.UNKNOWN


def test_an_answer_after_a_long_time_is_an_answer(engine: Scripted) -> None:
    """A timeout is what the engine says, never what the clock says afterwards."""
    pause = threading.Event()

    def late(_: Deadline) -> bytes:
        pause.wait(0.05)
        return bytes([1, 2, 1, 1])

    outcome = scripted_outcome(engine, late, unique=False, budget=0.01)
    assert (outcome.verdict, outcome.termination) == (Verdict.SOLVED, Termination.COMPLETED)


def test_a_wrong_answer_is_a_crash_with_its_evidence(engine: Scripted) -> None:
    outcome = scripted_outcome(engine, answer(2, 2, 1, 1))
    is_crashed(outcome)
    assert outcome.error is not None
    assert outcome.error.startswith("the checker refused the answer of the engine scripted: wrong_degree: ")
    assert outcome.error.endswith(": 2211")


def test_a_wrong_second_answer_is_a_crash(engine: Scripted) -> None:
    outcome = scripted_outcome(engine, answer(1, 2, 1, 1), answer(0, 0, 0, 0))
    is_crashed(outcome)
    assert outcome.error is not None
    assert "; and 4 more: 0000" in outcome.error


def test_the_same_solution_twice_is_a_crash(engine: Scripted) -> None:
    outcome = scripted_outcome(engine, answer(1, 2, 1, 1), answer(1, 2, 1, 1))
    is_crashed(outcome)
    assert outcome.error == "the engine scripted gave the same solution twice: 1211"


def test_too_few_values_are_a_crash(engine: Scripted) -> None:
    outcome = scripted_outcome(engine, answer(1, 2))
    is_crashed(outcome)
    assert outcome.error == "the engine scripted gave 2 values for 4 channels"


def test_values_beyond_all_sense_are_shown_apart(engine: Scripted) -> None:
    outcome = scripted_outcome(engine, answer(1, 200, 1, 1))
    is_crashed(outcome)
    assert outcome.error is not None
    assert outcome.error.endswith(": 1 200 1 1")


def test_long_evidence_is_cut_off(engine: Scripted) -> None:
    puzzle = planted_board(60, 1200, seed=1)
    engine.steps = [answer(*([0] * puzzle.graph.m))]
    outcome = solve(puzzle, engine="scripted")
    assert outcome.error is not None
    assert outcome.error.endswith("0000...")
    assert len(outcome.error) < 3000


@pytest.mark.parametrize("error", [ValueError("odd"), RecursionError("odd"), OSError("odd")])
def test_an_engine_that_fails_is_a_crash(engine: Scripted, error: Exception) -> None:
    outcome = scripted_outcome(engine, fail(error))
    is_crashed(outcome)
    assert outcome.error == f"the engine scripted failed: {type(error).__name__}: odd"


def test_a_puzzle_that_needs_too_much_memory_is_a_crash(engine: Scripted) -> None:
    outcome = scripted_outcome(engine, fail(MemoryError("std::bad_alloc")))
    is_crashed(outcome)
    assert outcome.error == "out of memory"


def test_an_engine_that_fails_later_is_a_crash(engine: Scripted) -> None:
    is_crashed(scripted_outcome(engine, answer(1, 2, 1, 1), fail(ValueError("odd"))))


def test_an_engine_that_cannot_begin_is_a_crash(engine: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scripted, "open", lambda *_: 1 // 0)
    outcome = solve(TWO_WAYS, engine="scripted")
    assert outcome.termination is Termination.CRASHED
    assert outcome.error is not None
    assert "ZeroDivisionError" in outcome.error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1)])
def test_an_interrupt_goes_through(engine: Scripted, error: BaseException) -> None:
    engine.steps = [fail(error)]
    with pytest.raises(type(error)):
        solve(TWO_WAYS, engine="scripted")
    assert engine.closed == 1


def test_unique_by_the_engines_word(engine: Scripted) -> None:
    outcome = scripted_outcome(engine, answer(1, 2, 1, 1), nothing)
    assert outcome.uniqueness is Uniqueness.UNIQUE
