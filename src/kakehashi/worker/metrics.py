"""What a worker counts, for Prometheus: on the address of the setting `metrics`, as `/metrics`, with `/health` beside.

Celery's processes count into files that the supervisor reads when it is asked (the multi-process mode of
prometheus_client). A file is named for the place of its process in the pool, not for its number: a process that takes
the place of another one counts on in its files, so that their number is bounded, and what was counted stays.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections import Counter
from importlib.metadata import version
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from kakehashi.errors import UsageError
from kakehashi.puzzle import Termination, Verdict
from kakehashi.storage import migrate
from kakehashi.storage.outcomes import settled
from kakehashi.worker.interrupts import lives
from kakehashi.worker.meter import Meter

try:
    import prometheus_client
    from prometheus_client import values
    from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily
    from prometheus_client.multiprocess import MultiProcessCollector
except ModuleNotFoundError:
    raise UsageError(
        "metrics need prometheus_client, which is not installed: pip install 'kakehashi[metrics]'"
    ) from None

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from prometheus_client.metrics_core import Metric

    from kakehashi.solver.outcome import Outcome

PROCESS = "process-"
PID = ".pid"
"""A file of this name in the folder tells which process of Celery counts in a place."""

FILE_BYTES = 1 << 16
"""How large prometheus_client makes a file; all that is counted takes a tenth. It would be a hole, which is filled when
something is counted, and where the disk is full by then, the kernel ends the process."""

STALE_SECONDS = 60.0
"""A supervisor that has not swept for so long is not healthy: the database or the broker is away."""

SOLVE_SECONDS = (
    0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600,
)  # fmt: skip
"""From a small board to the largest budget that a run may ask for by default."""

SWEEP_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)


class Metrics(Meter):
    """Counts into the files of one process.

    There can be one in a process, made after a fork: prometheus_client is told its folder by an environment variable,
    and its way of counting by a global.

    Attributes:
        depth: how many bells waited in the broker at the last sweep of this process; None where it never swept.
        swept_at: the time of that, by the monotonic clock.

    Args:
        folder: where the files are.
        place: names this process's files; no other process that lives may have the same.

    Raises:
        OSError: there is no room for the files.
    """

    depth: int | None = None
    swept_at: float | None = None

    def __init__(self, folder: Path, place: str) -> None:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
        values.ValueClass = values.MultiProcessValue(lambda: place)
        for kind in ("counter", "histogram"):
            if not (path := folder / f"{kind}_{place}.db").exists():
                _put(path, bytes(FILE_BYTES))
        _put(folder / f"{place}{PID}", str(os.getpid()).encode())
        registry = prometheus_client.CollectorRegistry()  # nobody asks it: the files are read

        def counter(name: str, meaning: str, *labels: str) -> prometheus_client.Counter:
            return prometheus_client.Counter(f"kakehashi_{name}", meaning, labels, registry=registry)

        def histogram(name: str, meaning: str, buckets: Sequence[float]) -> prometheus_client.Histogram:
            return prometheus_client.Histogram(f"kakehashi_{name}", meaning, registry=registry, buckets=buckets)

        self._attempts = counter("attempts", "Attempts that ended, as written.", "verdict", "termination")
        self._solving = histogram("solve_seconds", "Wall-clock time of an attempt.", SOLVE_SECONDS)
        self._claims = counter("shards_claimed", "Claims of shards.")
        self._ends = counter("claims_ended", "Claims that ended, by how: finished, released, lost.", "how")
        self._splits = counter("shards_split", "New shards that were made of the rest of others.")
        self._deaths = counter("deaths", "Processes of this worker that were found dead with a shard in hand.")
        self._retries = counter("database_retries", "Transactions that were tried again.")
        self._sweeps = histogram("sweep_seconds", "Time of a sweep.", SWEEP_SECONDS)
        self._failures = counter("sweeps_failed", "Sweeps that failed: the database or the broker was away.")
        self._expired = counter("leases_expired", "Leases that ran out, found by this worker's sweeps.")
        self._rung = counter("bells_rung", "Bells that this worker's sweeps sent.")
        self._restarts = counter("celery_restarts", "Starts of Celery after it ended by itself.")

    def claimed(self) -> None:
        self._claims.inc()

    def written(self, outcomes: Sequence[Outcome]) -> None:
        ends: Counter[tuple[str, str]] = Counter()
        for given in outcomes:
            outcome = settled(given)
            ends[outcome.verdict, outcome.termination] += 1
            self._solving.observe(outcome.wall_ms / 1000)
        for labels, number in ends.items():
            self._attempts.labels(*labels).inc(number)

    def split(self, shards: int) -> None:
        self._splits.inc(shards)

    def ended(self, how: str) -> None:
        self._ends.labels(how).inc()

    def died(self) -> None:
        self._deaths.inc()

    def retried(self) -> None:
        self._retries.inc()

    def expired(self, leases: int) -> None:
        self._expired.inc(leases)

    def cancelled(self, attempts: int) -> None:
        self._attempts.labels(Verdict.UNKNOWN, Termination.CANCELLED).inc(attempts)

    def rang(self, bells: int) -> None:
        self._rung.inc(bells)

    def swept(self, seconds: float) -> None:
        self._sweeps.observe(seconds)
        self.swept_at = time.monotonic()

    def sweep_failed(self) -> None:
        self._failures.inc()

    def queued(self, bells: int) -> None:
        self.depth = bells

    def restarted(self) -> None:
        self._restarts.inc()


class Exporter:
    """Serves `/metrics` and `/health` in a thread, until it is closed.

    Args:
        address: HOST:PORT.
        folder: where the processes of this worker count.
        metrics: the supervisor's own.
        celery_runs: whether Celery does.

    Raises:
        UsageError: the address cannot be listened on.
    """

    def __init__(self, address: str, folder: Path, metrics: Metrics, celery_runs: Callable[[], bool]) -> None:
        self._folder = folder
        self._metrics = metrics
        self._celery_runs = celery_runs
        registry = prometheus_client.CollectorRegistry()
        MultiProcessCollector(registry, str(folder))
        registry.register(self)
        self._exposition = prometheus_client.make_wsgi_app(registry)
        place = urlsplit(f"//{address}")
        try:
            self._server = make_server(
                str(place.hostname),
                int(place.port or 0),
                self._answer,
                _Server6 if address.startswith("[") else _Server,
                _Quiet,
            )
        except OSError as error:
            raise UsageError(f"metrics cannot be served on {address}: {error.strerror or error}") from None
        threading.Thread(target=self._server.serve_forever, name="metrics", daemon=True).start()

    @property
    def port(self) -> int:
        """The port, also where any was asked for."""
        return self._server.server_port

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()

    def collect(self) -> Iterable[Metric]:
        """What is asked for when it is shown, and not counted."""
        yield InfoMetricFamily(
            "kakehashi_build", "The program.", {"version": version("kakehashi"), "schema": migrate.HEAD}
        )
        yield GaugeMetricFamily("kakehashi_processes", "Processes that work on shards.", self._alive())
        if self._metrics.depth is not None:
            yield GaugeMetricFamily("kakehashi_queue_depth", "Bells that wait in the broker.", self._metrics.depth)

    def health(self) -> dict[str, Any]:
        """Whether all is well, and what it is judged by."""
        swept = self._metrics.swept_at
        ago = None if swept is None else round(time.monotonic() - swept, 1)
        celery = self._celery_runs()
        return {"healthy": celery and ago is not None and ago < STALE_SECONDS, "celery": celery, "swept_ago": ago}

    def _alive(self) -> int:
        return sum(lives(int(path.read_text())) for path in self._folder.glob(f"{PROCESS}*{PID}"))

    def _answer(self, environ: dict[str, Any], respond: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/metrics":
            shown: Iterable[bytes] = self._exposition(environ, respond)
            return shown
        if environ["PATH_INFO"] == "/health":
            health = self.health()
            status = "200 OK" if health["healthy"] else "503 Service Unavailable"
            respond(status, [("Content-Type", "application/json")])
            return [json.dumps(health).encode()]
        respond("404 Not Found", [("Content-Type", "text/plain")])
        return [b"there are /metrics and /health\n"]


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Server6(_Server):
    address_family = socket.AF_INET6


class _Quiet(WSGIRequestHandler):
    timeout = 10  # who asks and does not listen is left alone

    def log_message(self, *_: Any) -> None:
        """Say nothing: each look of Prometheus would be a line."""


def _put(path: Path, content: bytes) -> None:
    """Write a file that is whole for whoever looks."""
    part = path.with_suffix(".part")
    part.write_bytes(content)
    part.replace(path)
