"""Classes of equal boards among millions: gathered on disk, so that memory stays small whatever comes.

The entries go into a temporary SQLite file of their own, which the system removes; sorting is SQLite's business.
"""

from __future__ import annotations

import sqlite3
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Self

from kakehashi.puzzle import Symmetry
from kakehashi.storage.codec import clean
from kakehashi.storage.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PAGE = 5000
"""Entries of one statement."""

_CACHE_KIB = 32 * 1024

_ORDER = tuple(Symmetry)

_TABLE = """
CREATE TABLE entry (
    place INTEGER PRIMARY KEY, class BLOB NOT NULL, symmetry INTEGER NOT NULL,
    id TEXT NOT NULL, name TEXT NOT NULL, source TEXT NOT NULL, line INTEGER NOT NULL
)
"""
_ADD = "INSERT INTO entry (class, symmetry, id, name, source, line) VALUES (?, ?, ?, ?, ?, ?)"
_MEMBERS = """
SELECT first.place, size, first.symmetry, entry.symmetry, entry.id, entry.name, entry.source, entry.line
FROM (SELECT class, min(place) AS place, count(*) AS size FROM entry GROUP BY class HAVING count(*) > 1) AS found
JOIN entry AS first ON first.place = found.place
JOIN entry ON entry.class = found.class
ORDER BY first.place, entry.place
"""


class Board(NamedTuple):
    """An entry that holds a puzzle: its class (`puzzle.class_of`), and how people find it."""

    digest: bytes
    symmetry: Symmetry
    id: str
    name: str
    source: str
    line: int


class Member(NamedTuple):
    """A board of a class that has several.

    Attributes:
        number: the number of the class, from 1, in the order of their first boards.
        size: how many boards it has.
        symmetry: how the first board has to be laid to be this one.
        id, name, source, line: as they were handed in.
    """

    number: int
    size: int
    symmetry: Symmetry
    id: str
    name: str
    source: str
    line: int


class Classes:
    """Takes boards in, and gives the classes out that have more than one.

    Raises:
        StorageError: from every method, when the temporary file cannot be used (the disk is full).
    """

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)  # no name: a temporary file
        self._do("PRAGMA journal_mode = OFF")
        self._do("PRAGMA synchronous = OFF")
        self._do(f"PRAGMA cache_size = -{_CACHE_KIB}")
        self._do(_TABLE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def add(self, boards: Iterable[Board]) -> int:
        """Take boards in, in the order in which they are numbered; how many there were."""
        boards = iter(boards)
        count = 0
        self._do("BEGIN")
        while page := list(islice(boards, PAGE)):
            rows = [
                (board.digest, _ORDER.index(board.symmetry), *map(clean, board[2:5]), board.line)
                for board in page
            ]  # fmt: skip
            try:
                self._database.executemany(_ADD, rows)
            except sqlite3.Error as error:
                raise _told(error) from error
            count += len(page)
        self._do("COMMIT")
        return count

    def members(self) -> Iterator[Member]:
        """The boards of every class that has more than one, class by class."""
        self._do("CREATE INDEX IF NOT EXISTS by_class ON entry (class)")
        number, last = 0, None
        rows = self._do(_MEMBERS)
        while True:
            try:
                row = rows.fetchone()
            except sqlite3.Error as error:
                raise _told(error) from error
            if row is None:
                return
            first, size, of_first, of_this, *found = row
            if first != last:
                number, last = number + 1, first
            symmetry = _ORDER[of_first].then(_ORDER[of_this].inverse)
            yield Member(number, size, symmetry, *found)

    def _do(self, statement: str) -> sqlite3.Cursor:
        try:
            return self._database.execute(statement)
        except sqlite3.Error as error:
            raise _told(error) from error


def _told(error: sqlite3.Error) -> StorageError:
    return StorageError(f"the temporary file in which boards are compared cannot be used: {error}; see TMPDIR")
