"""`resume` of a batch whose submission died before it was whole."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING

import pytest

from kakehashi.cli.submission import describe, new_entries
from kakehashi.producer.plan import cut
from kakehashi.settings import load
from kakehashi.storage import Repository, RunOptions, Status
from tests.acceptance.boards import EXPECTED, write_all
from tests.support.storing import drain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.acceptance.conftest import Cli
    from tests.acceptance.place import Place

READ = 5
"""Entries that were stored before the submission died."""


@pytest.fixture
def cut_short(place: Place, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A place with a batch that is not sealed."""
    write_all(place.here)
    monkeypatch.chdir(place.here)
    store(place, ["puzzles"])
    return place


def store(place: Place, paths: Sequence[str], read: int = READ) -> None:
    """Store the first entries of a new batch, as a submission does that dies then."""
    source = describe(paths, None, "join", "run")
    with Repository(place.url, create=True) as repository:
        batch = repository.create_batch("puzzles", source)
        run = repository.create_run(batch, RunOptions(budget=5.0))
        if read:
            entries = list(itertools.islice(new_entries(load().settings, source), read))
            repository.append(batch, run, 0, entries, cut)


def test_status_tells_it(cli: Cli, cut_short: Place) -> None:
    said = cli("status", 1)
    assert "\nstate        incomplete\n" in said.out
    assert "kakehashi resume 1" in said.err
    assert cli.json("status")[0]["state"] == "incomplete"


def test_goes_on_reading_from_any_folder(cli: Cli, cut_short: Place) -> None:
    elsewhere = cut_short.here / "elsewhere"
    elsewhere.mkdir()
    cut_short.here = elsewhere
    said = cut_short.call("resume", "--db", cut_short.url, "--workers", "1", "--format", "json", expect=1)
    summary = json.loads(said.out)
    statuses = [status for _, status in EXPECTED]
    assert summary["total"] == len(EXPECTED)
    assert (summary["solved"], summary["invalid"]) == (statuses.count("solved"), statuses.count("invalid"))
    assert f"--db {cut_short.url}" in said.err
    rows = cli.lines("results", 1, "--db", cut_short.url)
    assert [(row["name"], row["status"]) for row in rows] == EXPECTED
    assert {row["attempts"] for row in rows if row["status"] != "invalid"} == {1}


def test_a_rerun_before_it_neither_hangs_nor_stands_in_its_way(cli: Cli, cut_short: Place) -> None:
    with Repository(cut_short.url) as repository:
        drain(repository, Status.TIMEOUT)
    said = cut_short.call("rerun", "1", "--budget", "x2", "--workers", "1", "--format", "json", expect=0)
    assert json.loads(said.out)["run"] == 2
    said = cut_short.call("resume", "1", "--workers", "1", "--format", "json", expect=1)
    summary = json.loads(said.out)
    assert (summary["run"], summary["total"]) == (1, len(EXPECTED))
    rows = cli.lines("results", 1, "--db", cut_short.url)
    assert [(row["name"], row["status"]) for row in rows] == EXPECTED


def test_files_that_changed_are_refused(cli: Cli, cut_short: Place) -> None:
    (cut_short.here / "puzzles" / "02-same.txt").write_text("4 0 4\n")
    said = cut_short.call("resume", expect=2)
    assert "entry 1 was 'puzzles/02-same.txt'" in said.err
    assert "'puzzles/02-same.txt' with other clues" in said.err
    assert "submit the files as a new batch" in said.err
    assert cut_short.leftovers() == []


def test_a_folder_that_is_gone_is_refused(cli: Cli, cut_short: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = cut_short.here.with_name("moved")
    cut_short.here.rename(moved)
    monkeypatch.chdir(moved)
    said = cli("resume", expect=2)
    assert f"there is no folder '{cut_short.here}' any more" in said.err


def test_standard_input_is_refused(cli: Cli, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.here)
    store(place, ["-"], read=0)
    said = cli("resume", expect=2)
    assert said.err == (
        "kakehashi: batch 1 cannot be read to its end: it came from standard input, which is gone; hand it in again\n"
    )


def test_the_rules_of_a_batch_are_kept(place: Place, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.here)
    (place.here / "a.txt").write_text("3.3\n\n4.4\n")
    source = json.loads(
        json.dumps(describe(["a.txt", "3x3m2:2a2f"], None, "join", "run", max_bridges=3, no_loops=True))
    )
    entries = list(new_entries(load().settings, source))
    assert [entry.puzzle and entry.puzzle.variant for entry in entries] == ["m3L", "m3L", "classic"]
    assert entries[2].name == "3x3m2:2a2f"
    for old in ("max_bridges", "loops"):
        del source[old]
    assert [entry.puzzle and entry.puzzle.variant for entry in new_entries(load().settings, source)] == ["classic"] * 3
