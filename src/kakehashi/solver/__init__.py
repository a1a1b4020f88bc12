"""The solver: propagation, engines, and `solve`, which checks what they say. No I/O, no clock but the deadline."""

from kakehashi.solver.deadline import Cancelled, Deadline, OutOfTime, Stopped
from kakehashi.solver.engine import Engine, Search, Statistics
from kakehashi.solver.engines import engine_named, engine_names, register, unregister
from kakehashi.solver.outcome import Outcome
from kakehashi.solver.solve import solve

__all__ = [
    "Cancelled",
    "Deadline",
    "Engine",
    "OutOfTime",
    "Outcome",
    "Search",
    "Statistics",
    "Stopped",
    "engine_named",
    "engine_names",
    "register",
    "solve",
    "unregister",
]
