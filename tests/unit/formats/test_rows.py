from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.formats import Limits
from kakehashi.formats.kinds import _rows
from kakehashi.formats.lines import Lines

LIMITS = Limits(max_rows=5, max_cols=6)

words = st.sampled_from(["0", "1", "8", "9", "12", "-1", "x", "\u2028", "\x0c", ""])
gaps = st.sampled_from([" ", "  ", "\t", "", ","])
lines = st.lists(st.tuples(words, gaps), max_size=9).map(lambda parts: "".join(map("".join, parts)))
plain_lines = st.lists(st.sampled_from("0018"), min_size=3, max_size=3).map(" ".join)


def seen(text: list[str]) -> tuple[object, ...]:
    """What is read of the first board, and where the reading stands behind it."""
    given_lines = Lines(text)
    item = _rows.board(next(given_lines), given_lines, LIMITS)
    error = (str(item.error), item.error.column) if item.error else None
    return item.line, item.rows, item.cols, item.cells, error, given_lines.skip_blank(), given_lines.number


@given(st.lists(plain_lines | lines, min_size=1, max_size=8).filter(lambda text: text[0].strip() != ""))
def test_the_quick_way_reads_what_the_slow_way_reads(text: list[str]) -> None:
    quick = seen(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_rows, "_plain_board", lambda *_: None)
        assert seen(text) == quick


def test_the_quick_way_is_taken() -> None:
    below = Lines(["0\t2 0", " 1 0 1 ", "", "behind"])
    item = _rows._plain_board("2 0 2", below, LIMITS)
    assert item is not None
    assert (item.rows, item.cols, item.cells) == (3, 3, bytes([2, 0, 2, 0, 2, 0, 1, 0, 1]))
    assert next(below) == ""
    assert below.number == 3


@given(lines)
def test_integers_are_integers_and_nothing_else(line: str) -> None:
    parts = _rows.split(line)
    sensible = all(part.removeprefix("-").isdecimal() and part.isascii() for part in parts)
    assert _rows.integers(line) == ([int(part) for part in parts] if sensible else None)


def test_ten_digits_are_no_integer_of_ours() -> None:
    assert _rows.integers("123456789 -123456789") == [123456789, -123456789]
    assert _rows.integers("1234567890") is None
    assert _rows.integers("") == []
