from __future__ import annotations

from dataclasses import replace

from kakehashi.cli.drive import summary_object
from kakehashi.cli.status import _status_row
from kakehashi.storage.records import Progress, Status

HALF = Progress(
    batch=1, run=1, name="b", total=100, counts={**dict.fromkeys(Status, 0), Status.SOLVED: 50, Status.QUEUED: 50},
    sealed=True, cancelled=False, known=0, shards_open=2, shards_leased=1,
    created_at=1000.0, first_claim=1000.0, last_write=1009.0, now=1010.0,
)  # fmt: skip


def rate_and_eta(progress: Progress) -> tuple[float | None, float | None]:
    row = _status_row(progress)
    return row["rate"], row["eta_s"]


def test_rate_and_time_to_go() -> None:
    assert rate_and_eta(HALF) == (5.0, 10.0)


def test_a_clock_that_was_set_back_does_not_make_the_work_quick() -> None:
    assert rate_and_eta(replace(HALF, now=10.0, last_write=1010.0)) == (5.0, 10.0)
    assert rate_and_eta(replace(HALF, now=10.0, last_write=10.0)) == (None, None)
    finished = replace(HALF, now=10.0, last_write=10.0, shards_open=0)
    assert rate_and_eta(finished) == (None, None)
    assert summary_object(finished, 1.0)["work_s"] == 0.0
