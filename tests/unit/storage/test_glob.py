from __future__ import annotations

import fnmatch
import re
import sqlite3

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kakehashi.storage.glob import pieces, to_like, to_regex, to_sqlite

patterns = st.text("ab*?[]!-z.\\", max_size=8)
names = st.text("abz.-]![\\\n", max_size=6)


def in_regex(name: str, pattern: str) -> bool:
    return re.fullmatch(to_regex(pattern), name, re.DOTALL) is not None


def in_sqlite(name: str, pattern: str) -> bool:
    connection = sqlite3.connect(":memory:")
    try:
        return bool(connection.execute("SELECT ? GLOB ?", (name, to_sqlite(pattern))).fetchone()[0])
    finally:
        connection.close()


@given(names, patterns)
@example("]", "[]]")
@example("a", "[!]]")
@example("[", "[[]")
@example("[]", "[]")
@example("[!]", "[!]")
@example("a", "[z-a]")
@example("a", "[!z-a]")
@example("-", "[a-]")
def test_both_forms_mean_the_same(name: str, pattern: str) -> None:
    assert in_regex(name, pattern) == in_sqlite(name, pattern)


def in_like(name: str, pattern: str) -> bool:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("PRAGMA case_sensitive_like = ON")
        return bool(connection.execute("SELECT ? LIKE ? ESCAPE '\\'", (name, to_like(pattern))).fetchone()[0])
    finally:
        connection.close()


@given(names | st.text("ab%_\\", max_size=6), patterns | st.text("ab*?%_\\", max_size=6))
@example("a", "_")
@example("\\", "\\")
def test_like_means_the_same_but_for_classes(name: str, pattern: str) -> None:
    classes = any(len(piece) > 1 for piece in pieces(pattern))
    assert in_like(name, pattern) == in_regex(name, pattern) or (classes and in_like(name, pattern))


@given(names, st.text("ab*?.z\\", max_size=8))
def test_without_classes_it_is_pythons_glob(name: str, pattern: str) -> None:
    assert in_regex(name, pattern) == fnmatch.fnmatchcase(name, pattern)


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("*", "", True), ("*.txt", "a/b.txt", True), ("*.txt", "a.txt.gz", False), ("?", "", False), ("?", "橋", True),
        ("[0-9]x", "7x", True), ("[!0-9]x", "7x", False), ("[^0-9]x", "ax", True), ("[ab", "[ab", True),
        ("a+", "aa", False), ("a$", "a", False), ("A", "a", False), ("a_", "ab", False), ("100%", "100%", True),
    ],
)  # fmt: skip
def test_examples(pattern: str, name: str, expected: bool) -> None:
    assert in_regex(name, pattern) is expected
    assert in_sqlite(name, pattern) is expected
