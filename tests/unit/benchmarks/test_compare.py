from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import compare
from benchmarks.records import Clock, Measurement, Status, load
from benchmarks.rivals.engine import EngineRival
from benchmarks.rivals.rival import INFEASIBLE, Answer


@pytest.fixture
def boards(tmp_path: Path) -> Path:
    folder = tmp_path / "boards"
    folder.mkdir()
    for k in range(4):
        (folder / f"{k}.txt").write_text("2 0 2\n0 0 0\n2 0 2\n")
    return folder


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["compare", *map(str, arguments)])
    return compare.main()


def measured(folder: Path) -> list[Measurement]:
    return [one for log in load([folder]) for one in log.measurements]


def test_measures_a_folder_and_shows_a_table(
    boards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    given = ("--rivals", "pysat,plain-pysat", "--repeats", 2, "--sample", 2, "--label", "squares", "--unique")
    assert run(monkeypatch, boards, "--out", out, *given) == 0
    taken = measured(out)
    assert {one.set for one in taken} == {"squares (2 of 4)"}
    assert {one.status for one in taken} == {Status.SOLVED}
    runners = {("pysat", clock) for clock in Clock} | {("plain-pysat", Clock.VALUES)}
    assert {(one.rival, one.clock) for one in taken} == runners
    assert len(taken) == 2 * 2 * len(runners)
    assert "| plain-pysat |" in capsys.readouterr().out


def test_a_wrong_verdict_is_told_and_ends_with_1(
    boards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lie(self: EngineRival, puzzle: object, budget: float) -> Answer:
        return INFEASIBLE

    monkeypatch.setattr(EngineRival, "solve_whole", lie)
    assert run(monkeypatch, boards, "--rivals", "pysat", "--repeats", 1, "--out", tmp_path / "out") == 1
    assert "CONTRADICTION" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--rivals", "abacus"], "no rival 'abacus'"),
        (["--select", "none"], "no puzzle"),
        (["made:ones400", "--label", "two"], "one source"),
    ],
)
def test_usage(
    boards: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: str,
) -> None:
    with pytest.raises(SystemExit) as stopped:
        run(monkeypatch, boards, *arguments)
    assert stopped.value.code == 2
    assert words in capsys.readouterr().err


def test_a_file_is_named_for_its_set() -> None:
    assert compare.file_name("coelho400 (12 of 180)") == "coelho400--12-of-180"
