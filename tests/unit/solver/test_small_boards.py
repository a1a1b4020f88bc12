"""Small boards as they are read, under both policies and other rules, with counts that a person can verify."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from kakehashi.formats import FormatError, parse
from kakehashi.puzzle import Puzzle, Solution, Touching, Uniqueness, Verdict, check
from kakehashi.solver import Deadline, Engine, solve

INVALID = None
"""No puzzle at all."""


class Counts(NamedTuple):
    """Solutions of a board."""

    join: int | None
    """Touching islands may be bridged."""
    reject: int | None
    """They make the board invalid."""
    cap1: int | None
    """At most one bridge in a channel."""
    cap3: int | None
    """At most three."""


BOARDS = {
    "a pair of 1": ("1..1", Counts(1, 1, 1, 1)),
    "a pair of 2": ("2..2", Counts(1, 1, 0, 1)),
    "a pair of 3": ("3..3", Counts(0, 0, 0, 1)),
    "a pair without numbers": ("?..?", Counts(2, 2, 1, 3)),
    "one number of two": ("?..2", Counts(1, 1, 0, 1)),
    "a lone island": ("1", Counts(0, 0, 0, 0)),
    "a lone island without a number": (".?.", Counts(0, 0, 0, 0)),
    "no island": ("...", Counts(INVALID, INVALID, INVALID, INVALID)),
    "a clue of 9": ("9..9", Counts(INVALID, INVALID, INVALID, 0)),
    "touching in a corner": ("21/1.", Counts(1, INVALID, 1, 1)),
    "touching without numbers": ("??", Counts(2, INVALID, 1, 3)),
    "two pairs": ("1.1/.../1.1", Counts(0, 0, 0, 0)),
    "a ring of 2": ("2.2/.../2.2", Counts(1, 1, 1, 1)),
    "a ring of 3": ("3.3/.../3.3", Counts(2, 2, 0, 2)),
    # all four channels, or any three of them: most**4 + 4 * most**3
    "a ring without numbers": ("?.?/.../?.?", Counts(48, 48, 5, 189)),
    "a cross": ("..1../...../1.4.1/...../..1..", Counts(1, 1, 1, 1)),
    "a cross around no number": ("..1../...../1.?.1/...../..1..", Counts(1, 1, 1, 1)),
    "a touching cross": (".1./1?1/.1.", Counts(1, INVALID, 1, 1)),
    "bridges that cross": (".1./1.1/.1.", Counts(0, 0, 0, 0)),
}
CASES = [
    pytest.param(text, column, count, id=f"{name}-{column}")
    for name, (text, counts) in BOARDS.items()
    for column, count in counts._asdict().items()
]


def read(text: str, column: str) -> Puzzle:
    touching = Touching.REJECT if column == "reject" else Touching.JOIN
    most = {"cap1": 1, "cap3": 3}.get(column)
    return parse(text.replace("/", "\n") + "\n", format="text", touching=touching, max_bridges=most)


@pytest.mark.parametrize(("text", "column", "count"), CASES)
def test_counts(real_engine: Engine, text: str, column: str, count: int | None) -> None:
    if count is INVALID:
        with pytest.raises(FormatError):
            read(text, column)
        return
    puzzle = read(text, column)
    found = set()
    with real_engine.open(puzzle.graph, Deadline()) as search:
        while (values := search.next_solution()) is not None:
            assert check(puzzle, Solution(puzzle, values).bridges) == []
            found.add(bytes(values))
    assert len(found) == count


@pytest.mark.parametrize(("text", "column", "count"), [case for case in CASES if case.values[2] is not INVALID])
def test_verdicts(engine_name: str, text: str, column: str, count: int) -> None:
    outcome = solve(read(text, column), engine=engine_name, unique=True)
    if count == 0:
        assert outcome.verdict is Verdict.INFEASIBLE
    else:
        assert outcome.verdict is Verdict.SOLVED
        assert outcome.uniqueness is (Uniqueness.UNIQUE if count == 1 else Uniqueness.MULTIPLE)
