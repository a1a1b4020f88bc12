"""Containers: what comes out of archives, under which names, and what is said of those that are broken or mean harm."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import tarfile
import tracemalloc
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kakehashi.formats import Limits, read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kakehashi.formats import Entry

ONE = b"1 0 1\n"
TWO = b"1 0 1\n\n2 0 2\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return file.getvalue()


def tarred(*members: tuple[str, bytes], mode: str = "w", format: int = tarfile.PAX_FORMAT, kind: bytes = b"0") -> bytes:  # noqa: A002
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode, format=format) as archive:  # type: ignore[call-overload]
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size, info.type = len(data), kind
            archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def found(data: bytes, name: str = "a", **options: Any) -> list[str]:
    """The names of the puzzles, and the errors."""
    Path(name).write_bytes(data)
    return [told(entry) for entry in read(name, **options)]


def told(entry: Entry) -> str:
    assert (entry.puzzle is None) != (entry.error is None)
    return entry.name if entry.error is None else str(entry.error)


FILES = (("b.txt", ONE), ("dir/a.txt", TWO))
NAMES = ["!b.txt", "!dir/a.txt#1", "!dir/a.txt#2"]


@pytest.mark.parametrize(
    "data",
    [
        zipped(*FILES),
        zipped(*FILES, method=zipfile.ZIP_STORED),
        tarred(*FILES),
        tarred(*FILES, format=tarfile.GNU_FORMAT),
        tarred(*FILES, format=tarfile.USTAR_FORMAT),
        tarred(*FILES, mode="w:gz"),
        tarred(*FILES, mode="w:bz2"),
        tarred(*FILES, mode="w:xz"),
    ],
)
def test_files_in_archives_come_in_their_order_under_both_names(data: bytes) -> None:
    assert found(data, "a.any") == ["a.any" + name for name in NAMES]


PACKERS: list[Callable[[bytes], bytes]] = [gzip.compress, bz2.compress, lzma.compress]


@pytest.mark.parametrize("pack", PACKERS)
def test_one_file_that_is_compressed_keeps_its_name(pack: Callable[[bytes], bytes]) -> None:
    assert found(pack(TWO), "a.txt.gz") == ["a.txt.gz#1", "a.txt.gz#2"]
    assert found(pack(ONE) + pack(b"\n" + ONE), "a.txt.gz") == ["a.txt.gz#1", "a.txt.gz#2"], "streams joined"
    assert found(pack(b"")) == ["a: the file is empty"]


@pytest.mark.parametrize("pack", PACKERS)
def test_a_compressed_file_in_an_archive_is_unpacked_an_archive_is_not(pack: Callable[[bytes], bytes]) -> None:
    inner = pack(TWO)
    refused = "an archive inside an archive is not read: unpack it and give the folder"
    for outer in (zipped, tarred):
        assert found(outer(("x.gz", inner), ("y.gz", pack(tarred(("z", ONE)))), ("z.txt", ONE))) == [
            "a!x.gz#1",
            "a!x.gz#2",
            f"a!y.gz: {refused}",
            "a!z.txt",
        ]
        assert found(outer(("x.zip", zipped(("y", ONE))), ("x.tar", tarred(("y", ONE))))) == [
            f"a!x.zip: {refused}",
            f"a!x.tar: {refused}",
        ]
    assert found(pack(inner)) == [f"a: {refused}"]


def test_the_suffix_inside_decides() -> None:
    ambiguous = b"3 3 5\n1 1 1\n0 0 0\n0 1 1\n"
    for name, data in (("a.has.gz", gzip.compress(ambiguous)), ("a.zip", zipped(("a.has", ambiguous)))):
        Path(name).write_bytes(data)
        assert [entry.note for entry in read(name)] == [None]
    assert found(ONE, "a.zip") == ["a.zip: the name ends in .zip, but it is no such archive"]


def test_archives_in_a_folder_take_their_place_in_its_order() -> None:
    Path("top").mkdir()
    for name, data in (("a.txt", ONE), ("b.zip", zipped(*FILES)), ("c.txt.gz", gzip.compress(ONE)), ("d.txt", ONE)):
        Path("top", name).write_bytes(data)
    names = ["top/a.txt", *("top/b.zip" + name for name in NAMES), "top/c.txt.gz", "top/d.txt"]
    assert [entry.name for entry in read("top")] == names
    for k in range(len(names) + 1):
        assert [entry.name for entry in read("top", skip=k)] == names[k:]


class _Pipe(io.RawIOBase):
    """Hands out some bytes at a time and cannot seek."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._data.readinto(memoryview(buffer)[:700])


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (zipped(*FILES), NAMES),
        (tarred(*FILES), NAMES),
        (tarred(*FILES, mode="w:gz"), NAMES),
        (gzip.compress(TWO), ["#1", "#2"]),
        (lzma.compress(TWO), ["#1", "#2"]),
    ],
)
def test_standard_input_may_be_packed(monkeypatch: pytest.MonkeyPatch, data: bytes, names: list[str]) -> None:
    class Stdin:
        buffer = io.BufferedReader(_Pipe(data))

    monkeypatch.setattr("sys.stdin", Stdin)
    assert [told(entry) for entry in read("-")] == ["-" + name for name in names]


def test_a_named_pipe_may_be_a_zip_file() -> None:
    os.mkfifo("pipe")
    if os.fork() == 0:  # pragma: no cover - the child
        Path("pipe").write_bytes(zipped(*FILES))
        os._exit(0)
    assert [told(entry) for entry in read("pipe")] == ["pipe" + name for name in NAMES]
    os.wait()


def test_what_is_hidden_is_passed_over_as_in_folders() -> None:
    names = (".hidden", "README", "a/README.txt", "a/.git/x", "__MACOSX/._a.txt", "notes.md", "a/b.txt", "./c.txt")
    for pack in (zipped, tarred):
        assert found(pack(*((name, ONE) for name in names))) == ["a!a/b.txt", "a!./c.txt"]
        assert found(pack((".hidden", ONE))) == ["a: there is no puzzle file in this archive"]
        assert found(pack()) in (
            ["a: there is no puzzle file in this archive"],
            ["a: byte 1 is 0: this is binary data, not a puzzle"],
        )


LEADS_OUT = "its name leads out of the archive: no such file is read"


def test_names_that_lead_out_and_names_that_come_twice() -> None:
    names = ("/etc/x", "../x", "a/../../x", "a\\..\\x", "C:\\x", "good..txt", "..", "x", "x", "y")
    with pytest.warns(UserWarning, match="Duplicate name: 'x'"):
        data = zipped(*((name, ONE) for name in names))
    expected = [
        *(f"a!{name}: {LEADS_OUT}" for name in names[:5]),
        "a!good..txt",
        f"a!..: {LEADS_OUT}",
        "a!x",
        "a!x: the archive has this name twice: only the first is read",
        "a!y",
    ]
    assert found(data) == expected
    assert found(tarred(*((name, ONE) for name in names))) == expected


def test_members_of_a_zip_file_that_are_no_readable_files() -> None:
    link, device = zipfile.ZipInfo("link"), zipfile.ZipInfo("device")
    link.external_attr, device.external_attr = 0o120777 << 16, 0o020666 << 16
    data = zipped(("folder/", b""), (link, b"good"), (device, b""), ("good", ONE))
    assert found(data) == ["a!link: a link: only regular files are read", "a!device: no regular file", "a!good"]
    assert found(zipped(("x", ONE), method=zipfile.ZIP_LZMA)) == [
        "a!x: compression method 14 is not read, only stored (0) and deflated (8)"
    ]


def test_an_encrypted_member() -> None:
    data = bytearray(zipped(("x", ONE), ("y", ONE)))
    for magic, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(magic) + flags] |= 1
    assert found(bytes(data)) == ["a!x: it is encrypted: unpack it with its password first", "a!y"]


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        (tarfile.SYMTYPE, "a link: only regular files are read"),
        (tarfile.LNKTYPE, "a link: only regular files are read"),
        (tarfile.CHRTYPE, "no regular file"),
        (tarfile.FIFOTYPE, "no regular file"),
        (b"V", "no regular file"),
        (tarfile.GNUTYPE_SPARSE, "a sparse file, which is not read: unpack the archive and give the folder"),
    ],
)
def test_members_of_a_tar_file_that_are_no_regular_files(kind: bytes, problem: str) -> None:
    data = tarred(("x", b""), kind=kind)[:512] + tarred(("y", ONE))
    assert found(data) == [f"a!x: {problem}", "a!y"]


def test_long_names_and_attributes_in_a_tar_file() -> None:
    long = "/".join(["folder" * 8] * 6) + "/ä.txt"
    for format_ in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
        assert found(tarred((long, ONE), ("b", ONE), format=format_)) == [f"a!{long}", "a!b"]


def test_a_tar_file_that_is_damaged_or_cut_short() -> None:
    whole = tarred(("x", TWO), ("y", ONE))
    assert found(whole[:1024]) == ["a!x#1", "a!x#2", "a: the archive is cut short: its end is not marked"]
    assert found(whole[: 512 + 8]) == ["a!x#1", "a!x, line 3: the archive is cut short here"]
    assert found(whole[:1024] + b"z" + whole[1025:]) == ["a!x#1", "a!x#2", "a: the archive is damaged: bad checksum"]
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 1 << 40
    assert found(info.tobuf(tarfile.GNU_FORMAT)) == [f"a: the archive is damaged: a header of {1 << 40} bytes"]
    info.size = 12
    bad = info.tobuf() + b"99 path=abc\n".ljust(512, b"\x00")
    assert found(bad + whole) == ["a: the archive is damaged: expected attributes of a file, found something else"]


def test_a_zip_file_that_is_damaged_or_cut_short() -> None:
    data = bytearray(zipped(("x", ONE), ("y", ONE), method=zipfile.ZIP_STORED))
    assert found(bytes(data[:-30])) == ["a: the archive is damaged: File is not a zip file"]
    data[data.index(ONE)] = ord("2")
    assert found(bytes(data)) == ["a!x: the archive is damaged here: Bad CRC-32 for file 'x'", "a!y"]
    data[data.index(b"PK\x03\x04", 1) + 30] = ord("z")
    assert found(bytes(data))[1].startswith("a!y: the archive is damaged here: File name in directory 'y' and header")


@pytest.mark.parametrize("pack", PACKERS)
def test_a_compressed_file_that_is_cut_short_gives_what_came_before(pack: Callable[[bytes], bytes]) -> None:
    boards = noisy_boards(130_000)
    whole = pack(boards)
    *puzzles, last = found(whole[: len(whole) - 20])
    assert len(puzzles) > 100
    assert all(entry.startswith("a#") for entry in puzzles)
    assert "the archive is damaged here: " in last
    (only,) = found(whole[:12])
    assert "the archive is damaged here: " in only


def noisy_boards(count: int) -> bytes:
    rng = random.Random(1)
    return b"".join(b"%d 0 %d\n\n" % (rng.randint(1, 8), rng.randint(1, 8)) for _ in range(count))


def test_more_than_is_allowed_is_not_unpacked() -> None:
    boards, few = noisy_boards(50_000), Limits(max_unpacked=20_000)
    told_size = "more than 20000 bytes come out of it: the rest of the archive is not read"
    for data in (
        gzip.compress(boards),
        zipped(("x", boards), ("y", ONE)),
        tarred(("x", boards), ("y", ONE), mode="w:xz"),
    ):
        *puzzles, last = found(data, limits=few)
        assert len(puzzles) < 20_000 / 7
        assert all(name.startswith(("a#", "a!x#")) for name in puzzles)
        assert told_size in last
    assert len(found(boards, limits=few)) == 50_000, "a plain file may be as large as it likes"


@pytest.mark.parametrize("pack", [*PACKERS, lambda data: zipped(("x", data), ("y", ONE))])
def test_a_bomb_is_left_alone(pack: Callable[[bytes], bytes]) -> None:
    Path("bomb").write_bytes(pack(b"0 " * 5_000_000))
    tracemalloc.start()
    entries = [told(entry) for entry in read("bomb", limits=Limits(max_bytes=1_000_000))]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    (only,) = entries
    assert "more than 200 bytes come out for each byte in it, as from a zip bomb: the rest" in only
    assert peak < 12_000_000


def test_too_many_members() -> None:
    members: Iterable[tuple[str, bytes]] = [(str(k), ONE) for k in range(5)]
    problem = "a: it has more than 4 members: the rest is not read (unpack it and give the folder)"
    assert found(zipped(*members), limits=Limits(max_members=4)) == [problem]
    assert found(tarred(*members), limits=Limits(max_members=4)) == [*(f"a!{k}" for k in range(4)), problem]
    lying = bytearray(zipped(*members))
    lying[-14:-10] = bytes(4)  # both counts
    assert found(bytes(lying), limits=Limits(max_members=4)) == [*(f"a!{k}" for k in range(4)), problem]


def test_memory_that_an_xz_file_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kakehashi.formats.unpacking._XZ_MEMORY", 1 << 20)
    assert found(lzma.compress(ONE)) == ["a: the archive is damaged here: Memory usage limit exceeded"]


@pytest.mark.parametrize("pack", [zipped, tarred, lambda *members: tarred(*members, mode="w:gz")])
def test_large_members_stream(pack: Callable[..., bytes]) -> None:
    boards = noisy_boards(20_000)
    Path("large").write_bytes(pack(("x", boards), ("y", boards)))
    tracemalloc.start()
    count = sum(entry.puzzle is not None for entry in read("large"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 40_000
    assert peak < 2_000_000


def test_other_archives_are_named() -> None:
    assert found(b"7z\xbc\xaf\x27\x1c12345678") == [
        "a: this kind of archive is not read: unpack it and give the folder"
    ]
    assert found(zipped(("x.rar", b"Rar!\x1a\x07\x00"))) == [
        "a!x.rar: this kind of archive is not read: unpack it and give the folder"
    ]
