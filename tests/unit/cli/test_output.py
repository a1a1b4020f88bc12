from __future__ import annotations

import io
import json
from contextlib import redirect_stdout

import pytest

from kakehashi.cli.output import Color, Format, cell, emit, note, printable, write_csv


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "-"), (0.0, "0.0"), (0.012, "0.012"), (0.55, "0.6"), (12.34, "12.3"), (1234.5, "1234"),
        ("a\nb", "a\\nb"), ("\x1b[31mred", "\\x1b[31mred"), ("橋 b", "橋 b"), ("\udcff", "\\udcff"),
    ],
)  # fmt: skip
def test_a_cell_says_what_it_is_and_steers_no_terminal(value: object, shown: str) -> None:
    assert cell(value) == shown


def test_a_note_keeps_its_lines(capsys: pytest.CaptureFixture[str]) -> None:
    note("one\ntwo\x07")
    assert capsys.readouterr().err == "one\ntwo\\x07\n"


def test_plain_text_is_left_alone() -> None:
    assert printable("dir/a b.txt#3") == "dir/a b.txt#3"


@pytest.mark.parametrize("columns", [20, 60, 80])
def test_a_narrow_terminal_cuts_no_value_off(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "dumb")
    row = {f"number{k}": 30000 + k for k in range(8)} | {"state": "infeasible", "name": "x y" * 30}
    with redirect_stdout(Terminal()) as terminal:
        emit([row], Format.TABLE, list(row))
    heading, first, *_ = terminal.getvalue().splitlines()
    assert heading.split() == list(row)
    assert first.split()[:9] == [*(str(30000 + k) for k in range(8)), "infeasible"]
    assert terminal.getvalue().count("x") == 30


@pytest.mark.parametrize(
    ("terminal", "environment", "color", "wanted"),
    [
        (True, {}, Color.AUTO, True), (False, {}, Color.AUTO, False), (True, {"NO_COLOR": "1"}, Color.AUTO, False),
        (True, {"NO_COLOR": ""}, Color.AUTO, True), (True, {"TERM": "dumb"}, Color.AUTO, False),
        (False, {"NO_COLOR": "1"}, Color.ALWAYS, True), (True, {}, Color.NEVER, False),
    ],
)  # fmt: skip
def test_when_colours_are_wanted(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, environment: dict[str, str], color: Color, wanted: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    assert color.wanted is wanted


HOSTILE = "a\x1b[31m\x9b31m\u202eb"


@pytest.mark.parametrize("output", [Format.JSON, Format.NDJSON])
def test_json_steers_no_terminal_and_says_the_same(output: Format, capsys: pytest.CaptureFixture[str]) -> None:
    emit([{"name": HOSTILE + "橋"}], output, ["name"])
    out = capsys.readouterr().out
    assert out.replace("\n", "").isprintable()
    assert "橋" in out
    found = json.loads(out)
    assert (found[0] if output is Format.JSON else found) == {"name": HOSTILE + "橋"}


def test_csv_keeps_a_text_as_it_is_but_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    write_csv([{"name": HOSTILE, "n": 1}], file, ["name", "n"])
    assert file.getvalue() == f"name,n\n{HOSTILE},1\n"
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    write_csv([{"name": HOSTILE, "n": 1}], terminal, ["name", "n"])
    assert terminal.getvalue() == "name,n\na\\x1b[31m\\x9b31m\\u202eb,1\n"
