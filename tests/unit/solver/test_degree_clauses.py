from __future__ import annotations

from itertools import combinations_with_replacement, product

import pytest

from kakehashi.solver.degree_clauses import Clause, degree_clauses

PATTERNS = [
    (widths, total)
    for k in range(5)
    for widths in combinations_with_replacement((0, 1, 2), k)
    for total in range(sum(widths) + 1)
]


def literals(point: tuple[int, ...], widths: tuple[int, ...]) -> set[int]:
    """The literals that are true when channel j gives point[j] bridges."""
    true: set[int] = set()
    for x, width in zip(point, widths, strict=True):
        first = len(true) + 1
        true |= {first + step if x > step else -(first + step) for step in range(width)}
    return true


def models(widths: tuple[int, ...], clauses: tuple[Clause, ...]) -> set[tuple[int, ...]]:
    points = product(*(range(width + 1) for width in widths))
    return {point for point in points if all(literals(point, widths) & set(clause) for clause in clauses)}


def points(widths: tuple[int, ...], total: int) -> set[tuple[int, ...]]:
    return {point for point in product(*(range(width + 1) for width in widths)) if sum(point) == total}


@pytest.mark.parametrize(("widths", "total"), PATTERNS)
def test_the_clauses_allow_exactly_the_sum(widths: tuple[int, ...], total: int) -> None:
    assert models(widths, degree_clauses(widths, total, total)) == points(widths, total)


@pytest.mark.parametrize(("widths", "total"), PATTERNS)
def test_no_clause_can_be_left_out(widths: tuple[int, ...], total: int) -> None:
    clauses = degree_clauses(widths, total, total)
    for k in range(len(clauses)):
        assert models(widths, clauses[:k] + clauses[k + 1 :]) > points(widths, total)


@pytest.mark.parametrize(("widths", "total"), PATTERNS)
def test_no_literal_can_be_left_out(widths: tuple[int, ...], total: int) -> None:
    right = [literals(point, widths) for point in points(widths, total)]
    for clause in degree_clauses(widths, total, total):
        for literal in clause:
            shorter = set(clause) - {literal}
            assert any(not shorter & true for true in right), (clause, literal)


@pytest.mark.parametrize(("widths", "total"), [((), 1), ((1, 1), 3), ((2, 0), 3), ((2, 2), -1)])
def test_a_sum_that_cannot_be_is_the_empty_clause(widths: tuple[int, ...], total: int) -> None:
    assert degree_clauses(widths, total, total) == ((),)


@pytest.mark.parametrize(("widths", "total"), PATTERNS)
@pytest.mark.parametrize("more", [1, 2, 9])
def test_a_range_of_sums(widths: tuple[int, ...], total: int, more: int) -> None:
    wanted = {point for sum_ in range(total, total + more + 1) for point in points(widths, sum_)}
    assert models(widths, degree_clauses(widths, total, total + more)) == wanted


def test_channels_keep_their_places() -> None:
    assert set(degree_clauses((1, 0, 2), 3, 3)) == {(1,), (3,)}


def test_each_pattern_is_computed_once() -> None:
    assert degree_clauses((2, 2, 1), 3, 3) is degree_clauses((2, 2, 1), 3, 3)
