"""Everything that `kakehashi doctor` looks at: one check after the other, each with what to do.

A service that is away is one of the findings, and keeps none of the others from being made.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from kakehashi.errors import KakehashiError, ServiceUnreachable
from kakehashi.producer.broker import Broker
from kakehashi.settings import without_password
from kakehashi.solver.engines import engine_named, missing_engine, missing_judge
from kakehashi.storage import migrate
from kakehashi.storage.condition import MOST, Backlog, Condition, backlog, damages, examine
from kakehashi.storage.database import Database
from kakehashi.worker.memory import machine_memory, memory_limit
from kakehashi.worker.rollcall import Present, ask, shared_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from kakehashi.producer.broker_state import BrokerState
    from kakehashi.settings import Settings

SKEW = 2.0
"""Seconds that two clocks may differ."""

LATE = 10.0
"""Seconds, and sweeps, that a lease may have run out before somebody must have noticed."""

SHORT_LEASE = 5.0
"""Seconds below which a slow network may cost a lease."""

LITTLE_ROOM, NO_ROOM = 1 << 30, 100 << 20
"""Bytes of a disk: some millions of puzzles, and some hundred thousand."""

FULL = 0.8
"""The part of a limit from which on it is near."""

_NETWORK = ("nfs", "cifs", "smb", "afs", "ceph", "gluster", "lustre", "9p", "fuse.sshfs", "gpfs", "beegfs")


class State(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"
    UNREACHABLE = "unreachable"


class Check(NamedTuple):
    """A finding: what was looked at, how it came out, what was seen and what to do."""

    subject: str
    state: State
    message: str


def checkup(
    settings: Settings, files: Iterable[Path] = (), *, deep: bool = False, pause: Callable[[float], None] = time.sleep
) -> Iterator[Check]:
    """Look at everything.

    Args:
        files: where settings came from.
        deep: read a whole SQLite database for damage, too.
        pause: waits; some things are looked at twice.
    """
    yield from check_settings(settings, files)
    yield from check_engines()
    state = present = None
    try:
        with Broker(settings) as broker:
            state = broker.state()
            yield from check_broker(settings, state)
            present = ask(broker)
            yield from check_workers(settings, present)
    except ServiceUnreachable as error:
        yield Check("broker", State.UNREACHABLE, str(error))
    try:
        yield from _database(settings, state, present, deep, pause)
    except ServiceUnreachable as error:
        yield Check("database", State.UNREACHABLE, str(error))
    except KakehashiError as error:
        yield Check("database", State.PROBLEM, str(error))


def check_settings(settings: Settings, files: Iterable[Path] = ()) -> Iterator[Check]:
    """Settings that clash with this machine; those that clash with each other are refused when they are read."""
    found = []
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if settings.concurrency > cores:
        found.append(
            f"concurrency is {settings.concurrency}, and this machine has {_count(cores, 'core')}: budgets are "
            "wall-clock time, which processes then take from each other"
        )
    limit, memory = memory_limit(settings), machine_memory()
    if settings.concurrency * limit > memory:
        found.append(
            f"{settings.concurrency} processes of up to {limit} MB do not fit into the {memory} MB of this machine: "
            "lower concurrency or memory_limit"
        )
    if settings.lease < SHORT_LEASE and _is_remote(settings.db):
        found.append(f"a lease of {settings.lease:g} s is short over a network: {SHORT_LEASE:g} s or more")
    found += [f"{file} holds a password and others may read it: chmod 600 {file}" for file in files if _tells(file)]
    yield from (Check("settings", State.WARNING, message) for message in found)
    if not found:
        yield Check(
            "settings", State.OK, f"{_count(settings.concurrency, 'process', 'es')}, lease {settings.lease:g} s"
        )


def check_engines() -> Iterator[Check]:
    """Whether the best engine is here, and another one to confirm what it says."""
    try:
        name = engine_named().name
    except KakehashiError as error:
        yield Check("engines", State.PROBLEM, str(error))
        return
    hints = [hint for hint in (missing_engine(), missing_judge()) if hint]
    yield from (Check("engines", State.WARNING, hint) for hint in hints)
    if not hints:
        yield Check("engines", State.OK, f"{name} is the best one here, and there is another to confirm what it says")


def check_broker(settings: Settings, state: BrokerState) -> Iterator[Check]:
    """Whether the broker keeps bells until they are fetched."""
    if state.eviction not in (None, "noeviction"):
        yield Check(
            "broker",
            State.WARNING,
            f"its maxmemory-policy is {state.eviction}, which may throw bells away: set it to noeviction",
        )
    if state.fullness is not None and state.fullness > FULL:
        yield Check("broker", State.WARNING, f"{state.fullness:.0%} of its memory is taken: raise its maxmemory")
    kept = {True: ", writes bells down", False: ", forgets bells when it ends (they are rung again)", None: ""}
    yield Check(
        "broker",
        State.OK,
        f"{without_password(settings.broker)}: {state.server}, {_ms(state.round_trip)}, "
        f"{_count(state.depth, 'bell')} in the queue{kept[state.persistent]}",
    )


def check_workers(settings: Settings, present: list[Present]) -> Iterator[Check]:
    """Whether there are workers, and whether they are of one mind."""
    if not present:
        yield Check("workers", State.WARNING, "none answers: start some with `kakehashi worker`")
        return
    ours = {"version": version("kakehashi"), "engine": engine_named().name, **shared_settings(settings)}
    for there in present:
        theirs = {"version": there.version, "engine": there.engine, **there.settings}
        differ = [
            f"{name} is {theirs.get(name)}, here {value}" for name, value in ours.items() if value != theirs.get(name)
        ]
        if abs(there.skew) - there.within > SKEW:
            differ.append(f"its clock is off by {there.skew:+.1f} s (times in its log; leases go by the database's)")
        if differ:
            yield Check("workers", State.WARNING, f"{there.name}: {'; '.join(differ)}")
    processes = sum(there.processes for there in present)
    yield Check(
        "workers", State.OK, f"{_count(len(present), 'worker')} with {_count(processes, 'process', 'es')} answer"
    )


def _database(
    settings: Settings,
    state: BrokerState | None,
    present: list[Present] | None,
    deep: bool,
    pause: Callable[[float], None],
) -> Iterator[Check]:
    database = Database(settings.db)
    try:
        if database.path is not None and not database.path.exists():
            message = f"there is no {database.shown} yet: `kakehashi run`, `worker` and `db upgrade` make it"
            yield Check("database", State.WARNING, message)
            return
        condition = examine(database)
        yield from check_database(database, condition, present)
        if database.path is not None:
            yield from check_file(database.path, condition)
            if deep:
                wrong = damages(database)
                message = f"damaged, go back to a backup: {'; '.join(wrong)}" if wrong else "no damage found"
                yield Check("database", State.PROBLEM if wrong else State.OK, message)
        if condition.schema == migrate.HEAD:
            found = backlog(database)
            if state is not None and state.depth < settings.low_water and found.without_bell:
                pause(2 * settings.sweep_every + 1)  # a sweep may be about to ring
                found = backlog(database)
            yield from check_work(settings, found, state, present)
    finally:
        database.close()


def check_database(database: Database, condition: Condition, present: list[Present] | None) -> Iterator[Check]:
    """Whether the database is one that this program can use, its clock is right, and it has room for all workers."""
    if condition.schema != migrate.HEAD:
        known = condition.schema is None or condition.schema in migrate.VERSIONS
        what = "no tables" if condition.schema is None else f"the schema {condition.schema}"
        todo = "run `kakehashi db upgrade`" if known else "upgrade the program"
        yield Check(
            "database", State.PROBLEM, f"{database.shown} has {what}, this program needs {migrate.HEAD}: {todo}"
        )
    if abs(condition.skew) - condition.round_trip / 2 > SKEW:
        yield Check(
            "clock",
            State.WARNING,
            f"the database's is ahead of this machine's by {condition.skew:+.1f} s: leases go by the database's, so "
            "nothing is lost, but set both by a time server",
        )
    if condition.connections is not None:
        used, most = condition.connections
        # A process has one connection, the supervisor's sweeper another.
        needed = sum(there.processes + 1 for there in present or ())
        if max(used, needed) > FULL * most:
            yield Check(
                "database",
                State.WARNING,
                f"{used} of {most} connections are taken, the workers need {needed}: raise max_connections, or put a "
                "pooler between (docs/scale.md)",
            )
    yield Check(
        "database",
        State.OK,
        f"{database.shown}: {condition.server}, {_ms(condition.round_trip)}, schema {condition.schema or 'none'}, "
        f"{condition.size / 1e6:.1f} MB",
    )


def check_file(path: Path, condition: Condition) -> Iterator[Check]:
    """Whether an SQLite file lies where it is safe, and has room to grow."""
    if condition.journal_mode != "wal":
        yield Check(
            "file", State.WARNING, f"its journal mode is {condition.journal_mode}, not wal: run `kakehashi db upgrade`"
        )
    kind = file_system(path)
    if kind.startswith(_NETWORK):
        yield Check(
            "file",
            State.PROBLEM,
            f"it lies on {kind}: SQLite's locks do not hold over a network; move it to a disk of this machine, or use "
            "PostgreSQL",
        )
    if path.stat().st_mode & stat.S_IWOTH:
        yield Check("file", State.WARNING, f"everybody on this machine may write to it: chmod o-w {path}")
    free = shutil.disk_usage(path.parent).free
    room = State.PROBLEM if free < NO_ROOM else State.WARNING if free < LITTLE_ROOM else State.OK
    yield Check("file", room, f"{free / 1e9:.1f} GB free{'' if room is State.OK else ': make room'}")


def check_work(
    settings: Settings, found: Backlog, state: BrokerState | None, present: list[Present] | None
) -> Iterator[Check]:
    """Whether what waits is being worked on."""
    troubles = []
    if found.expired is not None and found.expired > LATE * max(1.0, settings.sweep_every):
        troubles.append(f"a lease ran out {found.expired:.0f} s ago, and nobody sweeps")
    waiting = (
        f"{found.waiting}{' or more' if found.waiting == MOST else ''} {'shard' if found.waiting == 1 else 'shards'}"
    )
    if present is not None and not present and (found.waiting or found.leased):
        troubles.append(f"{waiting} wait, and no worker answers")
    elif present and state is not None and state.depth < settings.low_water and found.without_bell:
        troubles.append(f"{found.without_bell} shards wait without a bell while the broker has room for some")
    todo = "start a worker, or `kakehashi resume` where the batch was made by `kakehashi run`"
    yield from (Check("work", State.PROBLEM, f"{trouble}: {todo}") for trouble in troubles)
    if not troubles:
        age = "" if found.oldest_bell is None else f", the oldest bell is {max(0.0, found.oldest_bell):.0f} s old"
        yield Check("work", State.OK, f"{waiting} wait{age}; {found.leased} in work")


def file_system(path: Path) -> str:
    """The kind of file system that a path lies on; empty where the system does not tell (it has no /proc)."""
    try:
        mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    except OSError:
        return ""
    above = {str(folder) for folder in path.resolve().parents}
    at = {mount[1].replace("\\040", " "): mount[2] for mount in mounts}
    return at.get(max(above & at.keys(), key=len, default=""), "")


def _tells(file: Path) -> bool:
    """Whether a file holds a password that others may read."""
    if not file.is_file() or not file.stat().st_mode & 0o077:
        return False
    text = file.read_text(encoding="utf-8")
    return without_password(text) != text


def _is_remote(db: str) -> bool:
    host = urlsplit(db).hostname if "://" in db else None
    return host is not None and host not in ("localhost", "127.0.0.1", "::1")


def _count(number: int, noun: str, plural: str = "s") -> str:
    return f"{number} {noun}{'' if number == 1 else plural}"


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.2g} ms"
