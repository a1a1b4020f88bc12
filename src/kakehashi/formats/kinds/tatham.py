"""`tatham`: game ids and save files of Bridges in Simon Tatham's Portable Puzzle Collection.

An id is `W[xH][iN][eN][mN][L][dN]:desc`, one a line: columns and rows (as many where H is missing), `m` the most
bridges in a channel, `L` for no loops; `i`, `e` and `d` are for the generator. `desc` holds the cells in row-major
order: `1`..`9` and `A`..`G` (10 to 16) are islands, `a`..`z` 1..26 cells of water. A link to bridges.html with an id
behind its `#` is taken too. An id with `#` in place of the colon is a seed, which only that program can turn into a
puzzle.

Save files are records `NAME    :length:value`. The moves up to the state that was shown are the answer that came along:
`Lx1,y1,x2,y2,n` lays n bridges (x is the column), `N...` and `M...` are marks, `S` says that the solver did it.

Source: bridges.c (decode_params, validate_desc, execute_move) and midend.c (midend_deserialise) of that program. It
takes boards from 3 x 3 cells on, and its islands do not touch.
"""

from __future__ import annotations

import re
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING
from urllib.parse import unquote

from kakehashi.formats.errors import FormatError
from kakehashi.formats.kinds._rows import check_size
from kakehashi.formats.kinds._skips import decode, encode, runs, touching
from kakehashi.formats.lines import show, unreadable
from kakehashi.formats.registry import Feature, Format, Item, answer_along, refuse
from kakehashi.puzzle.model import MAX_BRIDGES, MOST_BRIDGES, SIDES, Bridge, bridge_between, largest_clue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kakehashi.formats.limits import Limits
    from kakehashi.formats.lines import Lines
    from kakehashi.puzzle.model import Cell, Puzzle, Solution

_CARRIES = frozenset({Feature.MAX_BRIDGES, Feature.NO_LOOPS, Feature.MANY})

SMALLEST = 3
"""The fewest rows and columns that the program takes."""

_DIGITS = "123456789" + ascii_uppercase[: MOST_BRIDGES * SIDES - 9]
_ISLANDS = dict(enumerate(_DIGITS, 1))
_TABLES = {
    most: {digit: bytes([clue]) for clue, digit in _ISLANDS.items() if clue <= largest_clue(most)}
    | runs(ascii_lowercase)
    for most in range(1, MOST_BRIDGES + 1)
}
"""What a character of a desc stands for, by the most bridges in a channel."""

_PARAMS = re.compile(r"([0-9]{1,9})(?:x([0-9]{1,9}))?(?:i[0-9]*)?(?:e[0-9]*)?(?:m([0-9]*))?(L)?(?:d[0-9]*)?")
_ID = re.compile(r"[0-9]{1,9}(?:(?:x[0-9]{1,9})?(?:[iemd][0-9]*|L)*(?::|#[0-9])|x[0-9]{1,9}(?:[iemd][0-9]*|L)*#)")
_LINK = re.compile(r"https?://[^\s#]{0,200}bridges[^\s#/]{0,20}#")
_SAVE = "SAVEFILE"
_RECORD = re.compile(r"([A-Z]{1,8}) *:([0-9]{1,9}):")
_MOVE = re.compile(r"S|([LNM])([0-9]{1,9}(?:,[0-9]{1,9})+)\Z")
_MOVES = re.compile(r"\s*(?:S\s*;|S\s*\Z|(?:S\s*;\s*)?[LNM][0-9]+,[0-9]+)")
_PART = re.compile(r"[^;]+")
_NUMBERS = {"L": 5, "N": 4, "M": 2}
"""How many numbers stand behind the letter of a move."""

_TITLE = "Simon Tatham's Portable Puzzle Collection"
_GAME = "Bridges"


def _sniff(head: str) -> bool:
    """An id, a link with one, or a save file."""
    text = head.lstrip()
    return any(pattern.match(text) for pattern in (_ID, _LINK)) or text.startswith(_SAVE + ":")


def _read(lines: Lines, limits: Limits) -> Iterator[Item]:
    while (line := lines.skip_blank()) is not None:
        start = lines.number
        try:
            if line.startswith(_SAVE):
                lines.push_back(line)
                yield _saved(lines, limits)
            else:
                yield _from_id(line, start, limits)
        except FormatError as error:
            yield Item(start, error=error)


def _from_id(line: str, number: int, limits: Limits) -> Item:
    """The puzzle of an id.

    Raises:
        FormatError: it is none, a seed, or its board is not whole.
    """
    problem = unreadable(line, number)
    if problem is not None:
        raise problem
    text = line.rstrip()
    link = _LINK.match(text.lstrip())
    if link is not None and "%" in text:
        text = unquote(text)
    start = len(text) - len(text.lstrip()) + (link.end() if link else 0)
    found = _PARAMS.match(text, start)
    if found is None or text[found.end() : found.end() + 1] not in (":", "#"):
        at = found.end() if found else start
        wanted = "an id W[xH][iN][eN][mN][L][dN]:desc"
        raise FormatError.expected(wanted, show(text[at:]) if at < len(text) else "its end", line=number, column=at + 1)
    if text[found.end()] == "#":
        message = (
            "this id is a seed, which only the program itself can turn into a puzzle: "
            "take the id that it shows as Specific, with a colon"
        )
        raise FormatError(message, line=number, column=found.end() + 1)
    column = found.end() + 2 if text in line else 0
    return _board(found, text[found.end() + 1 :], number, column, limits)


def _board(found: re.Match[str], desc: str, number: int, column: int, limits: Limits) -> Item:
    """The puzzle of parameters and cells; the columns of errors are counted from `column` unless it is 0.

    Raises:
        FormatError: the parameters or the cells are none that the program takes.
    """
    cols = int(found[1])
    rows = int(found[2] or cols)
    if min(rows, cols) < SMALLEST:
        raise FormatError.expected("a size of at least 3 x 3", f"{cols} x {rows}", line=number)
    check_size(rows, cols, number, limits)
    most = MAX_BRIDGES if found[3] is None else int(found[3][:9] or 0)
    if not 1 <= most <= MOST_BRIDGES:
        raise FormatError.expected("at most 1 to 4 bridges in a channel (m1..m4)", f"m{found[3]}", line=number)
    wanted = f"an island {_DIGITS[0]}..{_DIGITS[largest_clue(most) - 1]} or a..z for water"
    cells = decode(desc, _TABLES[most], rows * cols, wanted, line=number, column=column)
    if len(cells) < rows * cols:
        place = column + len(desc) if column else 0
        raise FormatError.expected(f"{rows * cols} cells", str(len(cells)), line=number, column=place)
    beside = touching(cells, cols)
    if beside is not None:
        where = f"row {beside // cols + 1}, column {beside % cols + 1}"
        raise FormatError(f"islands touch at {where}, which this program never has", line=number)
    return Item(number, rows, cols, cells, max_bridges=most, loops=not found[4])


def _saved(lines: Lines, limits: Limits) -> Item:
    """The puzzle of a save file, and what is laid in it.

    Raises:
        FormatError: it is none of this game, has no board, or a move that is none.
    """
    start = lines.number + 1
    values: dict[str, tuple[str, int]] = {}
    moves: list[tuple[str, int]] = []
    for name, value, number in _records(lines, limits):
        if name in ("MOVE", "SOLVE"):
            moves.append((value, number))
        elif name == "RESTART":
            moves.append((name, number))
        else:
            values[name] = value, number
    game, _ = values.get("GAME", ("", start))
    if game != _GAME:
        raise FormatError.expected(f"a save file of {_GAME}", show(game) if game else "one of no game", line=start)
    params, at = values.get("CPARAMS") or values.get("PARAMS") or ("", start)
    found = _PARAMS.fullmatch(params)
    if found is None or "DESC" not in values:
        missing = "DESC, the board" if found else "CPARAMS, the parameters of the board"
        raise FormatError.expected(missing, "none in this save file", line=at)
    desc, number = values["DESC"]
    item = _board(found, desc, number, 0, limits)
    shown = values.get("STATEPOS", ("", 0))[0]
    if shown.isdecimal():
        del moves[max(int(shown[:9]) - 1, 0) :]
    laid = _played(moves)
    return Item(
        start, item.rows, item.cols, item.cells, max_bridges=item.max_bridges, loops=item.loops, bridges=laid or None
    )


def _records(lines: Lines, limits: Limits) -> Iterator[tuple[str, str, int]]:
    """The records of a save file, their values and lines, up to its end or the next one.

    Raises:
        FormatError: a line is no record, or the file is too long for one puzzle.
    """
    left = limits.max_bytes
    first = lines.number + 1
    for line in lines:
        number = lines.number
        left -= len(line)
        if not line.strip():
            continue
        if number > first and line.startswith(_SAVE):
            lines.push_back(line)
            return
        found = _RECORD.match(line)
        problem = unreadable(line, number)
        if found is None or problem is not None or left < 0:
            message = f"a save file of more than {limits.max_bytes} characters"
            too_long = FormatError(message, line=number) if left < 0 else None
            _pass_over(lines)
            raise problem or too_long or FormatError.expected("NAME:length:value", show(line), line=number)
        value = line[found.end() :]
        if len(value.encode("utf-8", "replace")) < int(found[2]):
            _pass_over(lines)
            raise FormatError.expected(f"{found[2]} bytes for {found[1]}", str(len(value)), line=number)
        yield found[1], value[: int(found[2])], number


def _pass_over(lines: Lines) -> None:
    """Move on to the next save file."""
    for line in lines:
        if line.startswith(_SAVE):
            lines.push_back(line)
            return


def _played(moves: list[tuple[str, int]]) -> tuple[Bridge, ...]:
    """The bridges that moves lay, in row-major order.

    Raises:
        FormatError: a move is none.
    """
    laid: dict[tuple[Cell, Cell], int] = {}
    for text, number in moves:
        if text == "RESTART":
            laid.clear()
            continue
        for part in _PART.finditer(text):  # one after the other: there may be a million
            move = part.group().strip()
            if not move:
                continue
            found = _MOVE.match(move)
            numbers = [int(digits) for digits in found[2].split(",")] if found and found[2] else []
            if found is None or len(numbers) != (_NUMBERS[found[1]] if found[1] else 0):
                wanted = "a move Lx1,y1,x2,y2,n, Nx1,y1,x2,y2, Mx,y or S"
                raise FormatError.expected(wanted, show(move), line=number)
            if found[1] == "L":
                x1, y1, x2, y2, count = numbers
                start, end, _ = bridge_between((y1, x1), (y2, x2), count)
                laid[start, end] = count
    return tuple(Bridge(start, end, count) for (start, end), count in sorted(laid.items()) if count)


def _params(puzzle: Puzzle) -> str:
    return f"{puzzle.cols}x{puzzle.rows}m{puzzle.max_bridges}{'' if puzzle.loops else 'L'}"


def _desc(puzzle: Puzzle) -> str:
    """The cells as the program writes them.

    Raises:
        FormatError: it cannot hold them.
    """
    refuse(puzzle, "tatham", _CARRIES)
    if min(puzzle.rows, puzzle.cols) < SMALLEST:
        raise FormatError(f"tatham has boards from 3 x 3 on, and this one is {puzzle.rows} x {puzzle.cols}")
    return encode(puzzle.cells, _ISLANDS, ascii_lowercase)


def _write(puzzle: Puzzle) -> str:
    return f"{_params(puzzle)}:{_desc(puzzle)}\n"


def _write_answer(solution: Solution) -> str:
    params, desc = _params(solution.puzzle), _desc(solution.puzzle)
    move = ";".join(["S", *(f"L{a.col},{a.row},{b.col},{b.row},{count}" for a, b, count in solution.bridges)])
    records = [
        (_SAVE, _TITLE), ("VERSION", "1"), ("GAME", _GAME), ("PARAMS", params), ("CPARAMS", params), ("DESC", desc),
        ("NSTATES", "2"), ("STATEPOS", "2"), ("SOLVE", move),
    ]  # fmt: skip
    return "".join(f"{name:<8}:{len(value)}:{value}\n" for name, value in records)


def _sniff_answer(head: str) -> bool:
    """Moves, or a save file."""
    return head.lstrip().startswith(_SAVE + ":") or _MOVES.match(head) is not None


def _read_answer(lines: Lines, limits: Limits, puzzle: Puzzle | None) -> list[Bridge]:
    line = lines.skip_blank()
    if line is None:
        raise FormatError("there is no answer in it: the text is empty")
    lines.push_back(line)
    if not line.startswith(_SAVE):
        moves = []
        for text in lines:
            problem = unreadable(text, lines.number)
            if problem is not None:
                raise problem
            moves.append((text, lines.number))
        return list(_played(moves))
    return answer_along(_saved(lines, limits), puzzle)


FORMAT = Format(
    name="tatham",
    summary="game ids and save files of Bridges in Simon Tatham's Portable Puzzle Collection",
    rank=3,
    sniff=_sniff,
    read=_read,
    write=_write,
    extension=".txt",
    limits="Boards have at least 3 x 3 cells. An answer is a save file, one a file.",
    examples=(
        "5x3m2:2c2e1c1\n",
        "3:2a2f\n",
        "4x4i30e10m3Ld1:3b3k3\n",
        (
            "SAVEFILE:41:Simon Tatham's Portable Puzzle Collection\nVERSION :1:1\nGAME    :7:Bridges\nPARAMS  :1:3\n"
            "CPARAMS :5:3x3m2\nDESC    :4:2a2f\nNSTATES :1:2\nSTATEPOS:1:2\nMOVE    :10:L0,0,2,0,2\n"
        ),
    ),
    carries=_CARRIES,
    separator="",
    write_answer=_write_answer,
    read_answer=_read_answer,
    sniff_answer=_sniff_answer,
    inline=True,
    long_lines=True,
)
