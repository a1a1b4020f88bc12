"""`convert`: puzzles from one format to another."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from kakehashi.formats import formats, parse, read

if TYPE_CHECKING:
    from pathlib import Path

    from kakehashi.formats import Entry
    from tests.acceptance.conftest import Cli

BOARDS = ["2.2\n...\n2.2\n", "1.1\n...\n", "1.?\n..1\n"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "two.txt").write_text(f"{BOARDS[0]}\n{BOARDS[1]}")
    (tmp_path / "in" / "deep" / "one.txt").write_text(BOARDS[2])
    (tmp_path / "board.txt").write_text(BOARDS[0])


def tree(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_several_puzzles_go_to_standard_output(cli: Cli) -> None:
    said = cli("convert", "in", "--to", "puzzlink")
    assert said.out.splitlines() == [
        "https://puzz.link/p?hashi/3/2/1g.h1",
        "https://puzz.link/p?hashi/3/3/2g2i2g2",
        "https://puzz.link/p?hashi/3/2/1g1i",
    ]
    assert said.err == ""


def test_a_separator_stands_between_them(cli: Cli) -> None:
    assert cli("convert", "in/two.txt", "--to", "grid").out == "2 0 2\n0 0 0\n2 0 2\n\n1 0 1\n0 0 0\n"


@pytest.mark.parametrize("name", [format_.name for format_ in formats()])
def test_there_and_back_in_every_format(cli: Cli, tmp_path: Path, name: str) -> None:
    assert cli("convert", "board.txt", "--to", name, "--out", "there.x").err == "1 puzzle written\n"
    assert cli("convert", "there.x", "--from", name, "--to", "text").out == BOARDS[0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["board.txt", "in", "there.x"]


def test_a_folder_has_a_file_for_each(cli: Cli, tmp_path: Path) -> None:
    said = cli("convert", "in", "board.txt", "--to", "pzprv3", "--out", "out")
    assert said.err == "4 puzzles written\n"
    assert tree(tmp_path / "out") == ["board.txt", "deep/one.txt", "two#1.txt", "two#2.txt"]
    assert [entry.puzzle for entry in read(tmp_path / "out")] == [
        parse(BOARDS[0]), parse(BOARDS[2]), parse(BOARDS[0]), parse(BOARDS[1])
    ]  # fmt: skip
    cli("convert", "in", "--to", "text", "--out", "more/")
    assert tree(tmp_path / "more") == ["deep/one.txt", "two#1.txt", "two#2.txt"]


def test_names_that_meet_get_numbers(cli: Cli, tmp_path: Path) -> None:
    for folder in ("a", "b", "c"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.txt").write_text(BOARDS[1])
    (tmp_path / "a" / "SAME.txt").write_text(BOARDS[0])
    cli("convert", "a", "b", "c", "c/same.txt", "--to", "grid", "--out", "out/")
    assert tree(tmp_path / "out") == ["SAME.grid", "same-2.grid", "same-3.grid", "same-4.grid", "same-5.grid"]


def test_nothing_leads_out_of_the_folder(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    os.chdir(tmp_path / "here")
    cli("convert", "../board.txt", "..//in", "https://puzz.link/p?hashi/3/1/2g2", "3x3m2:2a2f",
        "--to", "grid", "--out", "out/")  # fmt: skip
    assert tree(tmp_path / "here") == [
        "out/2g2.grid",
        "out/3x3m2_2a2f.grid",
        "out/board.grid",
        "out/deep/one.grid",
        "out/two#1.grid",
        "out/two#2.grid",
    ]


def test_names_fit_into_a_file_system(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / ("\u3042" * 80 + ".txt")).write_text(BOARDS[1])
    cli("convert", "\u3042" * 80 + ".txt", "300x300:1" + "z" * 3461 + "m", "--to", "grid", "--out", "out/")
    assert tree(tmp_path / "out") == sorted(["\u3042" * 66 + ".grid", "300x300_1" + "z" * 191 + ".grid"])


def test_what_cannot_be_written_is_told_and_the_rest_is_written(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("1 0 9\n\n2 0 2\n0 0 0\n0 0 0\n")
    said = cli("convert", "in", "bad.txt", "--to", "tatham", expect=1)
    assert said.out.splitlines() == ["3x3m2:2a2c2a2", "3x3m2:2a2f"]
    assert said.err.splitlines() == [
        "in/deep/one.txt: tatham has no sign for an island without a number",
        "in/two.txt#2: tatham has boards from 3 x 3 on, and this one is 2 x 3",
        "bad.txt, line 1, column 5: expected a clue 0..8, found 9",
        "2 puzzles written, 3 not",
    ]


def test_rules_are_kept_or_refused(cli: Cli) -> None:
    assert cli("convert", "board.txt", "--to", "tatham", "--max-bridges", "3", "--no-loops").out == (
        "3x3m3L:2a2c2a2\n"
    )  # fmt: skip
    said = cli("convert", "3x3m1L:1a1f", "--to", "grid", expect=1)
    assert said.out == ""
    assert "3x3m1L:1a1f: grid cannot say that a channel carries at most 1 bridge\n" in said.err


def test_one_file_is_whole_or_not_there(cli: Cli, tmp_path: Path) -> None:
    for destination in ([], ["--out", "out.txt"]):
        said = cli("convert", "in", "--to", "pzprv3", *destination, expect=2)
        assert said.out == ""
        assert "pzprv3 holds one puzzle a file, and there are several: give --out FOLDER" in said.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["board.txt", "in"]
    assert cli("convert", "board.txt", "--to", "pzprv3").out.startswith("pzprv3\nhashikake\n3\n3\n2 . 2 \n")


def test_only_force_overwrites(cli: Cli, tmp_path: Path) -> None:
    said = cli("convert", "board.txt", "--to", "grid", "--out", "board.txt", expect=2)
    assert said.err == "kakehashi: board.txt is there already: choose another name, or overwrite with --force\n"
    assert (tmp_path / "board.txt").read_text() == BOARDS[0]
    cli("convert", "board.txt", "--to", "grid", "--out", "board.txt", "--force")
    assert (tmp_path / "board.txt").read_text() == "2 0 2\n0 0 0\n2 0 2\n"


def test_only_force_writes_into_a_folder_that_is_not_empty(cli: Cli, tmp_path: Path) -> None:
    said = cli("convert", "board.txt", "--to", "codingame", "--out", "in", expect=2)
    assert "in is there already" in said.err
    assert tree(tmp_path / "in") == ["deep/one.txt", "two.txt"]
    cli("convert", "board.txt", "--to", "codingame", "--out", "in", "--force")
    assert tree(tmp_path / "in") == ["board.txt", "deep/one.txt", "two.txt"]


def test_an_archive_has_a_file_for_each(cli: Cli, tmp_path: Path) -> None:
    assert cli("convert", "in", "--to", "text", "--out", "out.zip").err == "3 puzzles written\n"
    assert [(entry.name, entry.puzzle) for entry in read(tmp_path / "out.zip")] == [
        (f"{tmp_path}/out.zip!deep/one.txt", parse(BOARDS[2])),
        (f"{tmp_path}/out.zip!two#1.txt", parse(BOARDS[0])),
        (f"{tmp_path}/out.zip!two#2.txt", parse(BOARDS[1])),
    ]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_no_part_of_a_file_behind(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def interrupted(entry: Entry, path: str) -> str:
        if entry.name == "in/two.txt#2":  # one was written by then
            signal.raise_signal(number)
        return path

    monkeypatch.setattr("kakehashi.cli.convert._file_name", interrupted)
    assert cli("convert", "in", "--to", "grid", "--out", "out.grid", expect=130).err == "kakehashi: interrupted\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["board.txt", "in"]


def test_what_is_no_file_is_never_replaced(cli: Cli, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    said = cli("convert", "board.txt", "--to", "grid", "--out", "pipe", expect=2)
    assert "pipe is no ordinary file: expected the name of a file" in said.err
    assert (tmp_path / "pipe").is_fifo()
    (tmp_path / "link.txt").symlink_to("board.txt")
    cli("convert", "board.txt", "--to", "grid", "--out", "link.txt", "--force")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "board.txt").read_text() == "2 0 2\n0 0 0\n2 0 2\n"


def test_standard_input(cli: Cli, tmp_path: Path) -> None:
    assert cli("convert", "-", "--to", "text", stdin="1 0 1\n").out == "1.1\n"
    cli("convert", "-", "--to", "pzprv3", "--out", "out", stdin="1 0 1\n\n2 0 2\n")
    assert tree(tmp_path / "out") == ["stdin#1.txt", "stdin#2.txt"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere", "--to", "grid"], "there is no file or folder 'nowhere'"),
        (["board.txt", "--to", "nope"], "there is no format 'nope'"),
        (["board.txt"], "Missing option '--to'"),
        (["board.txt", "--to", "grid", "--max-bridges", "5"], "Invalid value for '--max-bridges'"),
        (["board.txt", "--to", "grid", "--out", "nowhere/x.txt"], "cannot be written: No such file or directory"),
        (["board.txt", "--to", "pzprv3", "--out", "board.txt/"], "is a file: expected the name of a folder"),
    ],
)
def test_usage(cli: Cli, arguments: list[str], sentence: str) -> None:
    assert sentence in cli("convert", *arguments, expect=2).err
