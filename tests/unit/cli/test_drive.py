from __future__ import annotations

import pytest

from kakehashi.cli.drive import db_flag
from kakehashi.settings import load


@pytest.mark.parametrize(
    ("db", "flag"),
    [
        ("kakehashi.db", ""),
        ("/a b/x.db", " --db '/a b/x.db'"),
        ("postgresql://me@host/x", " --db postgresql://me@host/x"),
        ("postgresql://me:secret@host/x", " --db URL"),
    ],
)
def test_a_hint_can_be_pasted_and_shows_no_password(db: str, flag: str) -> None:
    assert db_flag(load({"db": db}, {}).settings) == flag
