from __future__ import annotations

import pytest
from billiard.exceptions import TimeLimitExceeded, WorkerLostError

from kakehashi.worker import deaths


def lost(how: str) -> WorkerLostError:
    return WorkerLostError(f"Worker exited prematurely: {how} Job: 7.")


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (lost("signal 11 (SIGSEGV)"), "killed by signal 11, SIGSEGV"),
        (lost("signal 27 (SIGPROF)"), "killed since it gave no sign of life"),
        (lost("signal 14 (SIGALRM)"), "killed since it gave no sign of life"),
        (lost("exitcode 3"), "it ended itself with exit code 3"),
        (lost(f"exitcode {deaths.OUT_OF_MEMORY}"), "out of memory"),
        (TimeLimitExceeded(3.0), "killed at the hard time limit"),
    ],
)
def test_what_celery_says_of_a_process_that_it_lost(error: Exception, cause: str) -> None:
    ended = deaths.ending(error)
    assert ended is not None
    deaths.note(4711, ended)
    assert deaths.cause(4711) == cause


def test_of_others_nothing_is_known() -> None:
    deaths.note(4713, 3)
    assert deaths.cause(4713 + 1024) == ""
    assert deaths.ending(WorkerLostError("Could not start worker processes")) is None
    assert deaths.ending(ValueError("signal 11: a failure is no death")) is None
