from __future__ import annotations

import pytest

from kakehashi.errors import UsageError
from kakehashi.storage.database import Database, parse_url


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("foo.db", "sqlite+pysqlite:///foo.db"),
        ("/var/lib/k.db", "sqlite+pysqlite:////var/lib/k.db"),
        ("sqlite:///foo.db", "sqlite+pysqlite:///foo.db"),
        ("sqlite:////abs/foo.db?timeout=3", "sqlite+pysqlite:////abs/foo.db?timeout=3"),
        ("postgresql://me@host/k", "postgresql+psycopg://me@host/k"),
        ("postgres://me:pw@host:5433/k?sslmode=require", "postgresql+psycopg://me:pw@host:5433/k?sslmode=require"),
        ("postgresql+psycopg2://host/k", "postgresql+psycopg://host/k"),
    ],
)
def test_the_forms_of_an_address(text: str, expected: str) -> None:
    assert parse_url(text).render_as_string(hide_password=False) == expected


@pytest.mark.parametrize("text", ["", "oracle://x", "sqlite://", "://", "postgresql://h:p:q:r/x"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(UsageError, match=r"expected|has to be a file"):
        parse_url(text)


def test_no_password_is_shown() -> None:
    database = Database("postgresql://me:tops3cret@host/k?password=tops3cret&sslmode=require")
    assert database.shown == "postgresql://me:***@host/k"
    database.close()
