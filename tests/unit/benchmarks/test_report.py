from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from benchmarks import growth, report
from benchmarks.records import Attempt, Clock, Draws, Log, Machine, Record, Status, load
from benchmarks.report import Results, page
from tests.unit.benchmarks.measurements import measurement

MACHINE = Machine("a CPU", 2, "3.12.1", "Linux", ("kakehashi 0.1.0", "clingo 5.8"))


def written(folder: Path, name: str, *records: Record) -> None:
    with Log(folder / f"{name}.ndjson") as log:
        log.write(MACHINE)
        for record in records:
            log.write(record)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Results of all kinds, of a set with twelve puzzles of 10 to 120 islands."""
    folder = tmp_path / "results"
    compared = [
        measurement(f"p{k}", rival, factor * 1e-4 * k, repeat, set_name="ones", islands=10 * k)
        for k in range(1, 13)
        for repeat in range(3)
        for rival, factor in (("native", 1.0), ("clingo", 40.0))
    ]
    late = [measurement("p12", "highs", 20.0, status=Status.TIMEOUT, set_name="ones", islands=120)]
    asked = [measurement("p1", seconds=3e-4, clock=Clock.UNIQUE, unique=True, set_name="ones")]
    written(folder, "ones", *compared, *late, *asked)
    written(
        folder,
        "ones-twins",
        Draws("ones", draws=30, refuted=20, feasible=8, undecided=0, twins=2),
        measurement("p1", seconds=1e-3, set_name="ones"),
        measurement("t1", seconds=2e-3, set_name="ones twins", status=Status.INFEASIBLE),
        measurement("t2", seconds=4e-3, set_name="ones twins", status=Status.INFEASIBLE),
    )
    written(
        folder,
        "growth",
        *(
            growth_measurement(islands, clock)
            for islands in (100, 1_000, 10_000, 100_000)
            for clock in (Clock.VALUES, Clock.WHOLE)
        ),
    )
    written(
        folder,
        "budgets",
        *(Attempt("solve", engine, "ones", 100, 0.5, 0.5 + k / 10, 0.5, "timeout") for engine in ("native", "pysat")
          for k in range(4)),
    )  # fmt: skip
    return folder


def growth_measurement(islands: int, clock: Clock) -> Record:
    from dataclasses import replace

    taken = measurement(f"{islands} cells", seconds=1e-5 * islands, set_name=growth.SET, islands=islands, clock=clock)
    return replace(taken, peak_mb=25.0 + islands / 1000)


def test_files_are_sorted_by_what_they_hold(results: Path) -> None:
    found = Results.of(load([results]))
    names = [[log.path.stem for log in logs] for logs in (found.compared, found.twins, found.grown, found.budgets)]
    assert names == [["ones"], ["ones-twins"], ["growth"], ["budgets"]]


def test_the_page_has_every_chapter_and_its_numbers(results: Path) -> None:
    text = page(Results.of(load([results])), ["cactus", "growth"])
    assert re.findall(r"^#+ (.*)$", text, re.MULTILINE) == [
        "Performance",
        "How it is measured",
        "How many times the native engine's time",
        "Set by set",
        "Uniqueness",
        "Infeasible twins",
        "Up to 100,000 islands",
        "Budgets",
    ]
    assert "- a CPU, 2 cores, Linux, Python 3.12.1\n- clingo 5.8, kakehashi 0.1.0" in text
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    assert ["ones", "7.80 ms", "40.0", "> 2,564"] in lines
    assert ["ones", "30", "20", "8", "0", "2", "3.00 ms", "4.00 ms", "1.00 ms", "3.00"] in lines
    assert ["100,000", "100000 cells", "1.00 s", "125", "1.00 s", "125"] in lines
    assert ["native, `solve`", "50 to 500", "4", "4", "100 ms", "200 ms", "300 ms", "1"] in lines
    assert "(performance/cactus.svg)" in text
    assert "(performance/scatter.svg)" not in text


def test_what_is_wrong_stands_first(tmp_path: Path) -> None:
    written(tmp_path, "bad", measurement(status=Status.WRONG, note="two groups"))
    text = page(Results.of(load([tmp_path])), [])
    assert text.index("native on set/a: WRONG ANSWER: two groups") < text.index("## How many times")


def test_the_command_writes_page_and_plots(results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="uv sync --group benchmarks")
    out, png = tmp_path / "docs", tmp_path / "png"
    monkeypatch.setattr(sys, "argv", ["report", str(results), "--out", str(out), "--png", str(png)])
    assert report.main() == 0
    text = (out / "performance.md").read_text(encoding="utf-8")
    linked = re.findall(r"\((performance/\w+\.svg)\)", text)
    assert sorted(linked) == [
        f"performance/{name}.svg" for name in ("budgets", "cactus", "growth", "islands", "scatter")
    ]
    for name in linked:
        assert ET.parse(out / name).getroot().tag.endswith("svg")
    assert {path.stem for path in png.iterdir()} == {"budgets", "cactus", "growth", "islands", "scatter"}
    drawn = (out / "performance" / "islands.svg").read_text(encoding="utf-8")
    assert "native: n^1.00" in drawn
    first = {path.name: path.read_bytes() for path in (out / "performance").iterdir()}
    assert report.main() == 0
    assert {path.name: path.read_bytes() for path in (out / "performance").iterdir()} == first


def test_the_command_refuses_what_is_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "some.ndjson").write_text("{}\n")
    monkeypatch.setattr(sys, "argv", ["report", str(tmp_path)])
    with pytest.raises(SystemExit) as stopped:
        report.main()
    assert stopped.value.code == 2
