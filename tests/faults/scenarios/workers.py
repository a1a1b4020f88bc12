"""Worker processes, Celery and supervisors that die, freeze, leak and are told to stop."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

from kakehashi.solver import engine_names
from tests.acceptance.place import wait
from tests.faults.audit import quiet
from tests.faults.scenario import POSTGRESQL, SQLITE, scenario
from tests.support.engines import is_hard
from tests.support.fleet import alive
from tests.unit.solver.boards import lopsided_board

if TYPE_CHECKING:
    from collections.abc import Callable

    from kakehashi.puzzle import Puzzle
    from tests.faults.arena import Arena
    from tests.faults.audit import Ends

KILLS = 20
LOPSIDED = lopsided_board()
ENGINES = [name for name in engine_names() if name in ("native", "pysat")]


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
    with contextlib.suppress(ProcessLookupError):  # it ended by itself, having been killed a moment ago
        os.kill(victim, signal.SIGSTOP)  # so that it does not go on to the next puzzle meanwhile
        deaths = arena.books.number(
            "SELECT max(a.deaths) FROM shard s JOIN attempt a ON a.run = s.run AND a.pos BETWEEN s.first AND s.last"
            " AND a.termination IS NULL WHERE s.owner LIKE :owner AND (s.noted = a.pos OR s.noted IS NULL)",
            owner=f"%/{victim}",
        )
        number = signal.SIGCONT if deaths >= 2 else signal.SIGKILL
        os.kill(victim, number)
        return number == signal.SIGKILL
    return False


@scenario("kill -9 of Celery with all its processes")
def kill_celery(arena: Arena) -> None:
    celery_ends(arena, lambda celery: os.killpg(celery, signal.SIGKILL))


@scenario("kill -9 of Celery alone, whose processes go on")
def kill_parent(arena: Arena) -> None:
    celery_ends(arena, lambda celery: os.kill(celery, signal.SIGKILL))


@scenario("SIGTERM of Celery behind its supervisor's back")
def terminate_celery(arena: Arena) -> None:
    celery_ends(arena, lambda celery: os.kill(celery, signal.SIGTERM))


def celery_ends(arena: Arena, end: Callable[[int], None]) -> None:
    """The supervisor starts another one."""
    worker = arena.worker()
    run = arena.submit(arena.puzzles())
    arena.wait_for_work(run, done=20)
    before = worker.celery
    end(before)
    arena.times += 1
    arena.wait(run, lambda progress: progress.finished)
    assert worker.celery != before


@scenario("kill -9 of a supervisor; another worker comes later")
def kill_supervisor(arena: Arena) -> None:
    worker = arena.worker()
    run = arena.submit(arena.puzzles())
    arena.wait_for_work(run, done=20)
    below = [worker.celery, *worker.processes()]
    worker.process.kill()
    worker.process.wait()
    arena.times += 1
    wait(lambda: [pid for pid in below if alive(pid)], lambda living: not living, 15.0)


@scenario("kill -9 of one of two workers with all that is its")
def kill_one_of_two(arena: Arena) -> None:
    doomed, _ = arena.worker(), arena.worker()
    run = arena.submit(arena.puzzles(slow=40))
    arena.wait_for_work(run, done=20)
    doomed.kill()
    arena.times += 1


@scenario("kill -9 of a process whose lease would hold for five minutes", settings={"lease": 300.0})
def kill_before_the_lease_ends(arena: Arena) -> None:
    """Celery gives the bell back, and the next process knows that the owner is dead."""
    worker = arena.worker()
    run = arena.submit(arena.puzzles())
    arena.wait_for_work(run)
    for _ in range(2):
        arena.times += kill_one(arena, worker.processes())
    arena.wait(run, lambda progress: progress.finished)


@scenario("SIGTERM in the middle, then a new worker")
def terminate(arena: Arena) -> None:
    run = arena.submit(arena.puzzles(slow=30))
    for _ in range(3):
        worker = arena.worker()
        arena.wait_for_work(run)
        time.sleep(arena.rng.uniform(0.0, 1.0))
        worker.stop()
        arena.times += 1
        assert worker.process.returncode == 0
        assert arena.books.number("SELECT count(*) FROM shard WHERE token IS NOT NULL") == 0
    assert arena.books.number("SELECT max(tries) FROM shard") == 0, "a stop was taken for a death"


@scenario("a worker frozen for longer than its leases, then thawed")
def freeze(arena: Arena) -> None:
    frozen = arena.worker()
    run = arena.submit(arena.puzzles(slow=30))
    held: set[str] = set()
    while not held:
        arena.wait_for_work(run)
        frozen.send(signal.SIGSTOP)
        held = tokens(arena)
        if not held:
            frozen.send(signal.SIGCONT)
    arena.worker()
    wait(lambda: tokens(arena) & held, lambda left: not left, 30.0)
    frozen.send(signal.SIGCONT)
    arena.times += 1
    wait(lambda: frozen.said("lease lost"), bool, 30.0)


@scenario("a worker frozen in the middle of a write, for good", databases=(POSTGRESQL,))
def freeze_in_a_write(arena: Arena) -> None:
    """The server keeps the locks of its transaction, and ends its session after a while."""
    frozen = arena.worker()
    run = arena.submit(arena.puzzles(slow=60))
    arena.wait_for_work(run)
    while not arena.books.number(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'kakehashi' AND state = 'idle in transaction'"
        " AND backend_xid IS NOT NULL AND datname = current_database()"
    ):
        assert not arena.progress(run).finished, "no write was caught"
        frozen.send(signal.SIGCONT)
        time.sleep(arena.rng.uniform(0.0, 0.02))
        frozen.send(signal.SIGSTOP)
    arena.times += 1
    arena.worker()
    arena.wait(run, lambda progress: progress.finished)
    frozen.send(signal.SIGCONT)


@scenario("Celery frozen, while its processes and another worker go on")
def freeze_parent(arena: Arena) -> None:
    frozen, _ = arena.worker(), arena.worker()
    run = arena.submit(arena.puzzles(slow=40))
    arena.wait_for_work(run, done=20)
    celery = frozen.celery
    os.kill(celery, signal.SIGSTOP)
    arena.wait(run, lambda progress: progress.finished)
    os.kill(celery, signal.SIGCONT)
    arena.times += 1


def tokens(arena: Arena) -> set[str]:
    """The tokens of all claims that hold."""
    return {token for (token,) in arena.books.rows("SELECT token FROM shard WHERE token IS NOT NULL")}


def cancelled_if_hard(puzzle: Puzzle) -> Ends:
    return frozenset({"cancelled"}) if is_hard(puzzle.graph) else quiet(puzzle)


@scenario("a puzzle that takes for ever, among others in its shard")
def hoard(arena: Arena) -> None:
    arena.worker()
    puzzles = arena.puzzles(slow=1)
    run = arena.submit(puzzles, engine="spin-marked", budget=300.0, ends=cancelled_if_hard)
    progress = arena.wait(run, lambda progress: progress.done == len(puzzles) - 1)
    assert (progress.shards_open, progress.shards_leased) == (1, 1)
    arena.times += 1
    arena.place.call("cancel", str(run))


@scenario("as many puzzles that take for ever as there are processes, on two workers")
def share(arena: Arena) -> None:
    workers = [arena.worker(), arena.worker()]
    processes = len(workers) * arena.settings.concurrency
    puzzles = arena.puzzles(slow=processes, easy=0, made=0, infeasible=0)
    run = arena.submit(puzzles, engine="spin-marked", budget=300.0, ends=cancelled_if_hard)
    arena.wait(run, lambda progress: progress.shards_leased == processes)
    owners = arena.books.rows("SELECT owner FROM shard WHERE token IS NOT NULL")
    assert len({owner for (owner,) in owners}) == processes
    arena.times += processes
    arena.place.call("cancel", str(run))


def times_out_if_lopsided(puzzle: Puzzle) -> Ends:
    return frozenset({"timeout"}) if puzzle == LOPSIDED else quiet(puzzle)


def search_for_long(arena: Arena, engine: str) -> None:
    """The heart beats between slices, so the lease holds; and the deadline ends the search."""
    arena.worker()
    puzzles = [*arena.puzzles(slow=0), LOPSIDED]
    run = arena.submit(puzzles, engine=engine, budget=6.0, ends=times_out_if_lopsided)
    arena.wait(run, lambda progress: progress.finished)
    arena.times += 1
    assert arena.books.number("SELECT max(tries) FROM shard") == 0, "a lease ran out"


for _engine in ENGINES:
    scenario(f"a search of {_engine} that lasts for several leases", settings={"lease": 1.5, "pulse": 0.3})(
        functools.partial(search_for_long, engine=_engine)
    )


@scenario("an engine that leaks memory", databases=(SQLITE,), settings={"max_memory_per_child": 160})
def leak(arena: Arena) -> None:
    worker = arena.worker()
    highest, seen = 0.0, set()
    batches = [arena.submit(arena.puzzles(slow=0, easy=500, made=0, infeasible=0), engine="leak") for _ in range(6)]
    while not all(arena.progress(run).finished for run in batches):
        for pid in worker.processes():
            seen.add(pid)
            highest = max(highest, resident(pid))
        time.sleep(0.05)
    arena.times = len(seen) - arena.settings.concurrency
    assert highest < 160 + 500 / 4 + 40, f"{highest} MB"  # the limit, what one shard may add, and some room


def resident(pid: int) -> float:
    """Megabytes that a process has in memory; 0 for one that is gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        return 0.0
