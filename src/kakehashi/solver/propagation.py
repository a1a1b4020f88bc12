"""Level-0 propagation: what follows from the clues without any search.

Every channel has a range `lo..hi` of bridges. Four rules narrow the ranges until none applies:

- degree: the bridges of an island add up to its clue, or to no less than one where it has no number;
- crossing: of two channels that share a cell at most one carries bridges;
- necessary channels: a channel without which the islands fall apart (a bridge, in the sense of graph theory, of the
  graph of channels that may still carry bridges) carries at least one;
- closure: a channel may not take the value that uses up the last demand of a group while islands outside of it remain;
- loops, where they are forbidden: a channel within a group that others connect carries nothing.

No rule removes a solution. Plain lists in the loops: they are the fastest that the standard library has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kakehashi.puzzle import Graph
    from kakehashi.solver.deadline import Deadline

STRIDE = 256
"""Steps between two looks at the deadline: some tenths of a millisecond."""


@dataclass(frozen=True, eq=False, slots=True)
class Residual:
    """What propagation left of a puzzle of n islands and m channels.

    Attributes:
        lo, hi: length m, the fewest and the most bridges of each channel.
        need: length n, the most bridges that an island may have beside the `lo` of its channels.
        spare: length n, how many bridges fewer than the `hi` of its channels an island may have at most. Where it has a
            number, `need` and `spare` add up to the widths `hi - lo` around it.
        incident: length n, the channels of each island.
        group: length n, the name of the group that an island belongs to: islands are in one group when channels with
            `lo` of at least 1 connect them.
        groups: how many groups there are.
        undecided: the channels with `lo < hi`, ascending.
    """

    lo: list[int]
    hi: list[int]
    need: list[int]
    spare: list[int]
    incident: list[list[int]]
    group: list[int]
    groups: int
    undecided: list[int]


def propagate(graph: Graph, deadline: Deadline) -> Residual | None:
    """Narrow all ranges to the fixpoint of the rules.

    Returns:
        What is left, or None: proved that there is no solution.

    Raises:
        Stopped: the deadline ended, or the work was cancelled.
    """
    try:
        return _Propagation(graph, deadline).run()
    except _Contradiction:
        return None


class _Contradiction(Exception):
    """No solution is left."""


def _slices(channels: Sequence[int], deadline: Deadline) -> Iterator[Sequence[int]]:
    """Cut a list into slices and look at the deadline before each."""
    for start in range(0, len(channels), STRIDE):
        deadline.check()
        yield channels[start : start + STRIDE]


class _Propagation:
    """The state of a propagation; `Residual` describes the lists.

    `spare[i]` is how much capacity island `i` can still lose: the sum of `hi` over its channels less its clue. With
    `need` it says all that the degree rule has to know: no channel of `i` can be wider than either. Both are kept up to
    date by `_lower` and `_raise`, the only two that change a range. The demand of a group is the sum of its `need`.
    """

    __slots__ = (
        "capacity", "crossing", "crossing_start", "deadline", "end_a", "end_b", "group", "group_need", "groups", "hi",
        "incident", "lo", "loops", "members", "need", "queue", "queued", "spare", "undecided", "weakened",
    )  # fmt: skip

    def __init__(self, graph: Graph, deadline: Deadline) -> None:
        deadline.check()
        n = graph.n
        self.deadline = deadline
        self.capacity = capacity = graph.capacity
        self.loops = graph.loops
        clue = graph.clue_most.tolist()
        least = clue if graph.has_exact_clues else graph.clue_least.tolist()
        self.end_a = graph.channel_a.tolist()
        self.end_b = graph.channel_b.tolist()
        self.crossing_start = graph.crossing_start.tolist()
        self.crossing = graph.crossing.tolist()
        sides = graph.neighbours.tolist()
        self.incident = [[e for e in sides[k : k + 4] if e >= 0] for k in range(0, 4 * n, 4)]
        deadline.check()
        self.lo = [0] * graph.m
        most = [min(capacity, d) for d in clue]
        self.hi = [
            most[a] if most[a] < most[b] else most[b]  # noqa: FURB136 - min() takes three times as long
            for a, b in zip(self.end_a, self.end_b, strict=True)
        ]
        self.undecided: Sequence[int] = range(graph.m)
        self.need = clue
        self.spare = spare = [-d for d in least]
        for a, b, width in zip(self.end_a, self.end_b, self.hi, strict=True):
            spare[a] += width
            spare[b] += width
        self.queue = [i for i in range(n) if clue[i] < capacity or spare[i] < capacity]
        self.queued = bytearray(n)
        for i in self.queue:
            self.queued[i] = 1
        self.group = list(range(n))
        self.group_need = clue.copy()
        self.groups = n
        self.members = [[i] for i in range(n)]
        self.weakened = True  # a channel between two groups became impossible since the last search for necessary ones
        deadline.check()

    def run(self) -> Residual:
        """Apply the rules, cheap ones first, until none applies."""
        while True:
            self._degrees()
            self._drop_decided()
            if self._closure() or (not self.loops and self._no_loops()):
                continue
            if not self.weakened:
                break
            self.weakened = False
            if not self._necessary():
                break
        undecided = list(self.undecided)
        return Residual(self.lo, self.hi, self.need, self.spare, self.incident, self.group, self.groups, undecided)

    def _drop_decided(self) -> None:
        lo, hi = self.lo, self.hi
        self.undecided = [e for some in _slices(self.undecided, self.deadline) for e in some if lo[e] != hi[e]]

    def _lower(self, e: int, most: int) -> None:
        """Channel `e` carries at most `most` bridges, fewer than what was known."""
        lost = self.hi[e] - most
        self.hi[e] = most
        if not most:
            self.weakened = True
        spare, queued, capacity = self.spare, self.queued, self.capacity
        for i in (self.end_a[e], self.end_b[e]):
            spare[i] -= lost
            if spare[i] < capacity and not queued[i]:
                queued[i] = 1
                self.queue.append(i)

    def _raise(self, e: int, least: int) -> None:
        """Channel `e` carries at least `least` bridges, more than what was known."""
        gained = least - self.lo[e]
        new = not self.lo[e]
        self.lo[e] = least
        a, b = self.end_a[e], self.end_b[e]
        need, queued, capacity = self.need, self.queued, self.capacity
        for i in (a, b):
            need[i] -= gained
            if need[i] < capacity and not queued[i]:
                queued[i] = 1
                self.queue.append(i)
        group = self.group
        if group[a] != group[b]:
            self._join(group[a], group[b])
        elif new and not self.loops:
            raise _Contradiction
        left = self.group_need[group[a]] - 2 * gained
        self.group_need[group[a]] = left
        if left <= 0 and (left < 0 or self.groups > 1):
            raise _Contradiction
        if new:
            # None of these carries a bridge for sure: it would have emptied this channel.
            for f in self.crossing[self.crossing_start[e] : self.crossing_start[e + 1]]:
                if self.hi[f]:
                    self._lower(f, 0)

    def _join(self, kept: int, gone: int) -> None:
        """Make two groups one; the smaller takes the name of the larger: an island is renamed at most log n times."""
        members = self.members
        if len(members[kept]) < len(members[gone]):
            kept, gone = gone, kept
        group = self.group
        for i in members[gone]:
            group[i] = kept
        members[kept] += members[gone]
        members[gone] = []
        self.group_need[kept] += self.group_need[gone]
        self.groups -= 1

    def _degrees(self) -> None:
        """The degree rule (and crossings with it, by `_raise`) until nothing changes."""
        queue, queued, incident = self.queue, self.queued, self.incident
        need, spare, lo, hi = self.need, self.spare, self.lo, self.hi
        steps = 0
        while queue:
            steps += 1
            if not steps % STRIDE:
                self.deadline.check()
            i = queue.pop()
            queued[i] = 0
            if need[i] < 0 or spare[i] < 0:
                raise _Contradiction
            for e in incident[i]:
                width = hi[e] - lo[e]
                # The widths around an island with a number add up to need + spare, so that neither of these makes the
                # other negative; around one without they may add up to less.
                if width > need[i]:
                    width = need[i]
                    self._lower(e, lo[e] + width)
                    if spare[i] < 0:
                        raise _Contradiction
                if width > spare[i]:
                    self._raise(e, hi[e] - spare[i])

    def _closure(self) -> bool:
        """The closure rule, once for each channel; whether a range changed.

        Let a channel have w more bridges to give than its `lo`. Within a group with a demand of 2w, all w would close
        the group. Between two groups w = hi; by the degree rule neither has a demand below w, so all w would close what
        they become together exactly when both demands are w; then any third group stays outside.
        """
        groups = self.groups
        if groups == 1:
            return False
        group, group_need, lo, hi = self.group, self.group_need, self.lo, self.hi
        end_a, end_b = self.end_a, self.end_b
        changed = False
        for some in _slices(self.undecided, self.deadline):
            for e in some:
                twice = 2 * (hi[e] - lo[e])
                p, q = group[end_a[e]], group[end_b[e]]
                closes = group_need[p] == twice if p == q else groups > 2 and group_need[p] + group_need[q] == twice
                if closes and twice:
                    self._lower(e, hi[e] - 1)
                    changed = True
        return changed

    def _no_loops(self) -> bool:
        """The rule for loops, once for each channel; whether a range changed."""
        group, lo, hi = self.group, self.lo, self.hi
        changed = False
        for some in _slices(self.undecided, self.deadline):
            for e in some:
                if hi[e] and not lo[e] and group[self.end_a[e]] == group[self.end_b[e]]:
                    self._lower(e, 0)
                    changed = True
        return changed

    def _necessary(self) -> bool:
        """Raise every channel that all connected solutions need; whether there was one.

        Such channels are the bridges of the graph of groups. Tarjan's method ("A note on finding the bridges of a
        graph", 1974), with a stack of its own: a channel in the tree of a depth-first search is a bridge when no other
        channel leads from below it to above.
        """
        if self.groups == 1:
            return False
        around = self._channels_between_groups()
        group, end_a, end_b = self.group, self.end_a, self.end_b
        root = group[0]
        found = 1
        number = {root: 1}  # in the order of discovery
        low = {root: 1}  # the smallest number that is reached from below a group by one channel beside the tree's
        path = [(root, -1, iter(around.get(root, ())))]
        necessary = []
        while path:
            here, via, rest = path[-1]
            lowest = low[here]
            for e in rest:
                if e == via:
                    continue
                there = group[end_a[e]]
                if there == here:
                    there = group[end_b[e]]
                seen = number.get(there)
                if seen is None:
                    found += 1
                    if not found % STRIDE:
                        self.deadline.check()
                    number[there] = low[there] = found
                    path.append((there, e, iter(around[there])))
                    break
                if seen < lowest:
                    lowest = seen
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    if lowest < low[above]:
                        low[above] = lowest
                    if lowest > number[above]:
                        necessary.append(via)
                continue
            low[here] = lowest
        if found < self.groups:
            raise _Contradiction
        for e in necessary:
            if not self.hi[e]:  # it crosses one that was raised just now
                raise _Contradiction
            self._raise(e, 1)
        return bool(necessary)

    def _channels_between_groups(self) -> dict[int, list[int]]:
        """For each group the channels that may connect it to another."""
        group, end_a, end_b, hi = self.group, self.end_a, self.end_b, self.hi
        around: dict[int, list[int]] = {}
        for some in _slices(self.undecided, self.deadline):
            for e in some:
                p, q = group[end_a[e]], group[end_b[e]]
                if p != q and hi[e]:
                    around.setdefault(p, []).append(e)
                    around.setdefault(q, []).append(e)
        return around
