from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.formats import parse
from kakehashi.puzzle import Bridge, Cell, Puzzle, ViolationCode, bridge_between, check, check_grid
from kakehashi.puzzle.answer_grid import encode
from tests.support.boards import puzzles, solved
from tests.unit.solver.boards import board

V = ViolationCode

Answer = list[tuple[tuple[int, int], tuple[int, int], int]]


def bridges(*given: tuple[tuple[int, int], tuple[int, int], int]) -> list[Bridge]:
    return [Bridge(Cell(*a), Cell(*b), n) for a, b, n in given]


def found(puzzle: Puzzle, answer: list[Bridge]) -> list[tuple[str, tuple[int, int]]]:
    return [(violation.code, violation.at) for violation in check(puzzle, answer)]


# One board for each way to be wrong. A board that breaks one rule usually leaves a clue short too; where it can, it
# does not.
WRONG = [
    pytest.param("2.2", [((0, 0), (0, 2), 1)], [("wrong_degree", (0, 0)), ("wrong_degree", (0, 2))], id="too few"),
    pytest.param("1.1", [((0, 0), (0, 2), 2)], [("wrong_degree", (0, 0)), ("wrong_degree", (0, 2))], id="one too many"),
    pytest.param("2.2", [], [("wrong_degree", (0, 0)), ("disconnected", (0, 2)), ("wrong_degree", (0, 2))], id="none"),
    pytest.param("3.3", [((0, 0), (0, 2), 3)], [("too_many", (0, 0))], id="three in a channel"),
    pytest.param("4.4", [((0, 0), (0, 2), 2), ((0, 2), (0, 0), 2)], [("too_many", (0, 0))], id="two and two"),
    pytest.param("8.8", [((0, 0), (0, 2), 10**30)], "too_many wrong_degree", id="a number beyond all bounds"),
    pytest.param("1.1", [((0, 0), (0, 2), 1), ((0, 0), (0, 2), -1)], [("too_many", (0, 0))], id="less than none"),
    pytest.param(
        "1.2.1\n..2..", [((0, 0), (0, 4), 1), ((0, 2), (1, 2), 2)],
        [("disconnected", (0, 2)), ("through_island", (0, 2))],
        id="over an island in a row",
    ),
    pytest.param(
        "1\n.\n1\n1\n1", [((0, 0), (4, 0), 1), ((2, 0), (3, 0), 1)],
        [("disconnected", (2, 0)), ("through_island", (2, 0)), ("through_island", (3, 0))],
        id="over islands in a column",
    ),
    pytest.param(
        ".1.\n1.1\n.1.", [((0, 1), (2, 1), 1), ((1, 0), (1, 2), 1)], [("disconnected", (1, 0)), ("crossing", (1, 1))],
        id="crossing",
    ),
    pytest.param(
        ".11.\n1..1\n.11.", [((0, 1), (2, 1), 1), ((0, 2), (2, 2), 1), ((1, 0), (1, 3), 1)],
        [("disconnected", (0, 2)), ("disconnected", (1, 0)), ("crossing", (1, 1)), ("crossing", (1, 2))],
        id="crossing twice",
    ),
    pytest.param("1.1", [((0, 0), (0, 2), 1), ((0, 1), (0, 2), 1)], [("not_aligned", (0, 1))], id="from water"),
    pytest.param("1.1", [((0, 0), (0, 2), 1), ((0, 2), (0, 3), 1)], [("not_aligned", (0, 3))], id="off the board"),
    pytest.param("1.1", [((0, 0), (0, 2), 1), ((-1, 0), (0, 0), 1)], [("not_aligned", (-1, 0))], id="negative"),
    pytest.param("1.1", [((0, 0), (0, 2), 1), ((0, 2), (0, 2), 1)], [("not_aligned", (0, 2))], id="to itself"),
    pytest.param(
        "21.\n1.1", [((0, 0), (0, 1), 1), ((0, 0), (1, 0), 1), ((0, 1), (1, 2), 1)],
        [("not_aligned", (0, 1)), ("disconnected", (1, 2)), ("wrong_degree", (1, 2))], id="askew",
    ),
    pytest.param(
        "1.1\n...\n1.1", [((0, 0), (0, 2), 1), ((2, 0), (2, 2), 1)], [("disconnected", (2, 0))], id="two groups",
    ),
    pytest.param(
        "1.1\n1.1\n1.1", [((r, 0), (r, 2), 1) for r in range(3)], [("disconnected", (1, 0)), ("disconnected", (2, 0))],
        id="three groups",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("board", "answer", "expected"), WRONG)
def test_each_wrong_answer_is_found_with_its_place(
    board: str, answer: Answer, expected: list[tuple[str, tuple[int, int]]] | str
) -> None:
    got = found(parse(board, format="text"), bridges(*answer))
    if isinstance(expected, str):
        assert {code for code, _ in got} == set(expected.split())
    else:
        assert got == expected


def test_right_answers_are_right_whatever_the_order_of_ends_and_bridges() -> None:
    puzzle = parse("2.1\n...\n1..", format="text")
    right = bridges(((0, 0), (0, 2), 1), ((0, 0), (2, 0), 1))
    assert check(puzzle, right) == []
    assert check(puzzle, bridges(((2, 0), (0, 0), 1), ((0, 2), (0, 0), 1))) == []
    assert check(puzzle, iter(right)) == []
    assert check(puzzle, [*right, Bridge(Cell(0, 2), Cell(9, 9), 0)]) == [], "no bridge is no bridge, wherever it is"


def test_the_same_channel_given_twice_adds_up() -> None:
    assert check(parse("2.2", format="text"), bridges(((0, 0), (0, 2), 1), ((0, 2), (0, 0), 1))) == []


SQUARE = board("2.2", "...", "2.2", loops=False)
RING: Answer = [((0, 0), (0, 2), 1), ((0, 0), (2, 0), 1), ((0, 2), (2, 2), 1), ((2, 0), (2, 2), 1)]

VARIANTS = [
    pytest.param(board("3.3", max_bridges=3), [((0, 0), (0, 2), 3)], [], id="three of three"),
    pytest.param(board("2.2", max_bridges=1), [((0, 0), (0, 2), 2)], [("too_many", (0, 0))], id="two of one"),
    pytest.param(board("?.2"), [((0, 0), (0, 2), 2)], [], id="no number, two bridges"),
    pytest.param(
        board("?.?"), [], [("wrong_degree", (0, 0)), ("disconnected", (0, 2)), ("wrong_degree", (0, 2))],
        id="no number, no bridge",
    ),
    pytest.param(SQUARE, RING, [("loop", (2, 0))], id="a ring"),
    pytest.param(
        board("4.4", "...", "4.4", loops=False), [(a, b, 2) for a, b, _ in RING], [("loop", (2, 0))], id="a double ring"
    ),
    pytest.param(board("2.3.1", loops=False), [((0, 0), (0, 2), 2), ((0, 2), (0, 4), 1)], [], id="a tree"),
]  # fmt: skip


def test_messages_count_from_one() -> None:
    violations = check(parse(".1.\n1.1\n.1.", format="text"), bridges(((0, 1), (2, 1), 1), ((1, 0), (1, 2), 1)))
    assert [violation.message for violation in violations] == [
        "the group of 2 islands at row 2, column 1 is not connected to the island at row 1, column 2",
        "the bridge from row 2, column 1 to row 2, column 3 crosses the one from row 1, column 2 to row 3, column 2",
    ]


def test_every_code_is_in_the_table() -> None:
    wrong_grid = check_grid(parse("1.1", format="text"), [[2, -1, 1]])
    seen = {violation.code for violation in wrong_grid}
    for case in WRONG:
        drawn, answer, _ = case.values
        assert isinstance(drawn, str)
        seen |= {violation.code for violation in check(parse(drawn, format="text"), bridges(*answer))}  # type: ignore[misc]
    for case in VARIANTS:
        puzzle, answer, _ = case.values
        assert isinstance(puzzle, Puzzle)
        seen |= {violation.code for violation in check(puzzle, bridges(*answer))}  # type: ignore[misc]
    assert seen == set(ViolationCode)


@pytest.mark.parametrize(("puzzle", "answer", "wrong"), VARIANTS)
def test_other_rules(puzzle: Puzzle, answer: Answer, wrong: list[tuple[str, tuple[int, int]]]) -> None:
    assert found(puzzle, bridges(*answer)) == wrong


def test_messages_for_other_rules() -> None:
    lone = check(board("?.1", "...", "..1"), bridges(((0, 2), (2, 2), 1)))
    assert lone[0].message == "the island at row 1, column 1 has no bridge"
    closed = check(SQUARE, bridges(*RING))
    assert [violation.message for violation in closed] == [
        "the bridge from row 3, column 1 to row 3, column 3 closes a loop"
    ]
    three = check(board("3.3"), bridges(((0, 0), (0, 2), 3)))
    assert three[0].message == "3 bridges from row 1, column 1 to row 1, column 3: at most 2"


@given(solved())
def test_an_answer_is_right_and_each_missing_bridge_makes_it_wrong(board: tuple[Puzzle, list[Bridge]]) -> None:
    puzzle, answer = board
    assert check(puzzle, answer) == []
    for k in range(len(answer)):
        less = answer[:k] + answer[k + 1 :]
        short = {violation.at for violation in check(puzzle, less) if violation.code is V.WRONG_DEGREE}
        assert short == {answer[k].start, answer[k].end}


cells = st.builds(Cell, st.integers(-3, 9), st.integers(-3, 9))


@given(puzzles(), st.lists(st.builds(Bridge, cells, cells, st.integers(-3, 5)), max_size=8))
def test_nonsense_is_judged_not_crashed_on(puzzle: Puzzle, answer: list[Bridge]) -> None:
    violations = check(puzzle, answer)
    assert check(puzzle, reversed(answer)) is not None
    assert violations == sorted(violations, key=lambda violation: (violation.at, violation.code))
    sensible = {bridge_between(start, end, count) for start, end, count in answer}
    if not violations:
        assert all(puzzle.cells[r * puzzle.cols + c] for a, b, n in sensible if n for r, c in (a, b))


GRIDS = [
    pytest.param([[1, -1, 1]], [], id="right"),
    pytest.param([[1, -3, 1]], [("wrong_degree", (0, 0)), ("wrong_degree", (0, 2))], id="two for one"),
    pytest.param([[1, 0, 1]], "disconnected wrong_degree", id="no bridge"),
    pytest.param([[1, -2, 1]], "disconnected not_aligned wrong_degree", id="vertical for horizontal"),
    pytest.param([[1, -1, 2]], [("clue_changed", (0, 2))], id="a clue is another"),
    pytest.param([[1, -1, 0]], [("clue_changed", (0, 2))], id="a clue is gone"),
    pytest.param([[1, 3, 1]], "clue_changed disconnected wrong_degree", id="an island is new"),
    pytest.param([[1, -5, 1]], "not_aligned disconnected wrong_degree", id="no symbol"),
    pytest.param([[1, -1]], [("clue_changed", (0, 2))], id="too narrow"),
    pytest.param([[1, -1, 1, 0]], [("clue_changed", (0, 3))], id="too wide"),
    pytest.param([[1, -1, 1], [0, 0, 0]], [("clue_changed", (1, 0))], id="too high"),
    pytest.param([], [("clue_changed", (0, 0))], id="nothing"),
]


@pytest.mark.parametrize(("grid", "expected"), GRIDS)
def test_answer_grids_are_judged(grid: list[list[int]], expected: list[tuple[str, tuple[int, int]]] | str) -> None:
    got = [(violation.code, violation.at) for violation in check_grid(parse("1.1", format="text"), grid)]
    if isinstance(expected, str):
        assert {code for code, _ in got} == set(expected.split())
    else:
        assert got == expected


def test_what_is_wrong_with_the_size_is_said() -> None:
    puzzle = parse("1.1", format="text")
    assert check_grid(puzzle, [])[0].message == "the answer has 0 rows, the puzzle 1"
    assert check_grid(puzzle, [[1]])[0].message == "row 1 of the answer has 1 cells, the puzzle 3"


@given(solved())
def test_the_picture_of_an_answer_is_right(board: tuple[Puzzle, list[Bridge]]) -> None:
    puzzle, answer = board
    assert check_grid(puzzle, encode(puzzle, answer)) == []


@given(solved(), st.data())
def test_a_changed_picture_is_wrong(board: tuple[Puzzle, list[Bridge]], data: st.DataObject) -> None:
    puzzle, answer = board
    grid = encode(puzzle, answer)
    row, col = data.draw(st.integers(0, puzzle.rows - 1)), data.draw(st.integers(0, puzzle.cols - 1))
    other = data.draw(st.integers(-5, 9).filter(lambda symbol: symbol != grid[row][col]))
    grid[row][col] = other
    violations = check_grid(puzzle, grid)
    assert violations, "one changed cell is a wrong symbol, a loose end or a changed clue"


def test_an_answer_that_is_wrong_all_over() -> None:
    side = 30
    grid = [[0] * side for _ in range(side)]
    laid = []
    for k in range(1, side - 1):
        grid[k][0] = grid[k][side - 1] = grid[0][k] = grid[side - 1][k] = 1
        laid += [((k, 0), (k, side - 1), 1), ((0, k), (side - 1, k), 1)]
    crossings = [v for v in check(Puzzle.from_rows(grid), bridges(*laid)) if v.code is V.CROSSING]
    assert [v.at for v in crossings] == [Cell(r, c) for r in range(1, side - 1) for c in range(1, side - 1)]
    for (row, col), message in ((v.at, v.message) for v in crossings):
        assert message.startswith(f"the bridge from row {row + 1}, column 1 to row {row + 1}, column {side} crosses")
        assert message.endswith(f"from row 1, column {col + 1} to row {side}, column {col + 1}")


def test_a_look_may_end_the_check() -> None:
    looks = 0

    def look() -> None:
        nonlocal looks
        looks += 1
        if looks == 5:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        check(board("2.2"), bridges(((0, 0), (0, 2), 2)), look)
