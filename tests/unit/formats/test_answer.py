from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.formats import FormatError, Limits, read_answer
from kakehashi.puzzle import Bridge, Cell

BRIDGES = [{"from": [0, 0], "to": [0, 2], "count": 2}]
NOT_THE_SAME = "`grid` and `bridges` of this object are not the same answer: leave one of them out"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("2 -3 2\n", [[2, -3, 2]]),
        ("\ufeff2,-3,2\r\n0,0,0", [[2, -3, 2], [0, 0, 0]]),
        ("\n1\n-2\n1\n\n", [[1], [-2], [1]]),
        ("[[2, -3, 2]]", [[2, -3, 2]]),
        (' \n{"grid": [[2, -3, 2]]}', [[2, -3, 2]]),
        ('{"grid": [[2, -3, 2]], "bridges": null}', [[2, -3, 2]]),
        (json.dumps({"grid": [[9]], "bridges": BRIDGES}), [Bridge(Cell(0, 0), Cell(0, 2), 2)]),
        (json.dumps([{"bridges": BRIDGES}]), [Bridge(Cell(0, 0), Cell(0, 2), 2)]),
        (json.dumps({"grid": [[2, -3, 2]], "bridges": BRIDGES}), [Bridge(Cell(0, 0), Cell(0, 2), 2)]),
        (json.dumps({"grid": [[2, 0, 2]], "bridges": BRIDGES}), [Bridge(Cell(0, 0), Cell(0, 2), 2)]),
        ('{"bridges": []}', []),
        ("1 0\n1", [[1, 0], [1]]),
    ],
)
def test_answers_in_every_shape(text: str, answer: object) -> None:
    assert read_answer(text) == answer


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no answer in it: the text is empty"),
        ("1 x\n", "line 1, column 3: expected integers, found 'x'"),
        ("1 0\n1 \x00\n", "line 2, column 3: control character 0x00: this looks like binary data, not a puzzle"),
        ("1 1\n\n1 1\n", "line 3: expected one answer, found more behind it: '1 1'"),
        ("[[1, 2]", "line 1, column 8: this is not JSON: Expecting ',' delimiter"),
        (json.dumps({"grid": [[2, -1, 2]], "bridges": BRIDGES}), NOT_THE_SAME),
        (json.dumps({"grid": [[2, -3, -3]], "bridges": BRIDGES}), NOT_THE_SAME),
        (json.dumps({"grid": [[2, -3, 2], [0]], "bridges": BRIDGES}), NOT_THE_SAME),
        ('{"grid": [[2, -3, 2]], "bridges": []}', NOT_THE_SAME),
        ("{}", "this object holds no answer, neither `bridges` nor `grid`"),
        ('{"verdict": "infeasible", "grid": null, "bridges": null}',
         "this object holds no answer: its verdict is 'infeasible'"),
        ("[]", "expected an answer grid as a list of rows of integers"),
        ("[1, 2]", "expected an answer grid as a list of rows of integers"),
        ("[[1, true]]", "expected an answer grid as a list of rows of integers"),
        ('{"grid": 1}', "expected an answer grid as a list of rows of integers"),
        ('{"bridges": {}}', "expected a list of bridges, found dict"),
        ('{"bridges": [1]}', 'bridge 1: expected {"from": [row, col], "to": [row, col], "count": n}'),
        ("[" * 200_000, "line 1: this JSON is nested too deeply, or has a number that is too long or none"),
        ("[[" + "1" * 5000 + "]]", "line 1: this JSON is nested too deeply, or has a number that is too long or none"),
    ],
)  # fmt: skip
def test_what_is_no_answer(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_answer(text)
    assert str(caught.value) == message


@pytest.mark.parametrize("key", ["from", "to", "count"])
def test_a_bridge_needs_all_its_parts(key: str) -> None:
    for wrong in (None, "1", [0], [0, 0, 0], [0, "a"], 1.5):
        bridges = [*BRIDGES, {**BRIDGES[0], key: wrong}]
        with pytest.raises(FormatError, match="bridge 2: expected"):
            read_answer(json.dumps({"bridges": bridges}))


def test_limits() -> None:
    with pytest.raises(FormatError, match="the answer is longer than 10 characters"):
        read_answer("0 " * 6, limits=Limits(max_bytes=10))
    for text in ("0 0 0", "0\n0\n0"):
        with pytest.raises(FormatError, match="the answer is larger than 2 x 2"):
            read_answer(text, limits=Limits(max_rows=2, max_cols=2))


@given(st.text(alphabet='[]{}":,0123456789- \nfromtcunbigde', max_size=60))
def test_only_format_errors_come_out(text: str) -> None:
    with contextlib.suppress(FormatError):
        read_answer(text)
