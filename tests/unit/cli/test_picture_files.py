from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.cli.picture_files import Brush, Folder, file_name, write
from kakehashi.errors import UsageError
from kakehashi.puzzle import Puzzle
from kakehashi.render import PictureFormat

if TYPE_CHECKING:
    from pathlib import Path

PUZZLE = Puzzle.from_rows([[1, 0, 1]])


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("puzzles/sub/12x12.txt", "puzzles-sub-12x12"),
        ("1:17 a/b.txt#3", "1-17-a-b-3"),
        ("/tmp/橋.has", "tmp-橋"),
        ("../../x", "x"),
        ("-", "puzzle"),
        ("CON.\udcff\x00", "CON"),
        ("1:2 " + "deep/" * 30 + "end.txt#4", "1-2-deep-deep-deep-deep---p-deep-deep-deep-deep-deep-end-4"),
    ],
)
def test_a_name_becomes_a_safe_one(name: str, stem: str) -> None:
    assert file_name(name) == stem


@given(st.text(max_size=300))
def test_no_name_leaves_the_folder_or_is_too_long(name: str) -> None:
    stem = file_name(name)
    assert stem
    assert not set(stem) & set('/\\:*?"<>|\0 ')
    assert not stem.startswith((".", "-"))
    assert len(f"{stem}-1000000.svg".encode()) < 255


@pytest.mark.parametrize("kind", [PictureFormat.SVG, PictureFormat.PNG])
def test_pictures_of_ours_are_replaced(tmp_path: Path, kind: PictureFormat) -> None:
    path = tmp_path / "a"
    write(path, Brush(kind).draw(PUZZLE, None, title="x" * 500), force=False)
    write(path, b"other", force=False)
    assert path.read_bytes() == b"other"
    with pytest.raises(UsageError, match="no picture that Kakehashi drew: --force replaces it"):
        write(path, b"new", force=False)
    write(path, b"new", force=True)
    assert [item.name for item in tmp_path.iterdir()] == ["a"]


def test_what_is_no_regular_file_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("/dev/null")
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "link", "pipe"):
        with pytest.raises(UsageError, match=f"{name}' exists and is no regular file"):
            write(tmp_path / name, b"new", force=True)
    with pytest.raises(UsageError, match="cannot be written: No such file or directory"):
        write(tmp_path / "no" / "a", b"new", force=True)


def test_names_that_differ_in_capitals_alone_are_told_apart(tmp_path: Path) -> None:
    folder = Folder(tmp_path, ".svg", force=False)
    for name in ("a.txt", "A.txt", "a#2"):
        folder.put(name, b"kakehashi")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["A-2.svg", "a-2-2.svg", "a.svg"]
    assert folder.count == 3
