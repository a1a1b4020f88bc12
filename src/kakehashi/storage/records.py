"""The values that cross the storage layer's border: what goes in, what comes out. No SQL, no rows."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from kakehashi.errors import UsageError
from kakehashi.puzzle import Confirm, Puzzle, Termination, Verdict
from kakehashi.storage.errors import StorageError

if TYPE_CHECKING:
    from kakehashi.puzzle import Uniqueness


class Status(StrEnum):
    """One word for the state of an entry; the states are disjoint."""

    QUEUED = "queued"
    SOLVED = "solved"
    INFEASIBLE = "infeasible"
    TIMEOUT = "timeout"
    INVALID = "invalid"
    CRASHED = "crashed"
    CANCELLED = "cancelled"


def status_of(verdict: Verdict | None, termination: Termination | None) -> Status:
    """The status that a verdict and a termination make: what was decided counts before why the work ended."""
    if termination is None:
        return Status.QUEUED
    if verdict is Verdict.SOLVED:
        return Status.SOLVED
    if verdict is Verdict.INFEASIBLE:
        return Status.INFEASIBLE
    return {
        Termination.TIMEOUT: Status.TIMEOUT,
        Termination.CANCELLED: Status.CANCELLED,
        Termination.INVALID_INPUT: Status.INVALID,
    }.get(termination, Status.CRASHED)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run solves. Stored as JSON with the run; unknown keys of a newer version are an error, never ignored.

    Attributes:
        budget: seconds a puzzle, the default of the run (an attempt may have its own).
        unique: whether to look for a second solution.
        engine: the name of the engine, or `auto`.
        confirm: what a second engine is asked too; runs of versions that had none were made without.
        total_budget: seconds from the run's creation, after which no new puzzle of it starts; None for no limit.
    """

    budget: float = 10.0
    unique: bool = False
    engine: str = "auto"
    confirm: Confirm = Confirm.NONE
    total_budget: float | None = None

    def to_json(self) -> dict[str, Any]:
        """The options as a run keeps them."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> RunOptions:
        """The options that `to_json` wrote.

        Raises:
            StorageError: there are options that this version does not know.
        """
        unknown = sorted(set(data) - {known.name for known in fields(cls)})
        if unknown:
            raise StorageError(
                f"the run has options that this version does not know ({', '.join(unknown)}): upgrade the program"
            )
        try:
            return cls(**{**data, "confirm": Confirm.parse(data.get("confirm", Confirm.NONE))})
        except UsageError as error:
            raise StorageError(f"the run has an option that this version does not know (confirm: {error})") from None


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of a puzzle before anybody tries it: solved or proved infeasible.

    Attributes:
        verdict, uniqueness: as an attempt has them; uniqueness is `unchecked` unless it is known.
        values: the value of each channel when it is solved.
        engine: the name of the engine that found it; None where none was needed.
        known_from: the id of the entry that it was found for.
        confirmed_by: the name of the second engine that came to the same, if one did.
    """

    verdict: Verdict
    uniqueness: Uniqueness
    values: bytes | None
    engine: str | None
    known_from: str
    confirmed_by: str | None = None


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer with the puzzle that it is for, which is of the class that was asked for but may lie otherwise."""

    puzzle: Puzzle
    answer: Answer


@dataclass(frozen=True, slots=True)
class NewEntry:
    """One puzzle as it was handed in, on its way into a batch. Either `puzzle` or `error` is set."""

    name: str
    source: str
    line: int
    puzzle: Puzzle | None
    error: str | None = None
    note: str | None = None
    """How it was read, where two readings fit."""
    canonical: bytes | None = None
    """The digest of the puzzle's class, where it was reckoned."""
    answer: Answer | None = None
    """What is known of the puzzle: then nobody tries it."""


class Job(NamedTuple):
    """What the planner needs to know of an attempt to cut shards: its place, its size, its budget in seconds."""

    pos: int
    islands: int
    budget: float
    cells: int = 0


class Bell(NamedTuple):
    """A message to send: look at this shard; `budget` is the largest of its attempts, in seconds."""

    shard: int
    budget: float


@dataclass(frozen=True, slots=True)
class Work:
    """One attempt that a claimed shard still has to make; `deaths` workers died over it before."""

    pos: int
    budget: float
    puzzle: Puzzle
    deaths: int = 0


@dataclass(slots=True)
class Claim:
    """The right to work on a shard: every write shows its token.

    `careful`: an earlier claim ended without a release, so each attempt has to be noted before it starts.
    `seconds_left`: of the run's total budget when the shard was claimed; None where it has none.
    """

    shard: int
    token: str
    run: int
    batch: int
    options: RunOptions
    tries: int
    work: list[Work] = field(repr=False)
    seconds_left: float | None = None

    @property
    def careful(self) -> bool:
        """Whether each attempt has to be noted before it starts."""
        return self.tries > 0


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands, by entries. Times are seconds since the epoch by the database's clock; None: not yet.

    The counts by status add up to `total`; `queued` is what is left.
    """

    batch: int
    run: int
    name: str
    total: int
    counts: dict[Status, int]
    sealed: bool
    cancelled: bool
    known: int
    """Attempts that took an answer which was there already; each is counted as solved or infeasible too."""
    shards_open: int
    shards_leased: int
    created_at: float
    first_claim: float | None
    last_write: float | None
    now: float
    stops_at: float | None = None
    """From then on no new puzzle starts."""

    @property
    def done(self) -> int:
        """How many entries have a result, of whatever kind."""
        return self.total - self.counts[Status.QUEUED]

    @property
    def finished(self) -> bool:
        """Nothing will change any more: no more puzzles come in, and no shard is open."""
        return (self.sealed or self.cancelled) and self.shards_open == 0

    @property
    def total_budget(self) -> float | None:
        """The seconds after its creation in which puzzles of the run may start, if they are limited."""
        return None if self.stops_at is None else self.stops_at - self.created_at

    @property
    def stopped(self) -> bool:
        """The total budget is over: no new puzzle starts."""
        return self.stops_at is not None and self.stops_at <= self.now


@dataclass(frozen=True, slots=True)
class Result:
    """An entry with what is known of it: a line of `kakehashi results`."""

    batch: int
    pos: int
    name: str
    source: str
    line: int
    puzzle: Puzzle | None
    rows: int | None
    cols: int | None
    islands: int | None
    variant: str | None
    run: int | None
    verdict: Verdict
    termination: Termination | None
    uniqueness: Uniqueness
    budget: float | None
    wall_ms: float | None
    cpu_ms: float | None
    engine: str | None
    values: bytes | None
    error: str | None
    note: str | None
    attempts: int
    confirmed_by: str | None = None
    confirm_ms: float | None = None
    known_from: str | None = None

    @property
    def id(self) -> str:
        """What people call the entry: `BATCH:POSITION`."""
        return f"{self.batch}:{self.pos}"

    @property
    def status(self) -> Status:
        """The one word for it."""
        return status_of(self.verdict, self.termination)


@dataclass(frozen=True, slots=True)
class ResultFilter:
    """Which results to list; empty fields do not restrict."""

    statuses: frozenset[Status] = frozenset()
    min_islands: int | None = None
    max_islands: int | None = None
    slower_than_ms: float | None = None
    name: str | None = None
    """A glob over the entry's name: `*`, `?` and `[...]`."""
    run: int | None = None
    """Show what this run found, not the best that is known."""


@dataclass(frozen=True, slots=True)
class BatchInfo:
    """A batch as it stands. Not sealed: its submission goes on, or died and can go on at position `entries`."""

    id: int
    name: str
    source: dict[str, Any]
    created_at: float
    sealed_at: float | None
    entries: int
    invalid: int


@dataclass(frozen=True, slots=True)
class RunInfo:
    """A run as it was ordered, and when it was sealed and cancelled, if it was."""

    id: int
    batch: int
    parent: int | None
    options: RunOptions
    created_at: float
    sealed_at: float | None
    cancelled_at: float | None


class RerunJob(NamedTuple):
    """A puzzle that a rerun may take: `job.budget` is the largest that it ever had."""

    job: Job
    name: str
    status: Status
