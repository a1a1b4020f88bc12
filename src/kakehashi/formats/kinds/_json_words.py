"""Words for values of JSON, in it and about it, which puzzles and answers share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kakehashi.formats.lines import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROW = ("row", "r", "y")
COL = ("col", "column", "c", "x")


def first(names: Iterable[str], keys: Mapping[str, Any]) -> str | None:
    """The first of these names that is a key."""
    for name in names:
        if name in keys:
            return name
    return None


def kind(value: Any) -> str:
    """What a value is, in JSON's words."""
    names = {dict: "an object", list: "an array", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def told(value: Any) -> str:
    """A value for a message."""
    if isinstance(value, str):
        return show(value)
    return kind(value) if isinstance(value, dict | list) else show(json.dumps(value)).strip("'")
