"""Answers as files of their own, in a format that other programs open: in a folder, or in one zip archive."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from kakehashi.cli.output import note
from kakehashi.errors import UsageError
from kakehashi.formats import FormatError
from kakehashi.puzzle import Solution

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kakehashi.formats import Format
    from kakehashi.storage.records import Result

FOLDER_FILES = 10_000
"""So many positions of a batch go into one folder; a larger batch has several."""

NAME_LENGTH = 50
"""Most characters of an entry's name that are kept in a file's name: file systems take 255 bytes, four a character."""

SHOWN = 20
"""So many answers that a format cannot hold are told; the others are counted."""


@dataclass
class AnswerFiles:
    """Turns results into files and counts them.

    Args:
        form: the format of the files.
        entries: how many entries the batch has.
        puzzles: write every puzzle without its answer.

    Attributes:
        written: files that were written.
        without: entries that have no answer, or are no puzzle.
        refused: answers or puzzles that the format cannot hold.

    Raises:
        UsageError: the format has no answers, and not the puzzles alone are wanted.
    """

    form: Format
    entries: int
    puzzles: bool = False
    written: int = field(default=0, init=False)
    without: int = field(default=0, init=False)
    refused: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if self.form.write_answer is None and not self.puzzles:
            raise UsageError(f"the format {self.form.name} has no answers: with --puzzles the puzzles are written")

    @property
    def what(self) -> str:
        """What is written, for messages."""
        return "puzzle" if self.puzzles else "answer"

    def write(self, results: Iterable[Result], add: Callable[[str, bytes], None]) -> None:
        """Hand each file to `add`, as its path and its bytes."""
        for result in results:
            try:
                text = self._text(result)
            except FormatError as error:
                self.refused += 1
                if self.refused <= SHOWN:
                    note(f"{result.id} {result.name}: {error}")
                continue
            if text is None:
                self.without += 1
                continue
            add(self.path_of(result), text.encode())
            self.written += 1

    def _text(self, result: Result) -> str | None:
        """The text of a file; None where the entry has none. Raises FormatError."""
        if result.puzzle is None:
            return None
        if self.puzzles or self.form.write_answer is None:
            return self.form.write(result.puzzle)
        return None if result.values is None else self.form.write_answer(Solution(result.puzzle, result.values))

    def path_of(self, result: Result) -> str:
        """Where a result's file stands: the position, which no other has, then the name without folders and ending."""
        number = result.name.removeprefix(result.source) if result.name != result.source else ""
        name = PurePosixPath(result.source).stem + number
        name = re.sub(r"[^\w.#+=@-]+", "_", name).strip("._")[-NAME_LENGTH:]
        width = len(str(max(self.entries - 1, 0)))
        path = f"{result.pos:0{width}}-{name}".rstrip("-") + self.form.extension
        if self.entries <= FOLDER_FILES:
            return path
        return f"{result.pos // FOLDER_FILES * FOLDER_FILES:0{width}}/{path}"
