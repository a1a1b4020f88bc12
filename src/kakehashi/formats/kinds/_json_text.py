"""JSON as a stream of values with their places: one value at a time is in memory, however long the text is.

The decoder is the standard library's, which is quick and knows nothing of streams. So it is tried on what was read so
far, and where that breaks off it is tried again with twice as much.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from kakehashi.formats.errors import FormatError
from kakehashi.formats.lines import CONTINUED, OVERLONG, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kakehashi.formats.lines import Lines

_CHUNK = 64 * 1024
_BLANK = re.compile(r"[ \t\r\n]*")

_LONGEST_TOKEN = 16
"""An error further from the end of what was read is none that more text could mend, unless it is in a string."""

_EXPONENT = 4
"""A number may go on in what was not read yet, as long as no more than `e+1` follows what looks like its end."""

TOO_MUCH = "this JSON is nested too deeply, or has a number that is too long or none"


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


DECODER = json.JSONDecoder(parse_constant=_no_number)


@dataclass(frozen=True)
class Place:
    """Where a value stands: in `text` from `start` on, which is in this line and this column, both 1-based."""

    text: str
    start: int
    line: int
    column: int

    def at(self, index: int) -> tuple[int, int]:
        """Line and column of a place in the text, at or behind the start."""
        newline = self.text.rfind("\n", self.start, index)
        if newline < 0:
            return self.line, self.column + index - self.start
        return self.line + self.text.count("\n", self.start, index), index - newline

    def members(self) -> Iterator[tuple[str | int, Any, Place]]:
        """What is in the object or array that stands here, with its keys or numbers."""
        text = self.text
        index = _past_blank(text, self.start + 1)
        keyed, number = text[self.start] == "{", 0
        while text[index] not in "]}":
            key: str | int = number
            if keyed:
                key, index = DECODER.raw_decode(text, index)
                index = _past_blank(text, _past_blank(text, index) + 1)
            value, end = DECODER.raw_decode(text, index)
            yield key, value, Place(text, index, *self.at(index))
            index = _past_blank(text, end)
            if text[index] == ",":
                index = _past_blank(text, index + 1)
            number += 1

    def inside(self, path: tuple[str | int, ...]) -> Place:
        """Where something inside the value stands: as far as the path leads."""
        place = self
        for step in path:
            if place.text[place.start] not in "[{":
                break
            found = None
            for key, _, member in place.members():
                if key == step:
                    found = member  # the last one of a key counts, as for the decoder
                    if place.text[place.start] == "[":
                        break
            if found is None:
                break
            place = found
        return place


def _past_blank(text: str, index: int) -> int:
    found = _BLANK.match(text, index)
    return found.end() if found else index


class JsonText:
    """A text that holds JSON values, read from front to back.

    Args:
        lines: the text; a line that ends in `CONTINUED` goes on in the next one.
        max_chars: the most characters that one value may take.
    """

    def __init__(self, lines: Lines, max_chars: int) -> None:
        self._lines, self._max = lines, max_chars
        self._text, self._at = "", 0
        self._line, self._column = lines.number + 1, 1
        self._ended = self._line_ended = False

    @property
    def line(self) -> int:
        """The line that is being read, 1-based."""
        return self._line

    def peek(self, count: int = 1) -> str:
        """The next characters that are not blank, as many as there are; empty at the end."""
        while True:
            self._go_to(_past_blank(self._text, self._at))
            if len(self._text) - self._at >= count or self._ended:
                return self._text[self._at : self._at + count]
            self._fill(_CHUNK)

    def take(self) -> None:
        """Pass over the next character."""
        self._go_to(self._at + 1)

    def value(self) -> tuple[Any, Place]:
        """The next value.

        Raises:
            FormatError: it is no JSON, or takes too many characters.
        """
        self.peek()
        while True:
            try:
                value, end = DECODER.raw_decode(self._text, self._at)
                if self._ended or self._text[end - 1] in '}]"' or end + _EXPONENT <= len(self._text):
                    place = Place(self._text, self._at, self._line, self._column)
                    self._go_to(end)
                    return value, place
            except json.JSONDecodeError as error:
                if self._ended or self._is_real(error):
                    raise self.error(f"this is not JSON: {error.msg}", error.pos) from error
            except (RecursionError, ValueError) as error:
                raise FormatError(TOO_MUCH, line=self._line) from error
            held = len(self._text) - self._at
            if held > self._max:
                raise FormatError(f"one value of more than {self._max} characters", line=self._line)
            self._fill(2 * held + _CHUNK)

    def error(self, message: str, index: int | None = None) -> FormatError:
        """The error of a place: of the next character unless it is given."""
        index = self._at if index is None else index
        line, column = Place(self._text, self._at, self._line, self._column).at(index)
        wrong = unreadable(self._text[index : index + 1].replace(OVERLONG, ""), line)
        return FormatError(wrong.message if wrong else message, line=line, column=column)

    def _is_real(self, error: json.JSONDecodeError) -> bool:
        """Whether an error stays one when more of the text is there."""
        rest = self._text[error.pos : error.pos + 4 * _CHUNK].strip()
        return len(rest) > _LONGEST_TOKEN and not error.msg.startswith("Unterminated string")

    def _go_to(self, index: int) -> None:
        if index != self._at:
            self._line, self._column = Place(self._text, self._at, self._line, self._column).at(index)
            self._at = index

    def _fill(self, count: int) -> None:
        """Read at least so many characters more, or to the end."""
        taken = self._lines.take(count)
        if not taken:
            self._ended = True
            return
        read = "\n".join(taken)
        if CONTINUED in read:
            read = read.replace(CONTINUED + "\n", "")
        parts = (self._text[self._at :], "\n" if self._line_ended else "", read.removesuffix(CONTINUED))
        self._line_ended = not read.endswith(CONTINUED)
        self._text, self._at = "".join(parts), 0
