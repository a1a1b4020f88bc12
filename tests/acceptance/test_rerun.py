"""A puzzle that cannot end within its budget, and `rerun` for it."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from kakehashi.puzzle import Confirm
from kakehashi.solver.engines import judge_of
from kakehashi.storage import Repository
from kakehashi.worker.private_broker import PrivateBroker
from tests.acceptance.boards import write_marked
from tests.acceptance.place import QUICK, Place, a_place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.acceptance.conftest import Cli


@pytest.fixture(scope="module")
def timed_out() -> Iterator[Place]:
    """A run with a budget of 1 s over three puzzles, one of which made its engine spin until the deadline."""
    with a_place(**QUICK) as place:
        write_marked(place.here / "puzzles", 1, plain=2)
        said = place.call(
            "run", "puzzles", "--engine", "spin-marked", "--budget", "1s", "--confirm", "none", "--workers", "1",
            "--format", "json",
            "--db", f"sqlite:///{place.here}/other.db",
            expect=1,
        )  # fmt: skip
        summary = json.loads(said.out)
        assert (summary["total"], summary["solved"], summary["timeout"]) == (3, 2, 1)
        assert f"starting 1 worker, results in {place.here}/other.db\n" in said.err
        assert f"next: kakehashi rerun 1 --budget x4 --db {place.here}/other.db\n" in said.err
        assert not place.db.exists()
        place.db = place.here / "other.db"
        yield place


@pytest.fixture
def again(timed_out: Place) -> Iterator[Place]:
    """A copy of it that a test may change."""
    with a_place(**QUICK) as place:
        shutil.copy(timed_out.db, place.db)
        yield place


def the_marked(rows: list[Any]) -> Any:
    (row,) = [row for row in rows if "marked" in row["name"]]
    return row


class TestTimeout:
    def test_ends_close_to_its_budget(self, cli: Cli, timed_out: Place) -> None:
        row = the_marked(cli.lines("results", 1, "--db", timed_out.db, "--status", "timeout"))
        assert (row["verdict"], row["termination"], row["attempts"]) == ("unknown", "timeout", 1)
        assert (row["grid"], row["bridges"], row["error"]) == (None, None, None)
        assert 1000 <= row["wall_ms"] < 1250

    def test_is_the_slowest(self, cli: Cli, timed_out: Place) -> None:
        assert "marked" in cli.json("status", 1, "--db", timed_out.db)["slowest"][0]["name"]


class TestRerun:
    def test_a_dry_run_lists_just_it(self, cli: Cli, timed_out: Place) -> None:
        listed = cli.json("rerun", 1, "--budget", "x10", "--dry-run", "--db", timed_out.db)
        assert listed == [{"id": "1:0", "name": "puzzles/marked-00.txt", "islands": 3, "budget_s": 10.0}]
        assert "1:0" in cli("rerun", 1, "--budget", "x10", "--dry-run", "--db", timed_out.db).out
        assert len(cli.json("status", "--db", timed_out.db)) == 1

    @pytest.mark.parametrize(
        ("budget", "more", "seconds"),
        [("x4", [], 4.0), ("30s", [], 30.0), ("x10", ["--max-budget", "5s"], 5.0), ("x10000", [], 600.0)],
    )
    def test_the_new_budget(self, cli: Cli, timed_out: Place, budget: str, more: list[str], seconds: float) -> None:
        (row,) = cli.json("rerun", 1, "--budget", budget, *more, "--dry-run", "--db", timed_out.db)
        assert row["budget_s"] == seconds

    def test_other_statuses_may_be_chosen(self, cli: Cli, timed_out: Place) -> None:
        rows = cli.json("rerun", 1, "--only", "solved,timeout", "--budget", "x2", "--dry-run", "--db", timed_out.db)
        assert [row["id"] for row in rows] == ["1:0", "1:1", "1:2"]

    def test_nothing_to_do_starts_nothing(self, cli: Cli, timed_out: Place) -> None:
        arguments: list[str | Path | int] = [
            "rerun",
            1,
            "--only",
            "crashed,cancelled",
            "--budget",
            "x2",
            "--db",
            timed_out.db,
        ]
        said = cli(*arguments)
        assert (said.out, said.err) == ("", "no puzzle of batch 1 is crashed or cancelled: nothing to do\n")
        assert cli.json(*arguments) == {"batch": 1, "run": None, "total": 0}
        assert cli.json(*arguments, "--dry-run") == []

    def test_is_a_new_run_and_history_stays(self, cli: Cli, again: Place) -> None:
        summary = json.loads(
            again.call(
                "rerun",
                "1",
                "--budget",
                "x2",
                "--engine",
                "pysat",
                "--confirm",
                "all",
                "--workers",
                "1",
                "--format",
                "json",
                "--db",
                again.db,
            ).out
        )
        assert (summary["batch"], summary["run"], summary["total"], summary["solved"]) == (1, 2, 1, 1)
        best = the_marked(cli.lines("results", 1, "--db", again.db))
        assert (best["status"], best["attempts"], best["run"], best["budget_s"]) == ("solved", 2, 2, 2.0)
        judge = judge_of("pysat")
        assert (best["engine"], best["confirmed_by"]) == ("pysat", judge.name if judge else None)
        with Repository(str(again.db)) as repository:
            first, second = repository.runs(1)
            assert (first.options.confirm, second.options.confirm) == (Confirm.NONE, Confirm.ALL)
        before = the_marked(cli.lines("results", 1, "--run", 1, "--db", again.db))
        assert (before["status"], before["run"], before["budget_s"]) == ("timeout", 1, 1.0)
        assert [row["id"] for row in cli.lines("results", 1, "--run", 2, "--db", again.db)] == ["1:0"]
        assert cli.json("rerun", 1, "--budget", "x2", "--dry-run", "--db", again.db) == []
        assert again.leftovers() == []

    @pytest.mark.parametrize(
        ("arguments", "confirm"),
        [([], Confirm.NONE), (["--confirm", "auto"], Confirm.AUTO)],
        ids=["inherited", "given"],
    )
    def test_confirms_as_the_run_before_unless_told(
        self, cli: Cli, again: Place, arguments: list[str], confirm: Confirm
    ) -> None:
        with PrivateBroker() as broker:
            cli(
                "rerun", 1, "--budget", "x2", "--engine", "pysat", "--fleet", "--broker", broker.url, "--db", again.db,
                *arguments,
            )  # fmt: skip
        with Repository(str(again.db)) as repository:
            assert repository.runs(1)[-1].options.confirm is confirm
