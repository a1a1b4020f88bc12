"""Settings: flag > environment (`KAKEHASHI_*`) > `kakehashi.toml` > default, each with the source that it came from.

A dataclass and one function instead of a library, because `config show` has to name the source of every value
(docs/adr/0005).
"""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kakehashi.errors import UsageError
from kakehashi.puzzle import Confirm

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FILE_NAME = "kakehashi.toml"
PREFIX = "KAKEHASHI_"

LEAST_MEMORY = 256
"""Megabytes that a worker process must be given: it takes 60 before it has seen a puzzle."""


class LogFormat(StrEnum):
    """What a line of a worker's log looks like: for people, or for machines."""

    TEXT = "text"
    JSON = "json"


_DURATION = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(ms|s|m|h|)", re.IGNORECASE)
_BROKERS = ("redis", "rediss", "valkey", "valkeys", "sentinel", "amqp", "amqps", "pyamqp", "memory")
_UNITS = {"ms": 0.001, "s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0}


def duration(text: str | float) -> float:
    """Seconds, from a number or a text such as `500ms`, `10s`, `2m`, `1h`.

    Raises:
        UsageError: it is none of those, or not positive.
    """
    found = _DURATION.fullmatch(str(text).strip())
    seconds = float(found[1]) * _UNITS[found[2].lower()] if found else 0.0
    if seconds <= 0:
        raise UsageError(f"{text!r} is no duration: write a positive number with ms, s, m or h, such as 500ms or 10s")
    return seconds


def _whole(text: str | int) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1 or isinstance(text, bool):
        raise UsageError(f"{text!r} is no positive whole number")
    return number


def _whole_or_0(text: str | int) -> int:
    return 0 if str(text) == "0" else _whole(text)


def _names(text: str | list[str]) -> tuple[str, ...]:
    parts = text.split(",") if isinstance(text, str) else text
    return tuple(part.strip() for part in parts if part.strip())


def _log_format(text: str) -> LogFormat:
    try:
        return LogFormat(text)
    except ValueError:
        raise UsageError(f"{text!r} is not one of {', '.join(LogFormat)}") from None


def _address(text: str) -> str:
    """`HOST:PORT`, or nothing."""
    try:
        url = urlsplit(f"//{text}")
        whole = not text or (url.netloc == text and bool(url.hostname) and url.port is not None)
    except ValueError:
        whole = False
    if not whole:
        raise UsageError(f"{text!r} is no address to listen on: expected HOST:PORT, such as 127.0.0.1:9464")
    return text


def _database(text: str) -> str:
    """A URL as it is; a file, also as `sqlite:///file`, as an absolute path: processes may change their folder."""
    path = re.sub(r"^sqlite(\+\w+)?:///", "", text)
    if path in ("", ":memory:", "sqlite://"):
        raise UsageError("a database in memory cannot be shared by processes: name a file")
    if "://" in path:
        return text
    return str(Path(path).absolute())


def _setting(default: Any, parse: Callable[[Any], Any], help: str) -> Any:  # noqa: A002 - the word that a reader expects
    return field(default=default, metadata={"parse": parse, "help": help})


def _broker(text: str) -> str:
    """A broker's URL, as it is; what cannot be one is told here, not by a traceback of the transport."""
    try:
        url = urlsplit(text)
        known = url.scheme.partition("+")[0] in _BROKERS and url.port != 0  # reading the port checks it
    except ValueError:
        known = False
    if not known:
        raise UsageError(
            f"{without_password(text)!r} is no address of a broker: expected redis://HOST:PORT/NUMBER, "
            "redis+socket:///PATH or amqp://USER:PASSWORD@HOST (with / and @ of a password written as %2F and %40)"
        )
    return text


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All that can be set. Durations are in seconds."""

    db: str = _setting("kakehashi.db", _database, "database: a file (SQLite), or a postgresql:// URL")
    broker: str = _setting(
        "redis://localhost:6379/0", _broker, "broker: redis://, rediss://, redis+socket:// or amqp://"
    )
    queue: str = _setting("kakehashi", str, "name of the one queue that carries the bells")
    budget: float = _setting(10.0, duration, "time that one puzzle may take")
    max_budget: float = _setting(600.0, duration, "largest budget that a run may ask for")
    engine: str = _setting("auto", str, "engine that solves: auto, or the name of one")
    confirm: Confirm = _setting(  # noqa: RUF009 - it makes a field, here as above
        Confirm.AUTO, Confirm.parse, "what a second engine has to confirm: none, auto (infeasible, 1 % of unique), all"
    )
    engines: tuple[str, ...] = _setting((), _names, "modules that register further engines, imported at start")
    concurrency: int = _setting(os.cpu_count() or 1, _whole, "worker processes on this machine")
    max_rows: int = _setting(1000, _whole, "most rows of a board")
    max_cols: int = _setting(1000, _whole, "most columns of a board")
    lease: float = _setting(
        15.0, duration, "how long a silent worker keeps its shard; on no machine above four times another's"
    )
    pulse: float = _setting(2.0, duration, "how often a worker extends its lease and looks for a cancel")
    time_slice: float = _setting(3.0, duration, "when a shard is this old, what is left of it is given away")
    sweep_every: float = _setting(1.0, duration, "pause between two sweeps for expired leases and missing bells")
    low_water: int = _setting(50, _whole, "bells are refilled when fewer than this wait in the broker")
    high_water: int = _setting(200, _whole, "most bells that wait in the broker")
    ring_again: float = _setting(5.0, duration, "a bell this old, with an empty broker, counts as lost")
    patience: float = _setting(60.0, duration, "how long a worker waits for a database that is away")
    visibility_timeout: float = _setting(3600.0, duration, "when Redis hands an unacknowledged bell to somebody else")
    max_tasks_per_child: int = _setting(500, _whole, "shards after which a worker process is replaced")
    max_memory_per_child: int = _setting(1024, _whole, "megabytes at which a worker process is replaced")
    log_format: LogFormat = _setting(  # noqa: RUF009 - as above
        LogFormat.TEXT, _log_format, "lines of a worker's log: text, or json"
    )
    metrics: str = _setting("", _address, "HOST:PORT on which a worker serves its metrics; by default it does not")

    memory_limit: int = _setting(
        0, _whole_or_0, "megabytes that a worker process may take (Linux); 0: an equal share of 80 % of the machine's"
    )
    hard_limit_margin: float = _setting(
        30.0, duration, "how long a shard may take beyond all that it rightly can, before its process is killed"
    )

    def __post_init__(self) -> None:
        if self.hard_limit(self.max_budget) >= self.visibility_timeout:
            raise UsageError(
                f"visibility_timeout ({self.visibility_timeout:g} s) must be above the longest hard limit: "
                f"time_slice + 2 * max_budget + patience + hard_limit_margin = "
                f"{self.hard_limit(self.max_budget):g} s; raise it, or lower max_budget"
            )
        if self.pulse * 3 > self.lease:
            raise UsageError(f"lease ({self.lease:g} s) must be at least three pulses ({self.pulse:g} s) long")
        if 0 < self.memory_limit < LEAST_MEMORY:
            raise UsageError(f"memory_limit ({self.memory_limit} MB) must be at least {LEAST_MEMORY}, or 0 for a share")
        if self.low_water > self.high_water:
            raise UsageError(f"low_water ({self.low_water}) must not be above high_water ({self.high_water})")

    def hard_limit(self, budget: float) -> float:
        """Seconds after which Celery kills the process that works on a shard whose largest budget is `budget`.

        The patience for the database is in it: a process that waits to write its results is no process that hangs. And
        the budget is in it twice, since a second engine may take as long again to confirm what the first one said.
        """
        return self.time_slice + 2 * budget + self.patience + self.hard_limit_margin

    @property
    def longest_lease(self) -> float:
        """Seconds that no lease, of a machine with another setting neither, has to go: the clock was set back then."""
        return max(4 * self.lease, 60.0)

    def environ(self) -> dict[str, str]:
        """These settings as environment variables, for a child process."""
        texts = {}
        for name in SETTING_NAMES:
            value = getattr(self, name)
            texts[PREFIX + name.upper()] = ",".join(value) if isinstance(value, tuple) else str(value)
        return texts


SETTING_NAMES = tuple(f.name for f in fields(Settings))


@dataclass(frozen=True)
class Loaded:
    """The settings in force and where each came from: `flag`, `environment`, a file's path, or `default`."""

    settings: Settings
    sources: dict[str, str]


def load(
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Loaded:
    """Gather the settings.

    Args:
        flags: values from the command line; None means not given.
        environ: the environment, by default this process's.
        folder: where `kakehashi.toml` is looked for, by default the current folder.

    Raises:
        UsageError: a value does not parse, a key is unknown, two settings clash; it names the source.
    """
    environ = os.environ if environ is None else environ
    path = (folder or Path()) / FILE_NAME
    in_file = _read_file(path)
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for f in fields(Settings):
        variable = PREFIX + f.name.upper()
        if flags and flags.get(f.name) is not None:
            raw, source = flags[f.name], "flag"
        elif environ.get(variable):
            raw, source = environ[variable], "environment"
        elif f.name in in_file:
            raw, source = in_file[f.name], str(path)
        else:
            raw, source = f.default, "default"
        try:
            values[f.name] = f.metadata["parse"](raw)
        except UsageError as error:
            place = variable if source == "environment" else source
            raise UsageError(f"setting {f.name} ({place}): {error}") from None
        sources[f.name] = source
    return Loaded(Settings(**values), sources)


def _read_file(path: Path) -> dict[str, Any]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    unknown = sorted(set(content) - set(SETTING_NAMES))
    if unknown:
        raise UsageError(f"{path}: unknown setting {unknown[0]!r}; known are {', '.join(SETTING_NAMES)}")
    return content


def without_password(url: str) -> str:
    """The URL with its password hidden, fit for messages and logs."""
    # Up to the last @: a password that should have been percent-encoded may hold / and @ too.
    hidden = re.sub(r"(://[^:/@?]*):.*@", r"\1:***@", url)
    return re.sub(r"([?&]password=)[^&]*", r"\1***", hidden)
