"""Read puzzles from files, folders, standard input or a text, one by one."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING

from kakehashi.formats.entry import Entry
from kakehashi.formats.errors import BrokenSource, FormatError
from kakehashi.formats.limits import Limits
from kakehashi.formats.registry import Item, detect, get, inline
from kakehashi.formats.rules import Rules
from kakehashi.formats.sources import TEXT, open_text, sources
from kakehashi.puzzle.model import InvalidPuzzle, Touching

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from kakehashi.formats.registry import Format
    from kakehashi.formats.sources import Opened
    from kakehashi.puzzle.model import Puzzle

_DEFAULT_LIMITS = Limits()

_LONGEST_NAME = 120
"""Characters of an id or URL that are kept as the name of its puzzle."""

_PathLike = str | os.PathLike[str]


def read(
    paths_or_text: _PathLike | Iterable[_PathLike],
    *,
    format: str | None = None,  # noqa: A002 - the word that the command line uses
    touching: Touching = Touching.JOIN,
    max_bridges: int | None = None,
    loops: bool | None = None,
    limits: Limits = _DEFAULT_LIMITS,
    skip: int = 0,
    leave: Collection[str] = (),
) -> Iterator[Entry]:
    """The puzzles of files, folders, standard input (`-`) or a text, in order, one at a time.

    A `str` that contains a line end is a text, and so is a puzzle's id or URL where there is no file of this name; any
    other is a path. Folders are walked in sorted order, without hidden files, `README*` and `*.md`; so are zip and tar
    archives, in their own order, and gzip, bzip2 and xz are unpacked on the way. What cannot be read is an entry with
    an error, and the reading goes on behind it: no entry is ever dropped, so the k-th entry is the same whenever the
    same files are read again.

    Args:
        paths_or_text: one path or text, or several.
        format: the name of a format; None looks at each file.
        touching: what to make of islands that share an edge.
        max_bridges: the most bridges in a channel, 1 to 4, where the text does not say; None for the classic 2.
        loops: False where loops are forbidden, unless the text says otherwise; None for the classic rule.
        limits: how large a puzzle may be.
        skip: how many entries to pass over, for a reading that goes on where another one stopped.
        leave: files that are not even opened. (Whoever closes a file of an SQLite database, having
            only looked at it, drops the locks that the process holds on it.)

    Raises:
        UsageError: there is no such format or no such rule (raised at once, not at the first entry).
    """
    chosen = get(format) if format is not None else None
    rules = Rules.asked(touching, max_bridges, loops)
    many = [paths_or_text] if isinstance(paths_or_text, str | os.PathLike) else paths_or_text
    return islice(_read(many, chosen, rules, rules.within(limits), frozenset(map(os.path.realpath, leave))), skip, None)


def parse(
    text: str,
    *,
    format: str | None = None,  # noqa: A002
    touching: Touching = Touching.JOIN,
    max_bridges: int | None = None,
    loops: bool | None = None,
) -> Puzzle:
    """The one puzzle of a text, which may be an id or a URL; the arguments are those of `read`.

    Raises:
        FormatError: it cannot be read, or there are several.
        UsageError: there is no such format or no such rule.
    """
    chosen = get(format) if format is not None else None
    rules = Rules.asked(touching, max_bridges, loops)
    entries = read_open(open_text(text), "", chosen, rules, rules.within(_DEFAULT_LIMITS))
    first = next(entries)
    if first.puzzle is None:
        raise first.error or FormatError("there is no puzzle in it")
    second = next(entries, None)
    if second is not None:
        raise FormatError("expected one puzzle, found several: use `read` for them", line=second.line)
    return first.puzzle


def read_open(opened: Opened, source: str, chosen: Format | None, rules: Rules, limits: Limits) -> Iterator[Entry]:
    """The puzzles of one text. Never none: a text without a puzzle is an entry with an error."""
    note = None
    if chosen is None:
        chosen, note = detect(opened.head, opened.suffix)
    items = _items(chosen, opened, limits)
    first = next(items, None)
    if first is None:
        error = FormatError("there is no puzzle in it, only blank lines or comments", source=source)
        yield Entry(source, source, 0, error=error)
        return
    second = next(items, None)
    if second is None:
        yield _entry(source, source, first, rules, note)
        return
    yield _entry(f"{source}#1", source, first, rules, note)
    yield _entry(f"{source}#2", source, second, rules, note)
    for k, item in enumerate(items, 3):
        yield _entry(f"{source}#{k}", source, item, rules, note)


def _read(
    paths: Iterable[_PathLike], chosen: Format | None, rules: Rules, limits: Limits, leave: frozenset[str]
) -> Iterator[Entry]:
    for path_or_text in paths:
        given = os.fspath(path_or_text)
        if isinstance(path_or_text, str) and ("\n" in given or "\r" in given):
            yield from read_open(open_text(given), TEXT, chosen, rules, limits)
            continue
        if isinstance(path_or_text, str) and is_inline(given):
            yield from read_open(open_text(given), _short(given), chosen, rules, limits)
            continue
        for source in sources(given, limits, leave):
            if source.opened is None:
                yield Entry(source.name, source.name, 0, error=source.error)
            else:
                yield from read_open(source.opened, source.name, chosen, rules, limits)


def _items(chosen: Format, opened: Opened, limits: Limits) -> Iterator[Item]:
    """What a format finds in a text; where the source breaks off, that is the last item."""
    lines = opened.read(chosen, limits)
    try:
        yield from chosen.read(lines, limits)
    except BrokenSource as broken:
        yield Item(lines.number + 1, error=FormatError(str(broken), line=lines.number + 1))


def is_inline(given: str) -> bool:
    """Whether this is a puzzle's id or URL, and no file's name."""
    return inline(given) is not None and not os.path.lexists(given)


def _short(given: str) -> str:
    """An id or URL as the name of its puzzle."""
    return given if len(given) <= _LONGEST_NAME else given[: _LONGEST_NAME - 3] + "..."


def _entry(name: str, source: str, item: Item, rules: Rules, note: str | None) -> Entry:
    note, overruled = item.note or note, rules.overruled(item)
    if overruled is not None:
        note = f"{note}; {overruled}" if note else overruled
    if item.error is not None:
        return Entry(name, source, item.error.line or item.line, error=item.error.in_source(source), note=note)
    try:
        puzzle = rules.puzzle(item)
    except InvalidPuzzle as invalid:
        error = FormatError(str(invalid), source=source, line=item.line)
        return Entry(name, source, item.line, error=error, note=note)
    return Entry(name, source, item.line, puzzle, note=note, bridges=item.bridges)
