"""The engine: which database, how transactions begin, what is tried again, and which clock is asked.

Make a `Database` after a fork, never before: a pool of connections does not survive one.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Double, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from kakehashi.errors import KakehashiError, ServiceUnreachable, UsageError
from kakehashi.storage.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection, Engine

T = TypeVar("T")

IDLE_SECONDS = 30
"""How long a client of PostgreSQL may stand still within a transaction. One that was frozen, or cut off, would keep its
locks for two hours otherwise."""

BUSY_TIMEOUT = 30.0
"""Seconds that SQLite waits for another writer to end."""

_TRY_AGAIN = ("08", "53", "57P")
"""SQLSTATE classes of PostgreSQL that pass: connection, resources, shutdown."""

_BUSY = ("40", "55P03")
"""Those that somebody else's work is the reason of: rollback, lock not available."""


class now(FunctionElement[float]):  # noqa: N801 (an SQL function)
    """Seconds since the epoch by the database's clock, the moment this very statement runs."""

    type = Double()
    inherit_cache = True


@compiles(now, "sqlite")
def _now_sqlite(*_: Any, **__: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(now, "postgresql")
def _now_postgresql(*_: Any, **__: Any) -> str:
    return "CAST(EXTRACT(epoch FROM clock_timestamp()) AS DOUBLE PRECISION)"


def parse_url(text: str) -> URL:
    """Read `sqlite:///PATH`, `postgresql://...` (or `postgres://`), or a bare path of an SQLite file.

    Raises:
        UsageError: it is none of these.
    """
    expected = "expected sqlite:///PATH, a path, or postgresql://USER@HOST/NAME"
    if not text.strip():
        raise UsageError(f"the database is not named: {expected}")
    if "://" not in text:
        return URL.create("sqlite+pysqlite", database=text)
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise UsageError(f"the database's address cannot be read: {expected}") from None
    kind = url.drivername.partition("+")[0]
    if kind == "sqlite":
        if not url.database or url.database == ":memory:":
            raise UsageError("an SQLite database has to be a file: workers are processes of their own")
        return url.set(drivername="sqlite+pysqlite")
    if kind in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    raise UsageError(f"there is no support for a database of the kind {kind!r}: {expected}")


class Database:
    """An engine with two ways in, `read` and `write`; both take a function that gets a connection in a transaction.

    Attributes:
        url: the parsed address.
        engine: SQLAlchemy's engine.
        patience: seconds for which a transaction that met a passing fault (connection lost, database locked, deadlock)
            is tried again. Such a function may run more than once, so it must do nothing but talk to the database.
        on_retry: is told of each such fault.
    """

    def __init__(
        self, url: str, *, patience: float = 0.0, on_retry: Callable[[str], None] = lambda fault: None
    ) -> None:
        self.url = parse_url(url)
        self.on_retry = on_retry
        self.patience = patience
        self.sqlite = self.url.drivername.startswith("sqlite")
        self.engine = _sqlite_engine(self.url) if self.sqlite else _postgresql_engine(self.url)
        if self.sqlite:
            self._writing: Engine = self.engine.execution_options(begin="BEGIN IMMEDIATE")
            self._reading: Engine = self.engine
        else:
            self._writing = self.engine
            self._reading = self.engine.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )  # one snapshot for all statements of a read, as SQLite has it

    @property
    def shown(self) -> str:
        """The address fit for a message: no password, no parameters."""
        if self.sqlite:
            return str(self.url.database)
        return self.url.set(query={}, drivername="postgresql").render_as_string(hide_password=True)

    @property
    def path(self) -> Path | None:
        """The file of an SQLite database."""
        return Path(str(self.url.database)) if self.sqlite else None

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in a transaction that sees one state of the database.

        Raises:
            ServiceUnreachable: the database does not answer, `patience` included.
            StorageError: the database answers, but cannot be used.
        """
        return self._run(self._reading, work)

    def write(self, work: Callable[[Connection], T], *, patience: float | None = None) -> T:
        """Run `work` in a transaction that may write; it is committed when `work` returns. Raises as `read` does.

        `patience` may be less than the database's own for a write that must not take long; then it waits no longer for
        another writer of an SQLite file, or of a row, either.
        """
        engine = self._writing
        if patience is not None:
            engine = engine.execution_options(wait=patience)
        return self._run(engine, work, patience)

    def prepare(self) -> None:
        """Switch an SQLite file to write-ahead logging, which it remembers: readers and the writer go on together.

        It cannot be done within a transaction, and needs a moment in which nobody else uses the file.
        """
        if not self.sqlite:
            return
        try:
            connection = self.engine.raw_connection()
            try:
                connection.cursor().execute("PRAGMA journal_mode=WAL")
            finally:
                connection.close()
        except DBAPIError as error:
            raise self._explain(error)[0] or error from error
        except sqlite3.Error as error:
            raise self._explain_sqlite(error, str(error))[0] or error from error

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def _run(self, engine: Engine, work: Callable[[Connection], T], patience: float | None = None) -> T:
        waits = self.sqlite or patience is not None
        patience = self.patience if patience is None else min(patience, self.patience)
        began = time.monotonic()
        try:
            return self._once(engine, work)
        except _PassingFault as fault:
            if waits:  # a lock was waited for already
                patience -= time.monotonic() - began
            if patience <= 0:
                raise fault.outcome from fault.__cause__
            self.on_retry(str(fault))
        import tenacity  # only when something failed: the import is no part of the normal path

        again = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(_PassingFault),
            wait=tenacity.wait_random_exponential(multiplier=0.05, max=2.0),
            stop=tenacity.stop_after_delay(patience),
            before_sleep=lambda state: self.on_retry(str(state.outcome and state.outcome.exception())),
            reraise=True,
        )
        try:
            return again(self._once, engine, work)  # type: ignore[no-any-return]
        except _PassingFault as fault:
            raise fault.outcome from fault.__cause__

    def _once(self, engine: Engine, work: Callable[[Connection], T]) -> T:
        try:
            with engine.begin() as connection:
                return work(connection)
        except DBAPIError as error:
            outcome, passing = self._explain(error)
            if outcome is None:
                raise
            if passing:
                raise _PassingFault(outcome) from error
            raise outcome from error

    def _explain(self, error: DBAPIError) -> tuple[KakehashiError | None, bool]:
        """What to raise instead (None: the error itself, it is a bug), and whether trying again may help."""
        detail = (str(error.orig).strip().splitlines() or ["no reason given"])[0]
        if isinstance(error.orig, sqlite3.Error):
            return self._explain_sqlite(error.orig, detail)
        state = str(getattr(error.orig, "sqlstate", None) or "")
        if state.startswith(_BUSY):
            return ServiceUnreachable(f"the database {self.shown} is busy: {detail}; try again"), True
        if error.connection_invalidated or state.startswith(_TRY_AGAIN):
            return self._away(detail), True
        if isinstance(error, OperationalError):
            return self._away(detail), not state
        return None, False

    def _explain_sqlite(self, error: sqlite3.Error, detail: str) -> tuple[KakehashiError | None, bool]:
        code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return self._away(detail), True
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):  # a full disk is either; somebody may make room
            return ServiceUnreachable(
                f"the database {self.shown} cannot be written: {detail}; make room on its disk, or mend it"
            ), True
        if code == sqlite3.SQLITE_NOTADB:
            return StorageError(f"{self.shown} is not an SQLite database: check --db / KAKEHASHI_DB"), False
        if code == sqlite3.SQLITE_CANTOPEN:
            return self._away(f"{detail}; does its folder exist, and may it be written?"), False
        if isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError:
            if code == sqlite3.SQLITE_ERROR:  # an SQL error: a bug of ours
                return None, False
            return StorageError(f"the database {self.shown} cannot be used: {detail}"), False
        return None, False

    def _away(self, detail: str) -> ServiceUnreachable:
        if self.sqlite:
            return ServiceUnreachable(
                f"the database {self.shown} cannot be used now: {detail}; check --db / KAKEHASHI_DB"
            )  # fmt: skip
        return ServiceUnreachable(
            f"the database {self.shown} does not answer: {detail}; start PostgreSQL (your system's service, or "
            "`docker compose up --detach postgres`), check --db / KAKEHASHI_DB, or name a file to use SQLite"
        )


class _PassingFault(Exception):
    """A fault that may pass; `outcome` is what to raise when it does not."""

    def __init__(self, outcome: KakehashiError) -> None:
        super().__init__(str(outcome))
        self.outcome = outcome


def _sqlite_engine(url: URL) -> Engine:
    # The driver is told to leave transactions alone, and they are begun here: BEGIN IMMEDIATE for writers, since a
    # transaction that reads first and writes later fails at once when another writer came between.
    longest = float(str(url.query.get("timeout", BUSY_TIMEOUT)))
    engine = create_engine(url, connect_args={"isolation_level": None, "timeout": longest})

    @event.listens_for(engine, "connect")
    def connected(connection: Any, _: Any) -> None:
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA synchronous=NORMAL")  # with WAL: a power cut may lose the last commits, no more

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        driver: Any = connection.connection.driver_connection
        wait = min(options.get("wait", longest), longest)
        if wait < longest:
            driver.execute(f"PRAGMA busy_timeout = {1000 * wait:.0f}")
        try:
            connection.exec_driver_sql(options.get("begin", "BEGIN"))
        finally:
            if wait < longest:
                driver.execute(f"PRAGMA busy_timeout = {1000 * longest:.0f}")

    return engine


def _postgresql_engine(url: URL) -> Engine:
    arguments = {
        "connect_timeout": 10,
        "application_name": "kakehashi",
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 30_000,  # ms; without it a cut cable is noticed after a quarter of an hour
    }
    given = {name: value for name, value in arguments.items() if name not in url.query}
    try:
        engine = create_engine(url, connect_args=given, pool_pre_ping=True)
    except ModuleNotFoundError as error:
        raise UsageError(
            "PostgreSQL needs the driver psycopg, which is not installed: pip install 'kakehashi[postgres]'"
        ) from error

    @event.listens_for(engine, "connect")
    def connected(connection: Any, _: Any) -> None:
        # Not by the parameter `options` of the connection, which PgBouncer may refuse.
        connection.execute(f"SET idle_in_transaction_session_timeout = '{IDLE_SECONDS}s'")
        connection.commit()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if wait := connection.get_execution_options().get("wait"):
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{1000 * wait:.0f}ms'")

    return engine
