from __future__ import annotations

import errno
import io
import os
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from kakehashi.formats import Entry, FormatError, Limits, parse, read
from kakehashi.formats.sources import HEAD
from kakehashi.puzzle import Puzzle, Touching

ONE = "1 0 1\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(path: str, data: str | bytes = ONE) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(data if isinstance(data, bytes) else data.encode())


def errors(entries: list[Entry]) -> list[str]:
    return [str(entry.error) for entry in entries if entry.error is not None]


def test_folders_are_walked_in_order_and_names_are_stable(here: Path) -> None:
    for name in ("b.txt", "a/z.txt", "a/c/x.txt", "a/B.txt", ".hidden", "a/.git/x", "README", "README.md", "notes.MD"):
        put(f"top/{name}")
    put("top/a/two.txt", f"{ONE}\n{ONE}")
    names = [entry.name for entry in read("top")]
    assert names == ["top/a/B.txt", "top/a/c/x.txt", "top/a/two.txt#1", "top/a/two.txt#2", "top/a/z.txt", "top/b.txt"]
    assert [entry.source for entry in read(["top/a", "top/b.txt"])][-2:] == ["top/a/z.txt", "top/b.txt"]
    assert [entry.name for entry in read(Path("top/README.md"))] == ["top/README.md"], "what is named is read"


def test_a_reading_goes_on_where_another_stopped(here: Path) -> None:
    put("a.txt", f"{ONE}\n9 9\n\n{ONE}")
    put("b.txt")
    everything = [(entry.name, entry.line, entry.puzzle, str(entry.error)) for entry in read(["a.txt", "b.txt"])]
    assert [name for name, *_ in everything] == ["a.txt#1", "a.txt#2", "a.txt#3", "b.txt"]
    for k in range(6):
        rest = [(entry.name, entry.line, entry.puzzle, str(entry.error)) for entry in read(["a.txt", "b.txt"], skip=k)]
        assert rest == everything[k:]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.txt", b"", "a.txt: the file is empty"),
        ("a.txt", b" \n\n", "a.txt: there is no puzzle in it, only blank lines or comments"),
        ("a.txt", b"\x89PNG\x00\x01", "a.txt: byte 5 is 0: this is binary data, not a puzzle"),
        ("a.txt", b"\xfa\xad\xbe\xef\xff", "a.txt, line 1, column 1: byte 0xfa is not UTF-8 text"),
        ("a.txt", b"1 0 \xff\n", "a.txt, line 1, column 5: byte 0xff is not UTF-8 text"),
        ("a.txt", "1 0 1\n".encode("utf-16"), "a.txt: this looks like UTF-16 text: save it as UTF-8"),
        ("a.txt", b"1 0 9\n", "a.txt, line 1, column 5: expected a clue 0..8, found 9"),
        ("a.txt", b"0 0 0\n", "a.txt, line 1: there is no island on the board"),
    ],
)
def test_what_cannot_be_read_is_one_entry_with_the_reason(here: Path, name: str, data: bytes, message: str) -> None:
    put(name, data)
    entries = list(read(name))
    assert [(entry.name, entry.puzzle) for entry in entries] == [(name, None)]
    assert errors(entries) == [message]


def test_missing_and_unreadable_files_do_not_stop_the_others(here: Path) -> None:
    put("good.txt")
    Path("dangling").symlink_to("nowhere")
    Path("loop").symlink_to("loop")
    Path("empty").mkdir()
    entries = list(read(["missing.txt", "dangling", "loop", "empty", "good.txt"]))
    assert errors(entries) == [
        "missing.txt: cannot be read: No such file or directory",
        "dangling: cannot be read: No such file or directory",
        "loop: cannot be read: Too many levels of symbolic links",
        "empty: there is no puzzle file in this folder",
    ]
    assert entries[-1].puzzle is not None


def test_what_stands_in_a_folder_and_is_no_file(here: Path) -> None:
    put("top/good.txt")
    Path("top/dangling").symlink_to("nowhere")
    Path("top/self").symlink_to("../top")
    os.mkfifo("top/pipe")
    assert errors(list(read("top"))) == [
        "top/dangling: cannot be read: No such file or directory",
        "top/pipe: this is no regular file",
        "top/self: this folder contains itself by a symbolic link",
    ]


def test_a_file_or_folder_without_permission(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put("top/a.txt")
    put("top/b.txt")
    put("top/shut/c.txt")
    really_open, really_list = open, os.scandir

    def refuse(path: str, *args: object, **options: object) -> object:
        if str(path).endswith("a.txt"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return really_open(path, *args, **options)  # type: ignore[call-overload]

    def refuse_list(path: str) -> Any:
        if path.endswith("shut"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return really_list(path)

    monkeypatch.setattr("builtins.open", refuse)
    monkeypatch.setattr(os, "scandir", refuse_list)
    entries = list(read("top"))
    assert errors(entries) == [
        "top/a.txt: cannot be read: Permission denied",
        "top/shut: cannot be read: Permission denied",
    ]
    assert [entry.name for entry in entries if entry.puzzle] == ["top/b.txt"]


def test_a_board_of_25_million_cells_is_refused_without_making_it(here: Path) -> None:
    with Path("big.txt").open("w") as file:
        file.writelines("0 " * 4999 + "1\n" for _ in range(600))
    tracemalloc.start()
    entries = list(read("big.txt"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert errors(entries) == ["big.txt, line 1: a row of 5000 cells: at most 1000 x 1000 are read"]
    assert peak < 3_000_000


def test_a_line_without_end_is_refused_without_keeping_it(here: Path) -> None:
    put("long.txt", b"1 " * 2_000_000 + b"\n\n1 0 1\n")
    tracemalloc.start()
    entries = list(read("long.txt"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert errors(entries)[0].startswith("long.txt, line 1: the line is longer than 17024 characters")
    assert entries[1].puzzle is not None
    assert peak < 3_000_000


def test_a_file_of_many_puzzles_streams(here: Path) -> None:
    board = "1 0 0 0 1\n" * 5 + "\n"
    with Path("many.txt").open("w") as file:
        file.writelines(board for _ in range(5000))
    tracemalloc.start()
    count = sum(entry.puzzle is not None for entry in read("many.txt"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 5000
    assert peak < 2_000_000


def test_a_file_of_just_the_size_of_the_head(here: Path) -> None:
    for size in (HEAD - 1, HEAD, HEAD + 1):
        rows = (size // 4) * "1 1\n"
        put("edge.txt", rows[: size - size % 4] + " " * (size % 4))
        (entry,) = read("edge.txt", limits=Limits(max_rows=10_000))
        assert entry.puzzle is not None
        assert entry.puzzle.rows == size // 4


def test_carriage_returns_and_a_byte_order_mark_in_a_large_file(here: Path) -> None:
    board = "\r\n".join(["1 0 0 0 1"] * 5) + "\r\n\r\n"
    put("large.txt", "\ufeff" + board * 400)
    assert sum(entry.puzzle is not None for entry in read("large.txt")) == 400


class _Stdin:
    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


@pytest.mark.parametrize("boards", [1, 3000])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, boards: int) -> None:
    monkeypatch.setattr("sys.stdin", _Stdin((ONE + "\n").encode() * boards))
    names = [entry.name for entry in read("-")]
    assert names == (["-"] if boards == 1 else [f"-#{k}" for k in range(1, 3001)])


def test_standard_input_that_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", _Stdin(b""))
    assert errors(list(read("-"))) == ["-: the file is empty"]


def test_a_text_is_read_as_it_stands() -> None:
    (entry,) = read("1.1\n...\n")
    assert (entry.name, entry.source, entry.line) == ("<text>", "<text>", 1)
    assert entry.puzzle == Puzzle.from_rows([[1, 0, 1], [0, 0, 0]])


def test_a_suffix_decides(here: Path) -> None:
    put("a.has", "3 3 5\n1 1 1\n0 0 0\n0 1 1\n")
    put("a.txt", "3 3 5\n1 1 1\n0 0 0\n0 1 1\n")
    has, text = read(["a.has", "a.txt"])
    assert (has.puzzle, has.note) == (text.puzzle, None)
    assert text.note == "read as has, though grid fits too (name one with --from)"
    (grid,) = read("a.txt", format="grid")
    assert grid.puzzle is not None
    assert (grid.puzzle.rows, grid.note) == (4, None)


def test_the_policy_for_touching_islands() -> None:
    (joined,) = read("1 1\n")
    assert joined.puzzle is not None
    assert joined.puzzle.touching is Touching.JOIN
    (rejected,) = read("1 1\n", touching=Touching.REJECT)
    assert "touch, which the policy `reject` forbids" in str(rejected.error)


def test_parse_takes_exactly_one_puzzle() -> None:
    assert parse("2 0 2") == Puzzle.from_rows([[2, 0, 2]])
    with pytest.raises(FormatError, match=r"^line 3: expected one puzzle, found several: use `read` for them$"):
        parse("1 1\n\n1 1")
    with pytest.raises(FormatError, match=r"^line 1, column 3: expected a clue 0\.\.8, found 9$"):
        parse("1 9")
    with pytest.raises(FormatError, match="there is no puzzle in it"):
        parse("\n\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2.0 0 2.0\n", "line 1, column 1: expected a clue 0..8, found '2.0'"),
        ("2 0 2.0\n0 0 0\n", "line 1, column 5: expected a clue 0..8, found '2.0'"),
        ("2 0 2\u20280 0 0\n", r"line 1, column 5: expected a clue 0..8, found '2\u20280'"),
        ("2,0,2\u00a0\n", r"line 1, column 5: expected a clue 0..8, found '2\xa0'"),
    ],
)
def test_what_looks_like_another_board_is_none(text: str, message: str) -> None:
    [entry] = read(text)
    assert entry.puzzle is None
    assert str(entry.error).endswith(message)


def test_a_file_that_is_left_is_not_even_opened(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put("top/a.txt")
    put("top/b.db")
    really_open = open

    def refuse(path: str, *args: object, **options: object) -> object:
        assert not str(path).endswith("b.db")
        return really_open(path, *args, **options)  # type: ignore[call-overload]

    monkeypatch.setattr("builtins.open", refuse)
    for name, to in (("top/link.txt", "b.db"), ("round", "top"), ("top/fine.txt", "a.txt")):
        (here / name).symlink_to(to)
    read_names = [
        entry.name for entry in read(["top", "top/../top/b.db", "round/b.db"], leave=[str(here / "round/b.db")])
    ]
    assert read_names == ["top/a.txt", "top/fine.txt"]
