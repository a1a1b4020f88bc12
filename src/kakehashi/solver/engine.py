"""What an engine is: it opens a search on a graph, and the search gives one solution after another.

Engines know nothing of files, databases or answer grids. They are exact: a search that ends with None has proved that
there is no (further) solution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from types import TracebackType

    from kakehashi.puzzle import Graph
    from kakehashi.solver.deadline import Deadline


@dataclass(slots=True)
class Statistics:
    """What a search did so far; counts that an engine does not have stay 0."""

    rounds: int = 0
    cuts: int = 0
    conflicts: int = 0
    decisions: int = 0
    propagations: int = 0


class Search(Protocol):
    """The work on one graph: it stays, with all that it learnt, until it is closed."""

    statistics: Statistics

    def next_solution(self) -> bytes | None:
        """Find a solution that differs from all that were found before in at least one channel.

        Returns:
            The value of each channel (length m), or None: proved that there is no further one.

        Raises:
            Stopped: the deadline ended, or the work was cancelled, before an answer was found.
        """
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Engine(Protocol):
    """A way to solve; its name is stored with each answer."""

    name: str

    def open(self, graph: Graph, deadline: Deadline) -> Search:
        """Begin a search. `graph` has at least one island.

        Encoding may happen here or at the first solution; both look at the deadline.

        Raises:
            Stopped: the deadline ended, or the work was cancelled, while the search was being prepared.
        """
        ...
