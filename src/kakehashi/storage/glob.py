"""A glob over names that both databases understand: `*`, `?`, `[abc]`, `[a-z]`, `[^...]` or `[!...]`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sqlalchemy import Boolean, and_, literal
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.expression import ColumnElement

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement as Column

_INSIDE = r"(?:\][^\]]*|[^\]]+)"  # a `]` that stands first is an ordinary character
_PIECE = re.compile(rf"\*|\?|\[[!^]{_INSIDE}\]|\[(?![!^]){_INSIDE}\]|.", re.DOTALL)
_RANGE = re.compile(r"(.)-(.)|(.)", re.DOTALL)


def pieces(pattern: str) -> list[str]:
    """The pattern cut into `*`, `?`, classes and single characters; a `[` without its `]` is a plain character."""
    return _PIECE.findall(pattern)


def to_sqlite(pattern: str) -> str:
    """The pattern as SQLite's GLOB reads it."""
    out = []
    for piece in pieces(pattern):
        if len(piece) > 1:
            out.append("[^" + piece[2:] if piece[1] in "!^" else piece)
        else:
            out.append("[[]" if piece == "[" else piece)
    return "".join(out)


def to_regex(pattern: str) -> str:
    """The pattern as a regular expression, for PostgreSQL and for Python; it has to match the whole name."""
    out = []
    for piece in pieces(pattern):
        if piece == "*":
            out.append(".*")
        elif piece == "?":
            out.append(".")
        elif len(piece) > 1:
            out.append(_class(piece))
        else:
            out.append(re.escape(piece))
    return "".join(out)


def to_like(pattern: str) -> str:
    """The pattern for LIKE, with one `_` for each class: what it matches contains what the pattern matches."""
    out = []
    for piece in pieces(pattern):
        if piece == "*":
            out.append("%")
        elif piece == "?" or len(piece) > 1:
            out.append("_")
        else:
            out.append(f"\\{piece}" if piece in "\\%_" else piece)
    return "".join(out)


def _class(piece: str) -> str:
    negated = piece[1] in "!^"
    inside = ""
    for low, high, single in _RANGE.findall(piece[2 if negated else 1 : -1]):
        if single:
            inside += _escaped(single)
        elif low <= high:  # a range that runs backwards holds nothing, and would be an error in a regular expression
            inside += f"{_escaped(low)}-{_escaped(high)}"
    if not inside:
        return "." if negated else "(?!)"
    return f"[{'^' if negated else ''}{inside}]"


def _escaped(character: str) -> str:
    return "\\" + character if character in "\\[]^-" else character


class _Matches(ColumnElement[bool]):
    type = Boolean()
    inherit_cache = False

    def __init__(self, column: Column[Any], pattern: str) -> None:
        self.glob = column.op("GLOB")(literal(to_sqlite(pattern)))
        # LIKE takes a third of the time of a regular expression, which is left for classes.
        self.pattern: Column[bool] = column.like(literal(to_like(pattern)))
        if any(len(piece) > 1 for piece in pieces(pattern)):
            self.pattern = and_(self.pattern, column.op("~")(literal(f"(?s)^(?:{to_regex(pattern)})$")))


@compiles(_Matches, "sqlite")
def _matches_sqlite(element: _Matches, compiler: Any, **options: Any) -> str:
    return str(compiler.process(element.glob, **options))


@compiles(_Matches, "postgresql")
def _matches_postgresql(element: _Matches, compiler: Any, **options: Any) -> str:
    return str(compiler.process(element.pattern, **options))


def matches(column: Column[Any], pattern: str) -> ColumnElement[bool]:
    """The condition that the column's text matches the pattern as a whole."""
    return _Matches(column, pattern)
