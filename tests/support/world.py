"""Workers, sweepers and a submitter on one database, for the state machine of the shard protocol."""

from __future__ import annotations

from dataclasses import dataclass

from kakehashi.storage import Claim, Repository
from kakehashi.storage.schema import metadata
from tests.support.accidents import Process


@dataclass
class Hand:
    """A worker's claim, and what it has still to do as far as it knows; `unsure`: the database may know better."""

    claim: Claim
    left: list[int]
    unsure: bool = False


class Worker(Process):
    """A process that has at most one shard in hand."""

    hand: Hand | None = None

    def die(self) -> None:
        super().die()
        self.hand = None


class World:
    """All processes, on one database. They stay from one walk of the machine to the next; the rows do not."""

    def __init__(self, url: str) -> None:
        self.workers = [Worker(url, f"worker {number}") for number in range(3)]
        self.sweepers = [Process(url, "sweeper"), Process(url, "other sweeper")]
        self.submitter = Process(url, "submitter")
        self.onlooker = Repository(url)
        self.steps = 0

    def empty(self) -> None:
        """Begin anew."""
        for worker in self.workers:
            worker.hand = None
            worker.dead.clear()
        tables = [*metadata.tables, "ledger"]
        # The ledger last, for it takes down what is deleted too.
        delete = [f"DELETE FROM {table}" for table in (*reversed(metadata.sorted_tables), "ledger")]
        truncate = [f"TRUNCATE {', '.join(tables)} RESTART IDENTITY"]
        statements = delete if self.onlooker._db.sqlite else truncate
        self.onlooker._db.write(lambda connection: [connection.exec_driver_sql(text) for text in statements])

    def close(self) -> None:
        """Close all connections."""
        self.onlooker.close()
        for process in (*self.workers, *self.sweepers, self.submitter):
            process.repository.close()
