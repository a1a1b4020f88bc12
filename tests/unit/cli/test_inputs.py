"""Puzzles for the commands that read files: the settings' limits, notes on standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kakehashi.cli.inputs import SHOWN, Told, entries
from kakehashi.formats import Entry

if TYPE_CHECKING:
    import pytest


def test_boards_are_as_large_as_the_settings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKEHASHI_MAX_COLS", "3")
    small, large = entries(["3x3:2a2f", "4x3:2a2i"], None)
    assert small.puzzle is not None
    assert "at most 1000 x 3 are read" in str(large.error)


def test_many_notes_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    found = [Entry(f"{k}.txt", f"{k}.txt", 1, note="read as has") for k in range(SHOWN + 2)]
    assert list(Told(found)) == found
    said = capsys.readouterr().err.splitlines()
    assert len(said) == SHOWN + 1
    assert (said[0], said[-1]) == ("0.txt: read as has", "2 files more with such a note")


def test_a_note_on_a_whole_file_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    notes = ["read as has", "read as has", None, "read as has"]
    found = [Entry(f"a#{k}", "a", k, note=note) for k, note in enumerate(notes)]
    assert list(Told(found)) == found
    assert capsys.readouterr().err == "a#0: read as has\na#3: read as has\n"
