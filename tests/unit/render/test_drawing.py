from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from kakehashi.puzzle import check
from kakehashi.render.drawing import Channel, Look, Water, drawing
from tests.unit.render.boards import answers, board, bridge, bridged, puzzles, senseless

if TYPE_CHECKING:
    from kakehashi.puzzle import Bridge, Puzzle, Solution

LOOKS = {Look.PLAIN: ".", Look.DONE: "d", Look.WRONG: "w"}

CROSSED = board(".1..", "1..2", "....", ".1.1")


def looks(puzzle: Puzzle, bridges: list[Bridge], *, judged: bool = False) -> tuple[str, str]:
    """The looks of the islands and of the channels, a letter each."""
    made = drawing(puzzle, bridges, violations=check(puzzle, bridges) if judged else ())
    islands = "".join(LOOKS[disc.look] for disc in made.discs)
    return islands, "".join(LOOKS[channel.look] for channel in made.channels)


def test_water_is_what_holds_neither_island_nor_bridge() -> None:
    puzzle = board("1..1.", ".....", "1....")
    assert drawing(puzzle).water == [Water(0, 1, 2), Water(0, 4, 4), Water(1, 0, 4), Water(2, 1, 4)]
    made = drawing(puzzle, [bridge((0, 0), (0, 3)), bridge((0, 0), (2, 0))])
    assert made.water == [Water(0, 4, 4), Water(1, 1, 4), Water(2, 1, 4)]


def test_islands_that_are_done_stand_out_while_others_are_not() -> None:
    puzzle = board("1.2.1", "..?..")
    assert looks(puzzle, []) == ("....", "")
    assert looks(puzzle, [bridge((0, 0), (0, 2))]) == ("d...", ".")
    assert looks(puzzle, [bridge((0, 0), (0, 2)), bridge((0, 2), (1, 2))]) == ("dd.d", "..")
    assert looks(board("1.2.1"), [bridge((0, 0), (0, 2)), bridge((0, 2), (0, 4))]) == ("...", "..")


@pytest.mark.parametrize(
    ("bridges", "islands", "channels", "crosses"),
    [
        ([bridge((0, 1), (3, 1)), bridge((1, 0), (1, 3), 2)], "dwddw", "ww", [(1, 1)]),
        ([bridge((0, 1), (3, 1)), bridge((1, 3), (3, 3), 3)], "dwwdw", ".w", []),
        ([bridge((0, 1), (3, 1)), bridge((2, 1), (3, 1))], "dww.w", "ww", [(2, 1)]),
        ([bridge((9, 5), (9, 9))], "wwwww", "", []),
    ],
)
def test_what_the_checker_complains_of_stands_out(
    bridges: list[Bridge], islands: str, channels: str, crosses: list[tuple[int, int]]
) -> None:
    made = drawing(CROSSED, bridges, violations=check(CROSSED, bridges))
    assert (looks(CROSSED, bridges, judged=True), made.crosses) == ((islands, channels), crosses)


def test_a_bridge_that_runs_over_an_island_is_wrong() -> None:
    puzzle = board("1.1.1")
    assert looks(puzzle, [bridge((0, 0), (0, 4))], judged=True)[1] == "w"


def test_bridges_of_one_channel_add_up_whichever_end_comes_first() -> None:
    puzzle = board("2.2")
    made = drawing(puzzle, [bridge((0, 0), (0, 2)), bridge((0, 2), (0, 0))])
    assert made.channels == [Channel(bridge((0, 0), (0, 2))[0], bridge((0, 0), (0, 2))[1], 2, Look.PLAIN)]


def test_the_words_for_those_who_do_not_see_it() -> None:
    puzzle = board("5.8.?", max_bridges=4)
    assert drawing(puzzle).title == "Bridges puzzle, 1 x 5"
    assert drawing(puzzle).description == "3 islands; at most 4 bridges in a channel"
    answered = drawing(bridged(puzzle, bridge((0, 0), (0, 2), 4), bridge((0, 2), (0, 4), 1)).puzzle, title="No.\x00 1")
    assert answered.title == "No.\ufffd 1"
    made = drawing(puzzle, bridged(puzzle, bridge((0, 0), (0, 2), 4), bridge((0, 2), (0, 4), 1)))
    assert made.title == "Bridges puzzle, 1 x 5, with bridges"
    assert made.description == "3 islands; at most 4 bridges in a channel; single bridges: 1; 4-fold bridges: 1"


@given(answers())
def test_every_cell_is_an_island_a_bridge_or_water(solution: Solution) -> None:
    made = drawing(solution.puzzle, solution)
    water = {(row, col) for row, first, last in made.water for col in range(first, last + 1)}
    bridges = {
        (row, col)
        for (r1, c1), (r2, c2), _ in solution.bridges
        for row in range(r1, r2 + 1)
        for col in range(c1, c2 + 1)
    }
    islands = {(disc.row, disc.col) for disc in made.discs}
    assert not water & (bridges | islands)
    assert len(water | bridges | islands) == solution.puzzle.rows * solution.puzzle.cols
    assert sum(channel.strokes for channel in made.channels) == sum(count for _, _, count in solution.bridges)


@given(puzzles(), senseless)
def test_only_what_lies_on_the_board_is_drawn(puzzle: Puzzle, bridges: list[Bridge]) -> None:
    made = drawing(puzzle, bridges, violations=check(puzzle, bridges))
    for channel in made.channels:
        assert 1 <= channel.strokes <= 4
        assert channel.start < channel.end
        for row, col in (channel.start, channel.end):
            assert 0 <= row < puzzle.rows
            assert 0 <= col < puzzle.cols
    assert all(0 <= row < puzzle.rows and 0 <= col < puzzle.cols for row, col in made.crosses)
