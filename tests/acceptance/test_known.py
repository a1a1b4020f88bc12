"""`--skip-known`: puzzles that the database knows, turned or mirrored, get the answer that is there."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from kakehashi import check, parse
from kakehashi.cli.submission import describe
from kakehashi.formats import get
from kakehashi.producer.plan import cut
from kakehashi.puzzle import Symmetry
from kakehashi.storage import NewEntry, Repository, RunOptions
from tests.acceptance.boards import APART, SEVEN, TWO_ANSWERS

if TYPE_CHECKING:
    from tests.acceptance.conftest import Cli, Finished
    from tests.acceptance.place import Place

FRESH = "2 0 0 0 0 0 0 2\n"
BOARDS = [
    Symmetry.TURN_RIGHT.puzzle(parse(SEVEN)),
    Symmetry.ANTITRANSPOSE.puzzle(parse(TWO_ANSWERS)),
    Symmetry.UPSIDE_DOWN.puzzle(parse(APART)),
    parse(FRESH),
]


@pytest.fixture
def knowing(place: Place, finished: Finished, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A place with a database that knows the folder of all kinds of puzzles, and a folder with some of them turned."""
    shutil.copy(finished.db, place.db)
    folder = place.here / "turned"
    folder.mkdir()
    for number, board in enumerate(BOARDS):
        (folder / f"{number}.txt").write_text(get("grid").write(board))
    monkeypatch.chdir(place.here)
    return place


def test_a_run_solves_only_what_is_new(knowing: Place, cli: Cli) -> None:
    said = knowing.call("run", "turned", "--unique", "--skip-known", "--workers", "1", "--format", "json")
    summary = json.loads(said.out)
    assert (summary["total"], summary["known"], summary["solved"], summary["infeasible"]) == (4, 3, 3, 1)
    rows = cli.lines("results", summary["batch"], "--db", knowing.db)
    assert [row["known_from"] for row in rows] == ["1:2", "1:3", "1:5", None]
    assert [row["status"] for row in rows] == ["solved", "solved", "infeasible", "solved"]
    assert [row["uniqueness"] for row in rows] == ["unique", "multiple", "unchecked", "unique"]
    assert [row["attempts"] for row in rows] == [1, 1, 1, 1]
    assert [row["wall_ms"] is None for row in rows] == [True, True, True, False]
    for row, board in zip(rows[:2], BOARDS, strict=False):
        assert check(board, row["grid"]) == []
    status = cli.json("status", summary["batch"], "--db", knowing.db)
    assert (status["state"], status["known"]) == ("finished", 3)
    assert "known from 1:2" in cli("show", f"{summary['batch']}:0", "--db", knowing.db).err


def test_without_the_option_all_is_solved(knowing: Place, cli: Cli) -> None:
    said = knowing.call("run", "turned", "--workers", "1", "--format", "json")
    assert "known" not in json.loads(said.out)
    assert {row["known_from"] for row in cli.lines("results", 2, "--db", knowing.db)} == {None}


def test_a_resumed_submission_goes_on_taking_what_is_known(knowing: Place, cli: Cli) -> None:
    source = describe(["turned"], None, "join", "run") | {"skip_known": True}
    with Repository(knowing.url) as repository:
        batch, run = repository.begin("turned", source, RunOptions(budget=5.0))
        repository.append(batch, run, 0, [NewEntry("turned/0.txt", "turned/0.txt", 1, BOARDS[0])], cut)
    knowing.call("resume", "--workers", "1")
    rows = cli.lines("results", batch, "--db", knowing.db)
    assert [row["known_from"] for row in rows] == [None, "1:3", "1:5", None]
    assert [row["status"] for row in rows] == ["solved", "solved", "infeasible", "solved"]
