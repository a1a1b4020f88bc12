"""Answers that are known already, on both databases: attempts born final, and what is found for a class."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from kakehashi.puzzle import Confirm, Symmetry, Termination, Uniqueness, Verdict, canonical_digest
from kakehashi.storage import Repository, RunOptions, Status
from tests.support.storing import Filled, bad, board, drain, easy, fill, known, new, outcome, shards_of, take

if TYPE_CHECKING:
    from collections.abc import Sequence

PLAIN, UNIQUE = RunOptions(), RunOptions(unique=True)


def column(repository: Repository, query: str) -> list[Any]:
    return repository._db.read(lambda connection: list(connection.exec_driver_sql(query).scalars()))


def finish_with(repository: Repository, statuses: Sequence[Status], uniqueness: Uniqueness) -> Filled:
    """A batch whose puzzles ended so, each solved one with that said of its uniqueness."""
    filled = fill(repository, len(statuses), shard=len(statuses))
    claim = take(repository)
    done = [
        (work.pos, replace(found, uniqueness=uniqueness) if status is Status.SOLVED else found)
        for work, status in zip(claim.work, statuses, strict=True)
        for found in [outcome(work.puzzle, status)]
    ]
    repository.finish(claim, done)
    return filled


class TestAttemptsThatAreBornFinal:
    def test_they_belong_to_no_open_shard_and_the_sums_are_exact(self, repository: Repository) -> None:
        entries = [new(0), known(1), bad(), known(2, Status.INFEASIBLE), new(3), known(1), new(0)]
        _, run = fill(repository, entries, shard=1)
        progress = repository.progress(run)
        assert (progress.total, progress.known, progress.shards_open, progress.finished) == (7, 2, 2, False)
        assert progress.counts == dict.fromkeys(Status, 0) | {
            Status.SOLVED: 2, Status.INFEASIBLE: 1, Status.INVALID: 1, Status.QUEUED: 3,
        }  # fmt: skip
        assert (progress.first_claim, progress.last_write) == (None, None)
        assert [work.pos for bell in repository.due_bells(9) for work in take(repository, bell.shard).work] == [0, 4]

    def test_the_run_ends_as_any_other(self, repository: Repository) -> None:
        batch, run = fill(repository, [new(0), known(1), new(2), known(3, Status.INFEASIBLE)])
        drain(repository)
        progress = repository.progress(run)
        assert progress.finished
        assert (progress.counts[Status.SOLVED], progress.counts[Status.INFEASIBLE], progress.known) == (3, 1, 2)
        assert [result.known_from for result in repository.results(batch)] == [None, "9:9", None, "9:9"]

    def test_a_run_of_known_answers_alone_is_finished_at_once(self, repository: Repository) -> None:
        batch, run = fill(repository, [known(1), known(2)])
        assert repository.progress(run).finished
        assert repository.due_bells(9) == []
        assert repository.rerun_jobs(batch, [Status.TIMEOUT, Status.CRASHED]) == []
        assert [row.job.pos for row in repository.rerun_jobs(batch, [Status.SOLVED])] == [0, 1]
        assert repository.slowest(run) == []

    def test_the_row_has_everything_but_times(self, repository: Repository) -> None:
        batch, run = fill(repository, [known(1), known(2, Status.INFEASIBLE)], budget=7.0)
        solved, infeasible = repository.results(batch, replace_run(run))
        assert list(repository.results(batch)) == [solved, infeasible]
        assert (solved.verdict, solved.termination, solved.status) == (
            Verdict.SOLVED, Termination.COMPLETED, Status.SOLVED,
        )  # fmt: skip
        assert (solved.run, solved.budget, solved.engine, solved.wall_ms, solved.cpu_ms) == (
            run,
            7.0,
            "test",
            None,
            None,
        )
        assert (solved.attempts, solved.values) == (1, bytes([1] * board(1).graph.m))
        assert (infeasible.status, infeasible.values, infeasible.known_from) == (Status.INFEASIBLE, None, "9:9")
        assert column(repository, "SELECT count(*) FROM attempt WHERE finished_at > 1e9") == [2]

    def test_a_puzzle_that_the_batch_has_already_stays_as_it_is(self, repository: Repository) -> None:
        batch = repository.create_batch("b", {})
        run = repository.create_run(batch, PLAIN)
        repository.append(batch, run, 0, [new(1)], shards_of(9))
        repository.append(batch, run, 1, [known(1), known(2)], shards_of(9))
        progress = repository.progress(run)
        assert (progress.counts[Status.QUEUED], progress.counts[Status.SOLVED], progress.known) == (2, 1, 1)

    def test_a_cancelled_run_keeps_them(self, repository: Repository) -> None:
        batch, run = fill(repository, [new(0), known(1), new(2)])
        repository.cancel_run(run)
        while repository.cancel_rows():
            pass
        progress = repository.progress(run)
        assert (progress.counts[Status.CANCELLED], progress.counts[Status.SOLVED], progress.known) == (2, 1, 1)
        assert progress.finished
        assert repository.result(batch, 1).status is Status.SOLVED


def replace_run(run: int) -> Any:
    from kakehashi.storage import ResultFilter

    return ResultFilter(run=run)


class TestWhatIsKnown:
    def test_only_those_who_ask_pay(self, repository: Repository) -> None:
        fill(repository, 3)
        drain(repository)
        assert column(repository, "SELECT count(*) FROM puzzle WHERE canonical IS NOT NULL") == [0]
        assert repository.name_classes() == 3
        assert repository.name_classes() == 0
        assert {bytes(name) for name in column(repository, "SELECT canonical FROM puzzle")} == {
            canonical_digest(board(number)) for number in range(3)
        }

    def test_puzzles_without_an_answer_have_no_class(self, repository: Repository) -> None:
        finish_with(
            repository,
            [Status.SOLVED, Status.TIMEOUT, Status.INFEASIBLE, Status.CRASHED, Status.CANCELLED],
            Uniqueness.UNCHECKED,
        )
        fill(repository, [new(7)])
        assert repository.name_classes() == 2

    def test_more_puzzles_than_a_page(self, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("kakehashi.storage.known._unnamed", small_page())
        monkeypatch.setattr("kakehashi.storage.known._LOOK_UP_AT_ONCE", 2)
        for _ in range(2):
            fill(repository, 5)
        drain(repository)
        assert repository.name_classes() == 10
        classes = [canonical_digest(board(number)) for number in range(9)]
        found = repository.known_answers(classes, PLAIN)
        assert sorted(found) == sorted(classes[:5])
        assert {answer.answer.known_from.partition(":")[0] for answer in found.values()} == {"2"}

    def test_the_answer_comes_with_the_puzzle_it_is_for(self, repository: Repository) -> None:
        finish_with(repository, [Status.SOLVED, Status.INFEASIBLE], Uniqueness.UNIQUE)
        repository.name_classes()
        turned = Symmetry.TURN_LEFT.puzzle(board(0))
        asked = [canonical_digest(turned), canonical_digest(board(1)), canonical_digest(board(2))]
        found = repository.known_answers(asked, PLAIN)
        assert set(found) == set(asked[:2])
        solved, infeasible = found[asked[0]], found[asked[1]]
        assert solved.puzzle == board(0)
        assert (solved.answer.verdict, solved.answer.uniqueness) == (Verdict.SOLVED, Uniqueness.UNIQUE)
        assert (solved.answer.values, solved.answer.engine) == (bytes([1] * board(0).graph.m), "test")
        assert solved.answer.known_from == "1:0"
        assert (infeasible.answer.verdict, infeasible.answer.values) == (Verdict.INFEASIBLE, None)
        assert (infeasible.answer.uniqueness, infeasible.answer.known_from) == (Uniqueness.UNCHECKED, "1:1")

    @pytest.mark.parametrize(
        ("uniqueness", "serves"),
        [
            (Uniqueness.UNIQUE, True),
            (Uniqueness.MULTIPLE, True),
            (Uniqueness.UNCHECKED, False),
            (Uniqueness.UNKNOWN, False),
        ],
    )
    def test_who_asks_for_uniqueness_is_served_by_who_knows_it(
        self, repository: Repository, uniqueness: Uniqueness, serves: bool
    ) -> None:
        finish_with(repository, [Status.SOLVED, Status.INFEASIBLE], uniqueness)
        repository.name_classes()
        asked = [canonical_digest(board(number)) for number in range(2)]
        assert set(repository.known_answers(asked, UNIQUE)) == set(asked if serves else asked[1:])
        plain = repository.known_answers(asked, PLAIN)[asked[0]].answer
        assert plain.uniqueness is (uniqueness if serves else Uniqueness.UNCHECKED)

    def test_who_confirms_is_served_by_what_was_confirmed(self, repository: Repository) -> None:
        fill(repository, 6, shard=6)
        claim = take(repository)
        done = [
            (work.pos, outcome(work.puzzle, Status.SOLVED if work.pos % 2 else Status.INFEASIBLE))
            for work in claim.work
        ]
        for pos in (2, 3):  # asked, and no answer came in time
            done[pos] = (pos, replace(done[pos][1], confirm_ms=5.0))
        for pos in (4, 5):
            done[pos] = (pos, replace(done[pos][1], confirm_ms=5.0, confirmed_by="judge"))
        repository.finish(claim, done)
        repository.name_classes()
        asked = [canonical_digest(board(number)) for number in range(6)]
        found = {confirm: repository.known_answers(asked, RunOptions(confirm=confirm)) for confirm in Confirm}
        assert set(found[Confirm.NONE]) == set(asked)
        assert set(found[Confirm.AUTO]) == {asked[number] for number in (1, 2, 3, 4, 5)}
        assert set(found[Confirm.ALL]) == {asked[number] for number in (2, 3, 4, 5)}
        again, _ = fill(repository, [replace(new(4), answer=found[Confirm.ALL][asked[4]].answer)])
        assert repository.result(again, 0).confirmed_by == "judge"

    def test_the_best_and_then_the_newest_is_taken(self, repository: Repository) -> None:
        for uniqueness in (Uniqueness.UNCHECKED, Uniqueness.UNIQUE, Uniqueness.UNIQUE):
            finish_with(repository, [Status.SOLVED], uniqueness)
        repository.name_classes()
        name = canonical_digest(board(0))
        for options in (PLAIN, UNIQUE):
            assert repository.known_answers([name], options)[name].answer.known_from == "3:0"

    def test_an_answer_that_was_taken_over_says_where_it_came_from_first(self, repository: Repository) -> None:
        fill(repository, [known(1, known_from="4:2")])
        name = canonical_digest(board(1))
        assert repository.known_answers([name], PLAIN)[name].answer.known_from == "4:2"

    def test_without_questions_there_are_no_answers(self, repository: Repository) -> None:
        fill(repository, [new(1, "橋")])
        assert repository.known_answers([], PLAIN) == {}
        assert repository.known_answers([canonical_digest(easy(1))], PLAIN) == {}


def small_page() -> Any:
    from kakehashi.storage.known import _unnamed

    return _unnamed.limit(2)
