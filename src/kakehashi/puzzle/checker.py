"""The independent judge: is this answer right, and if not, what is wrong with it and where?

It works from the clues and the bridges alone. It shares no code with the solver: not the graph, not the channels, not
the crossings; so an error there cannot hide here.
"""

from __future__ import annotations

from itertools import chain, compress
from typing import TYPE_CHECKING

from kakehashi.puzzle.answer_grid import decode, infer_hidden
from kakehashi.puzzle.judge import compiled_judge
from kakehashi.puzzle.model import UNKNOWN_CLUE, Cell, clue_text
from kakehashi.puzzle.violation import Violation, ViolationCode, place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from kakehashi.puzzle.model import Bridge, Puzzle, Solution

__all__ = ["JudgesDisagree", "Violation", "ViolationCode", "check", "check_grid", "check_solution"]

_Channels = dict[tuple[int, int], int]
"""Bridges of two islands in line: (first place, last place) -> count; a place is `row * cols + col`."""


class JudgesDisagree(Exception):
    """One judge refuses an answer that the other one passes: one of them is broken."""


def check(puzzle: Puzzle, bridges: Iterable[Bridge], look: Callable[[], object] = lambda: None) -> list[Violation]:
    """Every rule that these bridges break, in row-major order; an empty list means that the answer is right.

    Any bridges may be given, however senseless: off the board, between water cells, with their ends in any order. The
    same channel given twice adds up. A count of zero is no bridge. What does not join two islands in line is reported
    and then not counted, so the islands that needed it are reported too.

    `look` is called between the steps, each of which takes some hundredths of a second with 100,000 islands; what it
    raises ends the check.
    """
    found: list[Violation] = []
    islands = list(compress(range(len(puzzle.cells)), puzzle.cells))
    look()
    channels = _gather(puzzle, bridges, found)
    look()
    horizontal, vertical = _lay(puzzle, channels, found)
    look()
    _find_crossings(puzzle, horizontal, vertical, found)
    look()
    _find_wrong_degrees(puzzle, islands, channels, found)
    look()
    _find_groups(puzzle, islands, channels, found, look)
    if not puzzle.loops:
        look()
        _find_loops(puzzle, islands, channels, found)
    found.sort(key=lambda violation: (violation.at, violation.code))
    return found


def check_solution(solution: Solution, look: Callable[[], object] = lambda: None) -> list[Violation]:
    """What `check` finds in the bridges of a solution.

    Where the package was compiled, a judge in C++ (native/judge, code of its own, too) says whether all is right, and
    only what it refuses is looked at here.

    Raises:
        JudgesDisagree: it refuses the solution, and nothing is found that is wrong with it.
        ValueError: there are more or fewer values than channels.
    """
    is_right = compiled_judge()
    if is_right is not None and is_right(solution.puzzle, solution.laid):
        return []
    look()
    violations = check(solution.puzzle, solution.bridges, look)
    if is_right is not None and not violations:
        raise JudgesDisagree("the compiled judge refuses an answer in which the checker finds nothing wrong: a bug")
    return violations


def check_grid(puzzle: Puzzle, grid: Sequence[Sequence[int]]) -> list[Violation]:
    """Every rule that a bare answer grid breaks.

    Bridges between touching islands have no cell to be shown in: they are inferred, and where any choice of them makes
    the answer right, it is right.

    Raises:
        TooManyWays: there are too many ways to choose the bridges that the grid cannot show.
    """
    wrong_size = _wrong_size(puzzle, grid)
    if wrong_size:
        return [wrong_size]
    found: list[Violation] = []
    restored: list[list[int]] = []
    for r, (row, clues) in enumerate(zip(grid, puzzle.to_rows(), strict=True)):
        cells = list(row)
        restored.append(cells)
        for c, clue in enumerate(clues):
            shown = cells[c]
            if max(shown, 0) != clue:
                given = clue_text(clue) if clue else "water"
                found.append(
                    Violation(
                        ViolationCode.CLUE_CHANGED,
                        Cell(r, c),
                        f"the puzzle has {given} at {place(r, c)}, the answer {clue_text(shown)}",
                    )
                )
                cells[c] = clue
    bridges, dangling = decode(restored)
    found += dangling
    found += check(puzzle, chain(bridges, infer_hidden(puzzle, bridges)))
    found.sort(key=lambda violation: (violation.at, violation.code))
    return found


def _wrong_size(puzzle: Puzzle, grid: Sequence[Sequence[int]]) -> Violation | None:
    """The violation when the answer grid is not of the puzzle's size."""
    if len(grid) != puzzle.rows:
        message = f"the answer has {len(grid)} rows, the puzzle {puzzle.rows}"
        return Violation(ViolationCode.CLUE_CHANGED, Cell(min(len(grid), puzzle.rows), 0), message)
    for r, row in enumerate(grid):
        if len(row) != puzzle.cols:
            message = f"row {r + 1} of the answer has {len(row)} cells, the puzzle {puzzle.cols}"
            return Violation(ViolationCode.CLUE_CHANGED, Cell(r, min(len(row), puzzle.cols)), message)
    return None


def _gather(puzzle: Puzzle, bridges: Iterable[Bridge], found: list[Violation]) -> _Channels:
    """The bridges that join two islands in line, added up by channel; the others become violations."""
    rows, cols, cells = puzzle.rows, puzzle.cols, puzzle.cells
    channels: _Channels = {}
    for bridge in bridges:
        (r1, c1), (r2, c2), count = bridge
        if count == 0:
            continue
        in_line = (r1 == r2) != (c1 == c2)
        on_board = 0 <= r1 < rows and 0 <= r2 < rows and 0 <= c1 < cols and 0 <= c2 < cols
        first, last = r1 * cols + c1, r2 * cols + c2
        if not (in_line and on_board and cells[first] and cells[last]):
            found.append(_not_a_bridge(puzzle, bridge))
            continue
        if count < 0:
            most = puzzle.max_bridges
            message = f"{count} bridges from {place(r1, c1)} to {place(r2, c2)}: a channel carries 0 to {most}"
            found.append(Violation(ViolationCode.TOO_MANY, min(Cell(r1, c1), Cell(r2, c2)), message))
            continue
        ends = (first, last) if first < last else (last, first)
        channels[ends] = channels.get(ends, 0) + count
    return channels


def _not_a_bridge(puzzle: Puzzle, bridge: Bridge) -> Violation:
    """Why a pair of cells is no bridge, at the end that is to blame."""
    start, end = Cell(*bridge[0]), Cell(*bridge[1])
    for cell in (start, end):
        row, col = cell
        if not (0 <= row < puzzle.rows and 0 <= col < puzzle.cols):
            message = f"a bridge ends at {place(row, col)}, outside the board of {puzzle.rows} x {puzzle.cols}"
            return Violation(ViolationCode.NOT_ALIGNED, cell, message)
        if not puzzle.cells[row * puzzle.cols + col]:
            message = f"a bridge ends at {place(row, col)}, where there is no island"
            return Violation(ViolationCode.NOT_ALIGNED, cell, message)
    if start == end:
        message = f"a bridge begins and ends at the same island, {place(*start)}"
    else:
        message = f"{place(*start)} and {place(*end)} are neither in one row nor in one column"
    return Violation(ViolationCode.NOT_ALIGNED, min(start, end), message)


def _lay(
    puzzle: Puzzle, channels: _Channels, found: list[Violation]
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Look at each channel alone: its count, and the islands under it. Returns the horizontal and vertical ones."""
    cols, cells, most = puzzle.cols, puzzle.cells, puzzle.max_bridges
    horizontal: list[tuple[int, int]] = []
    vertical: list[tuple[int, int]] = []
    for ends, count in channels.items():
        first, last = ends
        if last - first < cols and first // cols == last // cols:
            horizontal.append(ends)
            step = 1
        else:
            vertical.append(ends)
            step = cols
        if count > most:
            message = f"{count} bridges from {_place(first, cols)} to {_place(last, cols)}: at most {most}"
            found.append(Violation(ViolationCode.TOO_MANY, Cell(*divmod(first, cols)), message))
        if any(cells[first + step : last : step]):
            for over in range(first + step, last, step):
                if cells[over]:
                    at = Cell(*divmod(over, cols))
                    message = f"a bridge from {_place(first, cols)} to {_place(last, cols)} runs over this island"
                    found.append(Violation(ViolationCode.THROUGH_ISLAND, at, message))
    return horizontal, vertical


def _find_crossings(
    puzzle: Puzzle,
    horizontal: Sequence[tuple[int, int]],
    vertical: Sequence[tuple[int, int]],
    found: list[Violation],
) -> None:
    """Report each cell that has a horizontal and a vertical bridge over it, once."""
    cols = puzzle.cols
    covered = bytearray(len(puzzle.cells))
    for first, last in vertical:
        inside = len(range(first + cols, last, cols))
        covered[first + cols : last : cols] = b"\x01" * inside
    seen: set[int] = set()
    over: dict[int, tuple[int, int]] = {}  # cell -> the first vertical bridge there, once a crossing asks for it
    for first, last in horizontal:
        at = covered.find(1, first + 1, last)
        while at >= 0:
            if at not in seen:
                seen.add(at)
                if not over:
                    for a, b in reversed(vertical):
                        over.update(dict.fromkeys(range(a + cols, b, cols), (a, b)))
                top, bottom = over[at]
                message = (
                    f"the bridge from {_place(first, cols)} to {_place(last, cols)} "
                    f"crosses the one from {_place(top, cols)} to {_place(bottom, cols)}"
                )
                found.append(Violation(ViolationCode.CROSSING, Cell(*divmod(at, cols)), message))
            at = covered.find(1, at + 1, last)


def _find_wrong_degrees(
    puzzle: Puzzle, islands: Sequence[int], channels: Mapping[tuple[int, int], int], found: list[Violation]
) -> None:
    """Report each island whose bridges do not add up to its clue."""
    cols, cells = puzzle.cols, puzzle.cells
    degree = dict.fromkeys(islands, 0)
    for (first, last), count in channels.items():
        degree[first] += count
        degree[last] += count
    for at, has in degree.items():
        clue = cells[at]
        if has != clue and not (clue == UNKNOWN_CLUE and has):
            wanted = "no bridge" if clue == UNKNOWN_CLUE else f"{has} of {clue} bridges"
            message = f"the island at {_place(at, cols)} has {wanted}"
            found.append(Violation(ViolationCode.WRONG_DEGREE, Cell(*divmod(at, cols)), message))


def _find_groups(
    puzzle: Puzzle,
    islands: Sequence[int],
    channels: Iterable[tuple[int, int]],
    found: list[Violation],
    look: Callable[[], object],
) -> None:
    """Report each group of islands that does not hang together with the first island."""
    cols = puzzle.cols
    joined: dict[int, list[int]] = {at: [] for at in islands}
    for first, last in channels:
        joined[first].append(last)
        joined[last].append(first)
    look()
    seen: set[int] = set()
    for start in islands:
        if start in seen:
            continue
        seen.add(start)
        group = [start]
        for at in group:  # grows while it is walked: a breadth-first search
            for other in joined[at]:
                if other not in seen:
                    seen.add(other)
                    group.append(other)
        if start != islands[0]:
            size = "1 island" if len(group) == 1 else f"{len(group)} islands"
            message = (
                f"the group of {size} at {_place(start, cols)} is not connected to the island "
                f"at {_place(islands[0], cols)}"
            )
            found.append(Violation(ViolationCode.DISCONNECTED, Cell(*divmod(start, cols)), message))


def _find_loops(
    puzzle: Puzzle, islands: Sequence[int], channels: Iterable[tuple[int, int]], found: list[Violation]
) -> None:
    """Report each channel that joins two islands which those before it, in row-major order, have joined already."""
    cols = puzzle.cols
    above = {at: at for at in islands}
    for first, last in sorted(channels):
        top, other = first, last
        while above[top] != top:
            above[top] = top = above[above[top]]
        while above[other] != other:
            above[other] = other = above[above[other]]
        if top == other:
            message = f"the bridge from {_place(first, cols)} to {_place(last, cols)} closes a loop"
            found.append(Violation(ViolationCode.LOOP, Cell(*divmod(first, cols)), message))
        above[top] = other


def _place(at: int, cols: int) -> str:
    return place(*divmod(at, cols))
