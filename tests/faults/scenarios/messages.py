"""Messages that come twice, late, in any order, for nothing, or that are none."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import redis

from tests.acceptance.place import wait
from tests.faults.scenario import SQLITE, scenario
from tests.support.messages import BAD, PICKLE, raw
from tests.support.messages import headers as bell_headers

if TYPE_CHECKING:
    from tests.faults.arena import Arena


@scenario("each bell five times, in any order, for closed, open and unknown shards")
def repeat_bells(arena: Arena) -> None:
    arena.worker()
    arena.worker()
    run = arena.submit(arena.puzzles(slow=40))
    while not arena.progress(run).finished:
        shards = [shard for (shard,) in arena.books.rows("SELECT id FROM shard")]
        bells = 5 * [*shards, *range(10**6, 10**6 + 5), -1, 0]
        arena.rng.shuffle(bells)
        arena.ring(bells)
        arena.times += len(bells)
        wait(arena.bells, lambda waiting: waiting < 20)


@scenario("messages that are no bells")
def malformed_messages(arena: Arena) -> None:
    worker = arena.worker()
    run = arena.submit(arena.puzzles(slow=30))
    arena.wait_for_work(run)
    before = worker.celery
    with redis.Redis(unix_socket_path=str(arena.broker.folder / "broker.sock")) as client:
        for body, headers, _ in [*BAD.values(), (PICKLE, bell_headers(), "")]:
            client.lpush(arena.settings.queue, raw(body, headers))
            arena.times += 1
            time.sleep(0.05)
    arena.wait(run, lambda progress: progress.finished)
    wait(arena.bells, lambda waiting: waiting == 0)
    assert worker.celery == before, "Celery ended over one of them"


@scenario(
    "bells of a killed worker that the broker hands out again",
    databases=(SQLITE,),
    settings={"max_budget": 1.0, "patience": 1.0, "visibility_timeout": 36.0, "budget": 1.0},
)
def restored_bells(arena: Arena) -> None:
    worker = arena.worker()
    run = arena.submit(arena.puzzles(), budget=1.0)
    arena.wait_for_work(run)
    worker.kill()
    killed = time.monotonic()
    arena.worker()
    arena.wait(run, lambda progress: progress.finished)
    with redis.Redis(unix_socket_path=str(arena.broker.folder / "broker.sock")) as client:
        arena.times = client.hlen("unacked")
        time.sleep(max(0.0, killed + arena.settings.visibility_timeout + 1 - time.monotonic()))
        arena.worker()  # a worker looks for them soon after its start, and then once in 100 s
        wait(lambda: client.hlen("unacked"), lambda left: not left)
