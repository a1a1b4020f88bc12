from __future__ import annotations

import io
from contextlib import redirect_stderr

import pytest

from kakehashi.cli.progress import ProgressBar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_it_appears_with_the_first_draw_and_stays() -> None:
    with redirect_stderr(Terminal()) as terminal, ProgressBar() as bar:
        assert terminal.getvalue() == ""
        bar.draw("5 written", 5, 10)
        bar.draw("10 written", 10, 10)
    assert "10 written" in terminal.getvalue()
    assert "10/10" in terminal.getvalue()


def test_what_goes_wrong_before_leaves_no_bar() -> None:
    with redirect_stderr(Terminal()) as terminal, pytest.raises(RuntimeError), ProgressBar():
        raise RuntimeError
    assert terminal.getvalue() == ""


def test_after_the_end_nothing_is_drawn() -> None:
    with redirect_stderr(Terminal()) as terminal, ProgressBar() as bar:
        bar.draw("1 written", 1, 1)
        bar.stop()
        before = terminal.getvalue()
        bar.draw("2 written", 2, 2)
        assert terminal.getvalue() == before


def test_hidden_it_draws_nothing_and_notes_go_on() -> None:
    with redirect_stderr(Terminal()) as terminal, ProgressBar(hidden=True) as bar:
        bar.draw("1 written", 1, 1)
        bar.note("a note")
    assert terminal.getvalue() == "a note\n"
