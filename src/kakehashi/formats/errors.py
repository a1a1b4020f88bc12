"""What a reader could not read, with its place."""

from __future__ import annotations

from kakehashi.errors import KakehashiError


class FormatError(KakehashiError, ValueError):
    """A puzzle could not be read.

    Attributes:
        message: what was expected and what was found, without the place.
        source: the file, as it was named; empty while it is not known.
        line, column: 1-based; 0 where the whole file or the whole line is meant.
    """

    def __init__(self, message: str, *, source: str = "", line: int = 0, column: int = 0) -> None:
        self.message, self.source, self.line, self.column = message, source, line, column
        super().__init__(message)

    @classmethod
    def expected(cls, expected: str, found: str, *, line: int = 0, column: int = 0) -> FormatError:
        """The usual sentence: "expected this, found that"."""
        return cls(f"expected {expected}, found {found}", line=line, column=column)

    def in_source(self, source: str) -> FormatError:
        """The same error with the file's name."""
        return FormatError(self.message, source=source, line=self.line, column=self.column)

    def __str__(self) -> str:
        """The place and the message: "a.txt, line 3, column 5: expected a clue 0..8, found 9"."""
        place = [self.source] if self.source else []
        if self.line:
            place.append(f"line {self.line}")
        if self.column:
            place.append(f"column {self.column}")
        return f"{', '.join(place)}: {self.message}" if place else self.message

    def __reduce__(self) -> tuple[object, ...]:
        """Errors cross process borders with their place."""
        return _restore, (self.message, self.source, self.line, self.column)


class BrokenSource(KakehashiError):
    """A text ended before its end: the disk, the pipe or the archive that it comes from is broken.

    It is no `FormatError`, so that it passes through the readers of formats: nobody reads on behind it.
    """


def _restore(message: str, source: str, line: int, column: int) -> FormatError:
    return FormatError(message, source=source, line=line, column=column)
