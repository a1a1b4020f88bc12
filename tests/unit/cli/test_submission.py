from __future__ import annotations

import pytest

from kakehashi.cli.submission import missing
from kakehashi.puzzle import Confirm
from kakehashi.settings import Settings
from kakehashi.solver import engines

ENGINE = "the compiled engine is not there"
JUDGE = "nothing is confirmed"


@pytest.mark.parametrize(
    ("engine", "confirm", "said"),
    [
        ("auto", Confirm.AUTO, [ENGINE, JUDGE]),
        ("auto", Confirm.NONE, [ENGINE]),
        ("pysat", Confirm.ALL, [JUDGE]),
        ("pysat", Confirm.NONE, []),
    ],
)
def test_what_this_machine_does_not_have_is_said(
    monkeypatch: pytest.MonkeyPatch, engine: str, confirm: Confirm, said: list[str]
) -> None:
    monkeypatch.setattr(engines, "_missing", {"native": ImportError()})
    monkeypatch.setattr(engines, "_loaded", {})
    hints = list(missing(Settings(engine=engine, confirm=confirm)))
    assert [hint.startswith(start) for hint, start in zip(hints, said, strict=True)] == [True] * len(said)


def test_where_all_is_there_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    pysat = engines.engine_named("pysat")
    monkeypatch.setattr(engines, "_loaded", {"native": engines._pysat(), "pysat": pysat})
    engines._loaded["native"].name = "native"
    assert list(missing(Settings(confirm=Confirm.ALL))) == []
