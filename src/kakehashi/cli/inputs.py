"""Puzzles for the commands that read files in this process: under the settings' limits, their notes told on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kakehashi.cli.output import count_of, note
from kakehashi.puzzle import Touching

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kakehashi.formats import Entry, Limits

SHOWN = 20
"""So many notes are told; the others are counted."""


def entries(
    paths: Iterable[str],
    input_format: str | None,
    touching: Touching = Touching.JOIN,
    *,
    max_bridges: int | None = None,
    no_loops: bool = False,
) -> Iterator[Entry]:
    """The entries of paths, ids and URLs, as `kakehashi.read` has them.

    Raises:
        UsageError: there is no such format, or a setting is wrong (raised at once, not at the first entry).
    """
    from kakehashi.formats import read

    loops = False if no_loops else None
    return read(
        paths, format=input_format, touching=touching, max_bridges=max_bridges, loops=loops, limits=board_limits()
    )


def board_limits() -> Limits:
    """How large a board may be, by the settings.

    Raises:
        UsageError: a setting is wrong.
    """
    from kakehashi.formats import Limits
    from kakehashi.settings import load

    settings = load().settings
    return Limits(max_rows=settings.max_rows, max_cols=settings.max_cols)


class Told:
    """Entries, their notes on standard error before they come: which reading was taken, which rules count.

    What holds for several of a file, one after the other, is told once.
    """

    def __init__(self, found: Iterable[Entry]) -> None:
        self._found = found
        self._count = 0
        self._before: tuple[str, str | None] = ("", None)

    def __iter__(self) -> Iterator[Entry]:
        for entry in self._found:
            self._tell(entry)
            yield entry
        if self._count > SHOWN:
            note(f"{count_of(self._count - SHOWN, 'file')} more with such a note")

    def _tell(self, entry: Entry) -> None:
        before, self._before = self._before, (entry.source, entry.note)
        if entry.note is None or before == self._before:
            return
        self._count += 1
        if self._count <= SHOWN:
            note(f"{entry.name}: {entry.note}")
