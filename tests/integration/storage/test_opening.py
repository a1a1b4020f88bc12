from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from kakehashi.errors import KakehashiError, ServiceUnreachable, UsageError
from kakehashi.storage import Repository, StorageError, WrongVersion, migrate
from tests.support.storing import fill, outcomes, take

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def stamp(path: Path, version: str) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (version,))
    connection.close()


def test_a_new_file_is_made_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    assert migrate.current(str(path)) is None
    with Repository(str(path), create=True) as repository:
        assert repository.latest_batch() is None
    assert migrate.current(f"sqlite:///{path}") == migrate.HEAD
    with Repository(str(path)):
        pass
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_a_missing_file_is_not_made_by_accident(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    with pytest.raises(
        StorageError, match=r"there is no database .*new\.db yet: `kakehashi run` and `kakehashi db upgrade` make them"
    ):
        Repository(str(path))
    assert not path.exists()


def test_a_database_without_tables(tmp_path: Path, postgresql_url_without_tables: str) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    for url in (str(path), postgresql_url_without_tables):
        with pytest.raises(StorageError, match=r"has no tables yet: .*kakehashi db upgrade"):
            Repository(url)
        assert migrate.current(url) is None
        with Repository(url, create=True) as repository:
            assert repository.create_batch("b", {}) == 1


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "newer.db"
    migrate.upgrade(str(path))
    stamp(path, "9999")
    for create in (False, True):
        with pytest.raises(StorageError, match=r"made by a newer version of kakehashi .*9999.*: upgrade the program"):
            Repository(str(path), create=create)


def test_an_older_schema_says_how_to_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "older.db"
    migrate.upgrade(str(path))
    stamp(path, "0001")
    for create in (False, True):
        with pytest.raises(
            StorageError, match=f"older schema 0001, this program needs {migrate.HEAD}: run `kakehashi db upgrade`"
        ):
            Repository(str(path), create=create)


@pytest.fixture
def upgraded(repository: Repository) -> Iterator[Repository]:
    """A repository whose database got a newer schema after it was opened; the worker in it holds shard 1 of 3."""
    fill(repository, 10, shard=4)
    take(repository, 1, lease=-1.0)
    set_version(repository, "9999")
    yield repository
    set_version(repository, migrate.HEAD)  # the next test may use the same database


def set_version(repository: Repository, version: str) -> None:
    statement = text("UPDATE alembic_version SET version_num = :version")
    repository._db.write(lambda connection: connection.execute(statement, {"version": version}))


@pytest.mark.parametrize(
    "call",
    [
        lambda repository: repository.claim(2, "worker", 60.0),
        lambda repository: repository.claim(1, "worker", 60.0),
        lambda repository: repository.due_bells(9),
        lambda repository: repository.expire_leases(),
        lambda repository: repository.pull_back(15.0, 60.0),
    ],
    ids=["claim", "claim of a dead worker's", "due_bells", "expire_leases", "pull_back"],
)
def test_a_worker_leaves_a_database_alone_that_is_upgraded_under_it(
    upgraded: Repository, call: Callable[[Repository], object]
) -> None:
    with pytest.raises(WrongVersion, match=r"made by a newer version of kakehashi .*9999.*: upgrade the program"):
        call(upgraded)
    progress = upgraded.progress(1)
    assert (progress.shards_open, progress.shards_leased) == (3, 1)


def test_what_is_in_hand_when_the_database_is_upgraded_is_still_written(repository: Repository) -> None:
    fill(repository, 4)
    claim = take(repository)
    set_version(repository, "9999")
    try:
        repository.extend(claim, 60.0)
        repository.finish(claim, outcomes(claim))
        assert repository.progress(1).finished
    finally:
        set_version(repository, migrate.HEAD)


def test_a_closed_port(recwarn: pytest.WarningsRecorder) -> None:
    with pytest.raises(ServiceUnreachable) as raised:
        Repository("postgresql://me:tops3cret@127.0.0.1:1/puzzles?application_name=x")
    message = str(raised.value)
    assert "postgresql://me:***@127.0.0.1:1/puzzles does not answer: " in message
    assert "refused" in message.lower()
    assert message.endswith("or name a file to use SQLite")
    assert "tops3cret" not in message
    assert "\n" not in message


def test_a_host_that_does_not_exist() -> None:
    with pytest.raises(ServiceUnreachable, match="does not answer"):
        Repository("postgres://me@host.invalid/puzzles")


def test_a_database_that_does_not_exist(postgresql_url: str) -> None:
    with pytest.raises(ServiceUnreachable, match='"nowhere" does not exist'):
        Repository(postgresql_url.replace("/shared", "/nowhere"))


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(KakehashiError, match="does its folder exist") as raised:
        Repository(str(tmp_path / "no" / "where.db"), create=True)
    assert "\n" not in str(raised.value)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database at all\n" * 100)
    for create in (False, True):
        with pytest.raises(StorageError, match=r"notes\.txt is not an SQLite database"):
            Repository(str(path), create=create)
    with pytest.raises(KakehashiError):
        Repository(str(tmp_path), create=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_not_be_written(sqlite_url: str) -> None:
    path = sqlite_url.removeprefix("sqlite:///")
    os.chmod(path, 0o400)  # noqa: PTH101
    with Repository(sqlite_url) as repository, pytest.raises(StorageError, match="readonly"):
        repository.create_batch("b", {})


@pytest.mark.parametrize(
    "url",
    ["", "  ", "mysql://me@host/x", "sqlite://", "sqlite:///:memory:", "http://x", "postgresql://me:x@host:port/x"],
)
def test_addresses_that_make_no_sense(url: str) -> None:
    with pytest.raises(UsageError, match=r"expected|has to be a file") as raised:
        Repository(url)
    assert ":x@" not in str(raised.value)


def test_a_missing_driver_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(UsageError, match=r"pip install 'kakehashi\[postgres\]'"):
        Repository("postgresql://me@host/x")


def test_opening_does_not_import_alembic(sqlite_url: str) -> None:
    code = (
        f"import sys; from kakehashi.storage import Repository; Repository({sqlite_url!r}).close(); "
        "sys.exit(sorted(set(sys.modules) & {'alembic', 'tenacity', 'psycopg'}) != [])"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(("mask", "mode"), [("077", 0o600), ("022", 0o644)])
def test_a_file_is_as_private_as_its_owner_wants_files_to_be(tmp_path: Path, mask: str, mode: int) -> None:
    code = f"import os; os.umask(0o{mask}); from kakehashi.storage.migrate import upgrade; upgrade('x.db')"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {"x.db": mode}
