"""Small batches, and outcomes for their puzzles, for tests that need something in the database."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from kakehashi.puzzle import Puzzle, Solution, Termination, Uniqueness, Verdict, canonical_digest
from kakehashi.solver.outcome import Outcome
from kakehashi.storage import Answer, Claim, Job, NewEntry, Repository, RunOptions, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


def board(number: int, width: int = 5) -> Puzzle:
    """A puzzle that is another one for each number: the number in base 9, and an island."""
    digits = []
    rest = number
    for _ in range(2 * width - 1):
        rest, digit = divmod(rest, 9)
        digits.append(digit)
    return Puzzle(2, width, bytes([*digits, 1]))


def new(number: int, name: str | None = None) -> NewEntry:
    """An entry that holds `board(number)`."""
    return NewEntry(name or f"puzzle-{number}", f"dir/{number}.txt", 1, board(number))


def known(number: int, status: Status = Status.SOLVED, known_from: str = "9:9") -> NewEntry:
    """An entry that holds `board(number)`, and an answer that was there already."""
    puzzle = board(number)
    values = bytes([1] * puzzle.graph.m) if status is Status.SOLVED else None
    answer = Answer(Verdict(status.value), Uniqueness.UNCHECKED, values, "test", known_from)
    return replace(new(number), canonical=canonical_digest(puzzle), answer=answer)


def bad(name: str = "bad", error: str = "line 3: expected a clue, found 'x'") -> NewEntry:
    """An entry that is no puzzle."""
    return NewEntry(name, "bad.txt", 3, None, error)


def shards_of(size: int) -> Callable[[Sequence[Job]], Iterable[int]]:
    """Cuts jobs into shards of one size."""

    def cut(jobs: Sequence[Job]) -> Iterable[int]:
        full, rest = divmod(len(jobs), size)
        return [size] * full + [rest] * (rest > 0)

    return cut


class Filled(NamedTuple):
    """A sealed batch with its run."""

    batch: int
    run: int


def fill(repository: Repository, entries: int | Sequence[NewEntry], shard: int = 4, budget: float = 10.0) -> Filled:
    """Submit a whole batch: so many distinct puzzles, or these entries, in shards of one size."""
    if isinstance(entries, int):
        entries = [new(i) for i in range(entries)]
    batch = repository.create_batch("test", {"paths": ["dir"]})
    run = repository.create_run(batch, RunOptions(budget=budget))
    repository.append(batch, run, 0, entries, shards_of(shard))
    repository.seal_batch(batch)
    repository.seal_run(run)
    return Filled(batch, run)


def outcome(puzzle: Puzzle, status: Status = Status.SOLVED, *, wall_ms: float = 1.25) -> Outcome:
    """An outcome of this status; a solved one has not been asked for uniqueness."""
    verdict = Verdict(status.value) if status in (Status.SOLVED, Status.INFEASIBLE) else Verdict.UNKNOWN
    ended = Termination.COMPLETED if verdict is not Verdict.UNKNOWN else Termination(status.value)
    solution = Solution(puzzle, bytes([1] * puzzle.graph.m)) if verdict is Verdict.SOLVED else None
    return Outcome(
        puzzle, verdict, ended, Uniqueness.UNCHECKED, solution,
        engine="test", wall_ms=wall_ms, cpu_ms=wall_ms / 2, cuts=3, conflicts=7,
    )  # fmt: skip


def outcomes(
    claim: Claim, status: Status = Status.SOLVED, positions: Iterable[int] | None = None
) -> list[tuple[int, Outcome]]:
    """Outcomes for the work of a claim, or for these positions of it."""
    wanted = None if positions is None else set(positions)
    return [(work.pos, outcome(work.puzzle, status)) for work in claim.work if wanted is None or work.pos in wanted]


def take(repository: Repository, shard: int | None = None, *, lease: float = 60.0, owner: str = "worker") -> Claim:
    """Claim a shard, or the one that is due next; it has to be there."""
    if shard is None:
        shard = repository.due_bells(1)[0].shard
    claim = repository.claim(shard, owner, lease)
    assert claim is not None
    return claim


def positions(claim: Claim) -> list[int]:
    """Where the work of a claim stands."""
    return [work.pos for work in claim.work]


def drain(repository: Repository, status: Status = Status.SOLVED, run: int | None = None) -> None:
    """Finish everything that waits, all with one status."""
    while bells := repository.due_bells(100, run=run):
        for bell in bells:
            claim = repository.claim(bell.shard, "worker", 60.0)
            if claim is not None:
                repository.finish(claim, outcomes(claim, status))


def easy(number: int) -> Puzzle:
    """A puzzle with one solution, another one for each number up to 900."""
    return Puzzle(1, number + 3, bytes([2, *[0] * (number + 1), 2]))


def marked(number: int = 0) -> Puzzle:
    """A puzzle with one solution that the engines of `tests.support.engines` treat badly."""
    return Puzzle.from_rows([[1, 0, 3, *[0] * number, 0, 1], [0] * (5 + number), [0, 0, 1, *[0] * (2 + number)]])


def apart(number: int = 0) -> Puzzle:
    """A puzzle without a solution, which only an engine finds out: each bridge leaves a pair that none can reach."""
    pair = [1, *[0] * (number + 1), 1]
    return Puzzle.from_rows([pair, [0] * len(pair), pair])


def entries_of(puzzles: Iterable[Puzzle]) -> list[NewEntry]:
    """Entries that hold these puzzles."""
    return [NewEntry(f"p{i}", "made.txt", i + 1, puzzle) for i, puzzle in enumerate(puzzles)]
