"""`python -m tests.faults` says what was found, and its exit code tells."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.faults import __main__ as command
from tests.faults.audit import Audit
from tests.faults.scenario import Report

if TYPE_CHECKING:
    from pathlib import Path

ONE = ["--only", "messages that are no bells", "--database", "sqlite"]


def report(audit: Audit, *, times: int = 1, bells: int = 0) -> Report:
    return Report("messages that are no bells", "sqlite", times, audit, bells, left=0, seconds=1.5)


@pytest.mark.parametrize(
    ("came", "code", "said"),
    [
        (report(Audit(7)), 0, "1.5 s ok"),
        (report(Audit(7, lost=2)), 1, "{'lost': 2}"),
        (report(Audit(7), bells=1), 1, "{'bells': 1}"),
        (report(Audit(7), times=0), 1, "the fault was not done once"),
        (AssertionError("it never came so far"), 1, "failed: it never came so far"),
        (pytest.skip.Exception("no RabbitMQ here"), 0, "skipped: no RabbitMQ here"),
    ],
)
def test_the_exit_code_tells_whether_all_is_well(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    came: Report | BaseException,
    code: int,
    said: str,
) -> None:
    def perform(*_: object, **__: object) -> Report:
        if isinstance(came, BaseException):
            raise came
        return came

    monkeypatch.setattr(command, "perform", perform)
    assert command.main([*ONE, "--json", str(tmp_path / "faults.json")]) == code
    captured = capsys.readouterr()
    assert said in captured.err
    assert "messages that are no bells" in captured.out
    (row,) = json.loads((tmp_path / "faults.json").read_text())
    assert row["failed"] == bool(code)


def test_a_name_that_fits_nothing_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--only", "nothing of this name"]) == 1


def test_the_faults_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([*ONE, "--list"]) == 0
    assert capsys.readouterr().out == "messages that are no bells (sqlite)\n"
