"""Text as numbered lines: the one place that knows of encodings, line ends and lines without end."""

from __future__ import annotations

import re
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING

from kakehashi.formats.errors import BrokenSource, FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TextIO

OVERLONG = "\udfff"
"""Ends a line that was cut. It cannot come from a file: a lone surrogate above those that stand for wrong bytes."""

CONTINUED = "\udffe"
"""Ends a piece of a line that goes on in the next piece."""

_LIST_ITERATOR = type(iter([""]))
_AT_ONCE = 64


class Lines:
    """Lines without their line ends, counted from 1, with a look ahead."""

    def __init__(self, source: Iterable[str], number: int = 0) -> None:
        self._source: Iterator[str] = iter(source)
        self._ahead: deque[str] = deque()
        self.number = number
        """The number of the line that was handed out last."""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._ahead.popleft() if self._ahead else next(self._source)
        self.number += 1
        return line

    def push_back(self, line: str) -> None:
        """Take the line that was handed out last back: it comes again."""
        self._ahead.appendleft(line)
        self.number -= 1

    def peek(self, count: int) -> list[str]:
        """The next lines, as many as there are, without handing them out."""
        try:
            while len(self._ahead) < count and (line := next(self._source, None)) is not None:
                self._ahead.append(line)
        except BrokenSource as broken:
            self._source = _Breaking(broken)  # once the lines before it were handed out
        return list(self._ahead)[:count]

    def block(self, most: int, longest: int) -> list[str] | None:
        """The next lines up to a blank one, without handing them out; None for more than `most` or a longer line."""
        count = 0
        try:
            for line in self._looking():
                if not line or line.isspace():
                    break
                count += 1
                if count > most or len(line) > longest:
                    return None
        except BrokenSource as broken:
            self._source = _Breaking(broken)  # once the lines before it were handed out
            return None
        return list(islice(self._ahead, count))

    def _looking(self) -> Iterator[str]:
        """The next lines, none of them handed out."""
        yield from self._ahead
        for line in self._source:
            self._ahead.append(line)
            yield line

    def pass_over(self, count: int) -> None:
        """Hand out so many of the lines that were looked at, all at once."""
        for _ in range(count):
            self._ahead.popleft()
        self.number += count

    def take(self, chars: int) -> list[str]:
        """The next lines until they have so many characters together, handed out; none at the end of the text."""
        taken = list(self._ahead)
        self._ahead.clear()
        left = chars - sum(map(len, taken))
        try:
            if isinstance(self._source, _LIST_ITERATOR):  # nothing breaks off there, so take many at once
                while left > 0 and (more := list(islice(self._source, _AT_ONCE))):
                    taken += more
                    left -= sum(map(len, more))
            while left > 0 and (line := next(self._source, None)) is not None:
                taken.append(line)
                left -= len(line) + 1
        except BrokenSource as broken:
            if not taken:
                raise
            self._source = _Breaking(broken)  # once the lines before it were handed out
        self.number += len(taken)
        return taken

    def close(self) -> None:
        """Hand out nothing more."""
        self._source = iter(())
        self._ahead.clear()

    def skip_blank(self) -> str | None:
        """The next line that is not blank, handed out; None at the end."""
        return next((line for line in self if line.strip()), None)

    def skip_to_blank(self, max_chars: int) -> bool:
        """Pass over the rest of a puzzle up to a blank line; False when that is further than `max_chars`."""
        for line in self:
            if not line.strip():
                return True
            max_chars -= len(line)
            if max_chars < 0:
                return False
        return True


class _Breaking:
    """Lines that are over: the source is broken."""

    def __init__(self, broken: BrokenSource) -> None:
        self._broken = broken

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        raise self._broken


def unify(text: str) -> str:
    """The text with LF for each line end, which may be LF, CRLF or a lone CR."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def split_lines(text: str) -> list[str]:
    """Lines that end in LF, CRLF or a lone CR (and in nothing else, unlike `str.splitlines`)."""
    return unify(text).split("\n")


def stream_pieces(stream: TextIO, max_piece: int) -> Iterator[str]:
    """Lines of a stream with universal line ends; one that is long comes in pieces, all but the last `CONTINUED`."""
    while piece := stream.readline(max_piece):
        yield piece[:-1] if piece.endswith("\n") else piece + CONTINUED


def stream_lines(stream: TextIO, max_line: int) -> Iterator[str]:
    """Lines of a stream with universal line ends; one that is too long is cut, ended by `OVERLONG` and passed over."""
    while line := stream.readline(max_line + 1):
        if line.endswith("\n"):
            yield line[:-1]
        elif len(line) <= max_line:
            yield line  # the last one
        else:
            while (rest := stream.readline(65536)) and not rest.endswith("\n"):
                pass
            yield line[:max_line] + OVERLONG


_UNREADABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\udc80-\udcff\udfff]")


def unreadable(line: str, number: int) -> FormatError | None:
    """The error of a line that is no text: too long, not UTF-8, control characters; None when it is text."""
    found = _UNREADABLE.search(line)
    if found is None:
        return None
    column, char = found.start() + 1, found.group()
    if char == OVERLONG:
        return FormatError(f"the line is longer than {column - 1} characters", line=number)
    if char >= "\udc80":
        message = f"byte 0x{ord(char) - 0xDC00:02x} is not UTF-8 text"
        return FormatError(message, line=number, column=column)
    return FormatError(
        f"control character 0x{ord(char):02x}: this looks like binary data, not a puzzle", line=number, column=column
    )


def show(token: str) -> str:
    """A piece of a file for a message: quoted, printable, not too long."""
    return ascii(token) if len(token) <= 20 else f"{token[:20]!a}..."
