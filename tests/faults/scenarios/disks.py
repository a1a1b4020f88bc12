"""Disks that are full, and that cannot be written any more, under an SQLite file."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.faults.scenario import SQLITE, scenario
from tests.support.disk import SmallDisk
from tests.support.storing import easy

if TYPE_CHECKING:
    from tests.faults.arena import Arena

FULL_SECONDS = 8.0
"""Longer than a lease."""


def small_disk(arena: Arena) -> SmallDisk:
    """Put the arena's database on a disk of its own; nobody may use it yet."""
    disk = arena.later.enter_context(SmallDisk(arena.place.here / "disk"))
    file = Path(arena.settings.db)
    shutil.move(file, disk.folder)
    file.symlink_to(disk.folder / file.name)
    return disk


@scenario("the disk of the database is full for longer than a lease", databases=(SQLITE,))
def full(arena: Arena) -> None:
    disk = small_disk(arena)
    arena.worker()
    run = arena.submit(arena.puzzles(slow=40))
    arena.wait_for_work(run, done=20)
    for _ in range(3):  # so often it would cost a puzzle, if it were taken for the death of its worker
        disk.fill()
        arena.times += 1
        time.sleep(FULL_SECONDS)
        disk.make_room()
        time.sleep(1.0)


@scenario("the disk is full in the middle of a submission", databases=(SQLITE,))
def full_for_submit(arena: Arena) -> None:
    disk = small_disk(arena)
    puzzles = [easy(number % 900) for number in range(4000)]
    arena.expect(1, puzzles)
    folder = arena.write(puzzles)
    disk.fill(leave=400_000)
    arena.times += 1
    said = arena.place.call("submit", folder, expect=3)
    assert "kakehashi: the database" in said.err
    assert "make room" in said.err
    assert said.err.count("\n") == 1, said.err
    disk.make_room()
    assert 0 < arena.books.number("SELECT count(*) FROM entry") < len(puzzles)
    arena.worker()
    arena.place.call("resume", "1")


@scenario("the database can only be read", databases=(SQLITE,))
def read_only(arena: Arena) -> None:
    disk = small_disk(arena)
    arena.submit(arena.puzzles(slow=2))
    folder = arena.write([easy(0)])
    disk.allow("ro")
    arena.times += 1
    for command in (["submit", folder], ["worker"]):
        said = arena.place.call(*command, expect=3)
        assert said.err.startswith(f"kakehashi: the database {arena.settings.db} cannot be used")
        assert said.err.count("\n") == 1, said.err
    disk.allow("rw")
