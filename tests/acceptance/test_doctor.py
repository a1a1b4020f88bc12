"""`doctor`: a line for each check, and an exit code that a script can use."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Cli

AWAY = ("--broker", "redis://:secret@127.0.0.1:1/0")
IN_MEMORY = ("--broker", "memory://")


def test_a_service_that_is_away_is_3_and_hides_no_other_check(cli: Cli, sqlite_url: str) -> None:
    said = cli("doctor", *AWAY, "--db", sqlite_url, expect=3)
    words = [line.split()[:2] for line in said.out.splitlines()]
    assert words[0] == ["subject", "state"]
    assert ["broker", "unreachable"] in words
    assert ["work", "ok"] in words
    assert "secret" not in said.out + said.err
    assert "redis://:***@127.0.0.1:1/0" in said.out


def test_a_problem_is_1_and_says_what_to_do(cli: Cli, sqlite_url: str) -> None:
    with contextlib.closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
        connection.commit()
    rows = cli.json("doctor", *IN_MEMORY, "--db", sqlite_url, expect=1)
    (problem,) = [row for row in rows if row["state"] == "problem"]
    assert problem["subject"] == "database"
    assert problem["message"].endswith("run `kakehashi db upgrade`")


def test_no_problem_is_0_though_nothing_was_made_yet(cli: Cli, tmp_path: Path) -> None:
    rows = cli.json("doctor", *IN_MEMORY, "--deep")
    assert {row["state"] for row in rows} <= {"ok", "warning"}
    assert list(tmp_path.iterdir()) == []
