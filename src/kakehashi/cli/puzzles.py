"""Commands that work on files, in this process: solve, check, show."""

from __future__ import annotations

import re
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kakehashi.cli import options
from kakehashi.cli.exits import DECIDED, UNDECIDED
from kakehashi.cli.inputs import Told, board_limits, entries
from kakehashi.cli.output import Color, Format, count_of, dumps, emit, note
from kakehashi.errors import UsageError
from kakehashi.puzzle import Bridge, Touching, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from kakehashi.formats import Entry
    from kakehashi.puzzle import Puzzle, Solution, Violation
    from kakehashi.settings import Settings

    AnswerWriter = Callable[[Solution], str]

STORED_ID = re.compile(r"([0-9]{1,9}):([0-9]{1,9})")
"""Batch and position of a stored puzzle."""

SOLVE_BUDGET = 60.0
"""Seconds that `solve` takes unless told otherwise: somebody waits for it."""


class SolveFormat(StrEnum):
    """How to print answers: as grids, as pictures, or as result objects."""

    GRID = "grid"
    PICTURE = "picture"
    TABLE = "table"
    JSON = "json"
    NDJSON = "ndjson"
    CSV = "csv"


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command()(solve)
    app.command()(check)
    app.command()(show)


def solve(
    paths: options.Paths,
    budget: options.Budget = None,
    unique: options.Unique = False,
    engine: options.EngineName = None,
    confirm: options.Confirmed = None,
    input_format: options.InputFormat = None,
    touching: options.TouchingPolicy = Touching.JOIN,
    max_bridges: options.MaxBridges = None,
    no_loops: options.NoLoops = False,
    output: Annotated[SolveFormat, typer.Option("--format", help="How to print.")] = SolveFormat.GRID,
    answers_as: Annotated[
        str | None,
        typer.Option("--as", metavar="FORMAT", help="Print answers in a puzzle format, such as tatham or pzprv3."),
    ] = None,
) -> None:
    """Solve puzzles in this process and print their answers.

    An answer grid holds the clues, 0 for water, -1 one horizontal bridge, -2 one vertical, -3 two horizontal, -4 two
    vertical. With --format json, one puzzle is printed as an object, several as an array. With --as, each answer is
    printed as the programs of that format open it. Exit code 0: all were solved (and with --as, printed).
    """
    from kakehashi.cli.submission import check_engine, must_exist
    from kakehashi.settings import duration, load

    settings = load({"engine": engine, "confirm": confirm}).settings
    must_exist(paths)
    check_engine(settings, settings.engine)
    writer = None if answers_as is None else _writer(answers_as, output)
    seconds = SOLVE_BUDGET if budget is None else duration(budget)
    found = entries(paths, input_format, touching, max_bridges=max_bridges, no_loops=no_loops)
    noted_in_rows = writer is None and output in (SolveFormat.JSON, SolveFormat.NDJSON, SolveFormat.CSV)
    rows = _solve_all(found if noted_in_rows else Told(found), seconds, unique, settings)
    if writer is not None:
        statuses = _print_written(rows, *writer)
    elif output is SolveFormat.GRID or output is SolveFormat.PICTURE:
        statuses = _print_answers(rows, output)
    else:
        statuses = _print_objects(rows, Format(output))
    raise typer.Exit(DECIDED if statuses == {"solved"} else UNDECIDED)


def _solve_all(
    found: Iterable[Entry], budget: float, unique: bool, settings: Settings
) -> Iterator[tuple[dict[str, Any], Solution | None]]:
    from kakehashi.cli.results import result_object, solved_here
    from kakehashi.solver import solve as solve_puzzle
    from kakehashi.solver.confirmation import is_due
    from kakehashi.solver.engines import missing_judge

    told = False
    for number, entry in enumerate(found, 1):
        outcome = None
        if entry.puzzle is not None:
            outcome = solve_puzzle(
                entry.puzzle, budget=budget, unique=unique, engine=settings.engine, confirm=settings.confirm
            )
            if not told and is_due(outcome, settings.confirm) and (hint := missing_judge(outcome.engine)):
                told = True
                note(hint)
        row = result_object(solved_here(entry, outcome, budget), str(number))
        yield row, outcome.solution if outcome else None


def _writer(name: str, output: SolveFormat) -> tuple[AnswerWriter, str]:
    """What writes answers in a format, and what stands between two: nothing where a line or a section is one.

    Raises:
        UsageError: there is no such format, it has no answers, or `--format` asks for something else.
    """
    from kakehashi.formats import formats, get

    if output is not SolveFormat.GRID:
        raise UsageError("--as and --format both say how to print: give one of them")
    chosen = get(name)
    writer = chosen.write_answer
    if writer is None:
        able = ", ".join(sorted(format_.name for format_ in formats() if format_.write_answer is not None))
        raise UsageError(f"{name} has no answers: choose one of {able}")
    return writer, "\n" if chosen.separator is None else chosen.separator


def _print_written(
    rows: Iterator[tuple[dict[str, Any], Solution | None]], writer: AnswerWriter, separator: str
) -> set[str]:
    """Print answers as a format writes them; one that it cannot hold is no success."""
    from kakehashi.formats import FormatError

    statuses: set[str] = set()
    printed = False
    for row, solution in rows:
        statuses.add(row["status"])
        if solution is None:
            _note_unsolved(row)
            continue
        try:
            text = writer(solution)
        except FormatError as error:
            note(f"{row['name']}: {error}")
            statuses.add("unwritten")
            continue
        print((separator if printed else "") + text, end="")
        printed = True
        _note_uniqueness(row)
    return statuses


def _note_unsolved(row: dict[str, Any]) -> None:
    from kakehashi.cli.results import short_error

    reason = short_error(row) or {
        "timeout": "no answer within the budget",
        "infeasible": "there is no solution",
    }.get(row["status"], "")
    note(f"{row['name']}: {row['status']}{': ' if reason else ''}{reason}")


def _note_uniqueness(row: dict[str, Any]) -> None:
    if row["uniqueness"] != "unchecked":
        note(f"{row['name']}: the solution is {row['uniqueness']}")


def _print_answers(rows: Iterator[tuple[dict[str, Any], Solution | None]], output: SolveFormat) -> set[str]:
    statuses: set[str] = set()
    printed = False
    for row, solution in rows:
        if printed and solution is not None:
            print()
        printed = printed or solution is not None
        statuses.add(row["status"])
        if solution is None:
            _note_unsolved(row)
            continue
        if output is SolveFormat.GRID and row["grid"] is None:
            note(f"{row['name']}: {row['grid_reason']}; they follow as JSON")
            print(dumps({"bridges": row["bridges"]}))
        elif output is SolveFormat.GRID:
            print("\n".join(" ".join(map(str, line)) for line in row["grid"]))
        else:
            print(_picture(solution.puzzle, solution))
        _note_uniqueness(row)
        if row["hidden_bridges"] and output is SolveFormat.GRID:
            pairs = count_of(row["hidden_bridges"], "pair")
            note(f"{row['name']}: {pairs} of touching islands bridged, which the grid cannot show; see --format json")
    return statuses


def _print_objects(rows: Iterator[tuple[dict[str, Any], Solution | None]], output: Format) -> set[str]:
    from kakehashi.cli.results import COLUMNS, CSV_COLUMNS, table_row

    statuses: set[str] = set()

    def seen() -> Iterator[dict[str, Any]]:
        for row, _ in rows:
            statuses.add(row["status"])
            yield table_row(row) if output is Format.TABLE else row

    if output is Format.JSON:
        gathered = list(seen())
        if len(gathered) == 1:
            print(dumps(gathered[0]))
        else:
            emit(gathered, output, COLUMNS)
    else:
        emit(seen(), output, CSV_COLUMNS if output is Format.CSV else COLUMNS)
    return statuses


def check(
    puzzle: Annotated[
        str, typer.Argument(metavar="PUZZLE", help="File with the puzzle, id or URL; - is standard input.")
    ],
    answer: Annotated[
        str, typer.Argument(metavar="ANSWER", help="File with the answer, or moves of an id; - is standard input.")
    ],
    number: Annotated[int, typer.Option("--number", min=1, help="Which puzzle of the file.")] = 1,
    input_format: options.InputFormat = None,
    answer_format: Annotated[
        str | None,
        typer.Option("--answer-format", metavar="FORMAT", help="Format of the answer; without it it is looked at."),
    ] = None,
    max_bridges: options.MaxBridges = None,
    no_loops: options.NoLoops = False,
    output: options.OutputFormat = Format.TABLE,
) -> None:
    """Judge an answer, independently of the solver.

    Exit code 0: it is right. An answer is a grid, an object as `solve --format json` prints it, or in any other format
    that has answers. Every violation is printed with its code and its place [row, column], counted from 0:
    wrong_degree, crossing, through_island, too_many, not_aligned, disconnected, loop, clue_changed.
    """
    if puzzle == answer == "-":
        raise UsageError("the puzzle and the answer cannot both come from standard input")
    found = entries([puzzle], input_format, max_bridges=max_bridges, no_loops=no_loops)
    violations = _judge(_one_puzzle(puzzle, number, found), answer, answer_format)
    rows = [{"code": str(v.code), "at": list(v.at), "message": v.message} for v in violations]
    if output is Format.JSON:
        print(dumps({"ok": not rows, "violations": rows}))
    elif rows or output is not Format.TABLE:
        emit(rows, output, ("code", "at", "message"))
    else:
        print("right")
    raise typer.Exit(UNDECIDED if rows else DECIDED)


def _judge(board: Puzzle, answer: str, answer_format: str | None) -> list[Violation]:
    from kakehashi.formats import FormatError, read_answer
    from kakehashi.puzzle import check as check_bridges
    from kakehashi.puzzle import check_grid

    try:
        given = read_answer(answer_text(answer), format=answer_format, puzzle=board, limits=board_limits())
    except FormatError as error:
        raise UsageError(str(error.in_source(answer))) from None
    bridges = [item for item in given if isinstance(item, Bridge)]
    if len(bridges) == len(given):
        return check_bridges(board, bridges)
    return check_grid(board, [row for row in given if not isinstance(row, Bridge)])


def _one_puzzle(path: str, number: int, found: Iterable[Entry]) -> Puzzle:
    for at, entry in enumerate(found, 1):
        if at == number:
            if entry.puzzle is None:
                raise UsageError(str(entry.error))
            if entry.note is not None:
                note(f"{entry.name}: {entry.note}")
            return entry.puzzle
    raise UsageError(f"{path} has no puzzle number {number}")


def answer_text(path: str) -> str:
    """The text of an answer that a path, or the answer itself, stands for. UsageError: it cannot be read."""
    from kakehashi.formats import is_inline_answer

    if is_inline_answer(path):
        return path
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: byte {error.start + 1} is not UTF-8 text") from None


def show(
    what: Annotated[str, typer.Argument(metavar="ID|FILE", help="A stored puzzle such as 3:17, or a file, id or URL.")],
    db: options.Db = None,
    unsolved: Annotated[bool, typer.Option("--unsolved", help="Leave the answer out.")] = False,
    ascii_only: options.Ascii = False,
    color: options.ColorWhen = Color.AUTO,
    input_format: options.InputFormat = None,
    max_bridges: options.MaxBridges = None,
    no_loops: options.NoLoops = False,
) -> None:
    """Draw a puzzle in the terminal.

    A stored one with its best known answer, or those of a file without.
    """
    from kakehashi.cli.submission import must_exist

    stored = STORED_ID.fullmatch(what)
    if stored and not Path(what).exists():
        _show_stored(int(stored[1]), int(stored[2]), db, unsolved, color, ascii_only)
        return
    must_exist([what])
    code = DECIDED
    found = entries([what], input_format, max_bridges=max_bridges, no_loops=no_loops)
    for number, entry in enumerate(found):
        if number:
            print()
        note(entry.name if entry.note is None else f"{entry.name}: {entry.note}")
        if entry.puzzle is None:
            note(str(entry.error))
            code = UNDECIDED
        else:
            print(_picture(entry.puzzle, None, color, ascii_only))
    raise typer.Exit(code)


def _show_stored(batch: int, pos: int, db: str | None, unsolved: bool, color: Color, ascii_only: bool) -> None:
    from kakehashi.puzzle import Solution
    from kakehashi.settings import load
    from kakehashi.storage import Repository

    with Repository(load({"db": db}).settings.db) as repository:
        result = repository.result(batch, pos)
    confirmed = f", confirmed by {result.confirmed_by}" if result.confirmed_by else ""
    known = f", known from {result.known_from}" if result.known_from else ""
    note(f"{result.id}  {result.name}: {result.status}, {result.uniqueness}{confirmed}{known}")
    if result.puzzle is None:
        note(str(result.error))
        raise typer.Exit(UNDECIDED)
    solution = None
    if not unsolved and result.verdict is Verdict.SOLVED and result.values is not None:
        solution = Solution(result.puzzle, result.values)
    print(_picture(result.puzzle, solution, color, ascii_only))


def _picture(puzzle: Puzzle, solution: Solution | None, color: Color = Color.AUTO, ascii_only: bool = False) -> str:
    from kakehashi.render import draw

    return draw(puzzle, solution, color=color.wanted, ascii=ascii_only).rstrip("\n")
