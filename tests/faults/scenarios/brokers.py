"""Brokers that lose their messages, die, freeze and come back: Valkey, and RabbitMQ where it is installed."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from tests.faults.scenario import SQLITE, scenario
from tests.support.rabbitmq import CONSUMER_TIMEOUT, RabbitMQ
from tests.support.storing import marked
from tests.support.valkey import Valkey

if TYPE_CHECKING:
    from kakehashi.puzzle import Puzzle
    from tests.faults.arena import Arena

AWAY_SECONDS = 20.0
FROZEN_SECONDS = 10.0
LONG_SECONDS = 40.0


def goes_on(arena: Arena, run: int, done: int) -> None:
    """See that workers do not sit idle."""
    arena.wait(run, lambda progress: progress.done > done or progress.finished)


def emptied(arena: Arena) -> None:
    run = arena.in_the_middle()
    for _ in range(5):
        arena.broker.empty()
        goes_on(arena, run, arena.progress(run).done)
        arena.times += 1


def restarted(arena: Arena, *, away: float = 0.0, empty: bool = False) -> None:
    run = arena.in_the_middle()
    arena.broker.kill()
    if empty:
        arena.broker.forget()
    time.sleep(away)
    done = arena.progress(run).done
    arena.broker.start()
    goes_on(arena, run, done)


def frozen(arena: Arena) -> None:
    run = arena.in_the_middle()
    with arena.broker.frozen():
        time.sleep(FROZEN_SECONDS)
        done = arena.progress(run).done
    goes_on(arena, run, done)


# Celery ends by itself then. RabbitMQ takes too long to start for this, and Celery outlives it.
@scenario("Valkey dies while a long puzzle is in hand", broker=Valkey, databases=(SQLITE,))
def long_in_hand(arena: Arena) -> None:
    arena.worker()
    long = arena.submit([marked()], engine="spin-marked", budget=LONG_SECONDS, ends=timed_out)
    arena.wait_for_work(long)
    arena.broker.kill()
    arena.times += 1
    time.sleep(3.0)
    arena.broker.start()
    run = arena.submit(arena.puzzles(slow=2))
    arena.wait(run, lambda progress: progress.finished)
    assert not arena.progress(long).finished, "the others waited for it"


def timed_out(puzzle: Puzzle) -> frozenset[str]:
    return frozenset({"timeout"})


for _broker in (Valkey, RabbitMQ):
    for _name, _play in (
        ("loses its messages", emptied),
        ("is killed and comes back empty", partial(restarted, empty=True)),
        ("is killed and comes back with old bells", restarted),
        ("is away for 20 s", partial(restarted, away=AWAY_SECONDS)),
        ("is frozen for 10 s", frozen),
    ):
        scenario(f"{_broker.__name__} {_name}", broker=_broker, databases=(SQLITE,))(_play)


@scenario("RabbitMQ loses patience with a worker that has a long puzzle in hand", broker=RabbitMQ, databases=(SQLITE,))
def consumer_timeout(arena: Arena) -> None:
    arena.worker()
    run = arena.submit(
        arena.puzzles(slow=2, easy=0, made=0, infeasible=0),
        engine="spin",
        budget=CONSUMER_TIMEOUT + 5.0,
        ends=timed_out,
    )
    arena.wait_for_work(run)
    arena.times += 1
