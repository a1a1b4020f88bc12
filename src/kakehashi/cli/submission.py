"""What `run`, `submit` and `resume` share: which entries, which options, and what is kept so that one can go on."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kakehashi.errors import UsageError
from kakehashi.puzzle import Confirm
from kakehashi.settings import duration
from kakehashi.storage.records import NewEntry, RunOptions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kakehashi.settings import Settings


LONGEST_NAME = 120
"""Characters of a batch's name that was not given: no file's name is longer in practice, but ids and URLs are."""


def new_entries(settings: Settings, source: dict[str, Any]) -> Iterator[NewEntry]:
    """Read the entries that a batch's source describes, in the folder where it was handed in.

    The database, and what SQLite lays beside it, are no puzzles: `run .` makes them in the folder that it reads. They
    are not even opened: closing such a file drops the locks that this process holds on it (POSIX), and other processes
    then take the database for their own.
    """
    from kakehashi.formats import Limits, read
    from kakehashi.puzzle import Touching

    entries = read(
        source["paths"],
        format=source["format"],
        touching=Touching(source["touching"]),
        max_bridges=source.get("max_bridges"),  # a batch of an older version has no such rules
        loops=source.get("loops"),
        limits=Limits(max_rows=settings.max_rows, max_cols=settings.max_cols),
        leave=[settings.db + ending for ending in ("", "-wal", "-shm", "-journal")],
    )
    for entry in entries:
        error = None if entry.error is None else str(entry.error)
        yield NewEntry(entry.name, entry.source, entry.line, entry.puzzle, error, entry.note)


def describe(
    paths: Sequence[str],
    input_format: str | None,
    touching: str,
    command: str,
    *,
    max_bridges: int | None = None,
    no_loops: bool = False,
) -> dict[str, Any]:
    """What is kept with a batch: enough to read its files again.

    Raises:
        UsageError: a path does not exist, or there is no such format: told before anything is started or stored.
    """
    must_exist(paths)
    if input_format is not None:
        from kakehashi.formats import registry

        registry.get(input_format)
    return {
        "paths": list(paths),
        "folder": str(Path.cwd()),
        "format": input_format,
        "touching": str(touching),
        "max_bridges": max_bridges,
        "loops": False if no_loops else None,
        "command": command,
    }


def must_exist(paths: Sequence[str]) -> None:
    """Raises UsageError for a path that does not exist: a slip of the pen, not a file that cannot be read.

    An id or a URL stands for itself.
    """
    from kakehashi.formats import is_inline

    for path in paths:
        if path != "-" and not os.path.lexists(path) and not is_inline(path):
            raise UsageError(f"there is no file or folder {path!r}")


def batch_name(name: str | None, paths: Sequence[str]) -> str:
    """The name that was given, or one after the first path."""
    if name:
        return name
    first = "standard input" if paths[0] == "-" else Path(paths[0]).name or str(Path(paths[0]).resolve().name)
    if len(first) > LONGEST_NAME:  # an id or a URL
        first = first[: LONGEST_NAME - 3] + "..."
    return first if len(paths) == 1 else f"{first} and {len(paths) - 1} more"


def run_options(settings: Settings, unique: bool, total_budget: str | None) -> RunOptions:
    """The options of a run.

    Raises:
        UsageError: the budget is above the largest that is allowed, the total budget is no time, or there is no such
            engine.
    """
    check_engine(settings, settings.engine)
    return RunOptions(
        budget=allowed(settings, settings.budget),
        unique=unique,
        engine=settings.engine,
        confirm=settings.confirm,
        total_budget=None if total_budget is None else duration(total_budget),
    )


def missing(settings: Settings) -> Iterator[str]:
    """A sentence for each thing that was asked for, if only by default, and that this machine does not have."""
    from kakehashi.solver.engines import AUTO, missing_engine, missing_judge

    hints = [missing_engine() if settings.engine == AUTO else None]
    if settings.confirm is not Confirm.NONE:
        hints.append(missing_judge(settings.engine))
    yield from filter(None, hints)


def check_engine(settings: Settings, name: str) -> None:
    """Load the modules that register engines, and see that there is one of this name.

    Raises:
        UsageError: there is not, or a module cannot be imported.
    """
    from kakehashi.solver import engine_named

    for module in settings.engines:
        try:
            importlib.import_module(module)
        except ImportError as error:
            raise UsageError(f"setting engines: the module {module!r} cannot be imported: {error}") from None
    engine_named(name)


def allowed(settings: Settings, budget: float | str) -> float:
    """A budget in seconds.

    Raises:
        UsageError: it is above the largest that is allowed.
    """
    seconds = duration(budget)
    if seconds > settings.max_budget:
        raise UsageError(
            f"the budget of {seconds:g} s is above the largest that is allowed ({settings.max_budget:g} s): "
            "raise max_budget (and visibility_timeout with it)"
        )
    return seconds


def must_be_resumable(batch: int, source: dict[str, Any]) -> None:
    """See that an unfinished batch can be read again, before anything is started for it.

    Raises:
        UsageError: it came from standard input, or its folder is gone.
    """
    if "-" in source["paths"]:
        raise UsageError(
            f"batch {batch} cannot be read to its end: it came from standard input, which is gone; hand it in again"
        )
    if not Path(source["folder"]).is_dir():
        raise UsageError(
            f"batch {batch} cannot be read to its end: there is no folder {source['folder']!r} any more, where it was "
            "handed in"
        )


def resumable_entries(settings: Settings, source: dict[str, Any]) -> Iterator[NewEntry]:
    """Read the entries of an unfinished batch again, from whatever folder.

    Raises:
        UsageError: their folder cannot be entered.
    """
    try:
        os.chdir(source["folder"])
    except OSError as error:
        raise UsageError(f"the folder that it came from cannot be entered: {error}") from None
    return new_entries(settings, source)
