from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks import million
from benchmarks.filled import Plan, boards, fill
from benchmarks.load import made
from benchmarks.load_plots import rates_of
from benchmarks.load_tables import latency_table, load_table, memory_table
from benchmarks.processes import Memory, cpu_seconds, tree
from benchmarks.records import Latency, Load, Log, Pace, load
from benchmarks.records import Memory as MemoryRecord
from benchmarks.report import Results, page
from kakehashi.formats import read
from kakehashi.storage import Repository, Status

POOL = Load("pool", 0, 1000, 2, work=1.0, work_cpu=0.1)
SQLITE = Load(
    "sqlite", 0, 1000, 2, work=2.0, work_cpu=0.15, submit=4.0, submit_cpu=0.05, results=0.5, results_mb=60.0,
    table_bytes=300_000, index_bytes=50_000,
)  # fmt: skip
EARLY = Latency("sqlite", "ended", "status", asked=0.2, seconds=0.001, largest=0.002, rows=1_000_000)
LATE = Latency("postgresql", "ended", "status", asked=0.2, seconds=0.3, largest=0.4, rows=1_000_000)


def cells(table: str, line: int) -> list[str]:
    return [cell.strip() for cell in table.splitlines()[line].strip("|").split("|")]


def test_a_load_is_charged_with_what_the_pool_does_not_need() -> None:
    found = dict(zip(cells(load_table([POOL, SQLITE]), 0), cells(load_table([POOL, SQLITE]), 3), strict=True))
    assert (found["submitted/s"], found["worked/s"], found["results/s"]) == ("250", "500", "2,000")
    assert (
        found["beyond the pool"] == "0.100"
    )  # ms of CPU: 0.05 of submit, and 0.15 of the worker where a pool takes 0.1
    assert (found["bytes a puzzle: tables"], found["indexes"]) == ("300", "50")


def test_what_takes_longer_than_is_asked_is_told() -> None:
    assert cells(latency_table([EARLY, LATE]), 2)[-2:] == ["1.00 ms", "300 ms (late)"]


def test_memory_is_told_by_kind_of_process() -> None:
    levels = [
        MemoryRecord("sqlite", 0, at, f"worker process {k}", 50.0 + at, 30.0 + at) for at in (1, 9) for k in (1, 2)
    ]
    assert cells(memory_table(levels), 2) == ["worker process", "sqlite", "2", "59", "39", "31", "39"]


def test_a_rate_is_that_of_some_seconds() -> None:
    course = [Pace("sqlite", 0, 0.5 * k, 100 * k) for k in range(9)]
    assert rates_of(course) == ([2.0, 4.0], [200.0, 200.0])


def test_a_load_and_the_looks_are_chapters_of_the_page(tmp_path: Path) -> None:
    with Log(tmp_path / "load.ndjson") as log:
        for record in (POOL, SQLITE, MemoryRecord("sqlite", 0, 1.0, "supervisor 1", 60.0, 50.0)):
            log.write(record)
    with Log(tmp_path / "million.ndjson") as log:
        log.write(LATE)
    text = page(Results.of(load([tmp_path])), ["latencies"])
    assert "## Under load" in text
    assert "## A million rows" in text
    assert "performance/latencies.svg" in text
    assert "performance/pace.svg" not in text


def test_processes_are_found_with_their_memory_and_their_cpu() -> None:
    busy = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True)\ninput()"
    with subprocess.Popen([sys.executable, "-c", busy], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        watch = Memory(child.pid, ("child",), every=0.01)
        child.stdout.readline()
        assert (child.pid, 1) in list(tree(os.getpid()))
        assert 0.25 <= cpu_seconds(child.pid) < 10
        while not watch.levels:
            time.sleep(0.01)
        assert watch.stop() > 1
        child.stdin.close()
    assert {level.process for level in watch.levels} == {"child 1"}
    assert list(tree(child.pid)) == []


@pytest.mark.parametrize("copies", [False, True])
def test_a_batch_that_is_filled_in_bulk_counts_what_it_holds(tmp_path: Path, copies: bool) -> None:
    url = str(tmp_path / "k.db")
    plan = Plan("b", 130, boards(3, 5, 6), million.ended, million.source, copies=copies, shard=50)
    batch, run = fill(url, plan)
    with Repository(url) as repository:
        progress = repository.progress(run)
        found = [result.status for result in repository.results(batch)]
        assert progress.counts == {status: found.count(status) for status in Status}
        assert (progress.total, progress.finished, found[0]) == (130, True, million.ended(0))


def test_every_look_at_a_million_rows_can_be_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(million, "REPEATS", 1)
    url = str(tmp_path / "k.db")
    batch, run = fill(url, Plan("b", 300, boards(3, 5, 6), million.ended, million.source))
    with Log(tmp_path / "m.ndjson") as log, Repository(url) as repository:
        course = million.Course("sqlite", url, 300, log)
        course.looks(repository, "b", batch, run)
    rows = {one.what: one.rows for one in course.found}
    assert (rows["status"], rows["--status queued"], rows["--status solved"]) == (300, 0, million.PAGE)
    assert 0 < rows["--status crashed"] < rows["--slower-than 9000ms"] == rows["--status timeout"]


def test_the_puzzles_of_a_load_are_made_once(tmp_path: Path) -> None:
    path = made(tmp_path / "some" / "p.jsonl", 5)
    assert len({entry.puzzle for entry in read([str(path)])}) == 5
    assert made(path, 7).stat().st_size == path.stat().st_size
