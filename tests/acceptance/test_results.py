"""`results` and `status` of a batch that is finished."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from kakehashi import Bridge, Cell, check
from kakehashi.solver.engines import judge_of
from tests.acceptance.boards import EXPECTED, SEVEN

if TYPE_CHECKING:
    from tests.acceptance.conftest import Cli, Finished

NONE = type(None)
CONTRACT: dict[str, tuple[type, ...]] = {
    "id": (str,),
    "name": (str,),
    "rows": (int, NONE),
    "cols": (int, NONE),
    "islands": (int, NONE),
    "verdict": (str,),
    "termination": (str, NONE),
    "uniqueness": (str,),
    "wall_ms": (float, NONE),
    "cpu_ms": (float, NONE),
    "grid": (list, NONE),
    "bridges": (list, NONE),
    "error": (str, NONE),
    "confirmed_by": (str, NONE),
    "confirm_ms": (float, NONE),
    "attempts": (int,),
}
"""The result object: its keys, and what stands there."""

MORE = {"source", "line", "status", "budget_s", "engine", "run", "hidden_bridges", "variant", "grid_reason"}
"""Keys beside the contract's."""


def assert_result_object(row: dict[str, Any]) -> None:
    assert set(row) >= set(CONTRACT) | MORE
    for key, types in CONTRACT.items():
        assert isinstance(row[key], types), (key, row[key])
        assert not isinstance(row[key], bool)


def names(rows: list[Any]) -> list[str]:
    return [row["name"] for row in rows]


@pytest.fixture
def rows(cli: Cli, finished: Finished) -> list[Any]:
    return cli.lines("results", 1, "--db", finished.db)


class TestNdjson:
    def test_has_a_result_object_for_every_entry_in_order(self, rows: list[Any]) -> None:
        assert [(row["name"], row["status"]) for row in rows] == EXPECTED
        assert [row["id"] for row in rows] == [f"1:{pos}" for pos in range(len(EXPECTED))]

    def test_has_the_keys_and_types_of_the_contract(self, rows: list[Any]) -> None:
        for row in rows:
            assert_result_object(row)

    def test_a_solved_puzzle_has_grid_and_bridges_that_pass_the_checker(self, rows: list[Any]) -> None:
        row = rows[2]
        bridges = [Bridge(Cell(*b["from"]), Cell(*b["to"]), b["count"]) for b in row["bridges"]]
        assert check(SEVEN, bridges) == []
        assert check(SEVEN, row["grid"]) == []
        assert (row["rows"], row["cols"], row["islands"]) == (7, 7, 9)
        assert (row["verdict"], row["termination"], row["uniqueness"]) == ("solved", "completed", "unique")
        assert row["attempts"] == 1
        assert row["error"] is None

    def test_two_answers_are_told(self, rows: list[Any]) -> None:
        assert rows[3]["uniqueness"] == "multiple"

    def test_equal_puzzles_show_the_same_answer(self, rows: list[Any]) -> None:
        assert [rows[0][key] for key in ("grid", "wall_ms", "attempts")] == [
            rows[1][key] for key in ("grid", "wall_ms", "attempts")
        ]

    def test_bridges_between_touching_islands_are_told(self, rows: list[Any]) -> None:
        assert rows[7]["grid"] == [[1, 1]]
        assert rows[7]["bridges"] == [{"from": [0, 0], "to": [0, 1], "count": 1}]
        assert rows[7]["hidden_bridges"] == 1

    def test_an_infeasible_puzzle_has_no_answer_and_a_reason_where_there_is_one(self, rows: list[Any]) -> None:
        odd, apart = rows[4], rows[5]
        assert (odd["verdict"], odd["termination"], odd["grid"], odd["bridges"]) == (
            "infeasible", "completed", None, None,
        )  # fmt: skip
        assert "odd" in odd["error"]
        assert apart["verdict"] == "infeasible"

    def test_a_second_engine_has_confirmed_what_an_engine_proved(self, rows: list[Any]) -> None:
        odd, apart = rows[4], rows[5]
        assert (odd["confirmed_by"], odd["confirm_ms"]) == (None, None)
        judge = judge_of(apart["engine"])
        assert apart["confirmed_by"] == (judge.name if judge else None)
        assert (apart["confirm_ms"] is None) == (judge is None)

    @pytest.mark.parametrize(
        ("pos", "error"),
        [
            (9, "puzzles/09-several.txt, line 3, column 5: expected a clue 0..8, found 'x'"),
            (11, "puzzles/10-clue-9.txt, line 1, column 5: expected a clue 0..8, found 9"),
            (12, "puzzles/11-ragged.txt, line 2"),
            (13, "puzzles/12-empty.txt: the file is empty"),
        ],
    )
    def test_bad_input_is_a_row_with_file_line_and_reason(self, rows: list[Any], pos: int, error: str) -> None:
        row = rows[pos]
        assert row["error"].startswith(error)
        assert (row["verdict"], row["termination"], row["attempts"]) == ("unknown", "invalid_input", 0)
        assert row["rows"] is row["grid"] is row["wall_ms"] is None


class TestFilters:
    @pytest.mark.parametrize("status", ["solved", "infeasible", "invalid", "timeout", "crashed", "cancelled", "queued"])
    def test_status(self, cli: Cli, finished: Finished, status: str) -> None:
        found = cli.lines("results", 1, "--db", finished.db, "--status", status)
        assert names(found) == [name for name, expected in EXPECTED if expected == status]

    def test_several_statuses(self, cli: Cli, finished: Finished) -> None:
        found = cli.lines("results", 1, "--db", finished.db, "--status", "infeasible, invalid")
        assert names(found) == [name for name, expected in EXPECTED if expected in ("infeasible", "invalid")]

    def test_islands(self, cli: Cli, finished: Finished) -> None:
        assert names(cli.lines("results", 1, "--db", finished.db, "--min-islands", 10)) == ["puzzles/sub/12x12.txt"]
        assert names(cli.lines("results", 1, "--db", finished.db, "--max-islands", 1)) == ["puzzles/07-lone.txt"]

    def test_slower_than(self, cli: Cli, finished: Finished, rows: list[Any]) -> None:
        assert cli.lines("results", 1, "--db", finished.db, "--slower-than", "1m") == []
        limit = sorted({row["wall_ms"] for row in rows if row["wall_ms"]})[-2]  # entries of one puzzle share their time
        slower = cli.lines("results", 1, "--db", finished.db, "--slower-than", f"{limit:.9f}ms")
        assert all(row["wall_ms"] >= limit for row in slower)
        assert 1 <= len(slower) <= 3

    def test_name(self, cli: Cli, finished: Finished) -> None:
        assert names(cli.lines("results", 1, "--db", finished.db, "--name", "*several*#[13]")) == [
            "puzzles/09-several.txt#1",
            "puzzles/09-several.txt#3",
        ]

    def test_run(self, cli: Cli, finished: Finished, rows: list[Any]) -> None:
        assert cli.lines("results", 1, "--db", finished.db, "--run", 1) == rows

    def test_limit_and_after_page_through(self, cli: Cli, finished: Finished, rows: list[Any]) -> None:
        seen: list[Any] = []
        after = -1
        while page := cli.lines("results", 1, "--db", finished.db, "--limit", 5, "--after", after):
            assert len(page) <= 5
            seen += page
            after = int(page[-1]["id"].partition(":")[2])
        assert seen == rows

    def test_says_how_to_go_on(self, cli: Cli, finished: Finished) -> None:
        assert "go on with --after 4" in cli("results", 1, "--db", finished.db, "--limit", 5).err
        assert cli("results", 1, "--db", finished.db, "--limit", len(EXPECTED)).err == ""

    def test_nothing_found_is_said_and_no_failure(self, cli: Cli, finished: Finished) -> None:
        said = cli("results", 1, "--db", finished.db, "--name", "nope")
        assert (said.out, said.err) == ("", "batch 1 has no such puzzle\n")


class TestFormats:
    def test_json_is_an_array_of_the_same_objects(self, cli: Cli, finished: Finished, rows: list[Any]) -> None:
        assert cli.json("results", 1, "--db", finished.db) == rows
        assert cli.json("results", 1, "--db", finished.db, "--status", "queued") == []

    def test_csv_parses(self, cli: Cli, finished: Finished, rows: list[Any]) -> None:
        said = cli("results", 1, "--db", finished.db, "--format", "csv")
        parsed = list(csv.DictReader(io.StringIO(said.out)))
        assert names(parsed) == names(rows)
        assert all(row["error"] == (original["error"] or "") for row, original in zip(parsed, rows, strict=True))
        assert "grid" not in parsed[0]

    def test_a_piped_table_is_plain_and_cuts_nothing_off(self, cli: Cli, finished: Finished) -> None:
        said = cli("results", 1, "--db", finished.db)
        head, *lines = said.out.splitlines()
        assert head.split() == ["id", "name", "size", "islands", "status", "uniqueness", "wall_ms", "error"]
        assert len(lines) == len(EXPECTED)
        assert "\x1b" not in said.out
        assert lines[11].endswith("line 1, column 5: expected a clue 0..8, found 9")


class TestStatus:
    def test_lists_batches(self, cli: Cli, finished: Finished) -> None:
        (row,) = cli.json("status", "--db", finished.db)
        assert (row["batch"], row["run"], row["name"], row["state"]) == (1, 1, "puzzles", "finished")
        assert (row["total"], row["queued"], row["solved"]) == (17, 0, 10)

    def test_one_batch_with_its_slowest(self, cli: Cli, finished: Finished) -> None:
        status = cli.json("status", 1, "--db", finished.db)
        assert status["state"] == "finished"
        assert len(status["slowest"]) == 5
        walls = [row["wall_ms"] for row in status["slowest"]]
        assert walls == sorted(walls, reverse=True)

    def test_watch_ends_when_the_batch_is_finished(self, cli: Cli, finished: Finished) -> None:
        assert json.loads(cli("status", 1, "--db", finished.db, "--watch", "--format", "ndjson").out)["total"] == 17

    def test_table(self, cli: Cli, finished: Finished) -> None:
        said = cli("status", 1, "--db", finished.db)
        assert "state       finished\n" in said.out
        assert "\nslowest\n" in said.out

    @pytest.mark.parametrize("output", ["table", "json", "ndjson", "csv"])
    def test_every_format_of_every_table(self, cli: Cli, finished: Finished, output: str) -> None:
        for arguments in (["status"], ["status", 1], ["results", 1]):
            assert cli(*arguments, "--db", finished.db, "--format", output).out


class TestNotThere:
    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (["status", 7], "there is no batch 7"),
            (["results", 7], "there is no batch 7"),
            (["results", 1, "--run", 5], "there is no run 5 of batch 1"),
            (["results", "x"], "not a valid int"),
            (["results", 1, "--status", "nope"], "there is no status 'nope'; the statuses are queued, solved"),
            (["results", 1, "--slower-than", "nope"], "'nope' is no duration"),
            (["results", 1, "--limit", 0], "0 is not in the range 1<=x"),
            (["results"], "Missing argument 'BATCH'"),
            (["show", "1:99"], "there is no puzzle 1:99"),
            (["show", "7:0"], "there is no batch 7"),
            (["cancel", 7], "there is no batch 7"),
            (["resume", 7], "there is no batch 7"),
            (["rerun", 7, "--budget", "x4"], "there is no batch 7"),
            (["rerun", 1], "Missing option '--budget'"),
            (["rerun", 1, "--budget", "nope"], "'nope' is no duration"),
            (["rerun", 1, "--budget", "x0"], "no time at all"),
            (["rerun", 1, "--budget", "1h"], "above the largest that is allowed"),
            (["rerun", 1, "--budget", "x4", "--only", "nope"], "there is no status 'nope'"),
            (["rerun", 1, "--budget", "x4", "--only", "invalid"], "puzzles that were tried"),
            (["rerun", 1, "--budget", "x4", "--only", "solved", "--engine", "nope"], "there is no engine 'nope'"),
        ],
    )
    def test_usage(self, cli: Cli, finished: Finished, arguments: list[str], sentence: str) -> None:
        said = cli(*arguments, "--db", finished.db, expect=2)
        assert sentence in said.err
        assert said.out == ""
