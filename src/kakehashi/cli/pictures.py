"""The command that draws: render. What it shares with `results --pictures`: stored results as pictures."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kakehashi.cli import options
from kakehashi.cli.exits import DECIDED, UNDECIDED
from kakehashi.cli.inputs import Told, board_limits, entries
from kakehashi.cli.output import Color, count_of, note
from kakehashi.cli.picture_files import Brush, Folder, write
from kakehashi.cli.puzzles import SOLVE_BUDGET, STORED_ID, answer_text
from kakehashi.cli.targets import is_folder
from kakehashi.errors import UsageError
from kakehashi.puzzle import Bridge, Cell, Solution, Verdict, Violation, ViolationCode
from kakehashi.render import PictureFormat, Theme

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from kakehashi.puzzle import Puzzle
    from kakehashi.storage.records import Result

_BY_ENDING = {".svg": PictureFormat.SVG, ".png": PictureFormat.PNG, ".txt": PictureFormat.TEXT}


@dataclass(frozen=True)
class Subject:
    """What is to be drawn; without a puzzle, `trouble` says why."""

    name: str
    puzzle: Puzzle | None
    answer: Solution | Sequence[Bridge] | None = None
    violations: Sequence[Violation] = ()
    trouble: str | None = None


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(render)


def render(
    what: Annotated[
        list[str],
        typer.Argument(metavar="ID|PATH...", help="Stored puzzles such as 3:17, files, folders; - is standard input."),
    ],
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE|DIR", help="A file (.svg, .png, .txt), or a folder for all."),
    ] = None,
    made_of: Annotated[
        PictureFormat | None, typer.Option("--format", help="By default after FILE; svg in a folder, else text.")
    ] = None,
    theme: options.PictureTheme = Theme.LIGHT,
    cell: options.PictureCell = None,
    solve: Annotated[bool, typer.Option("--solve", help="Solve what is not known to be solved.")] = False,
    budget: options.Budget = None,
    answer: Annotated[
        str | None, typer.Option("--answer", metavar="FILE", help="Draw this answer, whole or not, right or wrong.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="With --answer: mark what is missing too, not what is wrong alone.")
    ] = False,
    unsolved: Annotated[bool, typer.Option("--unsolved", help="Leave answers out that come with a puzzle.")] = False,
    color: options.ColorWhen = Color.AUTO,
    ascii_only: options.Ascii = False,
    force: options.Force = False,
    db: options.Db = None,
    input_format: options.InputFormat = None,
    max_bridges: options.MaxBridges = None,
    no_loops: options.NoLoops = False,
) -> None:
    """Draw puzzles and answers as SVG or PNG, or in the terminal.

    Without --out the picture is printed. Several puzzles are printed as text, or become the files of a folder, named
    after them. With --answer what is wrong is marked, or told beside text. Pictures that were drawn before are
    replaced, other files only with --force. PNG needs the extra `png`. Exit code 1: something could not be drawn, or
    --solve found no answer.
    """
    if answer is not None and (solve or len(what) > 1):
        raise UsageError("--answer goes with one puzzle, and without --solve")
    out = None if out == "-" else out
    by_name = None if out is None else _kind_of_file(out)
    if None not in (made_of, by_name) and made_of is not by_name:
        raise UsageError(f"--format says {made_of}, and the name {out!r} {by_name}")
    kind = made_of or by_name or (PictureFormat.SVG if out else PictureFormat.TEXT)
    brush = Brush(kind, theme, cell, color=color.wanted if out is None else color is Color.ALWAYS, ascii=ascii_only)
    with ExitStack() as stack:
        subjects = _subjects(stack, what, db, unsolved, input_format, max_bridges, no_loops)
        if answer is not None:
            subjects = _answered(subjects, answer, strict)
        elif solve:
            subjects = _solved(subjects, budget)
        told = _Told(subjects)
        if out is None:
            _print_all(told, brush)
        elif by_name is not None:
            _write_one(told, brush, Path(out), force)
        else:
            folder = Folder(Path(out), brush.ending, force=force)
            for subject, puzzle in told:
                folder.put(subject.name, _draw(brush, subject, puzzle))
            note(f"{count_of(folder.count, 'picture')} in {out}")
    raise typer.Exit(UNDECIDED if told.trouble else DECIDED)


def _kind_of_file(out: str) -> PictureFormat | None:
    """What a file of this name is made of; None for a folder.

    Raises:
        UsageError: it is named like a file of another kind.
    """
    ending = Path(out).suffix.lower()
    if not ending or is_folder(out):
        return None
    if ending not in _BY_ENDING:
        able = ", ".join(_BY_ENDING)
        raise UsageError(f"{out!r}: expected a name that ends in {able}, or in / for a folder, found {ending}")
    return _BY_ENDING[ending]


def save_results(results: Iterable[Result], entries: int, path: Path, brush: Brush, *, force: bool) -> None:
    """Draw stored results, with their answers, into a folder, one file each, named after their ids and names.

    Args:
        results: what is drawn.
        entries: how many the batch has: so that files stand in its order, positions get as many digits.
        path: the folder.
        brush: how they are drawn.
        force: replace files that are no pictures of ours.

    Raises:
        UsageError: a file may not be replaced or cannot be written; or PNG is asked for and its extra is missing.
    """
    folder = Folder(path, brush.ending, force=force)
    digits = len(str(max(entries - 1, 0)))
    without = 0
    for result in results:
        subject = _stored(result, unsolved=False)
        if subject.puzzle is None:
            without += 1
            continue
        name = f"{result.batch}:{result.pos:0{digits}} {result.name}"
        folder.put(name, _draw(brush, subject, subject.puzzle), unique=True)
    left_out = f"; {count_of(without, 'entry is', 'entries are')} no puzzle" if without else ""
    note(f"{count_of(folder.count, 'picture')} in {path}{left_out}")


class _Told:
    """The subjects that can be drawn, with their puzzles; what is wrong with the others is told on the way."""

    def __init__(self, subjects: Iterator[Subject]) -> None:
        self._subjects = subjects
        self.trouble = False

    def __iter__(self) -> Iterator[tuple[Subject, Puzzle]]:
        for subject in self._subjects:
            if subject.trouble is not None:
                self.trouble = True
                note(subject.trouble)
            if subject.puzzle is not None:
                yield subject, subject.puzzle


def _print_all(told: _Told, brush: Brush) -> None:
    """To standard output: any number as text, one only as SVG or PNG."""
    if brush.format is PictureFormat.PNG and sys.stdout.isatty():
        raise UsageError("a terminal shows no PNG: name a file with --out, or send the output into one")
    first = True
    for subject, puzzle in told:
        if brush.format is not PictureFormat.TEXT:
            if not first:
                raise UsageError("several pictures need a folder: name one with --out")
        elif not first:
            print(flush=True)
        if brush.format is PictureFormat.TEXT:
            note(subject.name)
        sys.stdout.buffer.write(_draw(brush, subject, puzzle))
        sys.stdout.flush()
        first = False


def _write_one(told: _Told, brush: Brush, path: Path, force: bool) -> None:
    drawn = None
    for subject, puzzle in told:
        if drawn is not None:
            raise UsageError(f"several pictures need a folder, and {str(path)!r} is named like a file")
        drawn = _draw(brush, subject, puzzle)
    if drawn is not None:
        write(path, drawn, force=force)


def _draw(brush: Brush, subject: Subject, puzzle: Puzzle) -> bytes:
    """The picture; text has no marks for what is wrong, so that is told."""
    if brush.format is PictureFormat.TEXT:
        for violation in subject.violations:
            note(f"{subject.name}: {violation.message}")
    return brush.draw(puzzle, subject.answer, title=subject.name, violations=subject.violations)


def _subjects(
    stack: ExitStack,
    what: Sequence[str],
    db: str | None,
    unsolved: bool,
    input_format: str | None,
    max_bridges: int | None,
    no_loops: bool,
) -> Iterator[Subject]:
    """Stored puzzles with the best known answer, those of files with what is drawn in them."""
    from kakehashi.cli.submission import must_exist
    from kakehashi.settings import load
    from kakehashi.storage import Repository

    stored = {given: found for given in what if (found := STORED_ID.fullmatch(given)) and not os.path.lexists(given)}
    must_exist([given for given in what if given not in stored])
    repository = stack.enter_context(Repository(load({"db": db}).settings.db)) if stored else None
    for given in what:
        if repository is not None and given in stored:
            batch, pos = map(int, stored[given].groups())
            yield _stored(repository.result(batch, pos), unsolved)
            continue
        for entry in Told(entries([given], input_format, max_bridges=max_bridges, no_loops=no_loops)):
            trouble = None if entry.error is None else str(entry.error)
            yield Subject(entry.name, entry.puzzle, None if unsolved else entry.bridges, trouble=trouble)


def _stored(result: Result, unsolved: bool) -> Subject:
    name = f"{result.id} {result.name}"
    if result.puzzle is None:
        return Subject(name, None, trouble=f"{name}: {result.error}")
    if unsolved or result.verdict is not Verdict.SOLVED or result.values is None:
        return Subject(name, result.puzzle)
    return Subject(name, result.puzzle, Solution(result.puzzle, result.values))


def _solved(subjects: Iterable[Subject], budget: str | None) -> Iterator[Subject]:
    from kakehashi.cli.submission import check_engine
    from kakehashi.settings import duration, load
    from kakehashi.solver import solve as solve_puzzle

    settings = load({}).settings
    check_engine(settings, settings.engine)
    seconds = SOLVE_BUDGET if budget is None else duration(budget)
    for subject in subjects:
        if subject.puzzle is None or isinstance(subject.answer, Solution):
            yield subject
            continue
        outcome = solve_puzzle(subject.puzzle, budget=seconds, engine=settings.engine)
        trouble = None
        if outcome.solution is None:
            known = "there is no solution" if outcome.verdict is Verdict.INFEASIBLE else "no answer was found"
            trouble = f"{subject.name}: {known}, so it is drawn without"
        yield replace(subject, answer=outcome.solution, trouble=trouble)


def _answered(subjects: Iterable[Subject], path: str, strict: bool) -> Iterator[Subject]:
    """The one puzzle with the bridges of an answer, and with what is wrong with them."""
    from kakehashi.formats import FormatError, read_answer

    for number, subject in enumerate(subjects):
        if number:
            raise UsageError("--answer goes with one puzzle, and there are several")
        puzzle = subject.puzzle
        if puzzle is None:
            yield subject
            continue
        try:
            given = read_answer(answer_text(path), puzzle=puzzle, limits=board_limits())
        except FormatError as error:
            raise UsageError(str(error.in_source(path))) from None
        bridges, violations = _judged(puzzle, given)
        if not strict:
            missing = _missing(puzzle, bridges)
            violations = [v for v in violations if not _may_come_right(v, missing)]
            violations += _closed(puzzle, bridges, missing)
        yield replace(subject, answer=bridges, violations=violations)


def _judged(puzzle: Puzzle, given: Sequence[Bridge | list[int]]) -> tuple[list[Bridge], list[Violation]]:
    """The bridges of an answer, those included that its grid cannot show, and what the checker says of them."""
    from kakehashi.puzzle import check, check_grid
    from kakehashi.puzzle.answer_grid import decode, infer_hidden

    bridges = [item for item in given if isinstance(item, Bridge)]
    if len(bridges) == len(given):
        return bridges, check(puzzle, bridges)
    grid = [row for row in given if not isinstance(row, Bridge)]
    if [len(row) for row in grid] != [puzzle.cols] * puzzle.rows:
        raise UsageError(f"the answer is not of the puzzle's size, {puzzle.rows} x {puzzle.cols}")
    clues = puzzle.to_rows()
    shown, _ = decode([[c or min(a, 0) for a, c in zip(*rows, strict=True)] for rows in zip(grid, clues, strict=True)])
    return [*shown, *infer_hidden(puzzle, shown)], check_grid(puzzle, grid)


def _may_come_right(violation: Violation, missing: Container[tuple[int, int]]) -> bool:
    """Whether more bridges may mend it."""
    if violation.code is ViolationCode.WRONG_DEGREE:
        return violation.at in missing
    return violation.code is ViolationCode.DISCONNECTED


def _closed(puzzle: Puzzle, bridges: Iterable[Bridge], missing: set[tuple[int, int]]) -> Iterator[Violation]:
    """The islands of groups that have all their bridges and will never be joined to the others."""
    group = {(row, col): [(row, col)] for row, col, _ in puzzle.islands}
    for start, end, _ in bridges:
        if start in group and end in group and group[start] is not group[end]:
            fewer, more = sorted((group[start], group[end]), key=len)
            more += fewer
            group.update(dict.fromkeys(fewer, more))
    for cells in {id(cells): cells for cells in group.values()}.values():
        if len(cells) < len(group) and missing.isdisjoint(cells):
            for cell in cells:
                yield Violation(ViolationCode.DISCONNECTED, Cell(*cell), "its group has no bridge left to the others")


def _missing(puzzle: Puzzle, bridges: Iterable[Bridge]) -> set[tuple[int, int]]:
    """The islands that have fewer bridges than they need."""
    degree: dict[tuple[int, int], int] = {}
    for start, end, count in bridges:
        for cell in (start, end):
            degree[cell] = degree.get(cell, 0) + count
    return {(row, col) for row, col, clue in puzzle.islands if degree.get((row, col), 0) < clue}
