from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given

from kakehashi.puzzle import Puzzle
from kakehashi.solver import Deadline, OutOfTime
from kakehashi.solver.encoding import Encoding
from kakehashi.solver.propagation import propagate
from tests.unit.solver.boards import board, random_boards, small_boards

OPEN = board("2.3.2", ".....", "3.4.3", ".....", "2.3.2")


def encode(puzzle: Puzzle) -> tuple[Encoding, list[Sequence[int]]]:
    residual = propagate(puzzle.graph, Deadline())
    assert residual is not None
    encoding = Encoding(puzzle.graph, residual, Deadline())
    clauses: list[Sequence[int]] = []
    encoding.add_clauses(clauses.append)
    return encoding, clauses


def open_puzzles(count: int) -> list[Puzzle]:
    """Boards that propagation alone does not decide."""
    found = []
    for puzzle in random_boards(2000, seed=3):
        residual = propagate(puzzle.graph, Deadline())
        if residual is not None and 0 < len(residual.undecided) <= 5:
            found.append(puzzle)
    assert len(found) >= count
    return found[:count]


def satisfying(clauses: list[Sequence[int]], variables: int) -> list[list[int]]:
    models = []
    for signs in product((-1, 1), repeat=variables):
        model = [sign * variable for variable, sign in enumerate(signs, 1)]
        if all(any(model[abs(literal) - 1] == literal for literal in clause) for clause in clauses):
            models.append(model)
    return models


def right_degrees(puzzle: Puzzle, encoding: Encoding) -> set[bytes]:
    """By brute force over the undecided channels: all values with right sums and no crossing, connected or not."""
    graph = puzzle.graph
    residual = propagate(graph, Deadline())
    assert residual is not None
    ranges = [range(lo, hi + 1) for lo, hi in zip(residual.lo, residual.hi, strict=True)]
    found = set()
    for values in product(*ranges):
        sums = [sum(values[e] for e in channels) for channels in residual.incident]
        crosses = any(
            values[e] and values[f]
            for e in range(graph.m)
            for f in graph.crossing[graph.crossing_start[e] : graph.crossing_start[e + 1]]
        )
        if sums == list(graph.clue_most) and not crosses:
            found.add(bytes(values))
    return found


def test_the_models_are_the_values_with_right_sums() -> None:
    for puzzle in open_puzzles(25):
        encoding, clauses = encode(puzzle)
        variables = sum(map(len, encoding.ladders))
        values = [encoding.values(model) for model in satisfying(clauses, variables)]
        assert len(values) == len(set(values)), "each choice of values has one model"
        assert set(values) == right_degrees(puzzle, encoding)


def test_blocking_takes_one_solution_away_and_no_other() -> None:
    for puzzle in open_puzzles(25):
        encoding, clauses = encode(puzzle)
        variables = sum(map(len, encoding.ladders))
        models = satisfying(clauses, variables)
        for model in models:
            blocking = encoding.blocking(encoding.values(model))
            assert [m for m in models if not any(m[abs(k) - 1] == k for k in blocking)] == [model]


def test_variables_are_numbered_without_gaps_connecting_channels_first() -> None:
    encoding, _ = encode(OPEN)
    variables = sorted(variable for ladder in encoding.ladders for variable in ladder)
    assert variables == list(range(1, len(variables) + 1))
    assert [encoding.ladders[e][0] for e in encoding.connecting] == list(range(1, len(encoding.connecting) + 1))


def test_phases_ask_for_one_bridge_but_not_for_two() -> None:
    encoding, _ = encode(OPEN)
    assert sorted(map(abs, encoding.phases)) == sorted(variable for ladder in encoding.ladders for variable in ladder)
    assert {literal for literal in encoding.phases if literal > 0} == {
        ladder[0] for ladder in encoding.ladders if ladder
    }


@given(small_boards)
def test_no_clause_is_empty_or_a_unit(puzzle: Puzzle) -> None:
    if propagate(puzzle.graph, Deadline()) is not None:
        assert all(len(clause) > 1 for clause in encode(puzzle)[1])


def test_each_step_looks_at_the_deadline() -> None:
    encoding, _ = encode(OPEN)
    encoding._deadline = Deadline(0)
    with pytest.raises(OutOfTime):
        _ = encoding.phases
    with pytest.raises(OutOfTime):
        encoding.add_clauses(lambda clause: None)
