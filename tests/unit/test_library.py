from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import kakehashi
from kakehashi import Bridge, Cell, FormatError, InvalidPuzzle, Outcome, Puzzle, Termination, Verdict
from kakehashi.solver.engines import judge_of

EXAMPLES = Path(__file__).parents[2] / "examples"
BROKEN = Path(__file__).parents[2] / "examples-broken"

STATEMENT = [
    [0, 0, 2, 0, 3, 0, 3],
    [4, 0, 0, 0, 0, 2, 0],
    [0, 0, 0, 0, 0, 0, 0],
    [6, 0, 0, 0, 0, 2, 0],
    [0, 0, 0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0, 0, 0],
    [4, 0, 0, 0, 0, 0, 4],
]


def test_every_public_name_is_there() -> None:
    for name in kakehashi.__all__:
        assert getattr(kakehashi, name) is not None
    assert set(kakehashi.__all__) <= set(dir(kakehashi))
    with pytest.raises(AttributeError, match="module 'kakehashi' has no attribute 'solv'"):
        _ = kakehashi.solv


def test_importing_the_package_loads_no_solver_and_no_service() -> None:
    program = "import sys, kakehashi; print(*sorted(name for name in sys.modules if name.startswith('kakehashi')))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert loaded == ["kakehashi"]
    program = (
        "import sys, kakehashi; list(kakehashi.read('1 1\\n')); print('pysat' in sys.modules, 'celery' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert result == "False False\n"


def test_render_is_a_function_whatever_was_imported_before() -> None:
    program = "import kakehashi.render.terminal, kakehashi; print(kakehashi.render(kakehashi.parse('1 0 1')), end='')"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout.decode()
    assert result == "1 · 1\n"


@pytest.mark.parametrize("given", [STATEMENT, "\n".join(" ".join(map(str, row)) for row in STATEMENT)])
def test_the_statements_puzzle(given: list[list[int]] | str) -> None:
    outcome = kakehashi.solve(given, unique=True)
    assert isinstance(outcome, Outcome)
    assert (outcome.verdict, outcome.termination) == (Verdict.SOLVED, Termination.COMPLETED)
    solution = outcome.solution
    assert solution is not None
    assert solution.grid is not None
    for answer in (solution, solution.bridges, list(solution.bridges), solution.grid, iter(solution.bridges)):
        assert kakehashi.check(given, answer) == []
        assert kakehashi.check(outcome.puzzle, solution) == []
    assert kakehashi.render(outcome.puzzle, solution).startswith("· · 2═══3───3\n")


def test_a_second_engine_is_asked_when_that_is_wanted() -> None:
    apart = [[1, 0, 1], [0, 0, 0], [1, 0, 1]]
    first = kakehashi.solve(apart)
    assert (first.verdict, first.confirmed_by, first.confirm_ms) == (Verdict.INFEASIBLE, None, None)
    judge = judge_of(first.engine)
    for confirm in ("auto", "all", kakehashi.Confirm.ALL):
        assert kakehashi.solve(apart, confirm=confirm).confirmed_by == (judge.name if judge else None)
    with pytest.raises(kakehashi.UsageError, match="'some' is not one of none, auto, all"):
        kakehashi.solve(apart, confirm="some")


def test_wrong_answers_are_told() -> None:
    assert {v.code for v in kakehashi.check("2 0 2", [[2, -1, 2]])} == {"wrong_degree"}
    assert {v.code for v in kakehashi.check("2 0 2", [Bridge(Cell(0, 0), Cell(0, 2), 3)])} == {
        "too_many",
        "wrong_degree",
    }
    assert {v.code for v in kakehashi.check("2 0 2", [])} == {"wrong_degree", "disconnected"}


def test_what_makes_no_puzzle_is_an_error() -> None:
    with pytest.raises(InvalidPuzzle, match="the clue 9 at row 1, column 3"):
        kakehashi.solve([[1, 0, 9]])
    with pytest.raises(FormatError, match="line 1, column 5: expected a clue"):
        kakehashi.solve("1 0 9")
    with pytest.raises(FormatError, match="expected one puzzle, found several"):
        kakehashi.solve("1 1\n\n1 1")


def test_every_example_can_be_read_and_has_a_verdict() -> None:
    entries = list(kakehashi.read(EXAMPLES))
    assert len(entries) >= 36
    assert [str(entry.error) for entry in entries if entry.error] == []
    assert [entry.note for entry in entries if entry.note] == []
    puzzles = [entry.puzzle for entry in entries if entry.puzzle is not None]
    assert max(len(puzzle.islands) for puzzle in puzzles) == 200
    verdicts = [kakehashi.solve(puzzle, budget=60).verdict for puzzle in puzzles]
    assert sorted(set(verdicts)) == ["infeasible", "solved"]


def test_the_broken_examples_say_what_their_readme_says() -> None:
    readme = (BROKEN / "README.md").read_text(encoding="utf-8")
    for entry in kakehashi.read(BROKEN):
        name = entry.name.removeprefix(f"{BROKEN}/")
        if entry.error is not None:
            said = str(entry.error).removeprefix(f"{BROKEN}/")
        else:
            assert isinstance(entry.puzzle, Puzzle)
            outcome = kakehashi.solve(entry.puzzle)
            said = outcome.verdict + (f": {outcome.error}" if outcome.error else "")
        assert f"| `{name}` | {said}" in readme


def test_an_answer_may_be_a_text_in_any_format() -> None:
    assert kakehashi.check("3x3:2a2f", "L0,0,2,0,2") == []
    assert kakehashi.check("2 0 2", "2 -3 2") == []
    assert [violation.code for violation in kakehashi.check("2 0 2", "2 -1 2")] == ["wrong_degree", "wrong_degree"]
