"""Databases that older versions of the program made are upgraded, say what they said, and go on.

`scripts/old_database.py` made them.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from kakehashi.storage import migrate
from tests.acceptance.place import QUICK, a_place

if TYPE_CHECKING:
    from tests.acceptance.conftest import Cli

OLD = Path(__file__).parents[1] / "data" / "old"
NAMES = sorted(path.name.removesuffix(".gz") for path in OLD.glob("*.gz") if ".json" not in path.name)
LATER = {"rate", "eta_s"}
"""What depends on when somebody looks."""


def unpacked(name: str) -> bytes:
    return gzip.decompress((OLD / f"{name}.gz").read_bytes())


@pytest.fixture(params=NAMES)
def old(request: pytest.FixtureRequest) -> str:
    """The name of an old database."""
    return str(request.param)


@pytest.fixture
def url(old: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where the old database is."""
    content = unpacked(old)
    if old.endswith(".db"):
        (tmp_path / old).write_bytes(content)
        return str(tmp_path / old)
    address: str = request.getfixturevalue("postgresql_url_without_tables")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(content)
    return address


@pytest.fixture
def said(old: str) -> dict[str, Any]:
    """What the old program said of it."""
    found: dict[str, Any] = json.loads(unpacked(f"{old}.json"))
    return found


def test_there_is_one_of_each_version_and_kind() -> None:
    assert [f"{version}.{kind}" for version in migrate.VERSIONS[:-1] for kind in ("db", "sql")] == [
        name for name in NAMES if not name.startswith(migrate.HEAD)
    ]


def same(now: dict[str, Any], then: dict[str, Any]) -> bool:
    return {name: now[name] for name in then.keys() - LATER} == {name: then[name] for name in then.keys() - LATER}


def test_an_old_database_is_upgraded_and_says_what_it_said(url: str, said: dict[str, Any], cli: Cli) -> None:
    if migrate.current(url) != migrate.HEAD:
        assert "run `kakehashi db upgrade`" in cli("status", "--db", url, expect=3).err
    cli("db", "upgrade", "--db", url)
    assert cli("db", "current", "--db", url).out.startswith(migrate.HEAD)
    for now, then in zip(cli.lines("status", "--db", url), said["status"], strict=True):
        assert same(now, then)
    for number, results in enumerate(said["results"], start=1):
        for now, then in zip(cli.lines("results", number, "--db", url), results, strict=True):
            assert same(now, then)


@pytest.mark.slow
def test_an_old_database_goes_on(url: str, said: dict[str, Any], cli: Cli) -> None:
    cli("db", "upgrade", "--db", url)
    unfinished = said["status"][0]
    assert (unfinished["state"], unfinished["shards_leased"]) == ("running", 1)
    with a_place(**QUICK) as place:
        place.url = url
        place.call("resume", str(unfinished["batch"]), "--here", "--db", url, "--workers", "2")
        place.call("rerun", "3", "--here", "--engine", "auto", "--budget", "10s", "--db", url, "--workers", "1")
    for number, results in enumerate(said["results"], start=1):
        for now, then in zip(cli.lines("results", number, "--db", url), results, strict=True):
            if then["status"] in {"queued", "timeout"}:
                assert now["status"] == "solved"
            else:
                assert same(now, then)  # what was final stays
