"""`run`: the whole pipeline, its summary, and that it leaves nothing behind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import typer

from kakehashi.cli.drive import drive
from kakehashi.cli.output import Format
from kakehashi.settings import Settings
from kakehashi.storage import RunOptions
from tests.acceptance.boards import EXPECTED
from tests.support.storing import new, shards_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from kakehashi.storage import Repository
    from tests.acceptance.conftest import Cli, Finished
    from tests.acceptance.place import Place

CONTRACT = [
    "batch", "run", "total", "solved", "infeasible", "timeout", "invalid", "crashed", "cancelled", "wall_s",
]  # fmt: skip
COUNTS = CONTRACT[3:9]


class TestSummary:
    def test_is_one_object_with_the_keys_of_the_contract(self, finished: Finished) -> None:
        summary = json.loads(finished.said.out)
        assert list(summary) == [*CONTRACT, "work_s"]
        assert finished.said.out.count("\n") == 1

    def test_counts_are_disjoint_and_add_up(self, finished: Finished) -> None:
        summary = json.loads(finished.said.out)
        statuses = [status for _, status in EXPECTED]
        assert {name: summary[name] for name in COUNTS} == {name: statuses.count(name) for name in COUNTS}
        assert sum(summary[name] for name in COUNTS) == summary["total"] == len(EXPECTED)

    def test_times_are_seconds(self, finished: Finished) -> None:
        summary = json.loads(finished.said.out)
        assert 0 < summary["work_s"] < summary["wall_s"] < 60

    def test_exit_code_says_that_not_all_were_decided(self, finished: Finished) -> None:
        assert finished.said.code == 1

    def test_progress_and_hints_go_to_standard_error(self, finished: Finished) -> None:
        assert f"starting 2 workers, results in {finished.place.here}/kakehashi.db" in finished.said.err
        assert "next: kakehashi results 1 --status invalid\n" in finished.said.err
        assert "\x1b" not in finished.said.err

    def test_nothing_is_left_behind(self, finished: Finished) -> None:
        assert finished.place.leftovers() == []
        assert sorted(path.name for path in finished.place.here.iterdir()) == ["kakehashi.db", "puzzles"]


class TestNothingIsStartedFor:
    """A slip of the pen is told at once, and no batch is stored."""

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (["nowhere"], "there is no file or folder 'nowhere'"),
            (["puzzles", "nowhere"], "there is no file or folder 'nowhere'"),
            (["puzzles", "--budget", "0"], "'0' is no duration"),
            (["puzzles", "--budget", "nonsense"], "'nonsense' is no duration"),
            (["puzzles", "--budget", "1h"], "above the largest that is allowed"),
            (["puzzles", "--engine", "nope"], "there is no engine 'nope'"),
            (["puzzles", "--confirm", "nope"], "'nope' is not one of 'none', 'auto', 'all'"),
            (["puzzles", "--from", "nope"], "there is no format 'nope': choose one of"),
            (["puzzles", "--touching", "nope"], "'nope' is not one of 'join', 'reject'"),
            (["puzzles", "--format", "nope"], "'nope' is not one of 'table', 'json', 'ndjson', 'csv'"),
            (["puzzles", "--workers", "0"], "0 is not in the range x>=1"),
            (["puzzles", "--db", ":memory:"], "cannot be shared by processes"),
            (["puzzles", "--db", "mysql://host/name"], "no support for a database of the kind 'mysql'"),
            ([], "Missing argument 'PATH...'"),
        ],
    )
    def test_usage(self, cli: Cli, puzzles: object, arguments: list[str], sentence: str) -> None:
        said = cli("run", *arguments, expect=2)
        assert sentence in said.err
        assert "starting" not in said.err
        assert said.out == ""


def test_the_current_folder_is_read_without_the_database_in_it(place: Place) -> None:
    (place.here / "a.txt").write_text("2 0 2\n")
    for _ in range(2):
        summary = json.loads(place.call("run", ".", "--workers", "1", "--format", "json").out)
        assert (summary["total"], summary["solved"]) == (1, 1)


def test_a_run_that_somebody_cancels_while_it_reads_ends_with_what_it_has(
    sqlite_url: str, capfd: pytest.CaptureFixture[str]
) -> None:
    def produce(repository: Repository, attend: Callable[[int], None]) -> int:
        batch, run = repository.begin("b", {}, RunOptions())
        repository.append(batch, run, 0, [new(number) for number in range(5)], shards_of(1))
        repository.cancel_run(run)
        attend(run)
        repository.append(batch, run, 5, [new(9)], shards_of(1))
        return run

    with pytest.raises(typer.Exit) as ended:
        drive(Settings(db=sqlite_url, concurrency=1), produce, Format.JSON)
    said = capfd.readouterr()
    assert ended.value.exit_code == 1
    assert "run 1 was cancelled: no more puzzles are added to it" in said.err
    summary = json.loads(said.out)
    assert summary["cancelled"] == summary["total"] == 5
