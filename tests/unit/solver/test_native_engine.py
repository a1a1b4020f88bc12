from __future__ import annotations

import gc
import threading
import tracemalloc
import weakref
from array import array
from typing import Any

import pytest

from kakehashi.puzzle import Puzzle, Solution, check
from kakehashi.solver import Cancelled, Deadline, OutOfTime, engine_named
from tests.unit.solver.boards import board, crowded_board, lopsided_board, planted_board, random_boards
from tests.unit.solver.conftest import WITHOUT_NATIVE

_native = pytest.importorskip("kakehashi.solver._native", reason=WITHOUT_NATIVE)

from kakehashi.solver.native_engine import NativeEngine  # noqa: E402 - it is there only where the above is

HARD = lopsided_board()
MANY = board("2.3.2", ".....", "3.4.3", ".....", "2.3.2")
TRIANGLE = board("2.2", "...", "2.2")

NAMES = (
    "island_row", "island_col", "channel_a", "channel_b", "vertical", "neighbours", "crossing_start", "crossing",
    "clue_least", "clue_most",
)  # fmt: skip


def arrays(puzzle: Any = TRIANGLE) -> dict[str, Any]:
    graph = puzzle.graph
    names = {name: getattr(graph, name) for name in NAMES[:8]}
    return names | {"clue_least": graph.clue_most, "clue_most": graph.clue_most}


def first(solver: Any) -> bytes | None:
    values: bytes | None = solver.next_solution(lambda: None, 60.0, 0.25)
    return values


def test_auto_takes_it() -> None:
    assert engine_named("auto").name == "native"


def test_it_takes_the_arrays_as_they_are() -> None:
    """While the core looks at an array, Python cannot change its size; afterwards it can."""
    given = arrays() | {"clue_least": array("i", [2] * 4)}
    solver = _native.Solver(**given)
    with pytest.raises(BufferError):
        given["clue_least"].append(1)
    assert first(solver) is not None
    del solver
    given["clue_least"].append(1)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("wrong", [array("b", [1]), array("d", [1.0]), array("q", [1]), [1, 2], "12", None, b"1234"])
def test_what_is_no_array_of_ints_is_refused(name: str, wrong: object) -> None:
    with pytest.raises((TypeError, BufferError)):
        _native.Solver(**arrays() | {name: wrong})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("change", [lambda a: a[:-1], lambda a: a * 2, lambda a: array("i", [10**9] * len(a))])
def test_arrays_that_do_not_fit_are_refused(name: str, change: Any) -> None:
    given = arrays(board(".1.", "1.1", ".1.") if name == "crossing" else TRIANGLE)
    with pytest.raises(ValueError, match=r"expected|falls"):
        _native.Solver(**given | {name: change(given[name])})


@pytest.mark.parametrize("option", [{"capacity": 0}, {"capacity": 5}, {"tile": 0}, {"hops": -1}, {"budget": 0}])
def test_options_without_sense_are_refused(option: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="expected"):
        _native.Solver(**arrays(), **option)


def test_a_puzzle_without_islands_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one island"):
        _native.Solver(**{name: array("i", [0] if name == "crossing_start" else []) for name in NAMES})


class Countdown(Deadline):
    """Ends at the look with this number."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks

    def check(self) -> None:
        self.looks -= 1
        if self.looks < 0:
            raise OutOfTime


@pytest.mark.parametrize("tile", [20, 5])
def test_the_deadline_ends_it_at_any_look_and_nothing_is_lost(tile: int) -> None:
    engine = NativeEngine(tile=tile, beat_interval=0)
    puzzle = planted_board(20, 130, seed=1)
    with engine.open(puzzle.graph, Deadline()) as search:
        expected = {search.next_solution() is not None, search.next_solution() is not None}
    stopped = 0
    deadline = Countdown(1)
    with engine.open(puzzle.graph, deadline) as search:
        answers: set[bool] = set()
        for looks in range(10_000):
            deadline.looks = looks
            try:
                answers.add(search.next_solution() is not None)
                answers.add(search.next_solution() is not None)
                break
            except OutOfTime:
                stopped += 1
    assert answers == expected
    assert stopped > 3


def test_another_thread_can_cancel() -> None:
    with NativeEngine().open(HARD.graph, Deadline()) as search:
        timer = threading.Timer(0.1, search.cancel)
        timer.start()
        with pytest.raises(Cancelled):
            search.next_solution()
        timer.join()


def test_it_cannot_be_asked_while_it_is_at_work() -> None:
    errors: list[BaseException] = []
    with NativeEngine(beat_interval=0.01).open(HARD.graph, Deadline(0.2)) as search:

        def beat() -> None:
            try:
                search.next_solution()
            except RuntimeError as error:
                errors.append(error)
            raise OutOfTime

        assert search._solver is not None
        with pytest.raises(OutOfTime):
            search._solver.next_solution(beat, 1.0, 0.01)
    assert "at work" in str(errors[0])


def test_a_closed_search_has_no_further_solution() -> None:
    search = NativeEngine().open(MANY.graph, Deadline())
    with search:
        assert search.next_solution() is not None
    assert search.next_solution() is None
    search.close()
    search.cancel()


def test_closing_frees_the_core() -> None:
    """Pitfall 18: memory grows when solver objects are kept alive."""
    graph = planted_board(20, 100, seed=3).graph
    alive = weakref.ref(graph)
    with NativeEngine().open(graph, Deadline()) as search:
        search.next_solution()
    graph.clue_most.append(1)  # nobody looks at the array any more
    del graph
    gc.collect()
    assert alive() is None


def test_an_error_in_a_beat_leaves_no_memory_behind() -> None:
    def run(times: int) -> None:
        for _ in range(times):
            with NativeEngine(beat_interval=0).open(MANY.graph, Countdown(1)) as search, pytest.raises(OutOfTime):
                search.next_solution()

    run(10)
    tracemalloc.start()
    try:
        run(5)
        before = tracemalloc.get_traced_memory()[0]
        run(200)
        assert tracemalloc.get_traced_memory()[0] - before < 20_000
    finally:
        tracemalloc.stop()


def test_memory_has_its_limit() -> None:
    with NativeEngine(memory=600_000).open(HARD.graph, Deadline(30)) as search, pytest.raises(MemoryError):
        search.next_solution()
    with NativeEngine(memory=600_000).open(MANY.graph, Deadline()) as search:
        assert search.next_solution() is not None


def test_phases_are_measured() -> None:
    with NativeEngine().open(planted_board(54, 1000, seed=1).graph, Deadline()) as search:
        assert search.next_solution() is not None
        assert search._solver is not None
        counts = search._solver.statistics
    assert counts["propagation_seconds"] > 0
    assert counts["encoding_seconds"] > 0
    assert counts["search_seconds"] > 0
    assert counts["searches"] > 1  # it sweeps
    assert counts["sweeps"] >= 1
    assert counts["bytes"] > 0


def test_loops_are_seen_only_where_they_are_forbidden() -> None:
    planted = planted_board(30, 300, seed=2)
    for loops in (True, False):
        puzzle = Puzzle(planted.rows, planted.cols, planted.cells, loops=loops)
        with NativeEngine().open(puzzle.graph, Deadline()) as search:
            assert search.next_solution() is not None
            assert search._solver is not None
            counts = search._solver.statistics
        assert (counts["loops"] == 0) is loops
        assert search.statistics.cuts == counts["cuts"] + counts["loops"]


@pytest.mark.parametrize("seed", range(10))
def test_the_sweep_finds_the_same_count_of_solutions(seed: int) -> None:
    puzzle = crowded_board(seed)
    counts = set()
    for engine in (NativeEngine(), NativeEngine(tile=3), NativeEngine(tile=2, hops=0, budget=2)):
        with engine.open(puzzle.graph, Deadline()) as search:
            found: set[bytes] = set()
            while len(found) < 200 and (values := search.next_solution()) is not None:
                assert values not in found
                found.add(values)
        counts.add(len(found))
    assert len(counts) == 1


def test_a_conflict_among_the_assumptions_is_not_forgotten() -> None:
    """A core of later assumptions, implied by those that were made, once left their conflict unseen."""
    puzzle = crowded_board(5001865)
    with NativeEngine(tile=2, hops=0).open(puzzle.graph, Deadline()) as search:
        count = 0
        while count < 40 and (values := search.next_solution()) is not None:
            assert not check(puzzle, Solution(puzzle, values).bridges)
            count += 1


# ------------------------------------------------------------------------------------- what the variants will stand on


def brute_force(puzzle: Any, capacity: int, least: array[int], most: array[int]) -> set[bytes]:
    """All solutions of a tiny board with up to `capacity` bridges a channel and a range for each clue."""
    graph = puzzle.graph
    found: set[bytes] = set()
    values = [0] * graph.m

    def fits() -> bool:
        total = [0] * graph.n
        parent = list(range(graph.n))

        def find(i: int) -> int:
            while parent[i] != i:
                i = parent[i]
            return i

        for e, value in enumerate(values):
            if value:
                total[graph.channel_a[e]] += value
                total[graph.channel_b[e]] += value
                parent[find(graph.channel_a[e])] = find(graph.channel_b[e])
                if any(values[f] for f in graph.crossing[graph.crossing_start[e] : graph.crossing_start[e + 1]]):
                    return False
        in_range = all(low <= sum_ <= high for low, sum_, high in zip(least, total, most, strict=True))
        return in_range and len({find(i) for i in range(graph.n)}) == 1

    def extend(e: int) -> None:
        if e == graph.m:
            if fits():
                found.add(bytes(values))
            return
        for value in range(capacity + 1):
            values[e] = value
            extend(e + 1)
        values[e] = 0

    extend(0)
    return found


@pytest.mark.parametrize("capacity", [1, 2, 3, 4])
@pytest.mark.parametrize("tile", [20, 2])
@pytest.mark.parametrize("ranges", [False, True])
def test_other_capacities_and_clues_without_a_number(capacity: int, tile: int, *, ranges: bool) -> None:
    seen = 0
    for number, puzzle in enumerate(random_boards(500, seed=capacity)):
        graph = puzzle.graph
        if not 2 <= graph.m <= (6 if capacity < 4 else 5):
            continue
        clues = [min(16, clue * capacity // 2 or 1) for clue in graph.clue_most]
        open_ = [ranges and (number + i) % 3 == 0 for i in range(graph.n)]
        least = array("i", [1 if free else clue for free, clue in zip(open_, clues, strict=True)])
        most = array("i", [16 if free else clue for free, clue in zip(open_, clues, strict=True)])
        expected = brute_force(puzzle, capacity, least, most)
        given = arrays(puzzle) | {"clue_least": least, "clue_most": most}
        solver = _native.Solver(**given, capacity=capacity, tile=tile, hops=1)
        found = set()
        while (values := first(solver)) is not None:
            assert values not in found
            found.add(values)
        assert found == expected, (puzzle.to_rows(), least, most)
        seen += len(expected) > 0
    assert seen > 2
