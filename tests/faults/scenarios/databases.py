"""Databases that restart, are away, are locked, and end connections."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from functools import partial
from typing import TYPE_CHECKING

from tests.faults.scenario import POSTGRESQL, SQLITE, scenario
from tests.support.storing import easy

if TYPE_CHECKING:
    from tests.faults.arena import Arena

AWAY_SECONDS = 20.0
LOCKED_SECONDS = 10.0
DISTURBED_SECONDS = 5.0


def restart(arena: Arena, mode: str) -> None:
    run = arena.in_the_middle()
    while not arena.progress(run).finished:
        arena.postgresql().restart(mode)
        arena.times += 1
        time.sleep(arena.rng.uniform(1.0, 3.0))


for _mode, _name in (("fast", "is restarted again and again"), ("immediate", "crashes again and again")):
    scenario(f"the database {_name}", databases=(POSTGRESQL,))(partial(restart, mode=_mode))


@scenario("the database is away for longer than a lease", databases=(POSTGRESQL,))
def away(arena: Arena) -> None:
    arena.in_the_middle()
    arena.postgresql().restart(away=AWAY_SECONDS)
    arena.wait_until_done()
    assert arena.books.number("SELECT max(tries) FROM shard") == 0, "a living worker was buried"


@scenario("every connection to the database ends, every 200 ms", databases=(POSTGRESQL,))
def disturbed(arena: Arena) -> None:
    arena.in_the_middle()
    ends = time.monotonic() + DISTURBED_SECONDS
    while time.monotonic() < ends:
        arena.postgresql().end_connections()
        arena.times += 1
        time.sleep(0.2)


@scenario("the database goes away under a submission", databases=(POSTGRESQL,))
def away_from_submit(arena: Arena) -> None:
    puzzles = [easy(number % 900) for number in range(4000)]
    arena.expect(1, puzzles)
    folder = arena.write(puzzles)
    arena.worker()
    submitting = arena.start("submit", folder)
    arena.wait_for_entries(200)
    arena.postgresql().restart("immediate", away=2.0)
    arena.times += 1
    said = arena.place.end(submitting, expect=3)
    assert said.err.startswith("kakehashi: the database ")
    assert said.err.count("\n") == 1
    arena.place.call("resume", "1")


@scenario("another program writes to the database for 10 s", databases=(SQLITE,))
def locked(arena: Arena) -> None:
    arena.in_the_middle()
    with contextlib.closing(sqlite3.connect(arena.settings.db, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        time.sleep(LOCKED_SECONDS)
        other.execute("ROLLBACK")
