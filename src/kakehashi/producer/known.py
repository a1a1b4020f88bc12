"""Answers that the database has already: puzzles that it knows, turned or mirrored, are not solved once more."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from kakehashi.puzzle import Solution, Verdict, check, class_of, symmetry_between

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kakehashi.puzzle import Puzzle
    from kakehashi.storage import Repository
    from kakehashi.storage.records import Answer, NewEntry, RunOptions, StoredAnswer

_log = logging.getLogger(__name__)


class Memory:
    """Looks entries up before they are stored.

    Args:
        repository: where answers are looked for, in every batch. What it lacks for that is filled in here, once.
        options: how the run would solve; an answer that says less is none for it.
    """

    def __init__(self, repository: Repository, options: RunOptions) -> None:
        self._repository = repository
        self._options = options
        repository.name_classes()

    def look_up(self, entries: Sequence[NewEntry]) -> list[NewEntry]:
        """The entries, each puzzle with the name of its class, and with its answer where that is known."""
        classes = {
            entry.puzzle.digest: class_of(entry.puzzle)[0] for entry in entries if entry.puzzle is not None
        }  # fmt: skip
        known = self._repository.known_answers(sorted(set(classes.values())), self._options)
        return [self._with_answer(entry, classes, known) for entry in entries]

    def _with_answer(self, entry: NewEntry, classes: dict[bytes, bytes], known: dict[bytes, StoredAnswer]) -> NewEntry:
        if entry.puzzle is None:
            return entry
        canonical = classes[entry.puzzle.digest]
        stored = known.get(canonical)
        answer = None if stored is None else laid(stored, entry.puzzle)
        return replace(entry, canonical=canonical, answer=answer)


def laid(stored: StoredAnswer, puzzle: Puzzle) -> Answer | None:
    """A stored answer, laid as the puzzle lies, and checked; None where it is no answer to it."""
    answer = stored.answer
    symmetry = symmetry_between(stored.puzzle, puzzle)
    if symmetry is None:
        return None
    if answer.verdict is not Verdict.SOLVED or answer.values is None:
        return answer
    solution = symmetry.solution(Solution(stored.puzzle, answer.values), onto=puzzle)
    violations = check(puzzle, solution.bridges)
    if violations:
        _log.error(
            "the stored answer of puzzle %s is wrong (%s): please report this bug; it is not used",
            answer.known_from, violations[0].message, extra={"attempt": answer.known_from},
        )  # fmt: skip
        return None
    return replace(answer, values=solution.values)
