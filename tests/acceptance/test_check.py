"""`check`: an answer, judged independently of the solver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.acceptance.boards import SEVEN
from tests.acceptance.test_solve import ANSWER

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Cli


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    (tmp_path / "puzzle.txt").write_text(SEVEN)
    (tmp_path / "right.txt").write_text(ANSWER)
    (tmp_path / "wrong.txt").write_text(ANSWER.replace("3 -1 3", "3 0 3"))
    (tmp_path / "several.txt").write_text(f"2 0 2\n\n{SEVEN}")
    (tmp_path / "letter.txt").write_text("0 x\n")
    (tmp_path / "binary.txt").write_bytes(b"\x89PNG")


def test_right(cli: Cli) -> None:
    assert cli("check", "puzzle.txt", "right.txt").out == "right\n"
    assert cli.json("check", "puzzle.txt", "right.txt") == {"ok": True, "violations": []}
    assert cli("check", "puzzle.txt", "right.txt", "--format", "csv").out == "code,at,message\n"


def test_wrong(cli: Cli) -> None:
    judged = cli.json("check", "puzzle.txt", "wrong.txt", expect=1)
    assert judged["ok"] is False
    assert [(v["code"], v["at"]) for v in judged["violations"]] == [
        ("wrong_degree", [0, 4]),
        ("disconnected", [0, 6]),
        ("wrong_degree", [0, 6]),
    ]
    for violation in judged["violations"]:
        assert list(violation) == ["code", "at", "message"]
    said = cli("check", "puzzle.txt", "wrong.txt", expect=1)
    assert "wrong_degree  [0, 4]  the island at row 1, column 5 has 2 of 3 bridges\n" in said.out


@pytest.mark.parametrize("output", ["json", "ndjson"])
def test_takes_what_solve_prints(cli: Cli, output: str, tmp_path: Path) -> None:
    (tmp_path / "answer.json").write_text(cli("solve", "puzzle.txt", "--format", output).out)
    assert cli("check", "puzzle.txt", "answer.json").out == "right\n"


def test_standard_input(cli: Cli) -> None:
    assert cli("check", "puzzle.txt", "-", stdin=ANSWER).out == "right\n"
    assert cli("check", "-", "right.txt", stdin=SEVEN).out == "right\n"


def test_one_of_several(cli: Cli) -> None:
    assert cli("check", "several.txt", "right.txt", "--number", "2").out == "right\n"
    assert "clue_changed" in cli("check", "several.txt", "right.txt", expect=1).out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere", "right.txt"], "kakehashi: nowhere: cannot be read: No such file or directory\n"),
        (["puzzle.txt", "nowhere"], "kakehashi: nowhere: cannot be read: No such file or directory\n"),
        (["-", "-"], "cannot both come from standard input"),
        (["several.txt", "right.txt", "--number", "3"], "several.txt has no puzzle number 3"),
        (["letter.txt", "right.txt"], "letter.txt, line 1, column 3: expected a clue 0..8, found 'x'"),
        (["puzzle.txt", "letter.txt"], "letter.txt, line 1, column 3: expected integers, found 'x'"),
        (["puzzle.txt", "binary.txt"], "binary.txt: byte 1 is not UTF-8 text"),
        (["puzzle.txt"], "Missing argument 'ANSWER'"),
    ],
)
def test_usage(cli: Cli, arguments: list[str], sentence: str) -> None:
    assert sentence in cli("check", *arguments, expect=2).err
