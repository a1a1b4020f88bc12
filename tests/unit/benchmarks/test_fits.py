from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.fits import power_law


@given(st.floats(1e-6, 10), st.floats(-1, 3), st.lists(st.integers(1, 10**5), min_size=4, max_size=20, unique=True))
def test_points_of_a_power_law_give_it_back(factor: float, exponent: float, sizes: list[int]) -> None:
    law = power_law(sizes, [factor * size**exponent for size in sizes])
    if max(sizes) < 3 * min(sizes):
        assert law is None
    else:
        assert law is not None
        assert law.exponent == pytest.approx(exponent, abs=1e-6)
        assert law.at(50) == pytest.approx(factor * 50**exponent, rel=1e-4)


def test_a_slow_and_a_fast_one_at_each_size_leave_the_exponent_alone() -> None:
    law = power_law([10, 10, 100, 100], [1, 4, 10, 40])
    assert law is not None
    assert law.exponent == pytest.approx(1)
    assert law.factor == pytest.approx(0.2)


@pytest.mark.parametrize("sizes", [[1, 10, 100], [100, 110, 120, 250], []])
def test_few_points_or_a_narrow_range_give_no_law(sizes: list[int]) -> None:
    assert power_law(sizes, [1.0] * len(sizes)) is None
