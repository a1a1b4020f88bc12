"""The progress bar: on standard error, on a terminal only."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Self

from kakehashi.cli.output import note
from kakehashi.storage.records import Status

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import Task, TaskID

    from kakehashi.storage.records import Progress

SHOWN = (Status.SOLVED, Status.INFEASIBLE, Status.TIMEOUT, Status.CRASHED, Status.INVALID)
"""Statuses that the bar counts, where there are any."""

STARTING = "starting"
"""What a run does before the first puzzle has ended."""


class ProgressBar:
    """Shows how far a run, or something else, is; silent when hidden, and when standard error is not a terminal.

    It appears with the first `draw`: what goes wrong before leaves no bar above the message.
    """

    def __init__(self, *, hidden: bool = False) -> None:
        self._hidden = hidden
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty() and not self._hidden:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
            from rich.progress import Progress as RichProgress
            from rich.table import Column
            from rich.text import Text

            class Left(TimeRemainingColumn):
                """Time to go, where that means anything."""

                def render(self, task: Task) -> Text:
                    return Text("") if task.total is None or task.finished else super().render(task).append(" left")

            self._bar = RichProgress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                Left(table_column=Column(no_wrap=True)),
                console=Console(stderr=True),
            )
            self._task = self._bar.add_task("", total=None)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Draw no more; what was drawn stays."""
        if self._bar is not None and self._bar.live.is_started:
            self._bar.stop()
        self._bar = None

    def show(self, progress: Progress) -> None:
        """Draw the state of a run."""
        if self._bar is None or self._task is None:
            return
        parts = [f"{progress.counts[status]} {status}" for status in SHOWN if progress.counts[status]]
        self.draw(", ".join(parts) or STARTING, progress.done, progress.total if progress.sealed else None)

    def draw(self, description: str, completed: int, total: int | None) -> None:
        """Draw how far something is; `total` is None where nobody knows."""
        if self._bar is not None and self._task is not None:
            self._bar.start()
            self._bar.update(self._task, description=description, completed=completed, total=total)

    def note(self, message: str) -> None:
        """Say something above the bar."""
        if self._bar is None:
            note(message)
        else:
            self._bar.console.print(message, markup=False, highlight=False)
