"""Worker processes, Celery and supervisors that die, freeze and are told to stop."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

from tests.faults.scenario import scenario
from tests.support.fleet import alive

if TYPE_CHECKING:
    from tests.faults.arena import Arena

KILLS = 20


@scenario("kill -9 of worker processes at random moments")
def kill_processes(arena: Arena) -> None:
    worker = arena.worker()
    run = arena.submit(arena.puzzles(slow=60))
    arena.wait_for_work(run)
    while arena.times < KILLS:
        time.sleep(arena.rng.uniform(0.0, 0.4))
        assert not arena.progress(run).finished, f"all done after {arena.times} kills"
        arena.times += kill_one(arena, worker.processes())
    assert arena.books.number("SELECT max(deaths) FROM attempt") < 3


def kill_one(arena: Arena, processes: list[int]) -> bool:
    """Kill one of these, unless two others died over the puzzle that it has in hand: a third would be its end."""
    if not processes:
        return False
    victim = arena.rng.choice(processes)
    os.kill(victim, signal.SIGSTOP)  # so that it does not go on to the next puzzle meanwhile
    noted = arena.books.number(
        "SELECT max(a.deaths) FROM shard s JOIN attempt a ON a.run = s.run AND a.pos BETWEEN s.first AND s.last"
        " AND a.termination IS NULL WHERE s.owner LIKE :owner AND (s.noted = a.pos OR s.noted IS NULL)",
        owner=f"%/{victim}",
    )
    spared = noted >= 2
    os.kill(victim, signal.SIGCONT if spared else signal.SIGKILL)
    return not spared


@scenario("kill -9 of Celery with all its processes")
def kill_celery(arena: Arena) -> None:
    worker = arena.worker()
    run = arena.submit(arena.puzzles())
    arena.wait_for_work(run, done=20)
    before = worker.celery
    os.killpg(before, signal.SIGKILL)
    arena.times += 1
    arena.wait(run, lambda progress: progress.finished)
    assert worker.celery != before
    assert not alive(before)
