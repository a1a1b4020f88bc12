from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
import zipfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kakehashi.cli.zip_stream import ZipStream

if TYPE_CHECKING:
    from pathlib import Path

FILES = {"a.txt": b"a" * 1000, "00/b-橋.txt": b"", "00/c.bin": bytes(range(256))}


def written(files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with ZipStream(target) as archive:
        for name, data in files.items():
            archive.add(name, data)
    return target.getvalue()


def read_back(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {info.filename: archive.read(info) for info in archive.infolist()}


@given(st.dictionaries(st.text("abcé/ .", min_size=1), st.binary()))
def test_what_goes_in_comes_out(files: dict[str, bytes]) -> None:
    assert read_back(written(files)) == files


def test_the_same_files_make_the_same_archive() -> None:
    assert written(FILES) == written(FILES)
    with zipfile.ZipFile(io.BytesIO(written(FILES))) as archive:
        assert {info.external_attr >> 16 for info in archive.infolist()} == {0o100644}


def test_more_files_than_the_old_format_counts() -> None:
    files = {f"{number}.txt": b"" for number in range(70_000)}
    data = written(files)
    assert data.count(b"PK\x06\x06") == 1
    assert read_back(data) == files


def test_places_beyond_four_gigabytes(tmp_path: Path) -> None:
    """Behind a hole of five gigabytes, which takes no room on the disk."""
    with (tmp_path / "huge.zip").open("wb") as target:
        target.seek(5 * 2**30)
        with ZipStream(target) as archive:
            archive._at = 5 * 2**30
            for name, data in FILES.items():
                archive.add(name, data)
    with zipfile.ZipFile(tmp_path / "huge.zip") as found:
        assert {info.filename: found.read(info) for info in found.infolist()} == FILES
        assert min(info.header_offset for info in found.infolist()) == 5 * 2**30


def test_a_failure_leaves_no_directory_behind() -> None:
    target = io.BytesIO()

    def fail() -> None:
        with ZipStream(target) as archive:
            archive.add("a", b"a")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert not zipfile.is_zipfile(io.BytesIO(target.getvalue()))


@pytest.mark.skipif(shutil.which("unzip") is None, reason="there is no unzip")
def test_another_program_reads_it(tmp_path: Path) -> None:
    with tempfile.NamedTemporaryFile(dir=tmp_path, suffix=".zip") as file:
        file.write(written(FILES))
        file.flush()
        subprocess.run(["unzip", "-tq", file.name], check=True, capture_output=True)
