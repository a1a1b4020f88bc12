# The compiled core: native/src/module.cpp.

from array import array
from collections.abc import Callable
from typing import TypedDict

class Cancelled(Exception): ...

class Counts(TypedDict):
    decisions: int
    conflicts: int
    propagations: int
    cuts: int
    loops: int
    restarts: int
    searches: int
    reductions: int
    cores: int
    sweeps: int
    variables: int
    bytes: int
    propagation_seconds: float
    encoding_seconds: float
    search_seconds: float

class Solver:
    def __init__(
        self,
        island_row: array[int],
        island_col: array[int],
        channel_a: array[int],
        channel_b: array[int],
        vertical: array[int],
        neighbours: array[int],
        crossing_start: array[int],
        crossing: array[int],
        clue_least: array[int],
        clue_most: array[int],
        capacity: int = ...,
        loops: bool = ...,
        tile: int = ...,
        hops: int = ...,
        budget: int = ...,
        memory: int = ...,
        proof: bool = ...,
    ) -> None: ...
    def next_solution(self, check: Callable[[], object], seconds: float, interval: float) -> bytes | None: ...
    def cancel(self) -> None: ...
    @property
    def statistics(self) -> Counts: ...
    @property
    def proof(self) -> str | None: ...
