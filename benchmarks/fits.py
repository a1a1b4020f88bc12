"""Power laws: how a time or a size grows with the number of islands."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

FEWEST = 4
"""Points that a law is drawn through."""

SPAN = 3.0
"""How many times the smallest number of islands the largest has to be: an exponent says nothing over a narrow range."""


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """`factor * x ** exponent`."""

    factor: float
    exponent: float

    def at(self, x: float) -> float:
        """The value at x."""
        return float(self.factor * x**self.exponent)


def power_law(xs: Sequence[float], ys: Sequence[float]) -> PowerLaw | None:
    """The law with the least squares of the logarithms; None where there are too few points, or they are too close.

    Args:
        xs, ys: of equal length, above 0.
    """
    if len(xs) < FEWEST or max(xs) < SPAN * min(xs):
        return None
    exponent, intercept = statistics.linear_regression([math.log(x) for x in xs], [math.log(y) for y in ys])
    return PowerLaw(math.exp(intercept), exponent)
