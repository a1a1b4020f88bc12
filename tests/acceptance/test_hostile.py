"""Names and texts that mean harm: they name files, steer nobody's terminal, and say nothing to the database."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kakehashi.storage import Repository
from tests.support.storing import bad, drain, fill, new

if TYPE_CHECKING:
    from tests.acceptance.conftest import Cli

NAMES = [
    "../out.txt", "/tmp/out.txt", "a/../../out.txt", "..", "a\\..\\b.txt", "C:\\x", "nul.txt", "a\x1b[31mred.txt",
    "a\nb.txt", "-rf.txt", "=cmd.txt", "~root", "$HOME.txt", "`id`.txt", "x" * 300 + ".txt", "d/" * 60 + "deep.txt",
    "\u202etxt.exe", ".", "a/./b.txt", "a!b.txt", " ", "...txt", "\u009b31m.txt", "'; DROP TABLE entry; --",
]  # fmt: skip
LEAD_OUT = 6


def everything(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if not path.is_dir()]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    with zipfile.ZipFile(tmp_path / "h.zip", "w") as made:
        for name in NAMES:
            made.writestr(name, b"2 0 2\n")
    return tmp_path / "h.zip"


def test_members_of_an_archive_become_files_below_the_folder(cli: Cli, archive: Path) -> None:
    said = cli("convert", archive, "--to", "grid", "--out", "out/", expect=1)
    assert said.err.count("its name leads out of the archive") == LEAD_OUT
    assert said.err.replace("\n", "").isprintable()
    written = everything(cli.folder / "out")
    assert len(written) == len(everything(cli.folder)) - 1 == len(NAMES) - LEAD_OUT - 1  # "." is passed over
    assert all(str(path).isprintable() and path.suffix == ".grid" for path in written)


@pytest.mark.parametrize("link", ["out/a.grid", "out/deep"])
def test_a_link_in_the_folder_is_not_followed(cli: Cli, tmp_path: Path, link: str) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    for name in ("a.txt", "deep/b.txt"):
        (tmp_path / "in" / name).write_text("2 0 2\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "victim").write_text("mine")
    (tmp_path / link).symlink_to(tmp_path / "elsewhere" / ("victim" if link.endswith("grid") else ""))
    said = cli("convert", "in", "--to", "grid", "--out", "out", "--force", expect=2)
    assert "is a symbolic link, or stands behind one: nothing is written there" in said.err
    assert [path.read_text() for path in everything(tmp_path / "elsewhere")] == ["mine"]


def test_names_say_nothing_to_the_database_and_steer_no_terminal(cli: Cli, database_url: str, tmp_path: Path) -> None:
    entries = [new(number, name) for number, name in enumerate(NAMES)] + [bad(name, name) for name in NAMES]
    with Repository(database_url) as repository:
        filled = fill(repository, entries)
        drain(repository)
    db = ("--db", database_url)
    for name in NAMES:
        rows = cli.lines("results", filled.batch, *db, f"--name={name}")
        assert [row["name"] for row in rows] == [name, name]
    assert cli("results", filled.batch, *db, "--name", "' OR 1=1; --").out.count("\n") <= 1
    for command in (["results", filled.batch], ["results", filled.batch, "--format", "json"], ["status"]):
        assert cli(*command, *db).out.replace("\n", "").isprintable()
    cli("results", filled.batch, *db, "--pictures", "pictures")
    cli("export", filled.batch, "answers", "--format", "grid", *db)
    written = everything(tmp_path / "pictures") + everything(tmp_path / "answers")
    assert all(str(path).isprintable() for path in written)
    assert {path.parent for path in written} == {tmp_path / "pictures", tmp_path / "answers"}


def test_an_error_that_repeats_a_name_steers_no_terminal(cli: Cli) -> None:
    said = cli("solve", "no\x1b[31msuch\x9b", expect=2)
    assert "no\\x1b[31msuch\\x9b" in said.err
    assert said.err.replace("\n", "").isprintable()
