"""What is kept of a measuring: one line of JSON for each record, so that a run that was broken off is not lost."""

from __future__ import annotations

import dataclasses
import enum
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


PROMISED_PART, PROMISED_SECONDS = 0.1, 0.25
"""By how much a budget may be overshot: by a part of it or by seconds, whichever is larger."""


class Clock(enum.StrEnum):
    """From where to where a time was taken."""

    VALUES = "values"
    """From a clue grid in memory to channel values in memory."""
    WHOLE = "whole"
    """`kakehashi.solve`, with the look at the clues and the checker."""
    UNIQUE = "unique"
    """As `VALUES`, and on until it is known whether there is a second solution."""


class Status(enum.StrEnum):
    """What came out, once the answer was checked."""

    SOLVED = "solved"
    INFEASIBLE = "infeasible"
    TIMEOUT = "timeout"
    WRONG = "wrong"
    """The checker refused the answer."""
    FAILED = "failed"
    """An exception."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One rival, one puzzle, one time.

    Attributes:
        set, puzzle, islands: what was solved.
        rival, clock, repeat: by whom, how the time was taken, and in which alternation (from 0).
        seconds: of wall clock, as they were.
        budget: seconds that were allowed.
        status: what came out.
        unique: whether there is one solution only, where that was asked and found out.
        carried: not run: the rival had run out of its budget on this puzzle before.
        peak_mb: the largest resident set of the process, where it had one of its own.
        note: what was wrong.
    """

    set: str
    puzzle: str
    islands: int
    rival: str
    clock: Clock
    repeat: int
    seconds: float
    budget: float
    status: Status
    unique: bool | None = None
    carried: bool = False
    peak_mb: float | None = None
    note: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "clock", Clock(self.clock))
        object.__setattr__(self, "status", Status(self.status))

    @property
    def charged(self) -> float:
        """The seconds that the tables count: a time-out costs the budget, however early or late it was noticed."""
        return self.budget if self.status is Status.TIMEOUT else self.seconds


@dataclass(frozen=True, slots=True)
class Draws:
    """How the infeasible twins of a set were found.

    Attributes:
        set: the set that the boards are from.
        draws: how many changed boards were looked at; of these
        refuted: the propagation alone proves infeasible,
        feasible: have a solution all the same,
        undecided: the engine could not decide within the budget,
        twins: are infeasible, which the search had to prove.
    """

    set: str
    draws: int
    refuted: int
    feasible: int
    undecided: int
    twins: int


@dataclass(frozen=True, slots=True)
class Attempt:
    """One puzzle under a budget. Seconds.

    Attributes:
        way: `solve`, in a process as a worker's, or `run`, through the pipeline.
        engine, board, islands, budget: what was tried; `board` is its kind.
        seconds, cpu: wall clock and processor time that it took.
        termination: why it ended.
        late: how long after the end of the budget the look came that ended it; where that was not noted, 0.
        where: the function that looked last.
    """

    way: str
    engine: str
    board: str
    islands: int
    budget: float
    seconds: float
    cpu: float
    termination: str
    late: float = 0.0
    where: str = ""

    @property
    def overshoot(self) -> float:
        """Seconds beyond the budget."""
        return max(0.0, self.seconds - self.budget)

    @property
    def at_its_budget(self) -> bool:
        """Whether the budget ended it, or should have."""
        return self.termination == "timeout" or self.seconds > self.budget

    @property
    def is_beyond(self) -> bool:
        """Whether it was overshot by more than the promise allows: 10 % or 0.25 s, whichever is larger."""
        return self.overshoot > max(PROMISED_PART * self.budget, PROMISED_SECONDS)


@dataclass(frozen=True, slots=True)
class Machine:
    """Where and with what was measured."""

    cpu: str
    cores: int
    python: str
    system: str
    versions: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "versions", tuple(self.versions))


@dataclass(frozen=True, slots=True)
class Latency:
    """How long a look at a large database took, or how long another writer had to wait.

    Attributes:
        database, batch: where was looked.
        what: in the words of the command.
        asked: seconds that it may take.
        seconds, largest: what it took: the median, and the longest time.
        rows: how many it was about.
    """

    database: str
    batch: str
    what: str
    asked: float
    seconds: float
    largest: float
    rows: int

    @property
    def late(self) -> bool:
        """Whether it took longer than is asked."""
        return self.seconds > self.asked


@dataclass(frozen=True, slots=True)
class Load:
    """A large batch through submit, workers and results, or through a bare process pool. Seconds; `cpu`: of CPU.

    Attributes:
        database: where; `pool` for the pool, which has neither submit nor results.
        repeat, puzzles, workers: which alternation, how many puzzles, how many worker processes.
        submit, submit_cpu: of `kakehashi submit` from start to end.
        start: from the start of `kakehashi worker` to the first claim.
        work: from the first claim to the last write.
        work_cpu: of the worker, its processes and its sweeper meanwhile; for the pool that of its processes.
        database_cpu, broker_cpu: of PostgreSQL's processes and of Valkey, submit included.
        results, results_mb: of `kakehashi results --format ndjson`, and the most memory that it had.
        table_bytes, index_bytes: of the database, afterwards.
    """

    database: str
    repeat: int
    puzzles: int
    workers: int
    work: float
    work_cpu: float
    submit: float = 0.0
    submit_cpu: float = 0.0
    start: float = 0.0
    database_cpu: float = 0.0
    broker_cpu: float = 0.0
    results: float = 0.0
    results_mb: float = 0.0
    table_bytes: int = 0
    index_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory of a process at a moment of a load; `Level` says what the numbers are."""

    database: str
    repeat: int
    at: float
    process: str
    rss_mb: float
    pss_mb: float


@dataclass(frozen=True, slots=True)
class Pace:
    """How many puzzles had ended at a moment of a load, in seconds since the worker was started."""

    database: str
    repeat: int
    at: float
    done: int


Record = Measurement | Draws | Attempt | Machine | Latency | Load | Memory | Pace

_KINDS: dict[str, type[Record]] = {
    "measurement": Measurement,
    "draws": Draws,
    "attempt": Attempt,
    "machine": Machine,
    "latency": Latency,
    "load": Load,
    "memory": Memory,
    "pace": Pace,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


class Log:
    """A file of records that grows line by line."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("w", encoding="utf-8")

    def write(self, record: Record) -> None:
        """Append a record; it is on its way to the disk when this returns."""
        self._file.write(encode(record) + "\n")
        self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


@dataclass(frozen=True, slots=True)
class Logged:
    """What one file holds: the records of one set, measured in one go."""

    path: Path
    machines: tuple[Machine, ...]
    draws: tuple[Draws, ...] = ()
    measurements: tuple[Measurement, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    latencies: tuple[Latency, ...] = ()
    loads: tuple[Load, ...] = ()
    memories: tuple[Memory, ...] = ()
    paces: tuple[Pace, ...] = ()


def load(paths: Sequence[Path]) -> list[Logged]:
    """What files, and the `*.ndjson` of folders, hold.

    Raises:
        ValueError: a line is no record; the message says which.
    """
    return [_logged(path) for path in _files(paths)]


def _logged(path: Path) -> Logged:
    found: dict[type[Record], list[Any]] = {kind: [] for kind in _NAMES}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            record = decode(line)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path}, line {number}: expected a record of a benchmark, found {error}") from error
        found[type(record)].append(record)
    kinds = (Machine, Draws, Measurement, Attempt, Latency, Load, Memory, Pace)
    return Logged(path, *(tuple(found[kind]) for kind in kinds))


def encode(record: Record) -> str:
    """A record as a line of JSON, without the fields that have their default."""
    defaults = {field.name: field.default for field in dataclasses.fields(record)}
    fields = {name: value for name, value in dataclasses.asdict(record).items() if value != defaults[name]}
    return json.dumps({"kind": _NAMES[type(record)]} | fields)


def decode(line: str) -> Record:
    """The record of a line.

    Raises:
        KeyError, TypeError, ValueError: there is none.
    """
    fields: dict[str, Any] = json.loads(line)
    return _KINDS[fields.pop("kind")](**fields)


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(path.glob("*.ndjson"), key=_natural)
        else:
            yield path


def _natural(path: Path) -> list[tuple[int, str]]:
    """A key that puts `ones5000` before `ones10000`."""
    parts = re.split(r"(\d+)", path.name)
    return [(int(part), "") if k % 2 else (0, part) for k, part in enumerate(parts)]
