from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.plots import INKS, family, largest_samples, unit, without_sample
from benchmarks.records import Logged
from benchmarks.rivals.registry import NAMES
from tests.unit.benchmarks.measurements import measurement


def test_every_rival_has_a_colour_and_a_marker_of_its_own() -> None:
    assert INKS.keys() == set(NAMES)
    assert len({ink.colour for ink in INKS.values()}) == len({ink.marker for ink in INKS.values()}) == len(NAMES)


@pytest.mark.parametrize(
    ("name", "bare", "kind"),
    [("ones1000", "ones1000", "ones"), ("coelho400 (12 of 180)", "coelho400", "coelho"), ("2048", "2048", "2048")],
)
def test_what_sets_are_called_without_their_sample_and_size(name: str, bare: str, kind: str) -> None:
    assert without_sample(name) == bare
    assert family(name) == kind


def test_of_two_runs_of_a_set_the_larger_is_drawn() -> None:
    small = [measurement(set_name="x (1 of 2)")]
    large = [measurement(puzzle, set_name="x") for puzzle in "ab"]
    logs = [Logged(Path(), (), (), tuple(taken)) for taken in (small, large, small)]
    assert largest_samples(logs) == [large]


@pytest.mark.parametrize(("seconds", "text"), [(1e-5, "10 us"), (0.001, "1 ms"), (0.5, "500 ms"), (10.0, "10 s")])
def test_ticks_have_units(seconds: float, text: str) -> None:
    assert unit(seconds) == text
