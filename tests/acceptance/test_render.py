"""`render`, and `results --pictures`: pictures of files and of stored puzzles, printed and as files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from tests.acceptance.boards import EXPECTED
from tests.acceptance.test_solve import PICTURE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Cli, Finished

DASHED = 'class="bridges wrong"'


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class TestPrinted:
    def test_text_by_default(self, cli: Cli, puzzles: Path) -> None:
        said = cli("render", puzzles / "03-seven.txt", "--solve")
        assert (said.out, said.err) == (PICTURE, f"{puzzles}/03-seven.txt\n")

    def test_several_one_below_the_other(self, cli: Cli, puzzles: Path) -> None:
        said = cli("render", puzzles / "09-several.txt", expect=1)
        assert said.out == "1 · 1\n\n1 · · 1\n"
        assert "line 3, column 5" in said.err

    def test_svg(self, cli: Cli, puzzles: Path) -> None:
        said = cli("render", puzzles / "03-seven.txt", "--format", "svg", "--theme", "dark", "--cell", "48")
        root = ET.fromstring(said.out)
        assert (root.get("class"), root.get("width")) == ("kakehashi kakehashi-dark", "352")
        assert said.err == ""

    def test_one_svg_alone(self, cli: Cli, puzzles: Path) -> None:
        said = cli("render", puzzles / "09-several.txt", "--format", "svg", expect=2)
        assert said.err.endswith("kakehashi: several pictures need a folder: name one with --out\n")

    def test_a_stored_puzzle_with_its_answer_or_without(self, cli: Cli, finished: Finished) -> None:
        said = cli("render", "1:2", "1:0", "--db", finished.db)
        assert (said.out, said.err) == (f"{PICTURE}\n2═══2\n", "1:2 puzzles/03-seven.txt\n1:0 puzzles/01-pair.txt\n")
        assert cli("render", "1:0", "--unsolved", "--db", finished.db).out == "2 · 2\n"

    def test_what_is_no_puzzle(self, cli: Cli, finished: Finished) -> None:
        said = cli("render", "1:11", "--db", finished.db, expect=1)
        assert said.out == ""
        assert "expected a clue" in said.err

    def test_what_has_no_answer_is_drawn_without(self, cli: Cli, puzzles: Path) -> None:
        said = cli("render", puzzles / "05-odd-sum.txt", "--solve", expect=1)
        assert said.out == "2 · 1\n"
        assert "there is no solution, so it is drawn without" in said.err

    def test_bridges_that_are_drawn_in_a_file(self, cli: Cli, tmp_path: Path) -> None:
        drawn = cli("solve", "-", "--as", "pzprv3", stdin="2 0 3\n0 0 0\n0 0 1\n").out
        (tmp_path / "drawn.txt").write_text(drawn)
        assert cli("render", "drawn.txt").out == "2═══3\n· · │\n· · 1\n"
        assert cli("render", "drawn.txt", "--unsolved").out == "2 · 3\n· · ·\n· · 1\n"

    def test_under_other_rules(self, cli: Cli) -> None:
        said = cli("render", "-", "--max-bridges", 3, "--solve", stdin="? 0 3\n")
        assert said.out == "?━³━3\n"

    def test_standard_input(self, cli: Cli) -> None:
        assert cli("render", "-", "--ascii", "--solve", stdin="2 0 2\n").out == "2===2\n"

    @pytest.mark.parametrize("command", ["render", "show"])
    def test_colours_on_request(self, cli: Cli, puzzles: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
        path = puzzles / "01-pair.txt"
        assert cli(command, path).out == cli(command, path, "--color", "never").out == "2 · 2\n"
        coloured = "\x1b[1m2 \x1b[0m\x1b[2m· \x1b[0m\x1b[1m2\x1b[0m\n"
        assert cli(command, path, "--color", "always").out == coloured


class TestFiles:
    def test_a_folder_of_files_named_after_the_puzzles(self, cli: Cli, puzzles: Path, tmp_path: Path) -> None:
        said = cli("render", "puzzles/01-pair.txt", "puzzles/09-several.txt", "--out", "drawn", expect=1)
        assert said.err.endswith("3 pictures in drawn\n")
        assert files(tmp_path / "drawn") == [
            "puzzles-01-pair.svg",
            "puzzles-09-several-1.svg",
            "puzzles-09-several-3.svg",
        ]

    def test_a_slash_says_folder(self, cli: Cli, puzzles: Path, tmp_path: Path) -> None:
        assert cli("render", "puzzles/01-pair.txt", "--out", "a.png/").err == "1 picture in a.png/\n"
        assert files(tmp_path / "a.png") == ["puzzles-01-pair.svg"]

    def test_equal_names_get_numbers(self, cli: Cli, puzzles: Path, tmp_path: Path) -> None:
        cli("render", *["puzzles/01-pair.txt"] * 3, "--out", "drawn", "--format", "text")
        assert files(tmp_path / "drawn") == ["puzzles-01-pair-2.txt", "puzzles-01-pair-3.txt", "puzzles-01-pair.txt"]

    @pytest.mark.parametrize(
        ("name", "begin"), [("a.svg", b"<svg "), ("a.PNG", b"\x89PNG"), ("a.txt", "2 · 2".encode())]
    )
    def test_one_file_by_its_ending(self, cli: Cli, puzzles: Path, tmp_path: Path, name: str, begin: bytes) -> None:
        said = cli("render", "puzzles/01-pair.txt", "--out", name)
        assert (said.out, said.err) == ("", "")
        assert (tmp_path / name).read_bytes().startswith(begin)
        assert files(tmp_path) == [name, "puzzles"]

    def test_one_file_holds_one_picture(self, cli: Cli, puzzles: Path, tmp_path: Path) -> None:
        said = cli("render", "puzzles/09-several.txt", "--out", "a.svg", expect=2)
        assert "several pictures need a folder, and 'a.svg' is named like a file" in said.err
        assert not (tmp_path / "a.svg").exists()

    def test_files_of_others_are_kept(self, cli: Cli, puzzles: Path, tmp_path: Path) -> None:
        other = tmp_path / "a.svg"
        other.write_text("<svg>mine</svg>")
        said = cli("render", "puzzles/01-pair.txt", "--out", "a.svg", expect=2)
        assert said.err == "kakehashi: 'a.svg' exists and is no picture that Kakehashi drew: --force replaces it\n"
        assert other.read_text() == "<svg>mine</svg>"
        cli("render", "puzzles/01-pair.txt", "--out", "a.svg", "--force")
        assert "mine" not in other.read_text()
        cli("render", "puzzles/03-seven.txt", "--out", "a.svg")
        assert "9 islands" in other.read_text()

    def test_the_ending_in_capitals_says_the_same(self, cli: Cli, puzzles: Path, tmp_path: Path) -> None:
        cli("render", "puzzles/01-pair.txt", "--out", "a.SVG")
        assert (tmp_path / "a.SVG").read_text().startswith("<svg")

    @pytest.mark.parametrize(
        ("out", "sentence"),
        [
            (["a.jpg"], "'a.jpg': expected a name that ends in .svg, .png, .txt, or in / for a folder, found .jpg"),
            (["a.png", "--format", "svg"], "--format says svg, and the name 'a.png' png"),
        ],
    )
    def test_a_name_of_another_kind_is_refused(
        self, cli: Cli, puzzles: Path, tmp_path: Path, out: list[str], sentence: str
    ) -> None:
        assert sentence in cli("render", "puzzles/01-pair.txt", "--out", *out, expect=2).err
        assert not (tmp_path / out[0]).exists()


class TestAnswer:
    def test_of_a_grid_that_is_right(self, cli: Cli, puzzles: Path, tmp_path: Path) -> None:
        (tmp_path / "answer.txt").write_text("2 -3 2\n")
        assert cli("render", "puzzles/01-pair.txt", "--answer", "answer.txt").out == "2═══2\n"

    def test_what_is_missing_is_marked_on_request_alone(self, cli: Cli, puzzles: Path, tmp_path: Path) -> None:
        (tmp_path / "answer.txt").write_text("2 -1 2\n")
        asked = ("render", "puzzles/01-pair.txt", "--answer", "answer.txt", "--format", "svg")
        assert "islands wrong" not in cli(*asked).out
        assert "islands wrong" in cli(*asked, "--strict").out

    def test_a_group_that_shut_itself_off_is_marked(self, cli: Cli, tmp_path: Path) -> None:
        (tmp_path / "puzzle.txt").write_text("1 0 1 0 2\n0 0 0 0 0\n1 0 ? 0 2\n")
        asked = ("render", "puzzle.txt", "--answer", "answer.txt", "--format", "svg")
        for answer, marked in (
            ("1 -1 1 0 2\n0 0 0 0 0\n1 0 ? 0 2\n", ["32 32", "128 32"]),
            ("1 0 1 0 2\n0 0 0 0 -4\n1 0 ? 0 2\n", ["224 32", "224 128"]),
            ("1 0 1 0 2\n0 0 -2 0 -2\n1 -1 ? 0 2\n", []),  # who has no number may have more
        ):
            (tmp_path / "answer.txt").write_text(answer)
            wrong = ET.fromstring(cli(*asked).out).findall("{*}g[@class='islands wrong']/{*}circle")
            assert [f"{island.get('cx')} {island.get('cy')}" for island in wrong] == marked

    def test_what_is_wrong_is_marked(self, cli: Cli, puzzles: Path, tmp_path: Path) -> None:
        bridges = [{"from": [0, 0], "to": [0, 2], "count": 3}]
        (tmp_path / "answer.json").write_text(json.dumps({"bridges": bridges}))
        said = cli("render", "puzzles/01-pair.txt", "--answer", "answer.json", "--format", "svg")
        assert DASHED in said.out
        assert "islands wrong" in said.out

    def test_what_is_wrong_is_told_beside_text(self, cli: Cli, puzzles: Path, tmp_path: Path) -> None:
        (tmp_path / "answer.txt").write_text("2 -2 2\n")
        said = cli("render", "puzzles/01-pair.txt", "--answer", "answer.txt")
        assert "the vertical bridge (-2) at row 1, column 2 does not end at an island\n" in said.err

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (["puzzles/09-several.txt"], "--answer goes with one puzzle, and there are several"),
            (["puzzles/01-pair.txt", "puzzles/02-same.txt"], "--answer goes with one puzzle, and without --solve"),
            (["puzzles/01-pair.txt", "--solve"], "--answer goes with one puzzle, and without --solve"),
            (["puzzles/03-seven.txt"], "the answer is not of the puzzle's size, 7 x 7"),
            (["nowhere"], "there is no file or folder 'nowhere'"),
        ],
    )
    def test_what_makes_no_sense_is_told(
        self, cli: Cli, puzzles: Path, tmp_path: Path, arguments: list[str], sentence: str
    ) -> None:
        (tmp_path / "answer.txt").write_text("1 -1 1\n")
        assert sentence in cli("render", *arguments, "--answer", "answer.txt", expect=2).err


class TestResults:
    def test_a_file_for_every_puzzle(self, cli: Cli, finished: Finished, tmp_path: Path) -> None:
        said = cli("results", 1, "--db", finished.db, "--pictures", "drawn")
        assert said.out == ""
        assert said.err == "13 pictures in drawn; 4 entries are no puzzle\n"
        drawn = files(tmp_path / "drawn")
        assert len(drawn) == len(EXPECTED) - 4
        assert {"1-00-puzzles-01-pair.svg", "1-10-puzzles-09-several-3.svg", "1-16-puzzles-sub-12x12.svg"} <= set(drawn)
        root = ET.parse(tmp_path / "drawn" / "1-00-puzzles-01-pair.svg").getroot()
        assert root.findtext("{*}title") == "1:0 puzzles/01-pair.txt"
        assert root.findtext("{*}desc") == "2 islands; double bridges: 1"

    def test_of_a_selection_and_as_png(self, cli: Cli, finished: Finished, tmp_path: Path) -> None:
        asked = ("results", 1, "--db", finished.db, "--pictures", "drawn", "--status", "infeasible", "--limit", 2)
        assert cli(*asked, "--picture-format", "png").err == "2 pictures in drawn\n"
        assert files(tmp_path / "drawn") == ["1-04-puzzles-05-odd-sum.png", "1-05-puzzles-06-apart.png"]
        assert cli(*asked, "--picture-format", "png").err == "2 pictures in drawn\n"

    def test_a_file_of_others_is_kept(self, cli: Cli, finished: Finished, tmp_path: Path) -> None:
        (tmp_path / "1-00-puzzles-01-pair.svg").write_text("mine")
        asked = ("results", 1, "--db", finished.db, "--pictures", ".")
        assert "--force replaces it" in cli(*asked, expect=2).err
        assert (tmp_path / "1-00-puzzles-01-pair.svg").read_text() == "mine"
        cli(*asked, "--force")

    def test_a_folder_that_cannot_be(self, cli: Cli, finished: Finished, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        said = cli("results", 1, "--db", finished.db, "--pictures", "file", expect=2)
        assert said.err == "kakehashi: the folder 'file' cannot be made: File exists\n"
