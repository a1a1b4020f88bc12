"""The audit sees what it is there to see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kakehashi import solve
from kakehashi.storage import Repository
from tests.faults.audit import Audit, Books, expected
from tests.support.storing import apart, easy, entries_of, fill, marked, take

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kakehashi.puzzle import Puzzle

PUZZLES = [easy(0), easy(1), easy(1), apart(), marked(), easy(2)]
"""Five distinct ones; the one at position 3 has no answer."""


@pytest.fixture
def books(database_url: str) -> Iterator[Books]:
    """A finished batch, with the ledger kept since before its first write."""
    books = Books(database_url)
    books.keep_ledger()
    with Repository(database_url) as repository:
        fill(repository, entries_of(PUZZLES), shard=2)
        while bells := repository.due_bells(1):
            claim = take(repository, bells[0].shard)
            repository.finish(claim, [(work.pos, solve(work.puzzle)) for work in claim.work])
    yield books
    books.close_ledger()


def audited(books: Books, puzzles: list[Puzzle] = PUZZLES) -> dict[str, int]:
    return books.audit({1: expected(puzzles)}).faults


def test_a_batch_that_nobody_harmed(books: Books) -> None:
    assert books.audit({1: expected(PUZZLES)}) == Audit(puzzles=6)
    assert books.unfinished() == []


@pytest.mark.parametrize(
    ("harm", "found"),
    [
        # The same written again, and nothing but that.
        ("UPDATE attempt SET verdict = verdict WHERE pos = 0", {"doubled": 1}),
        ("UPDATE attempt SET termination = NULL WHERE pos = 0", {"lost": 1, "doubled": 1}),
        # Of a puzzle that came twice: two entries are without an attempt, and the shards count one too many.
        ("DELETE FROM attempt WHERE pos = 1", {"lost": 4, "doubled": 1}),
        ("DELETE FROM entry WHERE pos = 5", {"lost": 1}),
        ("UPDATE puzzle SET best_run = NULL WHERE pos = 5", {"lost": 1}),
        # The answer to another puzzle, of as many channels.
        (
            "UPDATE attempt SET solution = (SELECT solution FROM attempt WHERE pos = 3) WHERE pos = 4",
            {"doubled": 1, "wrong": 1},
        ),
        ("UPDATE attempt SET verdict = 'solved' WHERE pos = 3", {"lost": 2, "doubled": 1, "wrong": 1}),
        ("UPDATE attempt SET verdict = 'infeasible' WHERE pos = 0", {"lost": 2, "doubled": 1, "wrong": 1}),
        (
            "UPDATE attempt SET verdict = 'unknown', termination = 'timeout' WHERE pos = 0",
            {"lost": 2, "doubled": 1, "changed": 1},
        ),
        ("UPDATE shard SET lease_until = 1 WHERE id = 1", {"leases": 1}),
        ("UPDATE shard SET token = 'x' WHERE id = 1", {"leases": 1}),
        ("UPDATE shard SET closed_at = NULL WHERE id = 1", {"lost": 1}),
        ("UPDATE shard SET solved = solved - 1, crashed = crashed + 1 WHERE id = 1", {"lost": 2}),
        ("UPDATE shard SET attempts = attempts + 1 WHERE id = 1", {"lost": 1}),
    ],
)
def test_harm_is_seen(books: Books, harm: str, found: dict[str, int]) -> None:
    books.change(harm)
    assert audited(books) == found


def test_an_entry_that_never_arrived_is_lost(books: Books) -> None:
    assert audited(books, [*PUZZLES, easy(3)]) == {"lost": 1}


def test_what_is_not_finished_is_named(books: Books) -> None:
    books.change("UPDATE shard SET closed_at = NULL WHERE id = 2")
    books.change("UPDATE batch SET sealed_at = NULL")
    first, second = books.unfinished()
    assert first == "batch 1"
    assert second.startswith("shard {'id': 2, 'run': 1,")
