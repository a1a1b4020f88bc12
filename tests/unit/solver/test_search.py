"""What every engine promises, asked of each."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from types import FrameType

import pytest
from hypothesis import given

from kakehashi.puzzle import Puzzle, Solution, check
from kakehashi.solver import Cancelled, Deadline, Engine, OutOfTime, Search
from tests.unit.solver.boards import (
    Line,
    all_solutions,
    board,
    crowded_board,
    lopsided_board,
    planted_board,
    random_boards,
    senseless_boards,
    small_boards,
)  # fmt: skip

HARD = lopsided_board()
"""Not decided within some seconds."""

MANY = board("2.3.2", ".....", "3.4.3", ".....", "2.3.2")
"""Has several solutions, none of which propagation finds."""


def open_search(engine: Engine, puzzle: Puzzle, deadline: Deadline | None = None) -> Search:
    return engine.open(puzzle.graph, deadline or Deadline())


def enumerated(engine: Engine, puzzle: Puzzle) -> set[frozenset[Line]]:
    """All solutions as the engine gives them, one after another."""
    found: set[frozenset[Line]] = set()
    with open_search(engine, puzzle) as search:
        while (values := search.next_solution()) is not None:
            bridges = Solution(puzzle, values).bridges
            lines = frozenset(((start.row, start.col), (end.row, end.col), count) for start, end, count in bridges)
            assert lines not in found, "the same solution twice"
            found.add(lines)
        assert search.next_solution() is None
    return found


@given(puzzle=small_boards)
def test_it_finds_exactly_the_solutions(real_engine: Engine, puzzle: Puzzle) -> None:
    assert enumerated(real_engine, puzzle) == all_solutions(puzzle)


@given(puzzle=senseless_boards())
def test_it_finds_exactly_the_solutions_of_senseless_boards(real_engine: Engine, puzzle: Puzzle) -> None:
    assert enumerated(real_engine, puzzle) == all_solutions(puzzle)


def test_it_finds_exactly_the_solutions_of_many_boards(real_engine: Engine) -> None:
    several = 0
    for puzzle in random_boards(3000, seed=1):
        solutions = all_solutions(puzzle)
        several += len(solutions) > 1
        assert enumerated(real_engine, puzzle) == solutions, puzzle.to_rows()
    assert several > 100


@pytest.mark.parametrize("seed", range(60))
def test_engines_agree_on_crowded_boards(real_engine: Engine, seed: int) -> None:
    """Verdict and uniqueness of boards that are too large to try everything."""
    puzzle = crowded_board(seed)
    counts = []
    for engine in (real_engine, _pysat()):
        with open_search(engine, puzzle) as search:
            found = {values for _ in range(2) if (values := search.next_solution()) is not None}
        assert not any(check(puzzle, Solution(puzzle, values).bridges) for values in found)
        counts.append(len(found))
    assert counts[0] == counts[1]


def _pysat() -> Engine:
    from kakehashi.solver.pysat_engine import PysatEngine

    return PysatEngine()


def test_a_lone_island_has_no_solution(real_engine: Engine) -> None:
    assert enumerated(real_engine, board("4")) == set()


def test_islands_without_channels_have_no_solution(real_engine: Engine) -> None:
    assert enumerated(real_engine, board("1..", "..1")) == set()


def test_a_clue_above_what_its_channels_carry_has_no_solution(real_engine: Engine) -> None:
    assert enumerated(real_engine, board("3.3")) == set()


def test_groups_that_crossing_channels_keep_apart_have_no_solution(real_engine: Engine) -> None:
    """In the drawing they hang together, by two channels of which one must be empty."""
    assert enumerated(real_engine, board(".1.", "1.1", ".1.")) == set()


def test_none_stays_none(real_engine: Engine) -> None:
    with open_search(real_engine, MANY) as search:
        while search.next_solution() is not None:
            pass
        assert search.next_solution() is None
        assert search.next_solution() is None


def test_statistics_are_counted(real_engine: Engine) -> None:
    puzzle = planted_board(30, 300, seed=2)
    with open_search(real_engine, puzzle) as search:
        assert search.next_solution() is not None
        statistics = search.statistics
        assert statistics.rounds > 0
        assert statistics.cuts > 0
        assert statistics.conflicts > 0
        assert statistics.decisions > 0
        assert statistics.propagations > 0


def test_it_goes_on_after_a_stop(real_engine: Engine) -> None:
    """A stop loses nothing: the same search may be asked again."""

    class Stopping(Deadline):
        stops = False

        def check(self) -> None:
            if self.stops:
                raise OutOfTime

        @property
        def left(self) -> float:
            return 0.0 if self.stops else 1e9

    deadline = Stopping()
    with open_search(real_engine, MANY, deadline) as search:
        found = {search.next_solution()}
        deadline.stops = True
        with pytest.raises(OutOfTime):
            search.next_solution()
        deadline.stops = False
        while (values := search.next_solution()) is not None:
            found.add(values)
    assert len(found) == len(all_solutions(MANY))


def test_a_hard_solve_keeps_its_budget_without_signals(real_engine: Engine) -> None:
    """Pitfall 1."""
    with open_search(real_engine, HARD, Deadline(0.5)) as search, pytest.raises(OutOfTime):
        search.next_solution()


def test_the_beat_cancels_a_hard_solve(real_engine: Engine) -> None:
    """Pitfall 3, with the real clock."""
    beats = []

    def beat() -> bool:
        beats.append(1)
        return len(beats) == 2

    with open_search(real_engine, HARD, Deadline(60, beat=beat)) as search, pytest.raises(Cancelled):
        search.next_solution()
    assert len(beats) == 2


def test_a_thread_goes_on_during_a_hard_solve(real_engine: Engine) -> None:
    """Pitfall 3: the GIL is free while the engine works."""
    counted = [0]
    done = threading.Event()

    def count() -> None:
        while not done.wait(0.01):
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        with open_search(real_engine, HARD, Deadline(0.6)) as search, pytest.raises(OutOfTime):
            search.next_solution()
    finally:
        done.set()
        thread.join()
    assert counted[0] > 0


def test_a_signal_is_handled_during_a_hard_solve(real_engine: Engine) -> None:
    """Pitfall 1: a handler runs while the engine works, not at the end."""
    handled = []

    def handler(_: int, __: FrameType | None) -> None:
        handled.append(time.monotonic())

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with open_search(real_engine, HARD, Deadline(1.2)) as search, pytest.raises(OutOfTime):
            search.next_solution()
        ended = time.monotonic()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert handled
    assert handled[0] < ended


def test_ctrl_c_ends_a_hard_solve_and_the_engine_survives(real_engine: Engine) -> None:
    """Pitfalls 2 and 17: nothing jumps out of C code, and nothing hangs."""
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    deadline = Deadline(30)
    with open_search(real_engine, HARD, deadline) as search:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            search.next_solution()
        timer.join()
        # The same search goes on as if nothing had happened.
        deadline.ends_at = deadline.now + 0.2
        with pytest.raises(OutOfTime):
            search.next_solution()
    assert enumerated(real_engine, MANY) == all_solutions(MANY)


def test_what_the_beat_raises_gets_out(real_engine: Engine) -> None:
    class Broken(Exception):
        pass

    def beat() -> bool:
        raise Broken

    with open_search(real_engine, HARD, Deadline(30, beat=beat)) as search, pytest.raises(Broken):
        search.next_solution()
    gc.collect()
