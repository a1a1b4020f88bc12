from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.make_puzzles import Mix
from benchmarks.sets import RECIPES, Named, PuzzleSet, Recipe, data_set, load, made
from kakehashi import Puzzle, Verdict, solve

PAIR = Puzzle.from_rows([[1, 0, 1]])


def names(puzzles: PuzzleSet) -> list[str]:
    return [named.name for named in puzzles.puzzles]


@given(st.integers(1, 60), st.integers(0, 70))
def test_a_sample_is_spread_evenly(total: int, size: int) -> None:
    puzzles = PuzzleSet("all", tuple(Named(str(k), PAIR) for k in range(total)))
    sample = puzzles.sample(size)
    if not 0 < size < total:
        assert sample is puzzles
        return
    assert sample.name == f"all ({size} of {total})"
    places = [int(named.name) for named in sample.puzzles]
    assert len(places) == size
    gaps = {b - a for a, b in zip(places, [*places[1:], total], strict=True)}
    assert gaps <= {total // size, total // size + 1}


def test_a_folder_is_read_and_chosen_from(tmp_path: Path) -> None:
    for name in ("a_100", "b_100", "c_200"):
        (tmp_path / f"{name}.txt").write_text("1 0 1\n")
    assert len(load(str(tmp_path)).puzzles) == 3
    chosen = load(str(tmp_path), select="_100", label="hundred")
    assert (chosen.name, len(chosen.puzzles)) == ("hundred", 2)
    with pytest.raises(ValueError, match="no puzzle"):
        load(str(tmp_path), select="_300")


def test_a_data_set_is_read(tmp_path: Path) -> None:
    data = {"data": {"small": {"problem": "1 3\n2 - 2", "solution": "1 3\n- 2 -"}}}
    (tmp_path / "some.json").write_text(json.dumps(data))
    for source in (tmp_path, tmp_path / "some.json"):
        assert load(str(source)).puzzles == (Named("small", Puzzle.from_rows([[2, 0, 2]])),)


def test_a_data_set_whose_header_is_wrong_is_refused() -> None:
    with pytest.raises(ValueError, match="small: the header says 2 x 3"):
        list(data_set({"small": {"problem": "2 3\n2 - 2"}}))


def test_other_rules_than_the_classic_ones_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.sets.read", lambda _: [("ones", Puzzle.from_rows([[1, 0, 1]], max_bridges=1))])
    with pytest.raises(ValueError, match="classic"):
        load(str(tmp_path))


def test_a_recipe_makes_the_same_boards_each_time_and_they_have_a_solution() -> None:
    recipe = Recipe(12, 40, Mix(double=0.05, close=0.4), count=3)
    boards = list(made(recipe))
    assert boards == list(made(recipe))
    assert len({named.puzzle.digest for named in boards}) == 3
    for named in boards:
        assert named.puzzle.island_count == 40
        assert solve(named.puzzle, budget=30).verdict is Verdict.SOLVED


def test_islands_that_do_not_fit_are_an_error() -> None:
    with pytest.raises(ValueError, match="fit"):
        list(made(Recipe(3, 10, Mix(), count=1)))


def test_a_mix_of_ones_has_small_clues() -> None:
    ones, easy = (load(f"made:{name}", count=2) for name in ("ones400", "easy400"))
    assert (ones.name, len(ones.puzzles)) == ("ones400", 2)
    low, high = (
        sum(island.clue for named in each.puzzles for island in named.puzzle.islands) / 800 for each in (ones, easy)
    )
    assert low < 2.5
    assert high > 3


def test_a_recipe_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ValueError, match=f"known are {next(iter(RECIPES))}"):
        load("made:nothing")
