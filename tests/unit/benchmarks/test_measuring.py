from __future__ import annotations

import random
from collections import Counter

import pytest

from benchmarks.measuring import WARM_UP, Runner, fresh, judge, measure, take
from benchmarks.records import Clock, Status
from benchmarks.rivals.engine import EngineRival
from benchmarks.rivals.rival import INFEASIBLE, TIMEOUT, Answer, Claim
from benchmarks.sets import Named, PuzzleSet
from kakehashi import Puzzle

PAIR = Puzzle.from_rows([[1, 0, 1]])
SQUARE = Puzzle.from_rows([[2, 0, 2], [0, 0, 0], [2, 0, 2]])


class Scripted:
    """A rival that says what it is told to, and notes what it was asked."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = answers
        self.asked: list[Puzzle] = []

    def __call__(self, puzzle: Puzzle, budget: float) -> Answer:
        self.asked.append(puzzle)
        return self.answers[(len(self.asked) - 1) % len(self.answers)]


def test_a_fresh_puzzle_is_the_same_without_its_graph() -> None:
    assert PAIR.graph.m == 1
    again = fresh(PAIR)
    assert again == PAIR
    assert "graph" not in vars(again)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (Answer(Claim.SOLVED, b"\x01"), Status.SOLVED),
        (Answer(Claim.SOLVED, b"\x02"), Status.WRONG),
        (Answer(Claim.SOLVED, b"\x01\x00"), Status.WRONG),
        (Answer(Claim.SOLVED, None), Status.WRONG),
        (Answer(Claim.SOLVED, b"\x01", b"\x01"), Status.WRONG),
        (Answer(Claim.SOLVED, b"\x01", b"\x00"), Status.WRONG),
        (INFEASIBLE, Status.INFEASIBLE),
        (TIMEOUT, Status.TIMEOUT),
    ],
)
def test_every_solution_in_an_answer_is_checked(answer: Answer, status: Status) -> None:
    found, note = judge(PAIR, answer)
    assert found is status
    assert bool(note) == (status is Status.WRONG)


def test_an_exception_is_a_failure_with_its_reason() -> None:
    def broken(puzzle: Puzzle, budget: float) -> Answer:
        raise RuntimeError("out of order")

    taken = take(Runner("clingo", Clock.VALUES, broken), "set", Named("a", PAIR), 0, 5.0)
    assert (taken.status, taken.note) == (Status.FAILED, "RuntimeError: out of order")


def test_all_runners_have_their_turn_on_every_puzzle_in_every_alternation() -> None:
    runners = [Runner(name, Clock.VALUES, Scripted(INFEASIBLE)) for name in ("native", "pysat", "clingo")]
    puzzles = PuzzleSet("set", (Named("a", PAIR), Named("b", SQUARE)))
    taken = list(measure(puzzles, runners, 4, 5.0, random.Random(1)))
    assert Counter((one.rival, one.puzzle, one.repeat) for one in taken) == Counter(
        (name, puzzle, repeat) for name in ("native", "pysat", "clingo") for puzzle in "ab" for repeat in range(4)
    )
    # Side by side on each puzzle, and not always in the same order.
    rounds = [tuple(one.rival for one in taken[k : k + 3]) for k in range(0, len(taken), 3)]
    assert all(sorted(each) == ["clingo", "native", "pysat"] for each in rounds)
    assert len(set(rounds)) > 1
    for runner in runners:
        assert isinstance(runner.solve, Scripted)
        assert runner.solve.asked[0] == WARM_UP
        assert len({id(puzzle) for puzzle in runner.solve.asked}) == 9


def test_who_ran_out_of_time_is_not_asked_again_and_charged_the_budget() -> None:
    scripted = Scripted(TIMEOUT)
    taken = list(
        measure(
            PuzzleSet("set", (Named("a", PAIR),)), [Runner("highs", Clock.VALUES, scripted)], 3, 5.0, random.Random(1)
        )
    )
    assert len(scripted.asked) == 2  # the warm-up, and once
    assert [one.carried for one in taken] == [False, True, True]
    assert [one.charged for one in taken] == [5.0] * 3


def test_uniqueness_is_noted_where_it_was_asked_for() -> None:
    rival = EngineRival("pysat")
    for puzzle, unique in ((PAIR, True), (Puzzle.from_rows([[2, 0, 2], [0, 0, 0], [2, 0, 2]]), True), (LOOSE, False)):
        taken = take(Runner("pysat", Clock.UNIQUE, rival.solve_unique), "set", Named("a", puzzle), 0, 30.0)
        assert (taken.status, taken.unique) == (Status.SOLVED, unique)
    assert take(Runner("pysat", Clock.VALUES, rival.solve), "set", Named("a", PAIR), 0, 30.0).unique is None


LOOSE = Puzzle.from_rows([[3, 0, 3], [0, 0, 0], [3, 0, 3]])
"""Two ways to lay the double bridges."""
