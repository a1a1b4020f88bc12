from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.machine import this_machine
from benchmarks.records import Clock, Draws, Log, Machine, Record, Status, decode, encode, load
from tests.unit.benchmarks.measurements import measurement

RECORDS: list[Record] = [
    measurement(),
    measurement(rival="clingo", status=Status.WRONG, note="two groups", clock=Clock.UNIQUE, unique=False),
    Draws("set", draws=20, refuted=10, feasible=4, undecided=1, twins=5),
    Machine("a CPU", 2, "3.12", "Linux", ("x 1", "y 2")),
]


@pytest.mark.parametrize("record", RECORDS)
def test_a_record_reads_back(record: Record) -> None:
    assert decode(encode(record)) == record


def test_a_line_is_json_without_what_has_its_default() -> None:
    line = json.loads(encode(measurement()))
    assert (line["kind"], line["clock"], line["status"]) == ("measurement", "values", "solved")
    assert not {"note", "carried", "unique", "peak_mb"} & line.keys()


def test_a_folder_is_read_by_file_smaller_numbers_first(tmp_path: Path) -> None:
    for name in ("ones10000", "ones5000"):
        with Log(tmp_path / f"{name}.ndjson") as log:
            for record in (RECORDS[3], RECORDS[2], measurement(set_name=name)):
                log.write(record)
    logs = load([tmp_path])
    assert [log.path.stem for log in logs] == ["ones5000", "ones10000"]
    assert logs[0].measurements == (measurement(set_name="ones5000"),)
    assert (logs[0].machines, logs[0].draws) == ((RECORDS[3],), (RECORDS[2],))


@pytest.mark.parametrize("line", ["", "{}", '{"kind": "measurement"}', '{"kind": "something"}', "[1]"])
def test_what_is_no_record_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "broken.ndjson"
    path.write_text(encode(measurement()) + "\n" + line + "\n")
    with pytest.raises(ValueError, match=r"broken.ndjson, line 2"):
        load([path])


def test_this_machine_has_a_name_and_no_version_twice() -> None:
    machine = this_machine(["a 1", "b 2", "a 1"])
    assert machine.cpu
    assert machine.cores >= 1
    assert machine.versions == ("a 1", "b 2")
