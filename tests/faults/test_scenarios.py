"""Every scenario, judged; the same as `python -m tests.faults`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.faults.scenario import Scenario, perform, scenarios

if TYPE_CHECKING:
    from tests.services import PostgreSQL

CASES = [
    pytest.param(chosen, database, id=f"{chosen.name}-{database}")
    for chosen in scenarios()
    for database in chosen.databases
]


@pytest.mark.fault
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("chosen", "database"), CASES)
def test_nothing_is_lost(request: pytest.FixtureRequest, chosen: Scenario, database: str) -> None:
    def postgresql() -> PostgreSQL:
        server: PostgreSQL = request.getfixturevalue("postgresql")
        return server

    report = perform(chosen, database, postgresql)
    assert report.times > 0
    assert report.faults == {}
