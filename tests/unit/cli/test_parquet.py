from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from kakehashi.cli import parquet
from kakehashi.cli.parquet import schema, write_parquet
from kakehashi.cli.results import result_object, solved_here
from kakehashi.errors import UsageError
from kakehashi.formats import Entry
from kakehashi.puzzle import UNKNOWN_CLUE, Puzzle
from kakehashi.solver import solve

if TYPE_CHECKING:
    from pathlib import Path


def row(puzzle: Puzzle, number: int = 1) -> dict[str, Any]:
    return result_object(solved_here(Entry("n", "s", number, puzzle), solve(puzzle), 1.0), str(number))


PLAIN = row(Puzzle.from_rows([[1, 0, 3, 0, 2], [0] * 5, [0, 0, 1, 0, 1]]))


def test_rows_come_back(tmp_path: Path) -> None:
    many = row(Puzzle.from_rows([[4, 0, 4]], max_bridges=4))
    write_parquet([PLAIN, many], tmp_path / "p")
    assert pq.read_table(tmp_path / "p").to_pylist() == [PLAIN, many]
    assert many["grid"] is None


def test_an_island_without_a_number_is_null(tmp_path: Path) -> None:
    given = row(Puzzle.from_rows([[UNKNOWN_CLUE, 0, 1]]))
    assert given["grid"] == [["?", -1, 1]]
    write_parquet([given], tmp_path / "p")
    assert pq.read_table(tmp_path / "p").to_pylist() == [given | {"grid": [[None, -1, 1]]}]


def test_no_rows_are_a_table_too(tmp_path: Path) -> None:
    write_parquet([], tmp_path / "p")
    table = pq.read_table(tmp_path / "p")
    assert (table.num_rows, table.column_names) == (0, schema().names)


@pytest.mark.parametrize(
    ("limits", "groups"),
    [
        ({}, [7]),
        ({"PAGE_ROWS": 2, "GROUP_ROWS": 4}, [4, 3]),
        ({"PAGE_CELLS": 15, "GROUP_ROWS": 2}, [2, 2, 2, 1]),
        ({"PAGE_ROWS": 3, "GROUP_BYTES": 1}, [3, 3, 1]),
    ],
)
def test_memory_is_bounded_by_pages_and_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: dict[str, int], groups: list[int]
) -> None:
    for name, value in limits.items():
        monkeypatch.setattr(parquet, name, value)
    rows = [PLAIN | {"line": number} for number in range(7)]
    write_parquet(iter(rows), tmp_path / "p")
    file = pq.ParquetFile(tmp_path / "p")
    assert [file.metadata.row_group(k).num_rows for k in range(file.num_row_groups)] == groups
    assert file.read().to_pylist() == rows


def test_without_pyarrow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"pip install 'kakehashi\[parquet\]'"):
        schema()
