"""The second engine's word: what one engine said, another one, which shares no code with it, is asked as well.

The checker passes every answer, but it cannot say that there is none, or no other one: for that there is only the word
of an engine. What is asked, for how long, and what a disagreement comes to: docs/adr/0008-confirmation.md.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from kakehashi.puzzle import Confirm, Termination, Uniqueness, Verdict
from kakehashi.solver.answer import Refused, checked, digits
from kakehashi.solver.deadline import Deadline, Stopped
from kakehashi.solver.engines import judge_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from kakehashi.puzzle import Puzzle
    from kakehashi.solver.engine import Engine, Search
    from kakehashi.solver.outcome import Outcome

SAMPLE = 100
"""Under `auto`, one `unique` in so many is confirmed."""


def confirmed(
    outcome: Outcome,
    confirm: Confirm,
    *,
    unique: bool,
    budget: float | None,
    beat: Callable[[], bool] | None = None,
) -> Outcome:
    """Ask the second engine where that is due, and say what came of it.

    Args:
        outcome: what the first engine came to; its search is closed.
        confirm: what is to be confirmed.
        unique: whether the first engine was asked for uniqueness, which a crash leaves unknown.
        budget: the most seconds of wall clock that this may take; None for no limit.
        beat: as for `solve`; when it ends the work, the outcome stays as it is.

    Returns:
        The outcome with `confirmed_by`; or with an error beside its verdict, where the second engine failed; or, where
        the two disagree, a crash with both verdicts and the values as evidence, since one of the two is wrong.
    """
    judge = judge_of(outcome.engine) if is_due(outcome, confirm) else None
    if judge is None:
        return outcome
    started = time.perf_counter()
    objection = failure = None
    agreed = False
    try:
        objection = _objection(outcome, judge, Deadline(budget, beat))
        agreed = objection is None
    except Stopped:
        pass
    except Refused as refused:
        objection = str(refused)
    except Exception as error:  # noqa: BLE001 - the first engine's word stands whatever the second one raises
        failure = f"the engine {judge.name} failed when it was to confirm: {type(error).__name__}: {error}"
    asked = replace(outcome, confirm_ms=(time.perf_counter() - started) * 1000)
    if objection is not None:
        evidence = f"the engines disagree: {outcome.engine} says {_claim(outcome)}; {objection}"
        return _crashed(asked, evidence, unique)
    return replace(asked, confirmed_by=judge.name if agreed else None, error=failure or outcome.error)


def is_due(outcome: Outcome, confirm: Confirm) -> bool:
    """Whether a second engine is to be asked. Never where the first was none (a look at the clues) or was cancelled."""
    if confirm is Confirm.NONE or not outcome.engine or outcome.termination is Termination.CANCELLED:
        return False
    if confirm is Confirm.ALL or outcome.verdict is Verdict.INFEASIBLE:
        return outcome.decided
    return outcome.uniqueness is Uniqueness.UNIQUE and in_sample(outcome.puzzle)


def in_sample(puzzle: Puzzle) -> bool:
    """Whether the puzzle is one of those that `auto` takes: by its digest, so in every run the same ones."""
    return int.from_bytes(puzzle.digest) % SAMPLE == 0


def _objection(outcome: Outcome, judge: Engine, deadline: Deadline) -> str | None:
    """What the judge says instead; None when it agrees.

    Raises:
        Stopped: it came to no end.
        Refused: what it says cannot be.
    """
    with judge.open(outcome.puzzle.graph, deadline) as search:
        ask = partial(_next, search, outcome.puzzle, judge, deadline)
        found = ask()
        if outcome.verdict is Verdict.INFEASIBLE:
            return None if found is None else f"{judge.name} found the solution {digits(found)}"
        if found is None:
            return f"{judge.name} says infeasible"
        if outcome.uniqueness is Uniqueness.UNIQUE:
            if outcome.solution is not None and found == outcome.solution.values:
                found = ask(found)
            return None if found is None else f"{judge.name} found another one: {digits(found)}"
        if outcome.uniqueness is Uniqueness.MULTIPLE and ask(found) is None:
            return f"{judge.name} says that this is the only one: {digits(found)}"
    return None


def _next(
    search: Search, puzzle: Puzzle, judge: Engine, deadline: Deadline, before: bytes | None = None
) -> bytes | None:
    """The judge's next answer, which the checker has passed, and which is not the one before."""
    values = search.next_solution()
    if values is None:
        return None
    if values == before:
        raise Refused(f"the engine {judge.name} gave the same solution twice: {digits(values)}")
    return checked(puzzle, values, judge.name, deadline).values


def _claim(outcome: Outcome) -> str:
    """What the first engine said, with its values."""
    solutions = [solution for solution in (outcome.solution, outcome.second) if solution is not None]
    values = " and ".join(digits(solution.values) for solution in solutions)
    known = outcome.uniqueness in (Uniqueness.UNIQUE, Uniqueness.MULTIPLE)
    word: str = outcome.uniqueness if known else outcome.verdict
    return f"{word}: {values}" if values else word


def _crashed(outcome: Outcome, error: str, unique: bool) -> Outcome:
    """A bug of ours: nothing is shown as a verdict."""
    return replace(
        outcome,
        verdict=Verdict.UNKNOWN,
        termination=Termination.CRASHED,
        uniqueness=Uniqueness.UNKNOWN if unique else Uniqueness.UNCHECKED,
        solution=None,
        second=None,
        error=error,
    )
