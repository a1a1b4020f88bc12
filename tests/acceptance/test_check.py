"""`check`: an answer, judged independently of the solver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kakehashi.formats import formats
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


SQUARE = "3x3m2:2a2c2a2"
MOVES = "S;L0,0,2,0,1;L0,0,0,2,1;L2,0,2,2,1;L0,2,2,2,1"


def test_moves_of_an_id(cli: Cli) -> None:
    assert cli("check", SQUARE, MOVES).out == "right\n"
    judged = cli.json("check", SQUARE, MOVES.replace("L0,2,2,2,1", "L0,2,2,2,2"), expect=1)
    assert {violation["code"] for violation in judged["violations"]} == {"wrong_degree"}
    judged = cli.json("check", "3x3m2L:2a2c2a2", MOVES, expect=1)
    assert [violation["code"] for violation in judged["violations"]] == ["loop"]


@pytest.mark.parametrize("name", [format_.name for format_ in formats() if format_.write_answer is not None])
def test_takes_answers_in_every_format(cli: Cli, tmp_path: Path, name: str) -> None:
    (tmp_path / "answer").write_text(cli("solve", "puzzle.txt", "--as", name).out)
    assert cli("check", "puzzle.txt", "answer").out == "right\n"
    assert cli("check", "puzzle.txt", "answer", "--answer-format", name).out == "right\n"


def test_the_format_of_the_answer(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "answer").write_text(MOVES)
    said = cli("check", SQUARE, "answer", "--answer-format", "grid", expect=2)
    assert "answer, line 1, column 1: expected integers" in said.err
    assert "there is no format 'nope'" in cli("check", SQUARE, "answer", "--answer-format", "nope", expect=2).err
    assert "has has no answers" in cli("check", SQUARE, "answer", "--answer-format", "has", expect=2).err


def test_rules_and_touching_islands(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "touching.txt").write_text("11.\n...\n")
    (tmp_path / "touching.answer").write_text("1 1 0\n0 0 0\n")
    assert cli("check", "touching.txt", "touching.answer").out == "right\n"
    (tmp_path / "pair.txt").write_text("2.2\n")
    (tmp_path / "pair.answer").write_text("2 -3 2\n")
    assert cli("check", "pair.txt", "pair.answer").out == "right\n"
    assert "too_many" in cli("check", "pair.txt", "pair.answer", "--max-bridges", "1", expect=1).out
