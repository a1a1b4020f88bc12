"""Result objects as an Apache Parquet file, row group by row group. Needs pyarrow, the extra `parquet`."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from kakehashi.cli.results import EXPORT_COLUMNS
from kakehashi.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

PAGE_ROWS = 500
PAGE_CELLS = 500_000
"""So many rows, or a few more cells than that, are in memory as Python objects, which take a hundred times the room."""

GROUP_ROWS = 50_000
GROUP_BYTES = 32 * 2**20
"""A row group is closed when it has so many rows, or so many bytes before they are packed."""

_WHOLE = {"line", "rows", "cols", "islands", "attempts", "hidden_bridges"}
_TIMES = {"budget_s", "wall_ms", "cpu_ms", "confirm_ms"}


def schema() -> Any:
    """The columns and their types: those of the result object.

    Raises:
        UsageError: pyarrow is not installed.
    """
    pa = _pyarrow()
    place = pa.list_(pa.field("item", pa.int16(), nullable=False))
    bridge = pa.struct([
        pa.field("from", place, nullable=False),
        pa.field("to", place, nullable=False),
        pa.field("count", pa.int8(), nullable=False),
    ])  # fmt: skip
    others = {
        "run": pa.int64(),
        "grid": pa.list_(pa.list_(pa.int8())),
        "bridges": pa.list_(pa.field("item", bridge, nullable=False)),
    }
    types = {name: pa.int32() for name in _WHOLE} | {name: pa.float64() for name in _TIMES} | others
    return pa.schema([(name, types.get(name, pa.string())) for name in EXPORT_COLUMNS])


def write_parquet(rows: Iterable[dict[str, Any]], path: Path) -> None:
    """Write result objects; `?` in a grid becomes null, since the column holds numbers.

    Raises:
        UsageError: pyarrow is not installed.
    """
    pa = _pyarrow()
    from pyarrow import parquet

    columns = schema()
    with parquet.ParquetWriter(path, columns, compression="zstd") as writer:
        for pages in _groups(pa.RecordBatch.from_pylist(page, columns) for page in _pages(rows)):
            writer.write_table(pa.Table.from_batches(pages, columns))


def _pyarrow() -> Any:
    try:
        import pyarrow  # noqa: ICN001 - `pa` is what the callers name it
    except ModuleNotFoundError:
        raise UsageError(
            "Parquet needs pyarrow, which is not installed: pip install 'kakehashi[parquet]'"
        ) from None  # fmt: skip
    return pyarrow


def _pages(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Rows by the page, ready for their columns."""
    rows = iter(rows)
    while True:
        page: list[dict[str, Any]] = []
        cells = 0
        for row in islice(rows, PAGE_ROWS):
            page.append(row | {"grid": _numbers(row["grid"])})
            cells += (row["rows"] or 0) * (row["cols"] or 0)
            if cells >= PAGE_CELLS:
                break
        if not page:
            return
        yield page


def _groups(pages: Iterable[Any]) -> Iterator[list[Any]]:
    """Pages gathered until they make a row group."""
    group: list[Any] = []
    rows = size = 0
    for page in pages:
        group.append(page)
        rows += page.num_rows
        size += page.nbytes
        if rows >= GROUP_ROWS or size >= GROUP_BYTES:
            yield group
            group, rows, size = [], 0, 0
    if group:
        yield group


def _numbers(grid: list[list[Any]] | None) -> list[list[int | None]] | None:
    if grid is None or not any("?" in line for line in grid):
        return grid
    return [[None if cell == "?" else cell for cell in line] for line in grid]
