"""`kakehashi export`: what is known of a batch, as a table or as files that other programs open."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kakehashi.cli import filters, options
from kakehashi.cli.exits import DECIDED, UNDECIDED
from kakehashi.cli.output import count_of, dumps, note, write_csv, write_ndjson
from kakehashi.cli.progress import ProgressBar
from kakehashi.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kakehashi.cli.answer_files import AnswerFiles
    from kakehashi.formats import Format
    from kakehashi.storage.records import Result

LOOK_EVERY = 200
"""Rows between two looks of the progress bar."""

ENDINGS = {".ndjson": "ndjson", ".jsonl": "ndjson", ".csv": "csv", ".parquet": "parquet"}
"""What a file is when its name says so and --format does not."""


class Table(StrEnum):
    """Tables: one file with a row for each entry."""

    NDJSON = "ndjson"
    CSV = "csv"
    PARQUET = "parquet"


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(export)


def export(
    batch: options.Batch,
    out: Annotated[
        str, typer.Argument(metavar="OUT", help="File, folder or .zip; - is standard output (ndjson and csv).")
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="ndjson, csv or parquet: a row for each entry, in one file. Or a format of puzzle files: a file for "
            "each answer, in a folder or a .zip. By default what the ending of OUT says.",
        ),
    ] = None,
    statuses: filters.Statuses = None,
    min_islands: filters.MinIslands = None,
    max_islands: filters.MaxIslands = None,
    slower_than: filters.SlowerThan = None,
    name: filters.NameGlob = None,
    run: filters.OfRun = None,
    puzzles: Annotated[
        bool, typer.Option("--puzzles", help="Files of the puzzles without their answers, unsolved ones too.")
    ] = False,
    force: options.Overwrite = False,
    db: options.Db = None,
) -> None:
    """Write the results of a batch to files or an archive.

    Streams: a batch of a million takes no more memory than a small one. OUT appears when it is whole; after an error
    there is none. Exit code 1: some answers do not fit the format; the others were written.
    """
    from kakehashi.cli.answer_files import AnswerFiles
    from kakehashi.settings import load
    from kakehashi.storage import Repository

    where = filters.result_filter(statuses, min_islands, max_islands, slower_than, name, run)
    chosen = _chosen(out, output)
    settings = load({"db": db}).settings
    with Repository(settings.db) as repository, ProgressBar(hidden=_shows_rows(out)) as bar:
        entries = repository.batch_info(batch).entries
        results = _watched(repository.results(batch, where), bar, entries)
        if isinstance(chosen, Table):
            if puzzles:
                raise UsageError("--puzzles is for files of their own; a table has a row for every entry")
            _write_table(results, chosen, out, force=force)
            code = DECIDED
        else:
            code = _write_files(results, AnswerFiles(chosen, entries, puzzles), out, force=force)
    raise typer.Exit(code)


def _shows_rows(out: str) -> bool:
    """Whether the rows themselves run over the terminal."""
    return out == "-" and sys.stdout.isatty()


def _chosen(out: str, output: str | None) -> Table | Format:
    """A table, or the format of the answer files.

    Archives and folders hold answer files, so there `csv` is the puzzle format of that name, if there is one.
    """
    from kakehashi.cli.targets import is_archive, is_folder
    from kakehashi.formats import get

    is_table = not (is_archive(out) or is_folder(out))
    if output is None:
        output = ENDINGS.get(Path(out).suffix.lower(), "ndjson" if out == "-" else None) if is_table else None
        if output is None:
            raise UsageError(
                f"{out}: the name does not say what to write: name a --format (ndjson, csv, parquet, or a format of "
                "puzzle files)"
            )
    if is_table and output in list(Table):
        return Table(output)
    if output in list(Table) and output not in _names():
        raise UsageError(f"{output} is a table, and goes into one file; {out} is a folder or an archive of files")
    if out == "-":
        raise UsageError(f"standard output takes ndjson and csv; files of the format {output} need a folder or a .zip")
    return get(output)


def _names() -> set[str]:
    from kakehashi.formats import formats

    return {format_.name for format_ in formats()}


def _watched(results: Iterable[Result], bar: ProgressBar, entries: int) -> Iterator[Result]:
    """The results, with the bar drawn after some of them: by position, since nobody knows how many a filter leaves."""
    number = 0
    for number, result in enumerate(results, 1):
        if number % LOOK_EVERY == 0:
            bar.draw(f"{number} written", result.pos + 1, entries)
        yield result
    bar.draw(f"{number} written", entries, entries)


def _write_table(results: Iterable[Result], table: Table, out: str, *, force: bool) -> None:
    from kakehashi.cli.atomic_files import whole_file
    from kakehashi.cli.results import result_object

    rows = (result_object(result) for result in results)
    if table is Table.PARQUET:
        from kakehashi.cli.parquet import schema, write_parquet

        schema()  # what is not installed is told before anything is done
        if out == "-":
            raise UsageError("standard output takes ndjson and csv: name a file for Parquet")
        with whole_file(Path(out), force=force) as path:
            write_parquet(rows, path)
    elif out == "-":
        _write_text(rows, table, sys.stdout)
    else:
        with whole_file(Path(out), force=force) as path, path.open("w", encoding="utf-8", newline="") as file:
            _write_text(rows, table, file)


def _write_text(rows: Iterable[dict[str, Any]], table: Table, file: Any) -> None:
    from kakehashi.cli.results import EXPORT_COLUMNS

    if table is Table.NDJSON:
        write_ndjson(rows, file)
    else:
        write_csv(map(_flat, rows), file, EXPORT_COLUMNS)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """A result object whose lists are JSON in a text: what a field of a CSV can hold."""
    lists = {name: None if row[name] is None else dumps(row[name]) for name in ("grid", "bridges")}
    return row | lists


def _write_files(results: Iterable[Result], files: AnswerFiles, out: str, *, force: bool) -> int:
    """Write a file for each answer, say how many there are, and return the exit code."""
    from kakehashi.cli.answer_files import SHOWN
    from kakehashi.cli.targets import files_at

    with files_at(out, force=force) as add:
        files.write(results, add)
    said = f"{count_of(files.written, files.what)} written"
    if files.without:
        said += f"; {count_of(files.without, 'entry', 'entries')} without one left out"
    if files.refused:
        more = f" ({SHOWN} of them are told above)" if files.refused > SHOWN else ""
        said += f"; {count_of(files.refused, files.what)} that {files.form.name} cannot hold left out{more}"
    note(said)
    return UNDECIDED if files.refused else DECIDED
