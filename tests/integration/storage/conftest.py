"""The repository of a test, on each kind of database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kakehashi.storage import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def repository(database_url: str) -> Iterator[Repository]:
    """A repository on a fresh database, once on SQLite and once on PostgreSQL."""
    with Repository(database_url) as made:
        yield made
