"""A new run over the puzzles of a batch whose best known outcome was not good enough."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kakehashi.errors import UsageError
from kakehashi.producer.plan import cut
from kakehashi.settings import duration
from kakehashi.storage.records import Job

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from kakehashi.storage import Repository
    from kakehashi.storage.records import RunOptions, Status

PAGE = 1000
"""Attempts that are chosen and stored in one transaction."""


@dataclass(frozen=True, slots=True)
class NewBudget:
    """The budget of a rerun: so many seconds, or a multiple of the largest that a puzzle had; never above `most`."""

    amount: float
    relative: bool
    most: float

    @classmethod
    def parse(cls, text: str, most: float) -> NewBudget:
        """From `60s` or `x4`.

        Raises:
            UsageError: it is neither, or more than `most`.
        """
        multiple = re.fullmatch(r"[x×](\d+(?:\.\d+)?)", text.strip())  # noqa: RUF001 - people type the real sign too
        if multiple:
            if float(multiple[1]) <= 0:
                raise UsageError(f"the budget {text!r} would be no time at all")
            return cls(float(multiple[1]), True, most)
        seconds = duration(text)
        if seconds > most:
            raise UsageError(f"the budget {text} is above the largest that is allowed ({most:g} s): see --max-budget")
        return cls(seconds, False, most)

    def after(self, largest: float) -> float:
        """The new budget of a puzzle whose largest so far was `largest` seconds."""
        return min(self.most, largest * self.amount) if self.relative else self.amount


def selected(
    repository: Repository, batch: int, statuses: Collection[Status], budget: NewBudget
) -> Iterator[tuple[Job, str]]:
    """The attempts that a rerun would make, with the names of their puzzles, in pages; nothing is written."""
    after = -1
    while page := repository.rerun_jobs(batch, statuses, after=after, limit=PAGE):
        for row in page:
            yield row.job._replace(budget=budget.after(row.job.budget)), row.name
        after = page[-1].job.pos


def rerun(
    repository: Repository,
    batch: int,
    statuses: Collection[Status],
    budget: NewBudget,
    options: RunOptions,
    parent: int | None,
    on_chunk: Callable[[int, int], None] = lambda run, attempts: None,
) -> int | None:
    """Make the new run and store its attempts; None when no puzzle qualifies.

    Args:
        options: how the run solves; its budget is only the run's default, each attempt has its own.
        parent: the run that this one follows.
        on_chunk: called with the run and the number of attempts after each page: the place to ring bells.
    """
    run, count = None, 0
    page: list[Job] = []
    for job, _ in selected(repository, batch, statuses, budget):
        if run is None:
            run = repository.create_run(batch, options, parent)
        page.append(job)
        if len(page) == PAGE:
            repository.append_attempts(run, page, cut)
            count += len(page)
            page = []
            on_chunk(run, count)
    if run is not None:
        if page:
            repository.append_attempts(run, page, cut)
        repository.seal_run(run)
        on_chunk(run, count + len(page))
    return run
