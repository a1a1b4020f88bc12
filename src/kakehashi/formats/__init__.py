"""Text to puzzles and back: files in many formats, each puzzle an entry, each error a value with its place."""

from kakehashi.formats.answer import read_answer
from kakehashi.formats.entry import Entry
from kakehashi.formats.errors import FormatError
from kakehashi.formats.limits import Limits
from kakehashi.formats.reader import parse, read
from kakehashi.formats.registry import Format, Item, formats, get

__all__ = ["Entry", "Format", "FormatError", "Item", "Limits", "formats", "get", "parse", "read", "read_answer"]
