"""The shard protocol as a state machine: whatever order things happen in, the sums hold and what is final stays."""

from __future__ import annotations

import shutil
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from kakehashi.storage import Claim, LeaseLost, NewEntry, Repository, RunOptions, Status
from tests.support.storing import bad, known, new, outcome, positions

EXPIRED, LONG = -1.0, 600.0
leases = st.sampled_from([EXPIRED, LONG])
statuses = st.sampled_from([Status.SOLVED, Status.INFEASIBLE, Status.TIMEOUT, Status.CRASHED])


class Protocol(RuleBasedStateMachine):
    """Claims that the machine holds are in `claims`, with what each has still to do; the stale ones stay there too."""

    template: Path

    def __init__(self) -> None:
        super().__init__()
        self._folder = Path(tempfile.mkdtemp())
        self.repository = Repository(str(shutil.copy(self.template, self._folder / "k.db")))
        self.batch = self.repository.create_batch("b", {})
        self.run = self.repository.create_run(self.batch, RunOptions())
        self.entries = 0
        self.cancelled = False
        self.claims: list[tuple[Claim, list[int]]] = []
        self.final: dict[int, tuple[Any, ...]] = {}

    def teardown(self) -> None:
        self.repository.close()
        shutil.rmtree(self._folder)

    def hold(self, data: st.DataObject) -> tuple[Claim, list[int]]:
        return data.draw(st.sampled_from(self.claims), label="claim")

    def some(self, data: st.DataObject, claim: Claim, left: list[int]) -> list[tuple[int, Any]]:
        chosen = data.draw(st.lists(st.sampled_from(left), unique=True), label="finished") if left else []
        puzzles = {work.pos: work.puzzle for work in claim.work}
        return [(pos, outcome(puzzles[pos], data.draw(statuses))) for pos in chosen]

    def parts(self, data: st.DataObject, rest: list[int]) -> list[list[int]]:
        cuts = sorted(data.draw(st.sets(st.integers(1, len(rest) - 1)))) if len(rest) > 1 else []
        return [rest[a:b] for a, b in zip([0, *cuts], [*cuts, len(rest)], strict=True) if a < b]

    @rule(numbers=st.lists(st.one_of(st.none(), st.integers(0, 20)), min_size=1, max_size=8), size=st.integers(1, 5))
    @precondition(lambda self: self.entries < 30)
    def append(self, numbers: list[int | None], size: int) -> None:
        chunk = [bad() if number is None else new(number) for number in numbers]
        self._append(chunk, size)

    @rule(numbers=st.lists(st.integers(0, 20), min_size=1, max_size=8), size=st.integers(1, 5), data=st.data())
    @precondition(lambda self: self.entries < 30)
    def append_some_that_are_known(self, numbers: list[int], size: int, data: st.DataObject) -> None:
        chunk = [
            known(number, data.draw(st.sampled_from([Status.SOLVED, Status.INFEASIBLE])))
            if data.draw(st.booleans(), label="known")
            else new(number)
            for number in numbers
        ]
        self._append(chunk, size)

    def _append(self, chunk: list[NewEntry], size: int) -> None:
        self.repository.append(
            self.batch, self.run, self.entries, chunk,
            lambda jobs: [min(size, len(jobs) - at) for at in range(0, len(jobs), size)],
        )  # fmt: skip
        self.entries += len(chunk)

    @rule(lease=leases)
    def claim(self, lease: float) -> None:
        if bells := self.repository.due_bells(100, again_after=-1.0):
            claim = self.repository.claim(min(bells).shard, "worker", lease)
            assert claim is not None
            assert not self.cancelled
            self.claims.append((claim, positions(claim)))

    @rule(shard=st.integers(1, 30), lease=leases, dead=st.booleans())
    def answer_any_bell(self, shard: int, lease: float, dead: bool) -> None:
        claim = self.repository.claim(shard, "worker", lease, lambda _: "" if dead else None)
        if claim is not None:
            self.claims.append((claim, positions(claim)))

    @rule(data=st.data(), lease=leases)
    @precondition(lambda self: self.claims)
    def extend(self, data: st.DataObject, lease: float) -> None:
        claim, _ = self.hold(data)
        with _unless_lost():
            assert self.repository.extend(claim, lease) is self.cancelled

    @rule(data=st.data())
    @precondition(lambda self: self.claims)
    def note(self, data: st.DataObject) -> None:
        claim, left = self.hold(data)
        if left:
            with _unless_lost():
                self.repository.note(claim, data.draw(st.sampled_from(left)))

    @rule(data=st.data(), lease=leases)
    @precondition(lambda self: self.claims)
    def record(self, data: st.DataObject, lease: float) -> None:
        claim, left = self.hold(data)
        done = self.some(data, claim, left)
        with _unless_lost():
            self.repository.record(claim, done, lease)
            for pos, _ in done:
                left.remove(pos)

    @rule(data=st.data(), lease=leases)
    @precondition(lambda self: self.claims)
    def shed(self, data: st.DataObject, lease: float) -> None:
        claim, left = self.hold(data)
        if len(left) > 1:
            keep = data.draw(st.integers(1, len(left) - 1), label="kept")
            with _unless_lost():
                self.repository.shed(claim, [], self.parts(data, left[keep:]), lease)
                del left[keep:]

    @rule(data=st.data())
    @precondition(lambda self: self.claims)
    def finish(self, data: st.DataObject) -> None:
        claim, left = self.hold(data)
        done = self.some(data, claim, left)
        rest = [pos for pos in left if pos not in dict(done)]
        with _unless_lost():
            self.repository.finish(claim, done, self.parts(data, rest))

    @rule(data=st.data())
    @precondition(lambda self: self.claims)
    def release(self, data: st.DataObject) -> None:
        claim, left = self.hold(data)
        with _unless_lost():
            self.repository.release(claim, self.some(data, claim, left))

    @rule()
    def expire(self) -> None:
        self.repository.expire_leases()

    @rule()
    @precondition(lambda self: self.entries > 10)
    def cancel(self) -> None:
        self.repository.cancel_run(self.run)
        self.cancelled = True

    @rule(limit=st.integers(1, 10))
    def cancel_rows(self, limit: int) -> None:
        assert self.repository.cancel_rows(limit=limit) == 0 or self.cancelled

    def table(self, query: str) -> list[Any]:
        return self.repository._db.read(lambda connection: list(connection.exec_driver_sql(query).all()))

    @invariant()
    def what_is_final_never_changes(self) -> None:
        rows = {row.pos: tuple(row) for row in self.table("SELECT * FROM attempt WHERE termination IS NOT NULL")}
        assert self.final.items() <= rows.items()
        self.final = rows

    @invariant()
    def open_shards_share_out_the_open_work(self) -> None:
        open_work = [row.pos for row in self.table("SELECT pos FROM attempt WHERE termination IS NULL ORDER BY pos")]
        shards = self.table("SELECT *, solved+infeasible+timeout+crashed+cancelled AS ended FROM shard ORDER BY first")
        is_open = [row for row in shards if row.closed_at is None]
        assert all(before.last < after.first for before, after in pairwise(is_open))
        owned = [[pos for pos in open_work if row.first <= pos <= row.last] for row in is_open]
        assert [pos for part in owned for pos in part] == open_work
        assert [len(part) for part in owned] == [row.attempts - row.ended for row in is_open]
        assert all(row.attempts == row.ended and row.token is None for row in shards if row.closed_at is not None)
        assert sum(row.attempts for row in shards) == self.table("SELECT count(*) FROM attempt")[0][0]

    @invariant()
    def every_entry_is_counted(self) -> None:
        progress = self.repository.progress(self.run)
        found = [result.status for result in self.repository.results(self.batch)]
        assert progress.total == self.entries == len(found)
        assert progress.counts == {status: found.count(status) for status in Status}


class _unless_lost:  # noqa: N801 (reads as a statement)
    """The claim may be stale by now: then the call must say so; that nothing was written, the invariants see to."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is LeaseLost


def _check(template: Path, examples: int) -> None:
    class Machine(Protocol):
        pass

    Machine.template = template
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_the_protocol_holds_in_any_order(sqlite_template: Path) -> None:
    _check(sqlite_template, 30)


@pytest.mark.slow
def test_the_protocol_holds_for_long(sqlite_template: Path) -> None:
    _check(sqlite_template, 400)
