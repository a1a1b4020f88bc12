from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.storage.codec import clean, pack, unpack


@given(st.one_of(st.binary(max_size=2000), st.binary(max_size=30).map(lambda part: part * 200)))
def test_what_was_packed_comes_back(data: bytes) -> None:
    packed = pack(data)
    assert unpack(packed) == data
    assert len(packed) <= len(data) + 1


def test_a_board_shrinks() -> None:
    cells = bytes([0, 3, 0, 0, 2, 0, 0, 0, 1] * 1111)
    assert len(pack(cells)) < len(cells) / 10


def test_short_data_is_left_alone() -> None:
    assert pack(bytes(49)) == b"\0" + bytes(49)


@pytest.mark.parametrize("packed", [b"", b"\x07abc"])
def test_an_unknown_coding_is_refused(packed: bytes) -> None:
    with pytest.raises(ValueError, match="unknown coding"):
        unpack(packed)


@given(st.text(st.characters(exclude_categories=()), max_size=50))
def test_clean_text_is_fit_for_both_databases(text: str) -> None:
    fit = clean(text)
    assert "\0" not in fit
    fit.encode("utf-8")
    assert clean(fit) == fit


def test_ordinary_text_is_not_touched() -> None:
    assert clean("橋/puzzle 1.txt\n") == "橋/puzzle 1.txt\n"
