"""`export`: tables, answer files, archives."""

from __future__ import annotations

import csv
import json
import signal
import zipfile
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from benchmarks import export as bench
from kakehashi import check, parse, read
from kakehashi.cli.results import EXPORT_COLUMNS
from kakehashi.formats import FormatError, formats, get, read_answer
from kakehashi.storage import Repository
from tests.acceptance.boards import EXPECTED, SEVEN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.acceptance.conftest import Cli, Finished

SOLVED = [pos for pos, (_, status) in enumerate(EXPECTED) if status == "solved"]


@pytest.fixture
def rows(cli: Cli, finished: Finished) -> list[Any]:
    """What `results` says, which every table has to say too."""
    return cli.lines("results", 1, "--db", finished.db)


class TestTables:
    @pytest.mark.parametrize("name", ["out.ndjson", "out.jsonl", "-"])
    def test_ndjson_is_what_results_prints(self, cli: Cli, finished: Finished, rows: list[Any], name: str) -> None:
        said = cli("export", 1, name, "--db", finished.db)
        text = said.out if name == "-" else (cli.folder / name).read_text()
        assert [json.loads(line) for line in text.splitlines()] == rows

    def test_csv_has_every_field(self, cli: Cli, finished: Finished, rows: list[Any]) -> None:
        cli("export", 1, "out.csv", "--db", finished.db)
        with (cli.folder / "out.csv").open(newline="") as file:
            found = list(csv.DictReader(file))
        assert [set(row) for row in found] == [set(rows[0])] * len(rows)
        assert [row["status"] for row in found] == [row["status"] for row in rows]
        for row, wanted in zip(found, rows, strict=True):
            for key in ("grid", "bridges"):
                assert (json.loads(row[key]) if row[key] else None) == wanted[key]
        assert cli("export", 1, "-", "--format", "csv", "--db", finished.db).out == (cli.folder / "out.csv").read_text()

    def test_parquet_holds_the_same_objects(self, cli: Cli, finished: Finished, rows: list[Any]) -> None:
        cli("export", 1, "out.parquet", "--db", finished.db)
        table = pq.read_table(cli.folder / "out.parquet")
        assert tuple(table.column_names) == EXPORT_COLUMNS
        assert set(EXPORT_COLUMNS) == set(rows[0])
        assert table.to_pylist() == rows

    def test_filters_are_those_of_results(self, cli: Cli, finished: Finished) -> None:
        asked = ("--status", "solved", "--min-islands", 3, "--max-islands", 9, "--name", "*0*", "--run", 1)
        wanted = cli.lines("results", 1, "--db", finished.db, *asked)
        cli("export", 1, "out.ndjson", "--db", finished.db, *asked)
        found = [json.loads(line) for line in (cli.folder / "out.ndjson").read_text().splitlines()]
        assert found == wanted
        assert 0 < len(found) < len(SOLVED)


class TestFiles:
    def test_a_folder_has_a_file_for_each_answer(self, cli: Cli, finished: Finished) -> None:
        said = cli("export", 1, "answers", "--format", "grid", "--db", finished.db)
        names = sorted(path.name for path in (cli.folder / "answers").iterdir())
        assert [int(name[:2]) for name in names] == SOLVED
        answer = read_answer((cli.folder / "answers" / names[2]).read_text())
        assert check(SEVEN, answer) == []
        assert (
            said.err == f"{len(SOLVED)} answers written; {len(EXPECTED) - len(SOLVED)} entries without one left out\n"
        )

    def test_an_archive_has_the_same_files(self, cli: Cli, finished: Finished) -> None:
        cli("export", 1, "answers", "--format", "grid", "--db", finished.db)
        cli("export", 1, "answers.zip", "--format", "grid", "--db", finished.db)
        folder = {path.name: path.read_bytes() for path in (cli.folder / "answers").iterdir()}
        with zipfile.ZipFile(cli.folder / "answers.zip") as archive:
            assert {name: archive.read(name) for name in archive.namelist()} == folder

    def test_files_are_named_after_their_entries(self, cli: Cli, finished: Finished) -> None:
        cli("export", 1, "answers/", "--format", "grid", "--min-islands", 2, "--db", finished.db)
        names = sorted(path.name for path in (cli.folder / "answers").iterdir())
        assert {"02-03-seven.grid", "08-09-several#1.grid", "16-12x12.grid"} < set(names)

    @pytest.mark.parametrize("form", [form.name for form in formats() if form.write_answer is not None])
    def test_every_format_that_has_answers_opens_its_own(self, cli: Cli, finished: Finished, form: str) -> None:
        cli("export", 1, "one.zip", "--format", form, "--name", "*seven*", "--db", finished.db)
        with zipfile.ZipFile(cli.folder / "one.zip") as archive:
            (name,) = archive.namelist()
            assert name.startswith("02-03-seven.")
            answer = read_answer(archive.read(name).decode(), format=form, puzzle=parse(SEVEN))
        assert check(SEVEN, answer) == []

    def test_puzzles_come_without_answers(self, cli: Cli, finished: Finished) -> None:
        cli("export", 1, "puzzles", "--format", "has", "--puzzles", "--status", "infeasible", "--db", finished.db)
        entries = list(read(cli.folder / "puzzles", format="has"))
        assert len(entries) == sum(status == "infeasible" for _, status in EXPECTED)
        assert all(entry.puzzle for entry in entries)

    def test_answers_that_do_not_fit_are_told(
        self, cli: Cli, finished: Finished, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(solution: Any) -> str:
            if solution.puzzle.cols == 7:
                raise FormatError("seven is too many")
            return "x"

        grid = get("grid")
        monkeypatch.setattr("kakehashi.formats.get", lambda name: type(grid)(**{**vars(grid), "write_answer": refuse}))
        said = cli("export", 1, "some", "--format", "grid", "--db", finished.db, expect=1)
        assert "1:2 puzzles/03-seven.txt: seven is too many" in said.err
        assert "1 answer that grid cannot hold left out" in said.err
        assert len(list((cli.folder / "some").iterdir())) == len(SOLVED) - 1


class TestPlaces:
    def test_nothing_is_overwritten_unasked(self, cli: Cli, finished: Finished) -> None:
        target = cli.folder / "out.csv"
        target.write_text("mine")
        said = cli("export", 1, target, "--db", finished.db, expect=2)
        assert "--force" in said.err
        assert target.read_text() == "mine"
        cli("export", 1, target, "--force", "--db", finished.db)
        assert target.read_text().startswith("id,name,")

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["out"], "name a --format"),
            (["out.zip"], "name a --format"),
            (["out.zip", "--format", "ndjson"], "a table"),
            (["-", "--format", "parquet"], "name a file"),
            (["-", "--format", "grid"], "need a folder or a .zip"),
            (["out", "--format", "nonsense"], "there is no format 'nonsense'"),
            (["out", "--format", "has"], "has no answers"),
            (["out.csv", "--status", "nonsense"], "there is no status"),
            (["out.csv", "--puzzles"], "--puzzles is for files"),
            (["no/out.csv"], "cannot be written"),
        ],
    )
    def test_slips_are_told(self, cli: Cli, finished: Finished, arguments: list[str], message: str) -> None:
        said = cli("export", 1, *arguments, "--db", finished.db, expect=2)
        assert message in said.err
        assert list(cli.folder.iterdir()) == []

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    @pytest.mark.parametrize("arguments", [["out.ndjson"], ["out.parquet"], ["out", "--format", "grid"]])
    def test_an_interrupt_leaves_nothing_behind(
        self, cli: Cli, finished: Finished, monkeypatch: pytest.MonkeyPatch, number: int, arguments: list[str]
    ) -> None:
        whole = Repository.results

        def interrupted(*given: Any, **more: Any) -> Iterator[Any]:
            for count, result in enumerate(whole(*given, **more)):
                if count == 3:
                    signal.raise_signal(number)
                yield result

        monkeypatch.setattr(Repository, "results", interrupted)
        said = cli("export", 1, *arguments, "--db", finished.db, expect=130)
        assert said.err == "kakehashi: interrupted\n"
        assert list(cli.folder.iterdir()) == []

    def test_a_batch_that_is_not_there(self, cli: Cli, finished: Finished) -> None:
        said = cli("export", 9, "out.csv", "--db", finished.db, expect=2)
        assert "there is no batch 9" in said.err
        assert list(cli.folder.iterdir()) == []


def test_the_benchmark_fills_a_database_that_can_be_exported(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "DISTINCT", 3)
    bench.fill("bench.db", 25, 6)
    cli("export", 1, "rows.ndjson", "--db", "bench.db")
    rows = [json.loads(line) for line in (cli.folder / "rows.ndjson").read_text().splitlines()]
    assert [(row["id"], row["status"]) for row in rows] == [(f"1:{pos}", "solved") for pos in range(25)]
    assert rows[0]["bridges"] == rows[3]["bridges"] != rows[1]["bridges"]
