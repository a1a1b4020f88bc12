from __future__ import annotations

import pytest

from kakehashi.formats import FormatError, get, parse, read
from kakehashi.formats.registry import detect
from tests.unit.formats.shapes import shape


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3x2 2a2c", ["202/000"]),
        ("3x2:2a2c", ["202/000"]),
        ("3x2 : 2a2c", ["202/000"]),
        ("3x2\n2a2c", ["202/000"]),
        ("2x1 11", ["11"]),
        ("3x2 2a2c\n\n2x1 11\n", ["202/000", "11"]),
        ("27x1 1z", ["1" + 26 * "0"]),
    ],
)
def test_tasks(text: str, expected: list[str]) -> None:
    assert shape(text, "webtask") == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2a2c", "1 expected the size and the task, COLSxROWS task, found '2a2c'"),
        ("3x2", "1:1 expected 6 cells, found 0"),
        ("3x2 2a2", "1:8 expected 6 cells, found 3"),
        ("3x2 2a2d", "1:8 expected 6 cells, found more"),
        ("3x2 9a2c", "1:5 expected an island 1..8 or a..z for water, found '9'"),
        ("3x2 2A2c", "1:6 expected an island 1..8 or a..z for water, found 'A'"),
        ("3x2\n2A2c", "2:2 expected an island 1..8 or a..z for water, found 'A'"),
        ("0x2 2", "1 expected a size of at least 1 x 1, found 2 x 0"),
        ("3x2000 2", "1 a board of 2000 x 3 cells: at most 1000 x 1000 are read"),
        ("3x2 f", "1 there is no island on the board"),
        ("3x2 \x01", "1:5 control character 0x01: this looks like binary data, not a puzzle"),
    ],
)
def test_what_is_no_task(text: str, message: str) -> None:
    assert shape(text, "webtask")[0] == message


def test_a_task_is_never_taken_for_one_without_its_size() -> None:
    assert detect("2a2c\n")[0].name != "webtask"
    assert detect("3x2 2a2c\n") == (get("webtask"), None)
    found, note = detect("3x3:2a2f\n")
    assert (found.name, note) == ("tatham", "read as tatham, though webtask fits too (name one with --from)")
    [entry] = read("\n3x3:2a2f\n")
    assert entry.puzzle == parse("3x3 2a2f")


def test_what_it_has_no_room_for() -> None:
    write = get("webtask").write
    assert write(parse("11.\n...\n")) == "3x2 11d\n"
    with pytest.raises(FormatError, match=r"^webtask has no sign for an island without a number$"):
        write(parse("1?.\n...\n"))
    with pytest.raises(FormatError, match=r"^webtask cannot say that loops are forbidden$"):
        write(parse("1.1", loops=False))
