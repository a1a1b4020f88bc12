"""`solve`: at once, in the process."""

from __future__ import annotations

import csv
import io
import json
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


def test_ids_and_urls(cli: Cli) -> None:
    assert cli("solve", "3x3m2:2a2f").out == "2 -3 2\n0 0 0\n0 0 0\n"
    assert cli("solve", "https://puzz.link/p?hashi/3/1/2g2").out == "2 -3 2\n"
    said = cli("solve", "3x3m2:2a2", expect=1)
    assert said.err == "3x3m2:2a2: invalid: line 1, column 10: expected 9 cells, found 3\n"
    assert "there is no file or folder '3x3.txt'" in cli("solve", "3x3.txt", expect=2).err


def test_rules(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("3.3\n")
    row = cli.json("solve", "a.txt", "--max-bridges", "3")
    assert (row["variant"], row["status"], row["bridges"]) == (
        "m3", "solved", [{"from": [0, 0], "to": [0, 2], "count": 3}],
    )  # fmt: skip
    assert cli.json("solve", "a.txt", expect=1)["status"] == "infeasible"
    row = cli.json("solve", "3x3m3:3a3f", "--max-bridges", "2")
    assert row["status"] == "solved"
    assert row["note"] == "the puzzle itself says that a channel carries at most 3, which counts"
    (tmp_path / "square.txt").write_text("2.2\n...\n2.2\n")
    assert cli.json("solve", "square.txt", "--no-loops", "--engine", "pysat", expect=1)["status"] == "infeasible"
    assert "'--max-bridges'" in cli("solve", "a.txt", "--max-bridges", "0", expect=2).err


def test_answers_as_other_programs_open_them(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("2.2\n...\n...\n\n1.1\n...\n...\n\n1.2\n")
    said = cli("solve", "a.txt", "--as", "pzprv3", "--unique", expect=1)
    assert said.out == (
        "pzprv3\nhashikake\n3\n3\n2 . 2 \n. . . \n. . . \n2 2 \n0 0 \n0 0 \n0 0 0 \n0 0 0 \n\n"
        "pzprv3\nhashikake\n3\n3\n1 . 1 \n. . . \n. . . \n1 1 \n0 0 \n0 0 \n0 0 0 \n0 0 0 \n"
    )
    assert "a.txt#1: the solution is unique" in said.err
    assert "a.txt#3: infeasible" in said.err
    said = cli("solve", "3x3m4:3a3f", "--as", "tatham")
    assert said.out.endswith("SOLVE   :12:S;L0,0,2,0,3\n")


def test_answers_as_lines_have_no_blank_ones_between_them(cli: Cli) -> None:
    lines = cli("solve", "-", "--as", "jsonl", stdin="1 0 1\n\n2 0 2\n").out.splitlines()
    assert [json.loads(line)["bridges"][0]["count"] for line in lines] == [1, 2]


def test_an_answer_that_a_format_has_no_room_for_is_no_success(cli: Cli) -> None:
    said = cli("solve", "3x3m3:3a3f", "--as", "grid", expect=1)
    assert said.out == ""
    assert said.err == "3x3m3:3a3f: an answer grid has no signs for more than two bridges in a channel\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--as", "nope"], "there is no format 'nope'"),
        (["--as", "has"], "has has no answers: choose one of codingame, grid"),
        (["--as", "tatham", "--format", "json"], "--as and --format both say how to print"),
    ],
)
def test_usage_of_as(cli: Cli, arguments: list[str], sentence: str) -> None:
    assert sentence in cli("solve", "-", *arguments, stdin="1 0 1\n", expect=2).err


@pytest.mark.parametrize(
    ("command", "more"),
    [("solve", []), ("solve", ["--as", "tatham"]), ("show", []), ("render", []), ("convert", ["--to", "text"])],
)
def test_rules_that_the_text_overrules_are_told(cli: Cli, command: str, more: list[str]) -> None:
    said = cli(command, "3x3m2:2a2f", "--max-bridges", "3", *more)
    assert "3x3m2:2a2f: the puzzle itself says that a channel carries at most 2, which counts\n" in said.err


@pytest.mark.parametrize("command", [["solve"], ["show"], ["render"], ["convert", "--to", "text"]])
def test_the_settings_say_how_large_a_board_may_be(
    cli: Cli, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAKEHASHI_MAX_ROWS", "2")
    assert "at most 2 x 1000 are read" in cli(*command, "3x3m2:2a2f", expect=1).err
