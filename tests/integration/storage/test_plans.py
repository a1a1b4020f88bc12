"""How PostgreSQL goes about a listing of a batch that its statistics know nothing of, as they do of every new one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy

from kakehashi.storage import Job, Repository, ResultFilter, RunOptions, Status, search
from tests.support.storing import drain, fill, new, shards_of

if TYPE_CHECKING:
    from collections.abc import Iterator

SOLVED = frozenset({Status.SOLVED})


@pytest.fixture
def repository(postgresql_url: str) -> Iterator[Repository]:
    with Repository(postgresql_url) as made:
        yield made


@pytest.fixture
def plans() -> Iterator[list[str]]:
    """The plans of all queries from now on."""
    found: list[str] = []

    def explain(connection: sqlalchemy.Connection, _: Any, statement: str, parameters: Any, *rest: Any) -> None:
        if statement.startswith("SELECT"):
            rows = connection.connection.cursor().execute(f"EXPLAIN {statement}", parameters).fetchall()
            found.append("\n".join(row[0] for row in rows))

    sqlalchemy.event.listen(sqlalchemy.Engine, "before_cursor_execute", explain)
    yield found
    sqlalchemy.event.remove(sqlalchemy.Engine, "before_cursor_execute", explain)


@pytest.fixture
def unknown(repository: Repository, postgresql_url: str) -> tuple[int, int]:
    """A batch that came in after the statistics were made, with its second run."""
    fill(repository, 100)
    engine = sqlalchemy.create_engine(postgresql_url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.exec_driver_sql("ANALYZE puzzle, entry, attempt")
    engine.dispose()
    batch, run = fill(repository, [new(pos // 2) for pos in range(100)])
    drain(repository, run=run)
    again = repository.create_run(batch, RunOptions(), parent=run)
    repository.append_attempts(again, [Job(pos, 1, 99.0) for pos in range(0, 100, 2)], shards_of(10))
    return batch, again


@pytest.mark.parametrize("often", [1, 1000], ids=["looked up", "walked"])
@pytest.mark.parametrize(
    ("where", "index"),
    [
        (ResultFilter(SOLVED), "ix_puzzle_best"),
        (ResultFilter(SOLVED | {Status.QUEUED}), "ix_puzzle_best"),
        (ResultFilter(min_islands=1), "ix_puzzle_islands"),
        (ResultFilter(slower_than_ms=1.0), "ix_attempt_slowest"),
    ],
    ids=str,
)
def test_each_filter_starts_from_its_index_and_goes_on_by_whole_keys(
    repository: Repository, unknown: tuple[int, int], plans: list[str], monkeypatch: pytest.MonkeyPatch,
    where: ResultFilter, index: str, often: int,
) -> None:  # fmt: skip
    monkeypatch.setattr(search, "OFTEN", often)
    list(repository.results(unknown[0], where))
    assert any(index in plan for plan in plans)
    assert_by_whole_keys(plans)


def test_what_one_run_found_and_the_slowest_are_read_by_whole_keys(
    repository: Repository, unknown: tuple[int, int], plans: list[str]
) -> None:
    batch, again = unknown
    for where in (ResultFilter(run=again), ResultFilter(SOLVED, run=again), ResultFilter(SOLVED, run=again - 1)):
        list(repository.results(batch, where))
    repository.slowest(again - 1)
    assert any("ix_attempt_slowest" in plan for plan in plans)
    assert_by_whole_keys(plans)


def test_what_a_rerun_may_take_is_read_by_whole_keys(
    repository: Repository, unknown: tuple[int, int], plans: list[str]
) -> None:
    repository.rerun_jobs(unknown[0], {Status.SOLVED})
    assert_by_whole_keys(plans)


def assert_by_whole_keys(plans: list[str]) -> None:
    """The rows of one table come first, the others are joined by key; nothing is put aside, or sorted."""
    joins = [plan for plan in plans if plan.count("Nested Loop") >= 2]
    assert joins
    for plan in plans:
        assert not re.search(r"Materialize|Sort|Hash|Seq Scan on (entry|puzzle|attempt)", plan), plan
    for plan in joins:
        _, *looked_up = re.findall(r"using pk_\w+ on .*\n +Index Cond: (.*)", plan)
        assert looked_up, plan
        assert all("pos = " in condition for condition in looked_up), plan
