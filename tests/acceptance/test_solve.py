"""`solve`: at once, in the process."""

from __future__ import annotations

import csv
import io
import os
from typing import TYPE_CHECKING

import pytest

from kakehashi.solver import engine_named, engines
from kakehashi.solver.engines import judge_of
from tests.acceptance.boards import APART, SEVEN, TWO_ANSWERS
from tests.acceptance.test_results import assert_result_object
from tests.support.engines import Liar

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Cli
    from tests.acceptance.place import Place

ANSWER = """\
0 0 2 -3 3 -1 3
4 -3 -3 -3 -3 2 -4
-4 0 0 0 0 0 -4
6 -3 -3 -3 -3 2 -4
-4 0 0 0 0 0 -4
-4 0 0 0 0 0 -4
4 -3 -3 -3 -3 -3 4
"""
PICTURE = """\
· · 2═══3───3
4═════════2 ║
║ · · · · · ║
6═════════2 ║
║ · · · · · ║
║ · · · · · ║
4═══════════4
"""


@pytest.fixture
def seven(tmp_path: Path) -> Path:
    path = tmp_path / "seven.txt"
    path.write_text(SEVEN)
    return path


def test_a_file_gives_the_answer_grid(cli: Cli, seven: Path) -> None:
    said = cli("solve", seven)
    assert (said.out, said.err) == (ANSWER, "")


def test_standard_input(cli: Cli) -> None:
    assert cli("solve", "-", stdin=SEVEN).out == ANSWER


def test_picture(cli: Cli, seven: Path) -> None:
    assert cli("solve", seven, "--format", "picture").out == PICTURE


def test_several_answers_have_a_blank_line_between_them(cli: Cli, puzzles: Path) -> None:
    said = cli("solve", puzzles / "09-several.txt", expect=1)
    assert said.out == "1 -1 1\n\n1 -1 -1 1\n"
    assert said.err == f"{puzzles}/09-several.txt#2: invalid: line 3, column 5: expected a clue 0..8, found 'x'\n"


def test_one_puzzle_is_a_json_object_and_several_are_an_array(cli: Cli, seven: Path, puzzles: Path) -> None:
    one = cli.json("solve", seven)
    assert_result_object(one)
    assert (one["verdict"], one["uniqueness"], one["attempts"]) == ("solved", "unchecked", 1)
    several = cli.json("solve", seven, puzzles / "08-touching.txt", "--unique")
    assert [row["id"] for row in several] == ["1", "2"]
    assert [row["uniqueness"] for row in several] == ["unique", "unique"]
    for row in several:
        assert_result_object(row)
    assert len(cli.lines("solve", seven, puzzles / "08-touching.txt")) == 2


def test_an_invalid_puzzle_is_a_json_object_too(cli: Cli, puzzles: Path) -> None:
    row = cli.json("solve", puzzles / "12-empty.txt", expect=1)
    assert_result_object(row)
    assert row["termination"] == "invalid_input"


def test_csv_and_table(cli: Cli, seven: Path) -> None:
    (row,) = csv.DictReader(io.StringIO(cli("solve", seven, "--format", "csv").out))
    assert (row["status"], row["islands"]) == ("solved", "9")
    assert cli("solve", seven, "--format", "table").out.split()[10:14] == ["7x7", "9", "solved", "unchecked"]


def test_uniqueness_is_said(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "two.txt").write_text(TWO_ANSWERS)
    assert cli("solve", "two.txt", "--unique").err == "two.txt: the solution is multiple\n"


def test_what_the_grid_cannot_show_is_said(cli: Cli, puzzles: Path) -> None:
    said = cli("solve", puzzles / "08-touching.txt")
    assert said.out == "1 1\n"
    assert "1 pair of touching islands bridged, which the grid cannot show; see --format json" in said.err


def test_touching_islands_can_be_refused(cli: Cli, puzzles: Path) -> None:
    assert "invalid" in cli("solve", puzzles / "08-touching.txt", "--touching", "reject", expect=1).err


class TestConfirm:
    @pytest.fixture
    def judge(self) -> str | None:
        """The engine that confirms what the best one said."""
        engine = judge_of(engine_named().name)
        return engine.name if engine else None

    def test_a_second_engine_confirms_that_there_is_no_solution(
        self, cli: Cli, tmp_path: Path, judge: str | None
    ) -> None:
        (tmp_path / "apart.txt").write_text(APART)
        assert cli.json("solve", "apart.txt", expect=1)["confirmed_by"] == judge
        assert cli.json("solve", "apart.txt", "--confirm", "none", expect=1)["confirmed_by"] is None

    def test_all_asks_about_every_answer(self, cli: Cli, seven: Path, judge: str | None) -> None:
        assert cli.json("solve", seven)["confirmed_by"] is None
        assert cli.json("solve", seven, "--confirm", "all")["confirmed_by"] == judge
        assert cli.json("solve", seven, "--unique", "--confirm", "all")["confirmed_by"] == judge

    def test_the_setting_counts_where_there_is_no_flag(
        self, cli: Cli, seven: Path, judge: str | None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("KAKEHASHI_CONFIRM", "all")
        assert cli.json("solve", seven)["confirmed_by"] == judge
        assert cli.json("solve", seven, "--confirm", "auto")["confirmed_by"] is None

    def test_that_there_is_no_second_engine_is_said_once(
        self, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(engines, "_BUILT_IN", {"pysat": engines._pysat})
        for name in ("a.txt", "b.txt"):
            (tmp_path / name).write_text(APART)
        said = cli("solve", "a.txt", "b.txt", "--engine", "pysat", expect=1)
        assert said.err.count("nothing is confirmed: that takes a second engine") == 1
        assert "nothing" not in cli("solve", "a.txt", "--engine", "pysat", "--confirm", "none", expect=1).err

    def test_engines_that_disagree_show_no_verdict(
        self, cli: Cli, seven: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(engines._loaded, "liar", Liar())
        said = cli("solve", seven, "--engine", "liar", expect=1)
        assert said.out == ""
        assert said.err.startswith(f"{seven}: crashed: the engines disagree: liar says infeasible; ")
        row = cli.json("solve", seven, "--engine", "liar", expect=1)
        assert (row["status"], row["verdict"], row["confirmed_by"]) == ("crashed", "unknown", None)


class TestNotSolved:
    def test_infeasible(self, cli: Cli, tmp_path: Path) -> None:
        (tmp_path / "apart.txt").write_text(APART)
        said = cli("solve", "apart.txt", expect=1)
        assert said.out == ""
        assert said.err.endswith("apart.txt: infeasible: there is no solution\n")
        assert cli.json("solve", "apart.txt", expect=1)["verdict"] == "infeasible"

    def test_timeout(self, cli: Cli, seven: Path) -> None:
        said = cli("solve", seven, "--budget", "0.0001ms", expect=1)
        assert said.err == f"{seven}: timeout: no answer within the budget\n"

    def test_nothing_on_standard_input(self, cli: Cli) -> None:
        assert cli("solve", "-", stdin="", expect=1).err == "-: invalid: the file is empty\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "there is no file or folder 'nowhere'"),
        (["-", "--budget", "0"], "'0' is no duration"),
        (["-", "--budget", "nonsense"], "'nonsense' is no duration: write a positive number"),
        (["-", "--engine", "nope"], "there is no engine 'nope'"),
        (["-", "--confirm", "nope"], "'nope' is not one of 'none', 'auto', 'all'"),
        (["-", "--from", "nope"], "there is no format 'nope'"),
        (["-", "--format", "nope"], "Invalid value for '--format': 'nope' is not one of 'grid', 'picture', 'table'"),
        ([], "Missing argument 'PATH...'"),
    ],
)
def test_usage(cli: Cli, arguments: list[str], sentence: str) -> None:
    said = cli("solve", *arguments, stdin=SEVEN, expect=2)
    assert sentence in said.err
    assert said.out == ""


def test_a_module_of_engines_that_is_not_there(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKEHASHI_ENGINES", "no.such.module")
    assert "setting engines: the module 'no.such.module'" in cli("solve", "-", stdin=SEVEN, expect=2).err


@pytest.mark.parametrize("form", ["json", "ndjson", "csv", "table"])
def test_a_file_whose_name_is_no_text(place: Place, form: str) -> None:
    name = os.fsdecode(b"a\xff.txt")
    (place.here / name).write_text("2 0 2\n")
    (place.here / f"b{name}").write_text("2 9 2\n")
    place.environment["PYTHONIOENCODING"] = "utf-8:strict"  # as a terminal outside of the C locale has it
    said = place.call("solve", name, f"b{name}", "--format", form, expect=1)
    assert r"a\udcff.txt" in said.out.replace("\\\\", "\\")
    assert "Traceback" not in said.err
