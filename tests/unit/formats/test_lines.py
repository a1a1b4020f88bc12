from __future__ import annotations

import io
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.formats import FormatError
from kakehashi.formats.lines import OVERLONG, Lines, show, split_lines, stream_lines, unreadable


def stream(data: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(data.encode()), encoding="utf-8", newline=None)


@given(st.text(alphabet="ab \r\n\x0b\x0c\x1c\u2028", max_size=30))
def test_small_and_streamed_texts_have_the_same_lines(text: str) -> None:
    at_once = split_lines(text)
    if at_once[-1] == "":
        at_once.pop()
    assert list(stream_lines(stream(text), 100)) == at_once


def test_lines_end_in_lf_crlf_or_a_lone_cr_and_in_nothing_else() -> None:
    assert split_lines("a\nb\r\nc\rd\x0be\u2028f") == ["a", "b", "c", "d\x0be\u2028f"]


def test_a_line_without_end_is_cut_and_passed_over() -> None:
    lines = list(stream_lines(stream("1\n" + "x" * 200_000 + "\n2\n" + "y" * 100), 10))
    assert lines == ["1", "x" * 10 + OVERLONG, "2", "y" * 10 + OVERLONG]


def test_looking_ahead_hands_nothing_out() -> None:
    lines = Lines(["", "a", "b", "", "c"])
    assert lines.skip_blank() == "a"
    assert (lines.number, lines.peek(2)) == (2, ["b", ""])
    assert lines.peek(9) == ["b", "", "c"]
    assert next(lines) == "b"
    lines.push_back("b")
    assert lines.number == 2
    assert lines.skip_to_blank(100)
    assert (lines.number, next(lines)) == (4, "c")
    assert lines.skip_blank() is None


def test_passing_over_has_a_limit() -> None:
    assert not Lines(["a" * 10] * 10).skip_to_blank(50)
    assert Lines(["a" * 10] * 5).skip_to_blank(50)
    lines = Lines(["a", "b"])
    lines.peek(1)
    lines.close()
    assert list(lines) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 \x00", "line 7, column 3: control character 0x00: this looks like binary data, not a puzzle"),
        ("\x7f", "line 7, column 1: control character 0x7f: this looks like binary data, not a puzzle"),
        ("1 \udcff", "line 7, column 3: byte 0xff is not UTF-8 text"),
        ("12" + OVERLONG, "line 7: the line is longer than 2 characters"),
    ],
)
def test_what_is_no_text_has_a_place(line: str, message: str) -> None:
    assert str(unreadable(line, 7)) == message


def test_text_is_readable() -> None:
    assert unreadable("1 2\té\u2028", 1) is None


def test_pieces_are_shown_printable_and_short() -> None:
    assert show("x\x1b[0m") == "'x\\x1b[0m'"
    assert show("y" * 50) == "'yyyyyyyyyyyyyyyyyyyy'..."


def test_an_error_keeps_its_place_across_processes() -> None:
    error = FormatError.expected("a clue", "'x'", line=3, column=5).in_source("a.txt")
    assert str(error) == "a.txt, line 3, column 5: expected a clue, found 'x'"
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.source, again.line, again.column) == (str(error), "a.txt", 3, 5)
    assert str(FormatError("nothing")) == "nothing"


def test_a_block_is_looked_at_and_passed_over() -> None:
    lines = Lines(["a", "b", " ", "c"])
    assert lines.peek(1) == ["a"]
    assert lines.block(most=2, longest=1) == ["a", "b"]
    assert lines.number == 0
    lines.pass_over(2)
    assert (next(lines), lines.number) == (" ", 3)
    assert lines.block(most=9, longest=9) == ["c"]


def test_a_block_that_is_too_large_is_none() -> None:
    lines = Lines(["a", "bb", "c"])
    assert lines.block(most=2, longest=2) is None
    assert lines.block(most=3, longest=1) is None
    assert list(lines) == ["a", "bb", "c"]
