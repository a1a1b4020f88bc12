"""The simulation of a fleet, where the outcome can be reckoned by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("simpy")

from benchmarks.fleet import between
from benchmarks.fleet_costs import Cost, Costs
from benchmarks.fleet_model import Fleet, simulate

FREE = Cost(0.0, 0.0)
NOTHING = Costs(1e-3, FREE, FREE, FREE, FREE, FREE, FREE, FREE, FREE, FREE, 1.0)
IDEAL = Fleet(workers=2, processes=4, solve=1e-3, round_trip=0.0, commit=0.0)


def test_where_nothing_else_costs_anything_only_solving_counts() -> None:
    load = simulate(IDEAL, NOTHING)
    assert load.puzzles == pytest.approx(8 / 1e-3, rel=0.02)
    assert load.work == pytest.approx(1.0, rel=0.02)
    assert load.wall == ""
    assert load.connections == 10


@pytest.mark.parametrize(
    ("record", "most", "wall"),
    [(Cost(0.0, 0.05), 4000, "database"), (Cost(0.0, 0.0, 25e6), 2000, "disk")],
)
def test_a_server_carries_what_its_cost_allows(record: Cost, most: float, wall: str) -> None:
    load = simulate(replace(IDEAL, cores=2), replace(NOTHING, record=record), seconds=60.0)
    assert load.puzzles == pytest.approx(most, rel=0.1)
    assert load.wall == wall


def test_two_databases_carry_twice_as_much() -> None:
    costs = replace(NOTHING, record=Cost(0.0, 0.1))
    one, two = (simulate(replace(IDEAL, cores=1, databases=number), costs, seconds=60.0) for number in (1, 2))
    assert two.puzzles == pytest.approx(2 * one.puzzles, rel=0.1)


def test_more_processes_than_bells_wait_for_the_sweep() -> None:
    many = replace(IDEAL, workers=1, processes=400, shard=10)
    load = simulate(many, NOTHING)
    assert load.wall == "bells"
    assert load.puzzles == pytest.approx(200 * 10, rel=0.1)  # a sweep a second, which rings 200


def test_on_one_machine_all_share_its_cores() -> None:
    load = simulate(replace(IDEAL, workers=4, processes=1, machine=2), NOTHING)
    assert load.puzzles == pytest.approx(2 / 1e-3, rel=0.02)
    assert load.cpu == pytest.approx(2.0, rel=0.02)


def test_costs_are_read_as_they_were_written() -> None:
    assert Costs.from_json(NOTHING.to_json()) == NOTHING
    kept = Path(__file__).parents[3] / "docs" / "scale" / "costs.json"
    assert Costs.from_json(kept.read_text(encoding="utf-8")).record.server > 0


def test_a_table_goes_between_its_marks() -> None:
    page = "a\n<!-- x: begin -->\nold\n<!-- x: end -->\nb\n"
    assert between(page, "x", "new") == "a\n<!-- x: begin -->\nnew\n<!-- x: end -->\nb\n"
    with pytest.raises(SystemExit, match="the marks of 'y'"):
        between(page, "y", "new")
