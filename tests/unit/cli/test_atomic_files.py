from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from kakehashi.cli.atomic_files import whole_file, whole_folder
from kakehashi.errors import UsageError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def fail_in(place: AbstractContextManager[Path]) -> None:
    """Write half of it, and fail."""
    with place as part:
        (part / "a" if part.is_dir() else part).write_text("half")
        raise RuntimeError


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    with whole_file(target, force=False) as part:
        part.write_text("whole")
        assert not target.exists()
    assert target.read_text() == "whole"
    assert names(tmp_path) == ["out.txt"]


def test_after_an_error_nothing_is_there(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        fail_in(whole_file(tmp_path / "out.txt", force=False))
    with pytest.raises(RuntimeError):
        fail_in(whole_folder(tmp_path / "out", force=False))
    assert names(tmp_path) == []


def test_a_file_that_is_there_is_kept_unless_forced(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")
    with pytest.raises(UsageError, match="there already"), whole_file(target, force=False):
        pass
    with pytest.raises(RuntimeError):
        fail_in(whole_file(target, force=True))
    assert target.read_text() == "old"
    with whole_file(target, force=True) as part:
        part.write_text("new")
    assert target.read_text() == "new"


def test_a_link_stays_and_a_device_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    with whole_file(tmp_path / "link.txt", force=True) as part:
        part.write_text("new")
    assert (tmp_path / "real.txt").read_text() == "new"
    assert names(tmp_path) == ["link.txt", "real.txt"]
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="no ordinary file"), whole_file(tmp_path / "pipe", force=True):
        pass


def test_a_folder_appears_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.mkdir()  # empty: it may be taken
    with whole_folder(target, force=False) as folder:
        (folder / "a").write_text("a")
        assert names(target) == []
    assert names(target) == ["a"]
    with pytest.raises(UsageError, match="there already"), whole_folder(target, force=False):
        pass
    with whole_folder(target, force=True) as folder:
        (folder / "b").write_text("b")
    assert names(target) == ["a", "b"]


def test_the_wrong_kind_of_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="is a folder"), whole_file(tmp_path, force=True):
        pass
    with pytest.raises(UsageError, match="is a file"), whole_folder(tmp_path / "file", force=True):
        pass
    with pytest.raises(UsageError, match="cannot be written"), whole_folder(tmp_path / "no" / "out", force=True):
        pass
    with (
        pytest.raises(UsageError, match="cannot be written"),
        whole_file(tmp_path / "no" / "out", force=True) as part,
    ):
        part.write_text("x")


def test_a_link_that_waits_under_the_name_of_a_part_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda size: "known")
    (tmp_path / ".out.known.part").symlink_to(tmp_path / "victim")
    with pytest.raises(UsageError, match="cannot be written: File exists"), whole_file(tmp_path / "out", force=True):
        pytest.fail("there is nothing to write to")
    assert not (tmp_path / "victim").exists()
