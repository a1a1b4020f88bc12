"""Damage for texts and archives: the ways in which `scripts/fuzz_formats.py` changes a file."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    Mutation = Callable[[random.Random, bytes, Sequence[bytes]], bytes]

LARGEST = 2 * 1024 * 1024
"""A mutation makes a text no longer than that."""

NUMBERS = (
    b"0",
    b"-1",
    b"9",
    b"17",
    b"255",
    b"1000",
    b"1001",
    b"65536",
    b"999999999",
    b"4294967296",
    b"1e9",
    b"9" * 5000,
)
PIECES = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\n\n", b" ", b"\t", b",", b";", b'"', b"[", b"{", b"}]", b'{"a":',
    b"?", b"#", b"%", b"/*", b"(", b"null", b"NaN", "\u2028\u00a0".encode(), b"[problem]\n", b"pzprv3/", b"7x7:",
    b"https://puzz.link/p?hashi/", b"SAVEFILE:41:Simon Tatham's Portable Puzzle Collection\n", b"\x1f\x8b\x08",
    b"PK\x03\x04",
)  # fmt: skip


def _place(rng: random.Random, data: bytes) -> int:
    return rng.randint(0, len(data))


def _span(rng: random.Random, data: bytes) -> tuple[int, int]:
    start = _place(rng, data)
    return start, min(len(data), start + int(rng.expovariate(0.02)) + 1)


def flip(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Change some bytes."""
    changed = bytearray(data)
    for _k in range(rng.choice((1, 1, 2, 8))):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256) if rng.random() < 0.3 else rng.randrange(32, 127)
    return bytes(changed)


def cut(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Leave the end, the beginning or something in between out."""
    start, end = _span(rng, data)
    return rng.choice((data[:start], data[start:], data[:start] + data[end:]))


def repeat(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Write something several times, often or very often."""
    start, end = _span(rng, data)
    times = min(rng.choice((1, 2, 10, 1000, 100_000)), LARGEST // (end - start + 1))
    return data[:start] + data[start:end] * times + data[start:]


def splice(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Put a part of another text in."""
    other = rng.choice(others)
    start, end = _span(rng, other)
    at = _place(rng, data)
    return data[:at] + (other if rng.random() < 0.2 else other[start:end]) + data[at:]


def insert(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Put something in that means something somewhere, once or many times."""
    at = _place(rng, data)
    return data[:at] + rng.choice(PIECES) * rng.choice((1, 1, 1, 2, 2000, 200_000)) + data[at:]


def number(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Replace a number: sizes are blown up."""
    places = [k for k in range(min(len(data), 2000)) if data[k : k + 1].isdigit()]
    if not places:
        return data
    start = end = rng.choice(places[:8] if rng.random() < 0.5 else places)
    while data[end : end + 1].isdigit():
        end += 1
    return data[:start] + rng.choice(NUMBERS) + data[end:]


def lines(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Shuffle, drop or double lines, or change their ends."""
    parts = data.split(b"\n")
    at = rng.randrange(len(parts))
    match rng.randrange(5):
        case 0:
            rng.shuffle(parts)
        case 1:
            del parts[at]
        case 2:
            parts.insert(at, rng.choice(parts))
        case 3:
            return data.replace(b"\n", rng.choice((b"\r", b"\r\n", b"", b"\n\n", b" \t\n", b"/")))
        case _:
            parts = [line[: rng.randint(0, len(line))] if k == at else line for k, line in enumerate(parts)]
    return b"\n".join(parts)


def encode(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """The text in another encoding."""
    return data.decode("latin-1").encode(rng.choice(("utf-16", "utf-16-le", "utf-32", "utf-7", "utf-8", "utf-8-sig")))


MUTATIONS: tuple[Mutation, ...] = (flip, flip, cut, cut, repeat, splice, insert, number, number, lines, encode)


def mutated(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """The data after some mutations, or none."""
    for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 3, 8))):
        data = rng.choice(MUTATIONS)(rng, data, others)[:LARGEST]
    return data


def packed(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """An archive with the data and others in it."""
    way = rng.randrange(6)
    if way < 3:
        return (gzip.compress, bz2.compress, _xz)[way](data)
    members = [data, *rng.choices(others, k=rng.randrange(4))]
    names = [rng.choice(("a.txt", "b/c.json", "../x", "README", "d.has.gz", "e", "\u00e4" * 120)) for _ in members]
    archive = rng.choice((_zip, _tar))(rng, list(zip(names, members, strict=True)))
    return gzip.compress(archive) if rng.random() < 0.2 else archive


def _xz(data: bytes) -> bytes:
    return lzma.compress(data, preset=0)


def _zip(rng: random.Random, members: Sequence[tuple[str, bytes]]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for name, data in dict(members).items():
            archive.writestr(name, data)
    return file.getvalue()


def _tar(rng: random.Random, members: Sequence[tuple[str, bytes]]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=rng.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT))) as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            info.type = rng.choice((b"0", b"0", b"0", b"1", b"2", b"S", b"x"))
            archive.addfile(info, io.BytesIO(data))
    return file.getvalue()
