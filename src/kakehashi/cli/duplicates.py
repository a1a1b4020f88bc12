"""`kakehashi duplicates`: which puzzles are the same one, turned or mirrored."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kakehashi.cli import options
from kakehashi.cli.exits import DECIDED, UNDECIDED
from kakehashi.cli.output import Format, count_of, emit, note
from kakehashi.puzzle import Touching

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from kakehashi.puzzle import Puzzle
    from kakehashi.settings import Settings
    from kakehashi.storage.classes import Board

COLUMNS = ("class", "members", "symmetry", "id", "name", "source", "line")

SHOWN = 20
"""So many entries that cannot be read are told; the others are counted."""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(duplicates)


def duplicates(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="BATCH|PATH...", help="Numbers of stored batches; puzzle files and folders, - for stdin."
        ),
    ],
    input_format: options.InputFormat = None,
    touching: options.TouchingPolicy = Touching.JOIN,
    max_bridges: options.MaxBridges = None,
    no_loops: options.NoLoops = False,
    db: options.Db = None,
    output: options.OutputFormat = Format.TABLE,
) -> None:
    """List puzzles that are the same one, turned or mirrored.

    A line for each member of a class that has more than one: the number of the class, how many members it has, and how
    the first of them has to be laid to be this one. Puzzles under different rules are different. Exit code 0: all were
    looked at, whatever was found; 1: some could not be read.
    """
    from kakehashi.cli.submission import describe
    from kakehashi.settings import load
    from kakehashi.storage.classes import Classes

    settings = load({"db": db}).settings
    batches = [int(word) for word in what if _is_number(word)]
    paths = [word for word in what if not _is_number(word)]
    source = describe(paths, input_format, touching, "duplicates", max_bridges=max_bridges, no_loops=no_loops)
    unread = _Unread()
    with Classes() as classes:
        looked_at = classes.add(_stored(settings, batches, unread)) if batches else 0
        looked_at += classes.add(_in_files(settings, source, unread)) if paths else 0
        found, number = 0, 0

        def rows() -> Iterator[dict[str, Any]]:
            nonlocal found, number
            for member in classes.members():
                found, number = found + 1, member.number
                yield {
                    "class": member.number,
                    "members": member.size,
                    "symmetry": member.symmetry.value,
                    "id": member.id or None,
                    "name": member.name,
                    "source": member.source,
                    "line": member.line,
                }

        emit(rows(), output, COLUMNS)
    in_classes = f"{count_of(number, 'class', 'classes')} of {count_of(found, 'puzzle')}"
    note(f"{count_of(looked_at, 'puzzle')} looked at: {in_classes if number else 'no two are the same'}")
    if unread.count:
        note(f"{count_of(unread.count, 'entry', 'entries')} could not be read")
    raise typer.Exit(UNDECIDED if unread.count else DECIDED)


def _is_number(word: str) -> bool:
    """Whether a batch is meant; a file of that name comes first."""
    return word.isascii() and word.isdigit() and int(word) <= options.LARGEST and not os.path.lexists(word)


class _Unread:
    """Tells the first entries that cannot be read, and counts all."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, name: str, error: str | None) -> None:
        self.count += 1
        if self.count <= SHOWN:
            note(error or name)


def _stored(settings: Settings, batches: Iterable[int], unread: Callable[[str, str | None], None]) -> Iterator[Board]:
    from kakehashi.storage import Repository

    with Repository(settings.db) as repository:
        for batch in batches:
            for result in repository.results(batch):
                if result.puzzle is None:
                    unread(result.name, result.error)
                else:
                    yield _board(result.puzzle, result.id, result.name, result.source, result.line)


def _in_files(settings: Settings, source: dict[str, Any], unread: Callable[[str, str | None], None]) -> Iterator[Board]:
    from kakehashi.cli.submission import new_entries

    for entry in new_entries(settings, source):
        if entry.puzzle is None:
            unread(entry.name, entry.error)
        else:
            yield _board(entry.puzzle, "", entry.name, entry.source, entry.line)


def _board(puzzle: Puzzle, number: str, name: str, source: str, line: int) -> Board:
    from kakehashi.puzzle import class_of
    from kakehashi.storage.classes import Board

    return Board(*class_of(puzzle), number, name, source, line)
