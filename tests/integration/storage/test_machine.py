"""The shard protocol as a state machine: whatever order things happen in, the sums hold and what is final stays.

Workers, sweepers and a submitter, each with a repository of its own, come in any order and meet with accidents in each
call (`tests.support.accidents`). What they do at the same time is in `test_schedules.py`.
"""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import select

from kakehashi.errors import ServiceUnreachable
from kakehashi.storage import (
    Claim,
    Job,
    LeaseLost,
    Repository,
    ResultFilter,
    RunCancelled,
    RunOptions,
    Status,
    StorageError,
)
from kakehashi.storage.migrate import upgrade
from kakehashi.storage.schema import shard
from tests.faults.audit import Books
from tests.support.accidents import Accident, Died, Kind
from tests.support.invariants import Rows
from tests.support.storing import bad, known, new, outcome, outcomes, positions, shards_of
from tests.support.world import Hand, Worker, World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kakehashi.solver.outcome import Outcome
    from tests.support.accidents import Process

EXPIRED, LONG = -1.0, 600.0
MOST_ENTRIES = 30
MOST_RUNS = 3

SAFE = Accident()
ACCIDENTS = [Accident(kind, meanwhile=what) for kind in Kind if kind is not Kind.NONE for what in ("", "bury")]
CANCELS = [Accident(kind, meanwhile="cancel") for kind in (Kind.LOST, Kind.DELAYED)]
LATE = [
    Accident(kind, transaction, what)
    for kind in Kind
    if kind is not Kind.NONE
    for transaction in (0, 1)
    for what in ("", "bury", "extend")
]
accidents = st.sampled_from([SAFE] * 16 + CANCELS + ACCIDENTS * 2)
late_accidents = st.sampled_from([SAFE] * 10 + LATE)
leases = st.sampled_from([LONG, LONG, EXPIRED])
statuses = st.sampled_from([Status.SOLVED, Status.TIMEOUT, Status.CRASHED])
sizes = st.integers(1, 5)
either = st.integers(0, 1)


class Protocol(RuleBasedStateMachine):
    """`bells` are on their way to a worker; `ghosts` are claims that have ended and may write no more."""

    world: ClassVar[World]

    def __init__(self) -> None:
        super().__init__()
        self.world.empty()
        self.look = self.world.onlooker
        self.batch, self.run = self.look.begin("b", {}, RunOptions())
        self.runs = [self.run]
        self.entries = 0
        self.bells: list[int] = []
        self.ghosts: list[Claim] = []
        self.final: dict[tuple[int, int], Any] = {}

    # What the rules are made of.

    @property
    def waiting(self) -> list[int]:
        """The shards that nobody holds, those first over which somebody died."""
        over = {row.id for row in self.rows.cancelled}
        free = [row for row in self.rows.shards if row.run not in over and row.closed_at is None and row.token is None]
        return [row.id for row in sorted(free, key=lambda row: (-row.tries, row.id))]

    def call(self, process: Process, accident: Accident, function: Callable[[Repository], Any]) -> Any:
        """What the process gets from the call. Died: it did not live to see it."""
        process.wire.expect(accident, self.meanwhile)
        try:
            return function(process.repository)
        except Died:
            process.die()
            raise
        finally:
            process.wire.calm()

    def meanwhile(self, what: str) -> None:
        if what == "bury":
            self.look.pull_back(EXPIRED, 0.0)
            self.look.expire_leases()
        elif what == "extend":
            for worker in self.world.workers:
                if worker.hand is not None:
                    with contextlib.suppress(LeaseLost):
                        self.look.extend(worker.hand.claim, LONG)
        elif what == "cancel" and len(self.final) > MOST_ENTRIES // 4:
            self.look.cancel_run(self.run)
            self.look.cancel_rows()

    def write(
        self,
        worker: Worker,
        accident: Accident,
        function: Callable[[Repository, Claim], Any],
        done: list[tuple[int, Outcome]] | None = None,
        *,
        beat: bool = False,
    ) -> bool:
        """A worker's call about the shard in its hand, and what it makes of errors; whether it knows that it went well.

        As `shard_runner` does it: after a heartbeat that failed it goes on, else the shard is left to its lease; and
        where the database knows better, the shard is given back.
        """
        hand = worker.hand
        assert hand is not None
        held = self.place(hand.claim.shard).token == hand.claim.token
        try:
            self.call(worker, accident, lambda repository: function(repository, hand.claim))
        except Died:
            return False
        except LeaseLost:
            # A call without outcomes has nothing by which it could recognise that it had been committed.
            assert not held or (
                worker.wire.struck and (accident.meanwhile or (accident.kind is Kind.LOST and not done))
            )
            self.let_go(worker)
        except StorageError:
            assert hand.unsure
            with contextlib.suppress(LeaseLost):
                worker.repository.release(hand.claim)
            self.let_go(worker)
        except ServiceUnreachable:
            hand.unsure = True
            if not beat:
                worker.hand = None
        else:
            assert held
            return True
        return False

    def let_go(self, worker: Worker) -> None:
        assert worker.hand is not None
        self.ghosts.append(worker.hand.claim)
        worker.hand = None

    def place(self, number: int) -> Any:
        """A shard as it is."""
        columns = (shard.c.token, shard.c.owner, shard.c.closed_at)
        return self.look._rows(select(*columns).where(shard.c.id == number))[0]

    def held(self) -> list[int]:
        """The shards that are in the hand of workers and are theirs."""
        claims = [worker.hand.claim for worker in self.world.workers if worker.hand]
        return [claim.shard for claim in claims if self.place(claim.shard).token == claim.token]

    def is_cancelled(self, run: int) -> bool:
        return self.look.run_info(run).cancelled_at is not None

    @property
    def can_work(self) -> bool:
        return bool(self.waiting) or any(worker.hand for worker in self.world.workers)

    def busy(self, data: st.DataObject) -> tuple[Worker, Hand]:
        """A worker with a shard in hand; one that had none takes one."""
        able = [worker for worker in self.world.workers if worker.hand or self.waiting]
        worker = data.draw(st.sampled_from(able), label="worker")
        if worker.hand is None:
            claim = self.look.claim(data.draw(st.sampled_from(self.waiting), label="shard"), worker.owner, LONG)
            assert claim is not None
            worker.hand = Hand(claim, positions(claim))
        return worker, worker.hand

    def some(self, data: st.DataObject, hand: Hand) -> list[tuple[int, Outcome]]:
        all_or_some = st.just(hand.left) | st.lists(st.sampled_from(hand.left), unique=True)
        chosen = data.draw(all_or_some, label="finished") if hand.left else []
        puzzles = {work.pos: work.puzzle for work in hand.claim.work}
        return [(pos, outcome(puzzles[pos], data.draw(statuses))) for pos in chosen]

    def parts(self, data: st.DataObject, rest: list[int]) -> list[list[int]]:
        cuts = sorted(data.draw(st.sets(st.integers(1, len(rest) - 1)))) if len(rest) > 1 else []
        return [rest[a:b] for a, b in zip([0, *cuts], [*cuts, len(rest)], strict=True) if a < b]

    # The submitter.

    @initialize(count=st.integers(4, 12), size=sizes)
    def begin(self, count: int, size: int) -> None:
        self.entries = count
        chunk = [new(number) for number in range(count)]
        self.look.append(self.batch, self.run, 0, chunk, shards_of(size))

    @rule(
        numbers=st.lists(st.tuples(st.integers(-2, 20), st.booleans()), min_size=3, max_size=9),
        size=sizes,
        accident=accidents,
    )
    @precondition(lambda self: self.entries < MOST_ENTRIES)
    def append(self, numbers: list[tuple[int, bool]], size: int, accident: Accident) -> None:
        chunk = [
            bad() if number < 0 else known(number, known_from="7:7") if answered else new(number)
            for number, answered in numbers
        ]
        before, cancelled = self.entries, self.is_cancelled(self.run)
        try:
            self.call(
                self.world.submitter,
                accident,
                lambda repository: repository.append(self.batch, self.run, before, chunk, shards_of(size)),
            )
            assert not cancelled
            arrived = {len(chunk)}
        except RunCancelled:
            assert self.is_cancelled(self.run)
            arrived = {0, len(chunk)} if self.world.submitter.wire.struck else {0}
        except StorageError:
            assert self.look.batch_info(self.batch).sealed_at is not None
            arrived = {0}
        except (Died, ServiceUnreachable):  # whoever goes on sees how far it came
            arrived = {0, len(chunk)}
        self.entries = self.look.batch_info(self.batch).entries
        assert self.entries - before in arrived

    @rule(accident=accidents)
    @precondition(lambda self: self.entries >= MOST_ENTRIES // 2)
    def seal(self, accident: Accident) -> None:
        with contextlib.suppress(Died, ServiceUnreachable):
            self.call(self.world.submitter, accident, lambda repository: repository.seal_batch(self.batch))
            self.call(self.world.submitter, accident, lambda repository: repository.seal_run(self.run))

    @rule(wanted=st.sets(statuses, min_size=1), size=sizes, accident=accidents)
    @precondition(lambda self: self.final and len(self.runs) < MOST_RUNS)
    def rerun(self, wanted: set[Status], size: int, accident: Accident) -> None:
        jobs = [row.job for row in self.look.rerun_jobs(self.batch, wanted)]
        if not jobs:
            return
        run = self.look.create_run(self.batch, RunOptions(), parent=self.run)
        self.runs.append(run)
        with contextlib.suppress(Died, ServiceUnreachable):
            for page in (jobs[:2], jobs[2:]):
                self.call(self.world.submitter, accident, partial(_append_attempts, run, page, size))
            assert self.look.progress(run).total >= len(jobs)
            self.look.seal_run(run)

    # The workers.

    @rule(data=st.data(), again=st.booleans(), lease=leases, accident=accidents)
    @precondition(lambda self: not all(worker.hand for worker in self.world.workers))
    def answer_a_bell(self, data: st.DataObject, again: bool, lease: float, accident: Accident) -> None:
        bells = sorted(self.bells) or [bell.shard for bell in self.look.due_bells(9, again_after=-1.0)]
        if bells:
            number = data.draw(st.sampled_from(bells), label="bell")
            if number in self.bells and not again:
                self.bells.remove(number)
            self.answer(data, number, lease, accident)

    @rule(data=st.data(), number=st.integers(1, 30), lease=leases, accident=accidents)
    @precondition(lambda self: not all(worker.hand for worker in self.world.workers))
    def answer_any_bell(self, data: st.DataObject, number: int, lease: float, accident: Accident) -> None:
        if any(row.id == number for row in self.rows.shards):  # PostgreSQL leaves numbers out
            self.answer(data, number, lease, accident)

    def answer(self, data: st.DataObject, number: int, lease: float, accident: Accident) -> None:
        idle = [worker for worker in self.world.workers if worker.hand is None]
        worker = data.draw(st.sampled_from(idle), label="worker")
        dead = set[str]().union(*(other.dead for other in self.world.workers))
        before, rows = self.place(number), Rows.of(self.look)
        is_free = before.closed_at is None and (before.token is None or before.owner in dead)
        with contextlib.suppress(Died, ServiceUnreachable):
            claim = self.call(
                worker,
                accident,
                lambda repository: repository.claim(
                    number, worker.owner, lease, lambda owner: "" if owner in dead else None
                ),
            )
            if claim is not None:
                assert is_free or worker.wire.struck
                worker.hand = Hand(claim, positions(claim))
            else:
                assert self.place(number).token in (before.token, None)
        if not is_free and not worker.wire.struck:
            assert Rows.of(self.look) == rows

    @rule(data=st.data())
    @precondition(lambda self: self.can_work)
    def die(self, data: st.DataObject) -> None:
        worker, _ = self.busy(data)
        worker.die()

    @rule(data=st.data())
    @precondition(lambda self: self.waiting)
    def die_over_a_puzzle(self, data: st.DataObject) -> None:
        claim = self.look.claim(data.draw(st.sampled_from(self.waiting)), "frail", EXPIRED)
        assert claim is not None
        self.look.note(claim, data.draw(st.sampled_from(positions(claim)), label="noted"))
        assert self.look.expire_leases() > 0

    @rule(data=st.data(), lease=leases, accident=accidents)
    @precondition(lambda self: self.can_work)
    def extend(self, data: st.DataObject, lease: float, accident: Accident) -> None:
        worker, hand = self.busy(data)
        heard: list[bool] = []
        if self.write(
            worker, accident, lambda repository, claim: heard.append(repository.extend(claim, lease)), beat=True
        ):
            assert heard[-1] is self.is_cancelled(hand.claim.run)

    @rule(data=st.data(), accident=accidents)
    @precondition(lambda self: self.can_work)
    def note(self, data: st.DataObject, accident: Accident) -> None:
        worker, hand = self.busy(data)
        if hand.left:
            pos = data.draw(st.sampled_from(hand.left), label="noted")
            self.write(worker, accident, lambda repository, claim: repository.note(claim, pos))

    @rule(data=st.data(), lease=leases, accident=accidents)
    @precondition(lambda self: self.can_work)
    def record(self, data: st.DataObject, lease: float, accident: Accident) -> None:
        worker, hand = self.busy(data)
        done = self.some(data, hand)
        if self.write(worker, accident, lambda repository, claim: repository.record(claim, done, lease), done):
            for pos, _ in done:
                hand.left.remove(pos)

    @rule(data=st.data(), lease=leases, accident=accidents)
    @precondition(lambda self: self.can_work)
    def shed(self, data: st.DataObject, lease: float, accident: Accident) -> None:
        worker, hand = self.busy(data)
        done = self.some(data, hand)
        left = [pos for pos in hand.left if pos not in dict(done)]
        if left:
            keep = data.draw(st.integers(1, len(left)), label="kept")
            rest = self.parts(data, left[keep:])
            if self.write(
                worker, accident, lambda repository, claim: repository.shed(claim, done, rest, lease), done, beat=True
            ):
                hand.left = left[:keep]

    @rule(data=st.data(), accident=accidents)
    @precondition(lambda self: self.can_work)
    def finish(self, data: st.DataObject, accident: Accident) -> None:
        worker, hand = self.busy(data)
        done = self.some(data, hand)
        rest = self.parts(data, [pos for pos in hand.left if pos not in dict(done)])
        if self.write(worker, accident, lambda repository, claim: repository.finish(claim, done, rest), done):
            self.let_go(worker)

    @rule(data=st.data(), accident=accidents)
    @precondition(lambda self: self.can_work)
    def release(self, data: st.DataObject, accident: Accident) -> None:
        worker, hand = self.busy(data)
        done = self.some(data, hand)
        if self.write(worker, accident, lambda repository, claim: repository.release(claim, done), done):
            self.let_go(worker)

    @rule(data=st.data(), way=st.sampled_from(["extend", "note", "record", "shed", "finish", "release"]))
    @precondition(lambda self: self.ghosts)
    def a_ghost_writes_nothing(self, data: st.DataObject, way: str) -> None:
        ghost = data.draw(st.sampled_from(self.ghosts), label="ghost")
        first, *others = positions(ghost)
        done = outcomes(ghost, positions=[first])
        calls: dict[str, Callable[[], object]] = {
            "extend": lambda: self.look.extend(ghost, LONG),
            "note": lambda: self.look.note(ghost, first),
            "record": lambda: self.look.record(ghost, done, LONG),
            "shed": lambda: self.look.shed(ghost, [], [others], LONG),
            "finish": lambda: self.look.finish(ghost, done, [others]),
            "release": lambda: self.look.release(ghost, done),
        }
        with pytest.raises(LeaseLost):
            calls[way]()
        assert Rows.of(self.look) == self.rows

    # The sweepers, and people.

    @rule(which=either, limit=st.integers(1, 20), again=st.booleans(), sent=st.booleans(), accident=late_accidents)
    def ring(self, which: int, limit: int, again: bool, sent: bool, accident: Accident) -> None:
        sweeper = self.world.sweepers[which]
        with contextlib.suppress(Died, ServiceUnreachable):
            due = self.call(
                sweeper, accident, lambda repository: repository.due_bells(limit, again_after=-1.0 if again else None)
            )
            numbers = [bell.shard for bell in due]
            assert len(numbers) == len(set(numbers)) <= limit
            if sent:
                self.bells += numbers
            else:
                self.call(sweeper, accident, lambda repository: repository.unring(numbers))

    @rule()
    def time_passes(self) -> None:
        self.look.pull_back(EXPIRED, 0.0)

    @rule(which=either, accident=late_accidents)
    def expire(self, which: int, accident: Accident) -> None:
        held = self.held()
        with contextlib.suppress(Died, ServiceUnreachable):
            self.call(self.world.sweepers[which], accident, lambda repository: repository.expire_leases())
            if accident.kind is Kind.DELAYED and accident.meanwhile == "extend":
                assert self.held() == held or not self.world.sweepers[which].wire.struck

    @rule(data=st.data(), accident=accidents)
    @precondition(lambda self: len(self.final) > MOST_ENTRIES // 4)
    def cancel(self, data: st.DataObject, accident: Accident) -> None:
        run = data.draw(st.sampled_from(self.runs), label="run")
        with contextlib.suppress(Died, ServiceUnreachable):
            self.call(self.world.submitter, accident, lambda repository: repository.cancel_run(run))
            assert self.is_cancelled(run)

    @rule(which=either, limit=st.integers(1, 10), accident=late_accidents)
    def cancel_rows(self, which: int, limit: int, accident: Accident) -> None:
        with contextlib.suppress(Died, ServiceUnreachable):
            ended = self.call(
                self.world.sweepers[which], accident, lambda repository: repository.cancel_rows(limit=limit)
            )
            assert ended == 0 or any(map(self.is_cancelled, self.runs))

    # What holds after each step, and at the end.

    @invariant()
    def all_is_well(self) -> None:
        self.world.steps += 1
        self.rows = Rows.of(self.look)
        self.rows.check()
        assert self.final.items() <= self.rows.final.items()
        self.final = self.rows.final

    def every_entry_is_counted(self) -> None:
        progress = self.look.progress(self.run)
        found = [result.status for result in self.look.results(self.batch, ResultFilter(run=self.run))]
        assert progress.total == self.entries == len(found)
        assert progress.counts == {status: found.count(status) for status in Status}

    def teardown(self) -> None:
        """Whoever lives ends what he has, and others take up the rest: then all is done."""
        self.every_entry_is_counted()
        for worker in self.world.workers:
            if worker.hand is not None:
                self.write(worker, SAFE, partial(_finish, outcomes(worker.hand.claim, positions=worker.hand.left)))
        self.look.pull_back(EXPIRED, 0.0)
        self.look.expire_leases()
        while self.look.cancel_rows():
            pass
        while bells := self.look.due_bells(100, again_after=-1.0):
            for bell in bells:
                claim = self.look.claim(bell.shard, "the last", LONG)
                assert claim is not None
                self.look.finish(claim, outcomes(claim))
        Rows.of(self.look).check_end()
        self.every_entry_is_counted()


def _append_attempts(run: int, jobs: list[Job], size: int, repository: Repository) -> None:
    repository.append_attempts(run, jobs, shards_of(size))


def _finish(done: list[tuple[int, Outcome]], repository: Repository, claim: Claim) -> None:
    repository.finish(claim, done)


@pytest.fixture(params=["sqlite_url", "postgresql_url_without_tables"], ids=["sqlite", "postgresql"])
def world(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """The processes, on a database of their own with a ledger of what was written."""
    monkeypatch.setattr("tenacity.nap.time.sleep", lambda _: None)
    url = request.getfixturevalue(request.param)
    upgrade(url)
    Books(url).keep_ledger()
    made = World(url)
    yield made
    made.close()


def _check(world: World, examples: int, steps: int = 40) -> None:
    machine = type("Machine", (Protocol,), {"world": world})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_the_protocol_holds_in_any_order(world: World) -> None:
    _check(world, 20)


@pytest.mark.slow
def test_the_protocol_holds_for_long(world: World) -> None:
    _check(world, 300)
