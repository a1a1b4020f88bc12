"""Workers on hosts of their own, and cables that are cut, bad, and mended."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from tests.faults.scenario import POSTGRESQL, scenario
from tests.support.network import Network
from tests.support.valkey import Valkey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.faults.arena import Arena
    from tests.support.network import Cable

HOSTS = 3


@dataclass(frozen=True)
class Far:
    """A Valkey on a network."""

    url: str
    network: Network


@contextlib.contextmanager
def far_valkey() -> Iterator[Far]:
    with Network() as network, Valkey(Network.HOST) as valkey:
        yield Far(valkey.url, network)


def workers(arena: Arena) -> list[Cable]:
    """A worker on each of three hosts, which reach broker and database by their cables alone."""
    server = arena.postgresql()
    arena.later.callback(server.restart)
    server.listen(Network.HOST)
    name = arena.settings.db.partition("?")[0].rpartition("/")[2]
    cables = []
    for _ in range(HOSTS):
        inside, cable = arena.broker.network.host()
        arena.worker(inside=inside, concurrency=1, db=f"postgresql://postgres@{Network.HOST}/{name}")
        cables.append(cable)
    return cables


def cut(arena: Arena, seconds: float) -> None:
    cables = workers(arena)
    run = arena.submit(arena.puzzles(slow=90))
    arena.wait_for_work(run, done=20)
    victim = arena.rng.choice(cables)
    victim.cut = True
    arena.times += 1
    time.sleep(seconds)
    done = arena.progress(run).done
    victim.cut = False
    arena.wait(run, lambda progress: progress.finished or progress.done > done)


# Longer than a lease; and longer than PostgreSQL's connections wait for an answer (`tcp_user_timeout`).
for _seconds in (8, 40):
    scenario(f"the cable of one host of three is cut for {_seconds} s", databases=(POSTGRESQL,), broker=far_valkey)(
        partial(cut, seconds=_seconds)
    )


@scenario("cables take 50 ms and lose 5 % of all frames", databases=(POSTGRESQL,), broker=far_valkey)
def bad(arena: Arena) -> None:
    cables = workers(arena)
    for cable in cables:
        cable.delay, cable.loss = 0.05, 0.05
        arena.times += 1
    arena.submit(arena.puzzles(slow=4, easy=40, made=20, infeasible=4))
    arena.wait_until_done()
    for cable in cables:  # so that they are not in the way of the end
        cable.delay = cable.loss = 0.0
