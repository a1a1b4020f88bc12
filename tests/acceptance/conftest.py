"""Fixtures: the command line in this process, places with processes of their own, a batch that is finished."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from typer.testing import CliRunner

from tests.acceptance.boards import write_all
from tests.acceptance.place import QUICK, Place, Said, a_place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Cli:
    """Calls the command line in this process, for what needs no process of its own; `folder` is where it works."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *arguments: str | Path | int, expect: int = 0, stdin: str | None = None) -> Said:
        from kakehashi.cli.app import app

        called = CliRunner().invoke(
            app, [str(argument) for argument in arguments], input=stdin, catch_exceptions=False, prog_name="kakehashi"
        )
        said = Said(called.exit_code, called.stdout, called.stderr)
        assert said.code == expect, said
        return said

    def json(self, *arguments: str | Path | int, expect: int = 0, stdin: str | None = None) -> Any:
        """What a command prints as JSON."""
        return json.loads(self(*arguments, "--format", "json", expect=expect, stdin=stdin).out)

    def lines(self, *arguments: str | Path | int) -> list[Any]:
        """What a command prints as NDJSON."""
        return [json.loads(line) for line in self(*arguments, "--format", "ndjson").out.splitlines()]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """The command line, in an empty folder and without settings from the environment."""
    for name in [name for name in os.environ if name.startswith("KAKEHASHI_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return Cli(tmp_path)


@pytest.fixture
def place() -> Iterator[Place]:
    """A place with the settings that show faults quickly."""
    with a_place(**QUICK) as made:
        yield made


class Finished(NamedTuple):
    """A batch that `kakehashi run` made and finished."""

    place: Place
    said: Said
    db: Path


@pytest.fixture(scope="session")
def finished() -> Iterator[Finished]:
    """The folder of all kinds of puzzles, run once with uniqueness asked; tests only read it."""
    with a_place() as place:
        write_all(place.here)
        said = place.call("run", "puzzles", "--unique", "--workers", "2", "--format", "json", expect=1)
        yield Finished(place, said, place.db)


@pytest.fixture
def puzzles(tmp_path: Path) -> Path:
    """The folder of all kinds of puzzles, not run."""
    write_all(tmp_path)
    return tmp_path / "puzzles"
