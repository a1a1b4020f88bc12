from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.records import Clock, Status
from benchmarks.tables import by_runner, markdown, puzzle_seconds, ratio, row, shown, summary, times, totals, uniqueness
from tests.unit.benchmarks.measurements import measurement


def test_the_time_of_a_puzzle_is_the_median_of_its_repeats() -> None:
    taken = [measurement("a", seconds=seconds, repeat=k) for k, seconds in enumerate((3.0, 1.0, 2.0))]
    assert puzzle_seconds([*taken, measurement("b", seconds=7.0)]) == {"a": 2.0, "b": 7.0}


def test_a_time_out_counts_as_the_budget_however_late_it_was_noticed() -> None:
    late = measurement(seconds=21.5, budget=20.0, status=Status.TIMEOUT)
    early = measurement(seconds=19.0, budget=20.0, status=Status.TIMEOUT)
    assert [puzzle_seconds([one])["a"] for one in (late, early)] == [20.0, 20.0]


def test_totals_are_those_of_each_alternation() -> None:
    taken = [measurement(p, seconds=s, repeat=k) for p, s, k in (("a", 1, 0), ("b", 2, 0), ("a", 3, 1), ("b", 4, 1))]
    assert totals(taken) == {0: 3, 1: 7}


def test_a_ratio_is_the_median_of_the_ratios_of_the_alternations_not_the_ratio_of_medians() -> None:
    ours = [measurement(seconds=s, repeat=k) for k, s in enumerate((1.0, 2.0, 10.0))]
    theirs = [measurement(rival="clingo", seconds=s, repeat=k) for k, s in enumerate((5.0, 20.0, 20.0))]
    assert ratio(theirs, ours) == 5.0  # of 5, 10 and 2; the medians of the totals would say 10


def test_a_ratio_without_a_common_alternation_is_refused() -> None:
    with pytest.raises(ValueError, match="same alternation"):
        ratio([measurement(repeat=0)], [measurement(repeat=1)])


@given(st.lists(st.floats(0.001, 100), min_size=1, max_size=6), st.floats(0.1, 50))
def test_a_rival_that_is_always_so_many_times_slower_has_that_ratio(seconds: list[float], factor: float) -> None:
    ours = [measurement(seconds=s, repeat=k) for k, s in enumerate(seconds)]
    theirs = [measurement(rival="clingo", seconds=s * factor, repeat=k) for k, s in enumerate(seconds)]
    assert ratio(theirs, ours) == pytest.approx(factor)


def test_a_row_has_median_largest_total_and_what_was_not_decided() -> None:
    taken = [
        measurement(puzzle, seconds=seconds, repeat=repeat, status=status)
        for repeat in range(3)
        for puzzle, seconds, status in (
            ("a", 1.0 + repeat, Status.SOLVED),
            ("b", 5.0, Status.TIMEOUT),
            ("c", 3.0, Status.WRONG),
        )
    ]
    found = row(taken)
    assert (found.puzzles, found.median, found.largest, found.total) == (3, 3.0, 20.0, 25.0)
    assert (found.timeouts, found.wrong) == (1, 1)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0.001, 20)), min_size=1))
def test_a_row_lies_between_the_fastest_and_the_slowest(pairs: list[tuple[str, float]]) -> None:
    found = row([measurement(puzzle, seconds=seconds, repeat=k) for k, (puzzle, seconds) in enumerate(pairs)])
    seconds = [each for _, each in pairs]
    assert min(seconds) <= found.median <= found.largest <= max(seconds)
    assert found.total == statistics.median(seconds)


def test_a_summary_has_a_line_for_each_rival_and_a_column_for_the_whole() -> None:
    taken = [
        measurement(seconds=0.001),
        measurement(seconds=0.004, clock=Clock.WHOLE),
        measurement(rival="clingo", seconds=20.0, status=Status.TIMEOUT),
    ]
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in summary(taken).splitlines()[2:]]
    assert lines[0][-2:] == ["`kakehashi.solve`: median", "total"]
    assert lines[2] == ["native", "1.00 ms", "1.00 ms", "1.00 ms", "1.00", "-", "4.00 ms", "4.00 ms"]
    assert lines[3] == ["clingo", "20.0 s", "20.0 s", "20.0 s", "> 20,000", "1", "", ""]


def test_a_summary_without_the_whole_has_no_column_for_it() -> None:
    assert "kakehashi.solve" not in summary([measurement()])


def test_runners_stand_in_the_order_of_the_registry() -> None:
    taken = [measurement(rival="highs"), measurement(clock=Clock.UNIQUE), measurement(rival="pysat"), measurement()]
    assert list(by_runner(taken)) == [
        ("native", Clock.VALUES), ("native", Clock.UNIQUE), ("pysat", Clock.VALUES), ("highs", Clock.VALUES),
    ]  # fmt: skip


def test_uniqueness_counts_answers_and_compares_with_the_plain_solve() -> None:
    taken = [
        *(measurement(puzzle, seconds=1.0) for puzzle in "abc"),
        measurement("a", seconds=2.0, clock=Clock.UNIQUE, unique=True),
        measurement("b", seconds=2.0, clock=Clock.UNIQUE, unique=False),
        measurement("c", seconds=2.0, clock=Clock.UNIQUE, status=Status.TIMEOUT, budget=2.0),
    ]
    assert uniqueness(taken) == [["set", "native", "1", "1", "1", "3.00 s", "6.00 s", "> 2.00"]]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0000123, "12.3 us"),
        (0.001, "1.00 ms"),
        (0.0456, "45.6 ms"),
        (0.9996, "1000 ms"),
        (1.5, "1.50 s"),
        (123.4, "123 s"),
    ],
)
def test_times_have_three_digits_and_a_unit(seconds: float, text: str) -> None:
    assert shown(seconds) == text


@pytest.mark.parametrize(("factor", "text"), [(1.234, "1.23"), (45.67, "45.7"), (1234.5, "1,234")])
def test_ratios(factor: float, text: str) -> None:
    assert times(factor) == text
    assert times(factor, at_least=True) == f"> {text}"


def test_a_table_is_aligned() -> None:
    assert markdown([["set", "n"], ["coelho", "12"]]) == "| set    |   n |\n|--------|----:|\n| coelho |  12 |"
