"""`db`, `config`, and the program as a whole."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kakehashi.settings import SETTING_NAMES
from kakehashi.storage import migrate
from tests.acceptance.place import a_place

if TYPE_CHECKING:
    from tests.acceptance.conftest import Cli


class TestDb:
    def test_upgrade_makes_it_and_may_be_repeated(self, cli: Cli, tmp_path: Path) -> None:
        for _ in range(2):
            assert cli("db", "upgrade").err == f"{tmp_path}/kakehashi.db has schema {migrate.HEAD}\n"
        assert cli("db", "current").out == f"{migrate.HEAD} (this program: {migrate.HEAD})\n"

    def test_current_of_none(self, cli: Cli, tmp_path: Path) -> None:
        assert cli("db", "current", expect=1).out == f"none (this program: {migrate.HEAD})\n"
        assert list(tmp_path.iterdir()) == []

    def test_a_backup_is_a_file_of_its_own(self, cli: Cli, tmp_path: Path) -> None:
        cli("db", "upgrade")
        assert cli("db", "backup", "copy.db").err.startswith("copy.db is a copy of ")
        assert cli.json("status", "--db", "copy.db") == []
        with contextlib.closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
            assert copy.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.db", "kakehashi.db"]
        assert "is there already" in cli("db", "backup", "copy.db", expect=2).err
        cli("db", "backup", "copy.db", "--force")

    def test_a_backup_needs_a_file(self, cli: Cli, tmp_path: Path) -> None:
        assert "there is no database" in cli("db", "backup", "copy.db", expect=3).err
        assert "pg_dump" in cli("db", "backup", "copy.db", "--db", "postgresql://bob:secret@host/x", expect=2).err
        (tmp_path / "text").write_text("this is text, and long enough for the head of a database file " * 20)
        assert "cannot be copied: file is not a database" in cli("db", "backup", "c", "--db", "text", expect=3).err
        assert [path.name for path in tmp_path.iterdir()] == ["text"]

    def test_no_batch_yet(self, cli: Cli) -> None:
        cli("db", "upgrade")
        assert "there is no batch yet" in cli("status").err
        assert cli.json("status") == []
        assert "nothing to resume" in cli("resume", expect=2).err
        assert "there is no batch yet" in cli("status", "--watch", expect=2).err


class TestConfig:
    def test_names_the_source_of_every_value(self, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "kakehashi.toml").write_text('budget = "2s"\nqueue = "mine"\nconcurrency = 3\n')
        monkeypatch.setenv("KAKEHASHI_QUEUE", "yours")
        monkeypatch.setenv("KAKEHASHI_BROKER", "redis://:secret@host/1")
        rows = {row["setting"]: row for row in cli.json("config", "show")}
        assert set(rows) == set(SETTING_NAMES)
        assert (rows["budget"]["value"], rows["budget"]["source"]) == (2.0, "kakehashi.toml")
        assert (rows["concurrency"]["value"], rows["concurrency"]["source"]) == (3, "kakehashi.toml")
        assert (rows["queue"]["value"], rows["queue"]["source"]) == ("yours", "environment")
        assert (rows["broker"]["value"], rows["broker"]["source"]) == ("redis://:***@host/1", "environment")
        assert (rows["engine"]["value"], rows["engine"]["source"]) == ("auto", "default")
        assert rows["db"]["variable"] == "KAKEHASHI_DB"
        assert "secret" not in cli("config", "show").out

    def test_a_flag_goes_before_the_environment(self, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("KAKEHASHI_DB", "other.db")
        assert "other.db" in cli("status", expect=3).err
        assert "mine.db" in cli("status", "--db", "mine.db", expect=3).err

    @pytest.mark.parametrize(
        ("content", "sentence"),
        [
            ("nope = 1\n", "kakehashi.toml: unknown setting 'nope'; known are db, broker"),
            ('budget = "soon"\n', "setting budget (kakehashi.toml): 'soon' is no duration"),
            ("= 1\n", "kakehashi.toml cannot be read"),
        ],
    )
    def test_a_bad_file(self, cli: Cli, tmp_path: Path, content: str, sentence: str) -> None:
        (tmp_path / "kakehashi.toml").write_text(content)
        assert sentence in cli("config", "show", expect=2).err

    def test_a_bad_variable(self, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("KAKEHASHI_BUDGET", "soon")
        assert "setting budget (KAKEHASHI_BUDGET): 'soon' is no duration" in cli("config", "show", expect=2).err


class TestProgram:
    def test_version(self, cli: Cli) -> None:
        assert cli("--version").out == f"kakehashi {version('kakehashi')}\n"

    def test_without_a_command_it_shows_the_help(self, cli: Cli) -> None:
        assert "Commands:" in cli(expect=2).err

    def test_no_summary_of_a_command_is_cut_off(self, cli: Cli) -> None:
        for command in ([], ["db"], ["config"]):
            assert "..." not in cli(*command, "--help").out.partition("Commands:")[2]

    def test_an_unknown_command(self, cli: Cli) -> None:
        assert "No such command 'nope'" in cli("nope", expect=2).err

    def test_runs_as_a_module(self) -> None:
        with a_place() as place:
            assert place.call("--version").out.startswith("kakehashi ")

    def test_a_reader_that_has_seen_enough_is_no_error(self, tmp_path: Path) -> None:
        (tmp_path / "many.txt").write_text("2 0 2\n\n" * 20_000)
        with a_place() as place:
            process = subprocess.Popen(
                [sys.executable, "-m", "kakehashi", "solve", tmp_path / "many.txt"],
                env=place.environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            assert process.stdout is not None
            assert process.stdout.readline() == "2 -3 2\n"
            process.stdout.close()
            assert process.stderr is not None
            with process.stderr:
                assert process.stderr.read() == ""
            assert process.wait() == 0

    @pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no device that is always full")
    def test_output_without_room_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "many.txt").write_text("2 0 2\n\n" * 2_000)
        with a_place() as place, Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "kakehashi", "convert", tmp_path / "many.txt", "--to", "jsonl"],
                env=place.environment,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert (done.returncode, done.stderr) == (
            2,
            "kakehashi: the output cannot be written: No space left on device\n",
        )
