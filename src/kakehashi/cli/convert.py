"""`kakehashi convert`: puzzles from one format to another, one or a million, as they stream by."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated

import typer

from kakehashi.cli import options
from kakehashi.cli.exits import DECIDED, UNDECIDED
from kakehashi.cli.inputs import Told, entries
from kakehashi.cli.output import count_of, note
from kakehashi.puzzle import Touching

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kakehashi.formats import Entry, Format


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(convert)


def convert(
    paths: options.Paths,
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="Format to write.", show_default=False)],
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE|DIR", help="File, folder or .zip; without it standard output."),
    ] = None,
    force: options.Overwrite = False,
    input_format: options.InputFormat = None,
    touching: options.TouchingPolicy = Touching.JOIN,
    max_bridges: options.MaxBridges = None,
    no_loops: options.NoLoops = False,
) -> None:
    """Write puzzles in another format.

    Where the format holds several puzzles in one file, all go there, or to standard output; in a folder (one that
    exists, or a name that ends with /), in a .zip, and in the other formats, each gets a file of its own, named after
    where it came from. A puzzle that cannot be read, or that the format has no room for, is reported, and the others
    are written. Exit code 0: all were written.
    """
    from kakehashi.cli.submission import must_exist
    from kakehashi.cli.targets import texts_at
    from kakehashi.formats import get

    chosen = get(to)
    must_exist(paths)
    written = failed = 0
    with texts_at(chosen, out, force=force) as put:
        for entry, name in _entries(paths, input_format, touching, max_bridges, no_loops):
            text = _converted(entry, chosen)
            if text is None:
                failed += 1
                continue
            put(name, text)
            written += 1
    if failed or out is not None:
        note(f"{count_of(written, 'puzzle')} written" + (f", {failed} not" if failed else ""))
    raise typer.Exit(UNDECIDED if failed else DECIDED)


def _entries(
    paths: list[str], input_format: str | None, touching: Touching, max_bridges: int | None, no_loops: bool
) -> Iterator[tuple[Entry, str]]:
    """The entries of all paths, each with the name of a file for it, without an ending."""
    at = paths[0]

    def found() -> Iterator[Entry]:
        nonlocal at
        for path in paths:
            at = path
            yield from entries([path], input_format, touching, max_bridges=max_bridges, no_loops=no_loops)

    for entry in Told(found()):
        yield entry, _file_name(entry, at)


def _converted(entry: Entry, chosen: Format) -> str | None:
    """The text of an entry; None, and a sentence on standard error, where there is none."""
    from kakehashi.formats import FormatError

    if entry.puzzle is None:
        note(str(entry.error))
        return None
    try:
        return chosen.write(entry.puzzle)
    except FormatError as error:
        note(f"{entry.name}: {error}")
        return None


_UNFIT = re.compile(r"[^\w.#+=@ -]+")
_LONGEST = 200
"""Bytes of a part of a file's name; file systems take 255, and a number and an ending come behind."""


def _fit(part: str) -> str:
    """A part of a name without what some file system refuses."""
    return _UNFIT.sub("_", part).encode()[:_LONGEST].decode(errors="ignore")


def _file_name(entry: Entry, path: str) -> str:
    """Where an entry came from, below the path that was given, as a file's name: no ending, nothing that leads out."""
    number = entry.name.removeprefix(entry.source)  # "#3", or nothing
    inside = entry.source[len(path) :] if entry.source != path and entry.source.startswith(path) else ""
    name = inside.lstrip("/!") or PurePosixPath(path).name
    parts = [_fit(part) for part in re.split(r"[/!]", name)]
    parts = [part for part in parts if part.strip(".")] or ["puzzle"]
    parts[-1] = "stdin" if path == "-" else parts[-1].rpartition(".")[0] or parts[-1]
    return "/".join(parts) + number
