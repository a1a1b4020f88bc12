"""What an engine gave for an answer: a solution that the checker passed, or refused with the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kakehashi.puzzle import JudgesDisagree, Solution, check_solution

if TYPE_CHECKING:
    from kakehashi.puzzle import Puzzle
    from kakehashi.solver.deadline import Deadline

LONG_CHANNELS = 20_000
"""From so many on, the check in Python takes some hundredths of a second, and the deadline is looked at meanwhile.
Smaller answers that come late are answers: nobody throws away what is nearly checked."""

_SHOWN_VIOLATIONS = 3
_SHOWN_VALUES = 2000


class Refused(Exception):
    """An engine gave an answer that is none; the message is the evidence."""


def checked(puzzle: Puzzle, values: bytes, engine: str, deadline: Deadline) -> Solution:
    """The solution with these values, one for each channel, once the checker has passed it.

    Raises:
        Refused: it has not; `engine` is named as the one that gave the values.
        Stopped: the deadline ended before it had.
    """
    channels = puzzle.graph.m
    if len(values) != channels:
        raise Refused(f"the engine {engine} gave {len(values)} values for {channels} channels")
    solution = Solution(puzzle, values)
    try:
        violations = check_solution(solution, deadline.check if channels >= LONG_CHANNELS else lambda: None)
    except JudgesDisagree as error:
        raise Refused(f"{error}: {digits(values)}") from error
    if violations:
        shown = "; ".join(f"{violation.code}: {violation.message}" for violation in violations[:_SHOWN_VIOLATIONS])
        more = len(violations) - _SHOWN_VIOLATIONS
        rest = f"; and {more} more" if more > 0 else ""
        raise Refused(f"the checker refused the answer of the engine {engine}: {shown}{rest}: {digits(values)}")
    return solution


def digits(values: bytes) -> str:
    """The values of the channels as a row of digits, cut off where it gets long: enough to look into it."""
    shown = " ".join(map(str, values)) if max(values, default=0) > 9 else "".join(map(str, values))
    return shown if len(shown) <= _SHOWN_VALUES else f"{shown[:_SHOWN_VALUES]}..."
