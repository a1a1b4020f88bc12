from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kakehashi.producer.known import Memory, laid
from kakehashi.producer.submit import submit
from kakehashi.puzzle import Puzzle, Solution, Symmetry, Uniqueness, Verdict, canonical_digest, check
from kakehashi.solver import solve
from kakehashi.storage import Answer, NewEntry, Repository, RunOptions, Status, StoredAnswer
from tests.support.storing import bad, entries_of, take

if TYPE_CHECKING:
    from collections.abc import Iterator

SHAPE = Puzzle.from_rows([[2, 0, 3, 0, 1], [0, 0, 0, 0, 0], [3, 0, 4, 0, 1]])
APART = Puzzle.from_rows([[1, 0, 1], [0, 0, 0], [1, 0, 1]])
SOLUTION = solve(SHAPE, unique=True)


@pytest.fixture
def repository(sqlite_url: str) -> Iterator[Repository]:
    """A database in which SHAPE is solved and APART is infeasible, both without a look at uniqueness."""
    with Repository(sqlite_url) as made:
        submit(made, entries_of([SHAPE, APART]), name="first", source={}, options=RunOptions())
        claim = take(made)
        made.finish(claim, [(work.pos, solve(work.puzzle)) for work in claim.work])
        yield made


@pytest.mark.parametrize("symmetry", Symmetry)
def test_answers_are_laid_as_the_puzzle_lies(repository: Repository, symmetry: Symmetry) -> None:
    puzzles = [symmetry.puzzle(SHAPE), symmetry.puzzle(APART), Puzzle.from_rows([[2, 0, 2]])]
    done = submit(
        repository, [*entries_of(puzzles), bad()], name="again", source={}, options=RunOptions(), skip_known=True
    )
    solved, infeasible, other, _ = repository.results(done.batch)
    assert (solved.status, solved.known_from, solved.engine) == (Status.SOLVED, "1:0", SOLUTION.engine)
    assert solved.puzzle is not None
    assert solved.values is not None
    assert check(solved.puzzle, Solution(solved.puzzle, solved.values).bridges) == []
    assert (infeasible.status, infeasible.known_from) == (Status.INFEASIBLE, "1:1")
    assert (other.status, other.known_from) == (Status.QUEUED, None)


def test_a_run_that_asks_for_more_is_not_served(repository: Repository) -> None:
    options = RunOptions(unique=True)
    done = submit(repository, entries_of([SHAPE, APART]), name="u", source={}, options=options, skip_known=True)
    assert [result.status for result in repository.results(done.batch)] == [Status.QUEUED, Status.INFEASIBLE]


def test_other_rules_are_another_puzzle(repository: Repository) -> None:
    entries = entries_of([replace(SHAPE, max_bridges=3), replace(SHAPE, loops=False)])
    assert [entry.answer for entry in Memory(repository, RunOptions()).look_up(entries)] == [None, None]


def test_who_does_not_ask_solves_again(repository: Repository) -> None:
    done = submit(repository, entries_of([SHAPE]), name="again", source={}, options=RunOptions())
    assert [result.status for result in repository.results(done.batch)] == [Status.QUEUED]


def test_entries_carry_their_class(repository: Repository) -> None:
    entries = Memory(repository, RunOptions()).look_up([NewEntry("n", "s", 1, SHAPE), bad()])
    assert [entry.canonical for entry in entries] == [canonical_digest(SHAPE), None]
    assert entries[1] == bad()


def test_a_wrong_answer_is_not_used(caplog: pytest.LogCaptureFixture) -> None:
    values = bytes(SHAPE.graph.m)
    stored = StoredAnswer(SHAPE, Answer(Verdict.SOLVED, Uniqueness.UNIQUE, values, "broken", "3:17"))
    with caplog.at_level(logging.ERROR):
        assert laid(stored, Symmetry.MIRROR.puzzle(SHAPE)) is None
    assert "3:17 is wrong" in caplog.text


def test_an_answer_to_something_else_is_none() -> None:
    assert SOLUTION.solution is not None
    answer = Answer(Verdict.SOLVED, Uniqueness.UNIQUE, SOLUTION.solution.values, "test", "1:0")
    assert laid(StoredAnswer(SHAPE, answer), APART) is None
