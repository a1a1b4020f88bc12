"""Text to puzzles and back: files in many formats, each puzzle an entry, each error a value with its place."""

from kakehashi.formats.answer import is_inline_answer, read_answer
from kakehashi.formats.entry import Entry
from kakehashi.formats.errors import FormatError
from kakehashi.formats.limits import Limits
from kakehashi.formats.reader import is_inline, parse, read
from kakehashi.formats.registry import Feature, Format, Item, formats, get

__all__ = [
    "Entry",
    "Feature",
    "Format",
    "FormatError",
    "Item",
    "Limits",
    "formats",
    "get",
    "is_inline",
    "is_inline_answer",
    "parse",
    "read",
    "read_answer",
]
