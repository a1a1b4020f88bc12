"""The truth: batches, entries, puzzles, runs, attempts, shards; SQLite or PostgreSQL under one repository."""

from kakehashi.storage.errors import LeaseLost, NotFound, StorageError
from kakehashi.storage.records import (
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
    Work,
    status_of,
)
from kakehashi.storage.repository import Repository

__all__ = [
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
    "RunInfo",
    "RunOptions",
    "Status",
    "StorageError",
    "Work",
    "status_of",
]
