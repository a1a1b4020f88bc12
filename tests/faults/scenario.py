"""A fault and what it is to show: scenarios, and how one is run and judged."""

from __future__ import annotations

import importlib
import random
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kakehashi.worker.private_broker import PrivateBroker
from tests.faults.arena import an_arena
from tests.faults.audit import Audit

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from tests.faults.arena import Arena, Running
    from tests.services import PostgreSQL

SQLITE, POSTGRESQL = "sqlite", "postgresql"
BOTH = (SQLITE, POSTGRESQL)


@dataclass(frozen=True)
class Scenario:
    """A fault.

    Attributes:
        name: what happens, in a few words; unique.
        play: submits puzzles to the arena, starts workers and does the harm. It need not wait for the end.
        databases: where it makes sense.
        broker: makes the broker: a context manager with an attribute `url`.
        settings: of the fleet, beside those with which a fault shows quickly.
    """

    name: str
    play: Callable[[Arena], None]
    databases: tuple[str, ...] = BOTH
    broker: Callable[[], AbstractContextManager[Running]] = PrivateBroker
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """What a scenario came to: `times` the fault was done, what the audit found, and what should not be left."""

    fault: str
    database: str
    times: int
    audit: Audit
    bells: int
    left: int
    seconds: float

    @property
    def faults(self) -> dict[str, int]:
        """What is not as it should be."""
        left = {name: count for name, count in (("bells", self.bells), ("left", self.left)) if count}
        return self.audit.faults | left

    def row(self) -> dict[str, Any]:
        """The cells of a table."""
        cells = asdict(self)
        return {**cells, **cells.pop("audit")}


_registry: dict[str, Scenario] = {}


def scenario(name: str, **attributes: Any) -> Callable[[Callable[[Arena], None]], Callable[[Arena], None]]:
    """Register a function as a scenario; `attributes` are those of `Scenario`."""

    def register(play: Callable[[Arena], None]) -> Callable[[Arena], None]:
        assert name not in _registry, name
        _registry[name] = Scenario(name, play, **attributes)
        return play

    return register


def scenarios() -> list[Scenario]:
    """All that there are, in the folder `scenarios`."""
    for path in sorted(Path(__file__).with_name("scenarios").glob("*.py")):
        importlib.import_module(f"tests.faults.scenarios.{path.stem}")
    return list(_registry.values())


def perform(
    chosen: Scenario, database: str, postgresql: Callable[[], PostgreSQL], *, seed: int = 0, repeat: int = 0
) -> Report:
    """Play a scenario, wait until all work is done, and judge.

    Raises:
        AssertionError: something that should happen did not, or something that should not did.
    """
    began = time.monotonic()
    rng = random.Random(f"{seed}/{repeat}/{chosen.name}/{database}")
    with an_arena(database, postgresql, rng, chosen.broker, **chosen.settings) as arena:
        chosen.play(arena)
        arena.settle()
        bells = arena.bells()
        left = arena.close()
        audit = arena.books.audit(arena.handed_in)
    return Report(chosen.name, database, arena.times, audit, bells, len(left), round(time.monotonic() - began, 1))
