"""A checker of the native engine's proofs, which shares nothing with the engine.

It makes the clauses of the puzzle itself, looks at every cut and loop on the graph, and derives every other line by
reverse unit propagation (Goldberg and Novikov, "Verification of proofs of unsatisfiability for CNF formulas", 2003).
The format of the lines is explained in native/src/proof.hpp.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise, product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kakehashi.puzzle import Graph

Clause = tuple[int, ...]


class ProofError(Exception):
    """A line of the proof does not hold."""


class Propagator:
    """Clauses, and what follows from them by unit propagation: two watched literals, no decisions of its own."""

    def __init__(self) -> None:
        self._watches: defaultdict[int, list[list[int]]] = defaultdict(list)
        self._value: dict[int, bool] = {}  # by literal; what holds without any assumption
        self._trail: list[int] = []
        self._live: defaultdict[Clause, list[list[int]]] = defaultdict(list)
        self._dropped: dict[int, list[int]] = {}  # by identity, which is theirs as long as they are kept here
        self.contradiction = False

    def add(self, literals: Iterable[int]) -> None:
        """Add a clause, and all that follows from it."""
        clause = list(dict.fromkeys(literals))
        if any(-literal in clause for literal in clause) or any(self._value.get(literal) for literal in clause):
            return
        # The watched literals come first, and they are open.
        clause.sort(key=lambda literal: self._value.get(literal) is False)
        still_open = [literal for literal in clause if literal not in self._value]
        if not still_open:
            self.contradiction = True
        elif len(still_open) == 1:
            self.contradiction |= not self._propagate([still_open[0]])
        else:
            for literal in clause[:2]:
                self._watches[literal].append(clause)
            self._live[tuple(sorted(clause))].append(clause)

    def drop(self, literals: Iterable[int]) -> None:
        """Use a clause no more; what follows from it as a fact stays."""
        clauses = self._live[tuple(sorted(set(literals)))]
        if clauses:
            clause = clauses.pop()
            self._dropped[id(clause)] = clause

    def implies(self, clause: Sequence[int]) -> bool:
        """Whether the negation of a clause leads to a contradiction by unit propagation alone."""
        if self.contradiction:
            return True
        start = len(self._trail)
        holds = not self._propagate([-literal for literal in clause])
        for literal in self._trail[start:]:
            del self._value[literal], self._value[-literal]
        del self._trail[start:]
        return holds

    def _propagate(self, literals: Iterable[int]) -> bool:
        """Make literals true, and what follows; False: a contradiction."""
        place = len(self._trail)
        for literal in literals:
            if not self._set(literal):
                return False
        while place < len(self._trail):
            false = -self._trail[place]
            place += 1
            kept = []
            clauses = self._watches[false]
            fine = True
            for number, clause in enumerate(clauses):
                if id(clause) in self._dropped:
                    continue
                if clause[0] == false:
                    clause[0], clause[1] = clause[1], false
                if self._value.get(clause[0]):
                    kept.append(clause)
                    continue
                for k in range(2, len(clause)):
                    if self._value.get(clause[k]) is not False:
                        clause[1], clause[k] = clause[k], false
                        self._watches[clause[1]].append(clause)
                        break
                else:
                    kept.append(clause)
                    if not self._set(clause[0]):
                        kept += clauses[number + 1 :]
                        fine = False
                        break
            self._watches[false] = kept
            if not fine:
                return False
        return True

    def _set(self, literal: int) -> bool:
        known = self._value.get(literal)
        if known is None:
            self._value[literal], self._value[-literal] = True, False
            self._trail.append(literal)
        return known is not False


class Encoding:
    """The clauses of a puzzle without connectivity; the variables go channel by channel, as in the proof."""

    def __init__(self, graph: Graph) -> None:
        self.ladders: list[list[int]] = []
        self.is_exact = graph.clue_least == graph.clue_most
        last = 0
        for a, b in zip(graph.channel_a, graph.channel_b, strict=True):
            width = min(graph.capacity, graph.clue_most[a], graph.clue_most[b])
            self.ladders.append(list(range(last + 1, last + width + 1)))
            last += width
        self.variables = last
        self.clauses: list[Clause] = []
        for ladder in self.ladders:
            self.clauses += [(-high, low) for low, high in pairwise(ladder)]
        for i, (least, most) in enumerate(zip(graph.clue_least, graph.clue_most, strict=True)):
            around = [self.ladders[e] for e in graph.neighbours[4 * i : 4 * i + 4] if e >= 0]
            self._add_degree(around, least, most)
        for e, ladder in enumerate(self.ladders):
            for f in graph.crossing[graph.crossing_start[e] : graph.crossing_start[e + 1]]:
                if ladder and self.ladders[f]:
                    self.clauses.append((-ladder[0], -self.ladders[f][0]))

    def _add_degree(self, around: list[list[int]], least: int, most: int) -> None:
        """No values with one bridge more than the most, nor larger ones; none with one less than the least."""
        if not least <= sum(map(len, around)):
            self.clauses.append(())
        for point in product(*(range(len(ladder) + 1) for ladder in around)):
            if sum(point) == most + 1:
                self.clauses.append(tuple(-ladder[x - 1] for ladder, x in zip(around, point, strict=True) if x))
            elif sum(point) == least - 1:
                missing = (ladder[x : x + 1] for ladder, x in zip(around, point, strict=True))
                self.clauses.append(tuple(variable for part in missing for variable in part))

    def blocking(self, values: bytes) -> Clause:
        """Some channel carries fewer bridges than here (then the degrees make another carry more).

        Where an island has no number there may also be more in one channel, and nowhere fewer.
        """
        fewer = [-self.ladders[e][value - 1] for e, value in enumerate(values) if value]
        more = [ladder[value] for ladder, value in zip(self.ladders, values, strict=True) if value < len(ladder)]
        return tuple(fewer if self.is_exact else fewer + more)


def is_cut(graph: Graph, channels: set[int]) -> bool:
    """Whether the islands are not connected without these channels."""
    reached = {0}
    todo = [0]
    while todo:
        i = todo.pop()
        for e in graph.neighbours[4 * i : 4 * i + 4]:
            if e >= 0 and e not in channels:
                j = graph.channel_a[e] + graph.channel_b[e] - i
                if j not in reached:
                    reached.add(j)
                    todo.append(j)
    return len(reached) < graph.n


def is_loop(graph: Graph, channels: set[int]) -> bool:
    """Whether these channels make one closed way: each of their islands has two of them, and they hang together."""
    at: dict[int, set[int]] = defaultdict(set)
    for e in channels:
        at[graph.channel_a[e]].add(e)
        at[graph.channel_b[e]].add(e)
    if not channels or any(len(met) != 2 for met in at.values()):
        return False
    here = start = min(at)
    e = min(at[here])
    walked = 0
    while walked == 0 or here != start:
        here = graph.channel_a[e] + graph.channel_b[e] - here
        (e,) = at[here] - {e}
        walked += 1
    return walked == len(channels)


def check_proof(graph: Graph, proof: str, solutions: Sequence[bytes] = ()) -> dict[str, int]:
    """See that a proof shows that there are no solutions but these.

    Returns:
        How many lines there are of each mark ("" for lemmas).

    Raises:
        ProofError: it does not show that.
    """
    encoding = Encoding(graph)
    first_of = {ladder[0]: e for e, ladder in enumerate(encoding.ladders) if ladder}
    blocked = {frozenset(encoding.blocking(values)) for values in solutions}
    propagator = Propagator()
    for clause in encoding.clauses:
        propagator.add(clause)
    variables = encoding.variables
    defined: dict[int, list[Clause]] = defaultdict(list)
    counts: dict[str, int] = defaultdict(int)
    for number, line in enumerate(proof.splitlines(), 1):
        mark = line[0] if line[0].isalpha() else ""
        *literals, end = map(int, line[len(mark) :].split())
        if end != 0:
            raise ProofError(f"line {number} does not end with 0")
        clause = tuple(literals)
        counts[mark] += 1
        if mark == "d":
            propagator.drop(clause)
            continue
        if mark == "k":
            if not all(literal in first_of for literal in clause):
                raise ProofError(f"line {number}: a cut is made of first steps")
            holds = is_cut(graph, {first_of[literal] for literal in clause})
        elif mark == "l":
            used = {first_of.get(-literal, -1) for literal in clause}
            holds = not graph.loops and -1 not in used and is_loop(graph, used)
        elif mark == "b":
            holds = frozenset(clause) in blocked
        elif mark == "e":
            holds = _defines(clause, variables, defined)
        else:
            holds = propagator.implies(clause)
        if not holds:
            raise ProofError(f"line {number} does not hold: {line}")
        propagator.add(clause)
        if not clause:
            return dict(counts)
    raise ProofError("the proof does not end with the empty clause")


def _defines(clause: Clause, variables: int, defined: dict[int, list[Clause]]) -> bool:
    """Whether a clause is part of `new = one of ...`: first (new or not x) for each x, then (not new or x or y ...)."""
    new = max(clause, key=abs)
    name = abs(new)
    parts = defined[name]
    others = {literal for literal in clause if literal != new}
    if name <= variables or any(abs(literal) > variables for literal in others) or (parts and () in parts):
        return False
    if new > 0:
        parts.append(tuple(others))
        return len(others) == 1
    holds = others == {-part[0] for part in parts}
    parts.append(())  # complete
    return holds
