"""The rules for puzzles whose text says nothing of them, and what becomes of them where it does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kakehashi.errors import UsageError
from kakehashi.puzzle.model import MAX_BRIDGES, MOST_BRIDGES, Puzzle, Touching, largest_clue

if TYPE_CHECKING:
    from kakehashi.formats.limits import Limits
    from kakehashi.formats.registry import Item


@dataclass(frozen=True)
class Rules:
    """What a caller asks for; a text that states its rules knows better.

    Attributes:
        touching: what to make of islands that share an edge.
        max_bridges: the most bridges in a channel; None for the classic rule.
        loops: whether loops are allowed; None for the classic rule.
    """

    touching: Touching
    max_bridges: int | None
    loops: bool | None

    @classmethod
    def asked(cls, touching: Touching, max_bridges: int | None, loops: bool | None) -> Rules:
        """The rules that a caller asks for.

        Raises:
            UsageError: no channel carries so many bridges.
        """
        if max_bridges is not None and not 1 <= max_bridges <= MOST_BRIDGES:
            raise UsageError(f"a channel carries at most 1 to {MOST_BRIDGES} bridges, not {max_bridges}")
        return cls(Touching(touching), max_bridges, loops)

    def within(self, limits: Limits) -> Limits:
        """The limits with the largest clue that these rules allow."""
        return limits if self.max_bridges is None else replace(limits, max_clue=largest_clue(self.max_bridges))

    def puzzle(self, item: Item) -> Puzzle:
        """The puzzle of an item: the text's rules, else those asked for, else the classic ones.

        Raises:
            InvalidPuzzle: its cells make none under these rules.
        """
        most, loops = item.max_bridges, item.loops
        if most is None:
            most = MAX_BRIDGES if self.max_bridges is None else self.max_bridges
        if loops is None:
            loops = True if self.loops is None else self.loops
        return Puzzle(item.rows, item.cols, item.cells, self.touching, most, loops)

    def overruled(self, item: Item) -> str | None:
        """A sentence where a text says otherwise than the caller; None where they agree or one says nothing."""
        if self.max_bridges is None and self.loops is None:
            return None
        says = []
        if None not in (item.max_bridges, self.max_bridges) and item.max_bridges != self.max_bridges:
            says.append(f"that a channel carries at most {item.max_bridges}")
        if None not in (item.loops, self.loops) and item.loops != self.loops:
            says.append("that loops are allowed" if item.loops else "that loops are forbidden")
        return f"the puzzle itself says {' and '.join(says)}, which counts" if says else None
