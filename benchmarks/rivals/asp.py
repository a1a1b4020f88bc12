"""clingo: an answer set program, where connectivity is reachability and clasp's unfounded sets see to it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from benchmarks.rivals.rival import INFEASIBLE, TIMEOUT, Answer, Claim

if TYPE_CHECKING:
    import clingo

    from kakehashi.puzzle import Graph, Puzzle

MODEL = """
{ one(E) } :- channel(E,_,_).
{ two(E) } :- one(E), not narrow(E).
narrow(E) :- channel(E,A,_), clue(A,1).
narrow(E) :- channel(E,_,B), clue(B,1).
end(E,A) :- channel(E,A,_).
end(E,B) :- channel(E,_,B).
:- clue(I,D), #sum{ 1,1,E : one(E), end(E,I); 1,2,E : two(E), end(E,I) } != D.
:- cross(E,F), one(E), one(F).
reached(0).
reached(B) :- reached(A), channel(E,A,B), one(E).
reached(A) :- reached(B), channel(E,A,B), one(E).
:- clue(I,_), not reached(I).
#show one/1.
#show two/1.
"""
"""Facts: clue(island, number), channel(number, island, island), cross(channel, channel)."""

DEFAULT = "auto"
"""What clingo takes when it is told nothing."""

QUICKEST = "handy"
"""The quickest of clingo's own on boards of 400 islands: half of the default's time and less."""


class Clingo:
    """Ground the model with the facts of a board and take the first answer set."""

    def __init__(self, configuration: str = DEFAULT) -> None:
        self.name = "clingo" if configuration == DEFAULT else f"clingo-{configuration}"
        self._configuration = configuration

    @property
    def version(self) -> str:
        """The version of clingo."""
        import clingo

        return f"clingo {clingo.__version__}"

    def solve(self, puzzle: Puzzle, budget: float) -> Answer:
        """Ground, solve."""
        import clingo

        ends_at = time.monotonic() + budget
        graph = puzzle.graph
        control = clingo.Control(["--warn=none", f"--configuration={self._configuration}"])
        control.add("base", [], MODEL + facts(graph))
        control.ground([("base", [])])
        values = bytearray(graph.m)

        def note(model: clingo.Model) -> None:
            for atom in model.symbols(shown=True):
                values[atom.arguments[0].number] += 1

        with control.solve(on_model=note, async_=True) as handle:
            if not handle.wait(max(0.0, ends_at - time.monotonic())):
                handle.cancel()
                return TIMEOUT
            return Answer(Claim.SOLVED, bytes(values)) if handle.get().satisfiable else INFEASIBLE


def facts(graph: Graph) -> str:
    """The board as facts of the model."""
    start, crossing = graph.crossing_start, graph.crossing
    lines = [f"clue({i},{clue})." for i, clue in enumerate(graph.clue_least)]
    lines += [f"channel({e},{a},{b})." for e, (a, b) in enumerate(zip(graph.channel_a, graph.channel_b, strict=True))]
    lines += [
        f"cross({e},{f})." for e in range(graph.m) for f in crossing[start[e] : start[e + 1]] if f > e
    ]  # fmt: skip
    return "\n".join(lines)
