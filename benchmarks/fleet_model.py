"""A fleet as a discrete-event simulation: processes that solve, supervisors that sweep, one broker, some databases.

What takes time is what benchmarks/fleet_costs.py measured. CPU of a server is a queue in front of so many cores; a
worker has its own. Not in the model: locks that wait for each other, checkpoints, vacuum, caches that no longer hold
the tables. So a wall stands where the simulation says, or earlier.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import simpy

from kakehashi.producer.plan import SHARD_ATTEMPTS
from kakehashi.producer.submit import CHUNK_ENTRIES
from kakehashi.settings import Settings
from kakehashi.worker.shard_runner import WRITE_ATTEMPTS, WRITE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Generator

    from benchmarks.fleet_costs import Cost, Costs

_SETTINGS = Settings()

STATEMENTS = 5
"""Round trips of one transaction: begin, fence, rows, counts, commit."""

FULL = 0.9
"""The part of a server's time from which on it holds the others up."""

TURN = 0.01
"""Seconds of CPU after which another one has its turn, where all share the cores of one machine."""


@dataclass(frozen=True)
class Fleet:
    """What is simulated; by default a good server for each service in one data centre.

    Attributes:
        workers: machines, each with a supervisor that sweeps.
        processes: on each of them.
        solve: seconds of CPU for a puzzle.
        shard: attempts of a shard.
        databases: servers; a batch lies on one of them, so each has its own broker and its own workers' attention.
        cores: of each database's server.
        round_trip, commit: seconds of the network, and of the disk for what is written to be safe.
        disk: bytes that each database's disk takes in a second.
        sweep_every, low_water, high_water: as the settings of these names.
        machine: cores that everybody shares, for a comparison with one real machine; None: everybody has their own.
    """

    workers: int = 1
    processes: int = 8
    solve: float = 2e-3
    shard: int = SHARD_ATTEMPTS
    databases: int = 1
    cores: int = 16
    round_trip: float = 0.3e-3
    commit: float = 1e-3
    disk: float = 500e6
    sweep_every: float = _SETTINGS.sweep_every
    low_water: int = _SETTINGS.low_water
    high_water: int = _SETTINGS.high_water
    machine: int | None = None


@dataclass(frozen=True)
class Load:
    """What came out, for each second where it is a rate. The parts are between 0 and 1.

    Attributes:
        puzzles: rows that were finished.
        work: the part of their time that processes solve.
        idle: the part that they wait for a bell.
        database, disk, broker: how busy the busiest server of each kind is.
        bells, transactions, sweeps: how many.
        wal: bytes, of all databases together; what submits write is in it.
        connections: of the busiest database.
        cpu: seconds, of all together.
    """

    puzzles: float
    work: float
    idle: float
    database: float
    disk: float
    broker: float
    bells: float
    transactions: float
    sweeps: float
    wal: float
    connections: int
    cpu: float

    @property
    def wall(self) -> str:
        """What holds the fleet up; empty while nothing does."""
        parts = {"database": self.database, "disk": self.disk, "broker": self.broker}
        busiest = max(parts, key=lambda name: parts[name])
        if parts[busiest] > FULL:
            return busiest
        return "bells" if self.idle > 1 - FULL else ""


class _Server:
    """Cores that serve one after the other, and the CPU that they were asked for."""

    def __init__(self, env: simpy.Environment, cores: int, shared: simpy.Resource | None = None) -> None:
        self._env = env
        self._cores = shared or simpy.Resource(env, cores)
        self._count = cores
        self.busy = 0.0

    def use(self, seconds: float) -> Generator[Any, Any, None]:
        """Wait for a core and take it for so long."""
        self.busy += seconds
        while seconds > 0:
            part = min(seconds, TURN)
            with self._cores.request() as turn:
                yield turn
                yield self._env.timeout(part)
            seconds -= part

    def part(self, seconds: float) -> float:
        """The part of this time for which its cores were busy."""
        return min(1.0, self.busy / seconds / self._count)


class _Site:
    """One database, its broker, and the workers that it has."""

    def __init__(self, env: simpy.Environment, fleet: Fleet, costs: Costs, seed: int) -> None:
        self.env, self.fleet, self.costs = env, fleet, costs
        self._random = random.Random(seed)
        self._machine = simpy.Resource(env, fleet.machine) if fleet.machine else None
        self.database = _Server(env, fleet.cores, self._machine)
        self.broker = _Server(env, 1, self._machine)
        self.disk = _Server(env, 1)
        self._bells = simpy.Store(env)
        self.puzzles = self.bells = self.transactions = self.sweeps = 0
        self.work = self.idle = self.wal = self.own = 0.0

    def start(self) -> None:
        """Begin with the workers of this site."""
        for _ in range(self.fleet.workers // self.fleet.databases):
            self.env.process(self._sweeper())
            for _ in range(self.fleet.processes):
                self.env.process(self._process())

    def forget(self) -> None:
        """Count from now on."""
        self.puzzles = self.bells = self.transactions = self.sweeps = 0
        self.own = self.work = self.idle = self.wal = self.database.busy = self.broker.busy = self.disk.busy = 0.0

    def _cpu(self, seconds: float) -> Generator[Any, Any, None]:
        """CPU of a worker's own, or of the machine that all share."""
        self.own += seconds
        if self._machine is None:
            yield self.env.timeout(seconds)
        else:
            yield from _Server(self.env, 1, self._machine).use(seconds)

    def _transaction(self, cost: Cost, part: float = 1.0, *, writes: bool = True) -> Generator[Any, Any, None]:
        """One transaction that costs this part of a measured one."""
        yield from self._cpu(cost.client * part)
        yield self.env.timeout(STATEMENTS * self.fleet.round_trip + (self.fleet.commit if writes else 0.0))
        yield from self._serve(cost, part)

    def _serve(self, cost: Cost, part: float) -> Generator[Any, Any, None]:
        """The database's side of a transaction."""
        yield from self.database.use(cost.server * part)
        yield from self.disk.use(cost.wal * part / self.fleet.disk)
        self.transactions += 1
        self.wal += cost.wal * part

    def _process(self) -> Generator[Any, Any, None]:
        fleet, costs, env = self.fleet, self.costs, self.env
        batch = max(1, min(WRITE_ATTEMPTS, round(WRITE_SECONDS / fleet.solve)))
        while True:
            since = env.now
            yield self._bells.get()
            self.idle += env.now - since
            yield from self.broker.use(costs.hear.server)
            yield from self._cpu(costs.hear.client)
            yield env.timeout(2 * fleet.round_trip)
            yield from self._transaction(costs.claim, fleet.shard / SHARD_ATTEMPTS)
            left = fleet.shard
            while left > 0:
                done = min(batch, left)
                yield from self._cpu(done * fleet.solve)
                self.work += done * fleet.solve
                yield from self._transaction(costs.record, done / WRITE_ATTEMPTS)
                self.puzzles += done
                left -= done
            # Whoever submits keeps pace, on some other machine.
            if fleet.machine is None:
                env.process(self._serve(costs.append, fleet.shard / CHUNK_ENTRIES))

    def _sweeper(self) -> Generator[Any, Any, None]:
        fleet, costs = self.fleet, self.costs
        yield self.env.timeout(self._random.random() * fleet.sweep_every)
        while True:
            yield from self._transaction(costs.expire, writes=False)
            yield from self._transaction(costs.cancel, writes=False)
            yield from self._cpu(costs.depth.client)
            yield from self.broker.use(costs.depth.server)
            yield self.env.timeout(fleet.round_trip)
            room = fleet.high_water - len(self._bells.items)
            if len(self._bells.items) < fleet.low_water:
                yield from self._transaction(costs.due, room)
                yield from self._cpu(costs.ring.client * room)
                yield from self.broker.use(costs.ring.server * room)
                for _ in range(room):
                    self._bells.put(None)
                self.bells += room
            self.sweeps += 1
            yield self.env.timeout(fleet.sweep_every)


def simulate(fleet: Fleet, costs: Costs, *, warm: float = 8.0, seconds: float = 10.0) -> Load:
    """Let the fleet work with shards without end, and look at it for so many simulated seconds after a warm-up."""
    env = simpy.Environment()
    sites = [_Site(env, fleet, costs, seed) for seed in range(min(fleet.databases, fleet.workers))]
    for site in sites:
        site.start()
    env.run(until=warm)
    for site in sites:
        site.forget()
    env.run(until=warm + seconds)
    per_site = fleet.workers // len(sites)
    time = seconds * per_site * fleet.processes * len(sites)
    return Load(
        puzzles=sum(site.puzzles for site in sites) / seconds,
        work=sum(site.work for site in sites) / time,
        idle=min(1.0, sum(site.idle for site in sites) / time),
        database=max(site.database.part(seconds) for site in sites),
        disk=max(site.disk.part(seconds) for site in sites),
        broker=max(site.broker.part(seconds) for site in sites),
        bells=sum(site.bells for site in sites) / seconds,
        transactions=sum(site.transactions for site in sites) / seconds,
        sweeps=sum(site.sweeps for site in sites) / seconds,
        wal=sum(site.wal for site in sites) / seconds,
        connections=per_site * (fleet.processes + 1),
        cpu=sum(site.own + site.database.busy + site.broker.busy for site in sites) / seconds,
    )
