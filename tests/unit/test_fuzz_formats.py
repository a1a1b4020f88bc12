"""A sample of `just fuzz-formats`, and that it finds what it looks for."""

from __future__ import annotations

import mmap
import time
from typing import TYPE_CHECKING, Any

import pytest

from kakehashi.formats import formats
from scripts import fuzz_formats
from scripts.fuzz_formats import corpus, fuzz, main

if TYPE_CHECKING:
    from collections.abc import Callable


def test_damaged_files_are_errors_and_nothing_worse() -> None:
    tally = fuzz(5, seconds=60, cases=120)
    assert tally.found == []
    assert tally.cases == 120
    assert tally.puzzles > 20
    assert tally.errors > 20


def test_what_the_parent_had_loaded_does_not_count() -> None:
    with mmap.mmap(-1, 1 << 30):  # as after tests that load large libraries
        assert fuzz(5, seconds=60, cases=3, memory_mib=512).found == []


def test_the_corpus_has_every_format() -> None:
    texts = corpus(1)
    assert all((format_.name, example.encode()) in texts for format_ in formats() for example in format_.examples)
    assert len(texts) > 5 * len(formats())
    assert corpus(1) == texts


def _raise(*_: Any, **__: Any) -> Any:
    raise KeyError("lost")


def _hang(*_: Any, **__: Any) -> Any:
    time.sleep(60)


def _fill(*_: Any, **__: Any) -> Any:
    return [b"1" * (1 << 31)]


@pytest.mark.parametrize(
    ("reader", "what"),
    [
        (_raise, "KeyError: 'lost'"),
        (_hang, "it took more than 0.3 s"),
        (_fill, "MemoryError"),
        (lambda *_, **__: [], "no entry at all"),
    ],
)
def test_what_goes_wrong_is_found_with_its_case(
    monkeypatch: pytest.MonkeyPatch, reader: Callable[..., Any], what: str
) -> None:
    monkeypatch.setattr(fuzz_formats, "read", reader)
    monkeypatch.setattr(fuzz_formats, "read_answer", reader)
    tally = fuzz(1, seconds=60, cases=1, first=3, time_limit=0.3)
    assert [found.case for found in tally.found] == [3]
    assert what in tally.found[0].what


def test_the_command_says_how_to_see_it_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fuzz_formats, "read", _raise)
    assert main(["--seed", "1", "--case", "3"]) == 1
    assert capsys.readouterr().out.startswith("--seed 1 --case 3\n")
    monkeypatch.undo()
    assert main(["--seed", "1", "--case", "3"]) == 0
    assert "1 cases in " in capsys.readouterr().out
