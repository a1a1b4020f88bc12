"""Taking times: the runners take turns on each puzzle, in an order that is drawn anew; every answer is checked."""

from __future__ import annotations

import gc
import random
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from benchmarks.records import Clock, Measurement, Status
from benchmarks.rivals.rival import Claim
from kakehashi.puzzle import Puzzle, Solution, check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.rivals.rival import Answer
    from benchmarks.sets import Named, PuzzleSet

WARM_UP = Puzzle.from_rows([[2, 0, 3], [0, 0, 0], [1, 0, 2]])
"""What every runner solves before the first time is taken: libraries load, caches fill, machine code is made."""

_STATUS = {Claim.SOLVED: Status.SOLVED, Claim.INFEASIBLE: Status.INFEASIBLE, Claim.TIMEOUT: Status.TIMEOUT}


@dataclass(frozen=True)
class Runner:
    """A rival and the clock that it is measured with; `solve` takes a puzzle and a budget in seconds."""

    rival: str
    clock: Clock
    solve: Callable[[Puzzle, float], Answer]


def measure(
    puzzles: PuzzleSet, runners: Sequence[Runner], repeats: int, budget: float, rng: random.Random
) -> Iterator[Measurement]:
    """The times of all runners on all puzzles, `repeats` alternations of them.

    Who ran out of the budget on a puzzle is not asked again there: its later times are the budget too (`carried`).
    """
    warm_up(runners)
    order = list(runners)
    hopeless: set[tuple[str, Clock, str]] = set()
    for repeat in range(repeats):
        for named in puzzles.puzzles:
            rng.shuffle(order)
            for runner in order:
                key = (runner.rival, runner.clock, named.name)
                if key in hopeless:
                    yield _carried(runner, puzzles.name, named, repeat, budget)
                    continue
                taken = take(runner, puzzles.name, named, repeat, budget)
                if taken.status is Status.TIMEOUT:
                    hopeless.add(key)
                yield taken


def warm_up(runners: Sequence[Runner]) -> None:
    """Let each runner solve a small board; what is in memory then is left out of later garbage collections."""
    for runner in runners:
        runner.solve(fresh(WARM_UP), 60.0)
    gc.collect()
    gc.freeze()


def take(runner: Runner, set_name: str, named: Named, repeat: int, budget: float) -> Measurement:
    """One time: from the clues, without a graph, to the answer, which is judged when the clock has stopped."""
    puzzle = fresh(named.puzzle)
    gc.collect()
    started = time.perf_counter()
    try:
        answer = runner.solve(puzzle, budget)
    except Exception as error:  # noqa: BLE001 - a rival may raise anything; it is reported, and the others go on
        seconds = time.perf_counter() - started
        status, unique, note = Status.FAILED, None, f"{type(error).__name__}: {error}"
    else:
        seconds = time.perf_counter() - started
        status, note = judge(puzzle, answer)
        unique = answer.second is None if runner.clock is Clock.UNIQUE and status is Status.SOLVED else None
    return Measurement(
        set=set_name,
        puzzle=named.name,
        islands=puzzle.island_count,
        rival=runner.rival,
        clock=runner.clock,
        repeat=repeat,
        seconds=seconds,
        budget=budget,
        status=status,
        unique=unique,
        note=note,
    )


def judge(puzzle: Puzzle, answer: Answer) -> tuple[Status, str]:
    """What an answer is worth: every solution in it goes to the checker. The second part says what is wrong."""
    if answer.claim is not Claim.SOLVED:
        return _STATUS[answer.claim], ""
    if answer.values is None:
        return Status.WRONG, "no values"
    if answer.second == answer.values:
        return Status.WRONG, "the second solution is the first one"
    for values in (answer.values, answer.second):
        if values is not None:
            if len(values) != puzzle.graph.m:
                return Status.WRONG, f"{len(values)} values for {puzzle.graph.m} channels"
            violations = check(puzzle, Solution(puzzle, values).bridges)
            if violations:
                return Status.WRONG, violations[0].message
    return Status.SOLVED, ""


def fresh(puzzle: Puzzle) -> Puzzle:
    """The same puzzle without what was computed from it."""
    return replace(puzzle)


def _carried(runner: Runner, set_name: str, named: Named, repeat: int, budget: float) -> Measurement:
    return Measurement(
        set=set_name,
        puzzle=named.name,
        islands=named.puzzle.island_count,
        rival=runner.rival,
        clock=runner.clock,
        repeat=repeat,
        seconds=budget,
        budget=budget,
        status=Status.TIMEOUT,
        carried=True,
    )
