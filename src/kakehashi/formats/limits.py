"""How large a puzzle may be: looked at before anything of that size is allocated."""

from __future__ import annotations

from dataclasses import dataclass

from kakehashi.puzzle.model import MAX_CLUE, MAX_SIDE


@dataclass(frozen=True)
class Limits:
    """What a reader accepts.

    Attributes:
        max_rows, max_cols: the largest board.
        max_bytes: the most characters that one puzzle may take in a file, and the most that are passed over after an
            error in search of the next puzzle. A file may be as large as it likes.
        max_clue: the largest clue where the text does not state its rules. `read` sets it to what the rules allow.
        max_unpacked: the most bytes that come out of one archive or compressed file. They are read as they come and
            never kept, so this bounds time: some 30 million puzzles of 15 x 15.
        max_ratio: how many bytes may come out for each byte that went in, once more than `max_bytes` came out. Made
            boards of 15 x 15 shrink to a 2nd to a 30th, sparse ones of 100 x 100 to an 84th at most (gzip, bzip2, xz,
            all formats); a board of 1000 x 1000 with two islands to a 600th with gzip, to a 16,000th with bzip2.
        max_members: the most files in one archive, folders and what is passed over included. The directory of a zip
            file is kept while it is read, some 600 bytes for each member.
    """

    max_rows: int = MAX_SIDE
    max_cols: int = MAX_SIDE
    max_bytes: int = 16 * 1024 * 1024
    max_clue: int = MAX_CLUE
    max_unpacked: int = 16 * 1024 * 1024 * 1024
    max_ratio: int = 200
    max_members: int = 250_000

    @property
    def max_line(self) -> int:
        """The longest line that is looked at: 16 characters a cell are more than any format needs."""
        return 16 * self.max_cols + 1024
