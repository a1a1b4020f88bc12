"""The shard protocol at full speed: workers, sweepers and submitters at the same time, with accidents at random.

The database decides who comes first, so no two runs are the same; the seed decides what each process tries to do.
"""

from __future__ import annotations

import contextlib
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from kakehashi.errors import ServiceUnreachable
from kakehashi.storage import Claim, LeaseLost, Repository, RunOptions, Status, StorageError
from kakehashi.storage.migrate import upgrade
from tests.faults.audit import Books
from tests.support.accidents import Accident, Died, Kind, Process
from tests.support.invariants import Rows
from tests.support.storing import new, outcomes, positions, shards_of

if TYPE_CHECKING:
    from collections.abc import Callable

WORKERS, SWEEPERS = 4, 2
ENTRIES, CHUNK = 120, 12
ACCIDENTS = [kind for kind in Kind if kind is not Kind.NONE]
LEASE = 0.3
STATUSES = [Status.SOLVED, Status.SOLVED, Status.TIMEOUT]


class Chaos:
    """What all threads share: the batch, the bells, and whether it is over.

    The bells need no lock: `list.append` and `list.pop` are atomic.
    """

    def __init__(self, url: str, seed: int) -> None:
        self.url = url
        self.seed = seed
        self.bells: list[int] = []
        self.over = threading.Event()
        with Repository(url) as repository:
            self.batch, self.run = repository.begin("b", {}, RunOptions())

    def play(self) -> None:
        """Run all of them to the end of the batch."""
        roles = [self.submit, *[self.work] * WORKERS, *[self.sweep] * SWEEPERS]
        with ThreadPoolExecutor(len(roles)) as pool:
            for future in [pool.submit(self.play_one, role, number) for number, role in enumerate(roles)]:
                future.result()

    def play_one(self, role: Callable[[Process, random.Random], None], number: int) -> None:
        """One thread: it goes on as another process when it dies."""
        process = Process(self.url, str(number))
        chance = random.Random(f"{self.seed}/{number}")
        try:
            while not self.over.is_set():
                try:
                    role(process, chance)
                except Died:
                    process.die()
                except ServiceUnreachable:
                    continue
        except BaseException:
            self.over.set()
            raise
        finally:
            process.repository.close()

    def risk(self, process: Process, chance: random.Random) -> Repository:
        """The repository, whose next call may meet with an accident."""
        kind = chance.choice(ACCIDENTS) if chance.random() < 0.15 else Kind.NONE
        process.wire.expect(Accident(kind, chance.randrange(2)))
        return process.repository

    def submit(self, process: Process, chance: random.Random) -> None:
        """Go on where the batch ends; seal it; then look whether all is done."""
        repository = process.repository
        process.wire.calm()
        at = repository.batch_info(self.batch).entries
        if at < ENTRIES:
            chunk = [new(chance.randrange(ENTRIES)) for _ in range(CHUNK)]
            self.risk(process, chance).append(self.batch, self.run, at, chunk, shards_of(chance.randint(1, 6)))
            return
        repository.seal_batch(self.batch)
        repository.seal_run(self.run)
        if repository.progress(self.run).finished:
            self.over.set()
        self.over.wait(0.02)

    def sweep(self, process: Process, chance: random.Random) -> None:
        """What a sweeper does, and a look at all the rows."""
        self.risk(process, chance).expire_leases()
        self.bells += [bell.shard for bell in self.risk(process, chance).due_bells(10, again_after=0.05)]
        process.wire.calm()
        Rows.of(process.repository).check()
        self.over.wait(0.01)

    def work(self, process: Process, chance: random.Random) -> None:
        """Answer a bell, now and then twice, and do with the shard what comes to mind."""
        try:
            number = self.bells[-1] if chance.random() < 0.1 else self.bells.pop()
        except IndexError:
            self.over.wait(0.005)
            return
        claim = self.risk(process, chance).claim(number, process.owner, LEASE, process.death)
        if claim is not None:
            with contextlib.suppress(LeaseLost):
                self.shift(process, chance, claim)

    def shift(self, process: Process, chance: random.Random, claim: Claim) -> None:
        """Work on a claim as `shard_runner` does, with a heartbeat that may fail, and pauses that may be too long."""
        left, unsure = positions(claim), False
        while left:
            if chance.random() < 0.02:
                raise Died
            if chance.random() < 0.02:
                time.sleep(2 * LEASE)
            if claim.careful:
                self.risk(process, chance).note(claim, left[0])
            many = chance.randint(1, len(left))
            done, rest = outcomes(claim, chance.choice(STATUSES), left[:many]), left[many:]
            repository = self.risk(process, chance)
            try:
                match chance.choice(["extend", "shed", "record", "finish", "release"]):
                    case "extend":
                        repository.extend(claim, LEASE)
                    case "shed" if rest:
                        repository.shed(claim, done, [rest[1:]], LEASE)
                        left = rest[:1]
                    case "finish":
                        repository.finish(claim, done, [rest])
                        return
                    case "release":
                        repository.release(claim, done)
                        return
                    case _:
                        repository.record(claim, done, LEASE)
                        left = rest
            except LeaseLost:
                raise
            except ServiceUnreachable:
                unsure = True
            except StorageError:
                assert unsure
                process.wire.calm()
                process.repository.release(claim)
                return


@pytest.fixture(params=["sqlite_url", "postgresql_url_without_tables"], ids=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str:
    """A database of its own, with a ledger of what was written."""
    made = str(request.getfixturevalue(request.param))
    upgrade(made)
    Books(made).keep_ledger()
    return made


def _check(url: str, seed: int) -> None:
    chaos = Chaos(url, seed)
    chaos.play()
    with Repository(url) as repository:
        Rows.of(repository).check_end()
        progress = repository.progress(chaos.run)
        assert progress.total == ENTRIES
        assert progress.counts[Status.QUEUED] == progress.counts[Status.CANCELLED] == 0


def test_all_at_once(url: str) -> None:
    _check(url, 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_all_at_once_again_and_again(url: str, seed: int) -> None:
    _check(url, seed)
