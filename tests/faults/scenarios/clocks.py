"""A clock that somebody sets, ahead and back: the machine's for SQLite, the server's for PostgreSQL."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tests.faults.scenario import scenario
from tests.support.clock import Clock

if TYPE_CHECKING:
    from tests.faults.arena import Arena

HOUR = 3600


def jump(arena: Arena, seconds: int) -> None:
    clock = arena.later.enter_context(Clock())
    arena.place.environment |= clock.environment
    if "://" in arena.settings.db:
        arena.later.callback(arena.postgresql().restart)
        arena.postgresql().restart(environment=clock.environment)
    arena.worker()
    run = arena.submit(arena.puzzles(slow=40))
    arena.wait_for_work(run, done=20)
    clock.set(seconds)
    arena.times += 1
    done = arena.progress(run).done
    arena.wait(run, lambda progress: progress.done > done)
    clock.set(0)
    arena.times += 1
    arena.wait(run, lambda progress: progress.finished)
    assert arena.books.number("SELECT max(tries) FROM shard") == 0, "a living worker was buried"


for _seconds, _name in ((HOUR, "ahead"), (-HOUR, "back")):
    scenario(f"the clock is set an hour {_name}, and then right")(partial(jump, seconds=_seconds))
