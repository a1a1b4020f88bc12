"""The pages under docs/ say what the program does."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kakehashi.formats import formats
from kakehashi.storage.records import Status
from scripts import cli_reference, formats_reference, pictures

if TYPE_CHECKING:
    from kakehashi.formats import Format
    from tests.acceptance.conftest import Cli, Finished

PAGE = (Path(__file__).parents[2] / "docs" / "results.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_the_reference_of_the_command_line_is_current() -> None:
    assert cli_reference.PAGE.read_text(encoding="utf-8") == cli_reference.reference(), (
        "the help texts changed: python scripts/cli_reference.py"
    )


def test_the_tables_of_formats_are_current() -> None:
    page = formats_reference.PAGE.read_text(encoding="utf-8")
    assert page == formats_reference.current(page), "the registry changed: python scripts/formats_reference.py"


@pytest.mark.parametrize("form", formats(), ids=lambda form: form.name)
def test_the_samples_of_formats_have_answers(cli: Cli, form: Format) -> None:
    assert cli("solve", "-", "--from", form.name, stdin=form.examples[0]).out


def test_the_commands_in_the_page_of_formats_do_what_it_says(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "puzzles").mkdir()
    (tmp_path / "puzzles" / "two.txt").write_text("2 0 2\n\n2 0 1\n0 0 0\n1 0 0\n")
    block = formats_reference.PAGE.read_text(encoding="utf-8").partition("```sh\n")[2].partition("```")[0]
    assert block.count("kakehashi ") == 5
    for line in block.splitlines():
        command, _, target = line.removeprefix("kakehashi ").partition(" > ")
        said = cli(*shlex.split(command))
        if target:
            (tmp_path / target).write_text(said.out)


def test_the_pictures_are_current() -> None:
    drawn = {path.name: path.read_text(encoding="utf-8") for path in pictures.FOLDER.glob("*.svg")}
    assert drawn == pictures.pictures(), "they are drawn differently now: python scripts/pictures.py"


def test_every_field_of_every_object_is_explained(cli: Cli, finished: Finished) -> None:
    run = json.loads(finished.said.out)
    result = cli.lines("results", 1, "--db", finished.db)[0]
    status = cli.json("status", 1, "--db", finished.db)
    for title, fields in (
        ("The run object", [*run, "queued"]),
        ("The result object", result),
        ("The status object", status),
    ):
        table = section(title)
        assert [field for field in fields if f"`{field}`" not in table] == []


def test_every_status_and_exit_code_is_explained() -> None:
    assert [status for status in Status if f"`{status}`" not in section("Words")] == []
    for code in (0, 1, 2, 3, 130):
        assert f"\n| {code} |" in section("Exit codes")
