"""Which entries of a batch: the options that `results` and `export` share, and what they come to."""

from __future__ import annotations

from typing import Annotated

import typer

from kakehashi.cli import options
from kakehashi.errors import UsageError
from kakehashi.storage.records import ResultFilter, Status

Statuses = Annotated[
    str | None, typer.Option("--status", metavar="STATUS,...", help="Only these: " + ", ".join(Status))
]
MinIslands = Annotated[
    int | None,
    typer.Option("--min-islands", metavar="N", min=0, max=options.LARGEST, help="With at least so many islands."),
]
MaxIslands = Annotated[
    int | None,
    typer.Option("--max-islands", metavar="N", min=0, max=options.LARGEST, help="With at most so many islands."),
]
SlowerThan = Annotated[str | None, typer.Option("--slower-than", metavar="TIME", help="That took longer.")]
NameGlob = Annotated[
    str | None, typer.Option("--name", metavar="GLOB", help="Whose name matches, such as '*47x47*'.")
]  # fmt: skip
OfRun = Annotated[
    int | None,
    typer.Option("--run", metavar="N", min=1, max=options.LARGEST, help="What this run found, not the best known."),
]


def result_filter(
    statuses: str | None,
    min_islands: int | None,
    max_islands: int | None,
    slower_than: str | None,
    name: str | None,
    run: int | None,
) -> ResultFilter:
    """What the options ask for.

    Raises:
        UsageError: there is no such status, or the time is none.
    """
    from kakehashi.settings import duration

    return ResultFilter(
        statuses=statuses_of(statuses),
        min_islands=min_islands,
        max_islands=max_islands,
        slower_than_ms=None if slower_than is None else duration(slower_than) * 1000,
        name=name,
        run=run,
    )


def statuses_of(text: str | None) -> frozenset[Status]:
    """The statuses in a list with commas.

    Raises:
        UsageError: one of them is none.
    """
    words = [word.strip() for word in (text or "").split(",") if word.strip()]
    unknown = [word for word in words if word not in list(Status)]
    if unknown:
        raise UsageError(f"there is no status {unknown[0]!r}; the statuses are {', '.join(Status)}")
    return frozenset(map(Status, words))
