from __future__ import annotations

import contextlib
import signal
import weakref
from unittest.mock import create_autospec

import pytest

from kakehashi.cli.drive import _no_word_of_dropped_interrupts, _Stop, db_flag
from kakehashi.settings import load
from kakehashi.worker.interrupts import handled
from kakehashi.worker.local import LocalFleet


@pytest.mark.parametrize(
    ("db", "flag"),
    [
        ("kakehashi.db", ""),
        ("/a b/x.db", " --db '/a b/x.db'"),
        ("postgresql://me@host/x", " --db postgresql://me@host/x"),
        ("postgresql://me:secret@host/x", " --db URL"),
    ],
)
def test_a_hint_can_be_pasted_and_shows_no_password(db: str, flag: str) -> None:
    assert db_flag(load({"db": db}, {}).settings) == flag


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_stop_that_python_drops_is_heeded_all_the_same(number: signal.Signals) -> None:
    """An exception that is raised within a finalizer, or a weak reference's callback, goes nowhere."""
    fleet = create_autospec(LocalFleet, instance=True)
    stop = _Stop(fleet)
    stop.check()
    with handled(stop):
        with contextlib.suppress(KeyboardInterrupt):  # as Python does there
            signal.raise_signal(number)
        with pytest.raises(KeyboardInterrupt):
            stop.check()
        fleet.hurry.assert_not_called()
        signal.raise_signal(number)
    fleet.hurry.assert_called_once_with()


def test_nothing_is_said_of_a_request_that_python_drops() -> None:
    class Thing:
        pass

    stop = _Stop(create_autospec(LocalFleet, instance=True))
    thing = Thing()
    watch = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGTERM))
    with handled(stop), _no_word_of_dropped_interrupts():
        del thing  # a warning about what is dropped is an error in these tests
    assert watch() is None
    with pytest.raises(KeyboardInterrupt):
        stop.check()
