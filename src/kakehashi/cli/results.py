"""The result object: what `solve --format json` prints, and each line of `results --format ndjson`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kakehashi.puzzle import UNKNOWN_CLUE, Solution, Termination, Uniqueness, Verdict
from kakehashi.storage.codec import clean
from kakehashi.storage.records import Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kakehashi.formats import Entry
    from kakehashi.puzzle import Bridge
    from kakehashi.solver.outcome import Outcome

COLUMNS = ("id", "name", "size", "islands", "status", "uniqueness", "wall_ms", "error")
"""Columns of a table of results."""

CSV_COLUMNS = (
    "id", "name", "source", "line", "rows", "cols", "islands", "variant", "status", "verdict", "termination",
    "uniqueness", "budget_s", "wall_ms", "cpu_ms", "engine", "confirmed_by", "confirm_ms", "known_from",
    "attempts", "hidden_bridges", "grid_reason", "error", "note",
)  # fmt: skip
"""Columns of a CSV of results: all that is no list."""

EXPORT_COLUMNS = (*CSV_COLUMNS, "run", "grid", "bridges")
"""Columns of an exported table: every field of the result object."""


NO_GRID = "a channel carries more than two bridges, for which a grid has no symbols: the bridges are the answer"
"""Why a solution has no answer grid."""


def bridge_objects(bridges: Iterable[Bridge]) -> list[dict[str, Any]]:
    """Bridges as JSON."""
    return [{"from": list(start), "to": list(end), "count": count} for start, end, count in bridges]


def result_object(result: Result, name: str | None = None) -> dict[str, Any]:
    """The result object of an entry; `name` replaces its id (a puzzle that was solved in this process has no batch)."""
    solution = None
    if result.verdict is Verdict.SOLVED and result.puzzle is not None and result.values is not None:
        solution = Solution(result.puzzle, result.values)
    return {
        "id": result.id if name is None else name,
        "name": result.name,
        "source": result.source,
        "line": result.line,
        "rows": result.rows,
        "cols": result.cols,
        "islands": result.islands,
        "variant": result.variant,
        "status": str(result.status),
        "verdict": str(result.verdict),
        "termination": result.termination and str(result.termination),
        "uniqueness": str(result.uniqueness),
        "budget_s": result.budget,
        "wall_ms": result.wall_ms,
        "cpu_ms": result.cpu_ms,
        "engine": result.engine,
        "confirmed_by": result.confirmed_by,
        "confirm_ms": result.confirm_ms,
        "known_from": result.known_from,
        "run": result.run,
        "attempts": result.attempts,
        "error": result.error,
        "note": result.note,
        **_answer(solution),
    }


def short_error(row: dict[str, Any]) -> str | None:
    """The error of a result object without the path that it begins with, for where the name stands beside it."""
    error: str | None = row["error"]
    return error and error.removeprefix(row["source"]).lstrip(":, ")


def table_row(row: dict[str, Any]) -> dict[str, Any]:
    """A result object as a person wants it in a table."""
    size = None if row["rows"] is None else f"{row['rows']}x{row['cols']}"
    return row | {"size": size, "error": short_error(row)}


def solved_here(entry: Entry, outcome: Outcome | None, budget: float | None) -> Result:
    """An entry that was solved in this process, in the shape of a stored one; without an outcome it was no puzzle."""
    puzzle, solution = entry.puzzle, outcome.solution if outcome else None
    return Result(
        batch=0,
        pos=0,
        name=clean(entry.name),  # as it would be stored: a file's name may hold bytes that no text may hold
        source=clean(entry.source),
        line=entry.line,
        puzzle=puzzle,
        rows=puzzle.rows if puzzle else None,
        cols=puzzle.cols if puzzle else None,
        islands=puzzle.island_count if puzzle else None,
        variant=puzzle.variant if puzzle else None,
        run=None,
        verdict=outcome.verdict if outcome else Verdict.UNKNOWN,
        termination=outcome.termination if outcome else Termination.INVALID_INPUT,
        uniqueness=outcome.uniqueness if outcome else Uniqueness.UNCHECKED,
        budget=budget,
        wall_ms=outcome.wall_ms if outcome else None,
        cpu_ms=outcome.cpu_ms if outcome else None,
        engine=outcome.engine or None if outcome else None,
        values=solution.values if solution else None,
        error=outcome.error if outcome else clean(str(entry.error)),
        note=entry.note,
        attempts=1 if outcome else 0,
        confirmed_by=outcome.confirmed_by if outcome else None,
        confirm_ms=outcome.confirm_ms if outcome else None,
    )


def _answer(solution: Solution | None) -> dict[str, Any]:
    """The answer part; `hidden_bridges` counts channels between touching islands, which the grid cannot show."""
    if solution is None:
        return {"grid": None, "bridges": None, "hidden_bridges": None, "grid_reason": None}
    grid: list[list[Any]] | None = solution.grid
    if grid is not None and solution.puzzle.has_unknown_clues:
        grid = [["?" if cell == UNKNOWN_CLUE else cell for cell in cells] for cells in grid]
    return {
        "grid": grid,
        "bridges": bridge_objects(solution.bridges),
        "hidden_bridges": solution.hidden_bridges,
        "grid_reason": NO_GRID if grid is None else None,
    }
