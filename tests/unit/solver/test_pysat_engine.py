from __future__ import annotations

import gc
import os
import signal
import threading
import weakref

import pytest
from hypothesis import given, settings
from pysat.solvers import Solver

from kakehashi.puzzle import Puzzle, Solution
from kakehashi.solver import Deadline, OutOfTime, pysat_engine, slices
from kakehashi.solver.encoding import Encoding
from kakehashi.solver.pysat_engine import PysatEngine, PysatSearch
from tests.unit.solver.boards import (
    Line,
    all_solutions,
    board,
    planted_board,
    small_boards,
)  # fmt: skip

HARD = planted_board(80, 2200, seed=1)
"""Not solved within some seconds."""

MANY = board("2.3.2", ".....", "3.4.3", ".....", "2.3.2")
"""Has several solutions, none of which propagation finds."""


def open_search(puzzle: Puzzle, deadline: Deadline | None = None) -> PysatSearch:
    return PysatEngine().open(puzzle.graph, deadline or Deadline())


def enumerated(puzzle: Puzzle) -> set[frozenset[Line]]:
    """All solutions as the engine gives them, one after another."""
    found: set[frozenset[Line]] = set()
    with open_search(puzzle) as search:
        while (values := search.next_solution()) is not None:
            bridges = Solution(puzzle, values).bridges
            lines = frozenset(((start.row, start.col), (end.row, end.col), count) for start, end, count in bridges)
            assert lines not in found, "the same solution twice"
            found.add(lines)
        assert search.next_solution() is None
    return found


@pytest.mark.parametrize("solver", ["glucose42", "mergesat3", "minicard"])
def test_other_solvers_find_the_same(solver: str) -> None:
    with PysatEngine(solver).open(MANY.graph, Deadline()) as search:
        count = 0
        while search.next_solution() is not None:
            count += 1
    assert count == len(all_solutions(MANY))


def test_what_propagation_decides_needs_no_sat_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pysat_engine, "_SatSearch", None)
    with open_search(board("2.4.2")) as search:
        assert search.next_solution() == bytes([2, 2])
        assert search.next_solution() is None
        assert search.next_solution() is None


def test_a_closed_search_has_no_further_solution() -> None:
    search = open_search(MANY)
    with search:
        assert search.next_solution() is not None
    assert search.next_solution() is None
    search.close()


class Countdown(Deadline):
    """Ends at the look with this number."""

    def __init__(self, looks: int, error: type[Exception] = OutOfTime) -> None:
        super().__init__()
        self.looks, self.error = looks, error

    def check(self) -> None:
        self.looks -= 1
        if self.looks < 0:
            raise self.error


def test_the_deadline_ends_it_at_any_look() -> None:
    puzzle = planted_board(20, 130, seed=1)
    expected = None
    for looks in range(10_000):
        try:
            with open_search(puzzle, Countdown(looks)) as search:
                expected = search.next_solution()
            break
        except OutOfTime:
            continue
    assert looks > 20
    with open_search(puzzle) as search:
        assert search.next_solution() == expected


def test_a_stop_while_encoding_frees_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    deleted = 0
    delete = Solver.delete

    def counted(solver: Solver) -> None:
        nonlocal deleted
        deleted += solver.solver is not None
        delete(solver)

    def stop(*_: object) -> None:
        raise OutOfTime

    with monkeypatch.context() as patch:
        patch.setattr(Solver, "delete", counted)
        patch.setattr(Encoding, "add_clauses", stop)
        with open_search(MANY) as search:
            with pytest.raises(OutOfTime):
                search.next_solution()
            assert deleted == 1
        gc.collect()
    assert deleted == 1


def test_closing_frees_the_solver() -> None:
    """Pitfall 18: memory grows when solver objects are kept alive."""
    with open_search(MANY) as search:
        search.next_solution()
        assert search._sat is not None
        solver = search._sat._solver
        inner = weakref.ref(search._sat)
    assert solver.solver is None or getattr(solver.solver, "minisat", None) is None
    del solver
    gc.collect()
    assert inner() is None


def test_it_looks_at_the_deadline_between_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pitfall 3: the heartbeat comes between slices."""
    monkeypatch.setattr(slices, "FIRST", 1)
    monkeypatch.setattr(slices, "MOST", 1)
    looks = []

    class Looked(Deadline):
        def check(self) -> None:
            looks.append(1)

    with open_search(planted_board(54, 1000, seed=1), Looked()) as search:
        prepared = len(looks)
        search.next_solution()
        assert len(looks) - prepared > search.statistics.conflicts / 2 > 0


def test_ctrl_c_ends_a_hard_solve_and_the_solver_survives() -> None:
    """Pitfalls 2 and 17: nothing jumps out of C code, and nothing hangs."""
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    with open_search(HARD, Deadline(30)) as search:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            search.next_solution()
        timer.join()
        # The same solver object goes on as if nothing had happened.
        assert search._sat is not None
        search._sat._deadline = Deadline(0.2)
        with pytest.raises(OutOfTime):
            search.next_solution()
    assert enumerated(MANY) == all_solutions(MANY)


def test_nothing_interrupts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pitfall 2: `interrupt()` hangs with some solvers, so it is never called."""

    def interrupt(*_: object) -> None:
        raise AssertionError("interrupt() was called")

    monkeypatch.setattr(Solver, "interrupt", interrupt)
    with open_search(HARD, Deadline(0.3)) as search, pytest.raises(OutOfTime):
        search.next_solution()


@settings(deadline=None, max_examples=20)
@given(small_boards)
def test_slices_of_one_propagation_change_nothing(puzzle: Puzzle) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "FIRST", 1)
        patch.setattr(slices, "MOST", 1)
        assert enumerated(puzzle) == all_solutions(puzzle)


def test_channels_that_propagation_leaves_crossing_are_kept_apart() -> None:
    """Most small boards are decided before a clause for a crossing matters; without it, this one has a wrong model."""
    puzzle = board(".2.22", ".3...", ".4..4", "14.33")
    solutions = all_solutions(puzzle)
    assert solutions
    assert enumerated(puzzle) == solutions
