"""The page on reliability, and the soak that it tells of."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest

from tests.faults.reliability import read, write
from tests.faults.scenario import SQLITE
from tests.faults.soak import soak

if TYPE_CHECKING:
    from pathlib import Path

ZEROS = {"lost": 0, "doubled": 0, "wrong": 0, "changed": 0, "leases": 0}
LINES = [
    {"kind": "begin", "at": 0.0, "database": SQLITE, "minutes": 0.1, "seed": 7, "cpu": "a processor", "workers": 2},
    {"kind": "sample", "at": 0.5, "memory": {"supervisor": [90.0, 95.4], "Celery": [80.0], "process": [70.0, 71.0]}},
    {"kind": "fault", "at": 1.0, "fault": "a flood"},
    {"kind": "written", "at": 1.25, "attempts": 5},
    {"kind": "written", "at": 1.75, "attempts": 10},
    {"kind": "fault", "at": 2.0, "fault": "a flood"},
    {"kind": "fault", "at": 3.0, "fault": "a fire"},
    {"kind": "written", "at": 4.25, "attempts": 20},
    {"kind": "sample", "at": 5.5, "memory": {"supervisor": [96.0], "Celery": [], "process": [300.0]}},
    {"kind": "end", "at": 6.0, "deaths": 3, "audit": {"puzzles": 20, **ZEROS, "lost": 4}, "bells": 0, "left": ["x"]},
]
FAULTS = [
    {"fault": "a flood", "database": SQLITE, "times": 2, "puzzles": 9, **ZEROS, "bells": 0, "left": 1, "seconds": 1.5},
    {"fault": "a war", "database": SQLITE, "ended": "skipped: nobody came"},
]


def written(log: Path, lines: list[dict[str, object]]) -> Path:
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return log


def test_a_standstill_is_the_longest_time_without_a_written_attempt(tmp_path: Path) -> None:
    told = read(written(tmp_path / "log", LINES))
    assert told.standstills() == [(1.0, "a flood", 2.5), (2.0, "a flood", 2.25), (3.0, "a fire", 1.25)]
    assert told.memory("Celery") == [(0.5, 80.0)]


def test_a_soak_that_broke_off_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="did not come to its end"):
        read(written(tmp_path / "log", LINES[:-1]))


def test_the_page_has_every_number(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="uv sync --group benchmarks")
    faults = tmp_path / "faults.json"
    faults.write_text(json.dumps(FAULTS))
    write([written(tmp_path / "log", LINES)], faults, tmp_path)
    page = (tmp_path / "reliability.md").read_text()
    for row in (
        "| a flood | sqlite | 2 | 9 | 0 | 0 | 0 | 0 | 0 | 0 | 1 | 1.5 |",
        "- a war (sqlite): skipped: nobody came",
        "| sqlite | 0.1 | 3 | 20 | 20 | 3 | 4 | 0 | 0 | 0 | 0 | 0 | 1 |",
        "| a flood | sqlite | 2 | 2.4 | 2.5 |",
        "| a fire | sqlite | 1 | 1.2 | 1.2 |",
        "| supervisor | sqlite | 95 | 96 | 96 |",
        "| process | sqlite | 71 | 300 | 300 |",
    ):
        assert f"{row}\n" in page
    assert "<svg" in (tmp_path / "reliability" / "soak-sqlite.svg").read_text()


@pytest.mark.fault
@pytest.mark.timeout(600)
def test_a_short_soak_leaves_everything_whole() -> None:
    log = io.StringIO()
    assert soak(SQLITE, 0.25, 0, log)
    kinds = [json.loads(line)["kind"] for line in log.getvalue().splitlines()]
    assert (kinds[0], kinds[-1]) == ("begin", "end")
    assert kinds.count("fault") > 0
