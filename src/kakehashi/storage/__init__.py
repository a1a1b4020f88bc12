"""The truth: batches, entries, puzzles, runs, attempts, shards; SQLite or PostgreSQL under one repository.

The values that cross this layer's border are there at once; the repository, and SQLAlchemy with it, loads when it is
first named, since `kakehashi solve` wants the values alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kakehashi.storage.errors import LeaseLost, NotFound, RunCancelled, StorageError, WrongVersion
from kakehashi.storage.records import (
    Answer,
    BatchInfo,
    Bell,
    Claim,
    Job,
    NewEntry,
    Progress,
    RerunJob,
    Result,
    ResultFilter,
    RunInfo,
    RunOptions,
    Status,
    StoredAnswer,
    Work,
    status_of,
)

if TYPE_CHECKING:
    from kakehashi.storage.repository import Repository

__all__ = [
    "Answer",
    "BatchInfo",
    "Bell",
    "Claim",
    "Job",
    "LeaseLost",
    "NewEntry",
    "NotFound",
    "Progress",
    "Repository",
    "RerunJob",
    "Result",
    "ResultFilter",
    "RunCancelled",
    "RunInfo",
    "RunOptions",
    "Status",
    "StorageError",
    "StoredAnswer",
    "Work",
    "WrongVersion",
    "status_of",
]


def __getattr__(name: str) -> object:
    """Load the repository (PEP 562)."""
    if name == "Repository":
        from kakehashi.storage.repository import Repository

        return Repository
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
