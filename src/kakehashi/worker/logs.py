"""Lines of a log, for people or as JSON: ours and those of the libraries, by one way, with no password in them.

Who logs uses the standard library: the event as a constant text, what it is about as fields (`extra`). structlog makes
the line, and is imported when the first one is written: that takes a third of the time that Celery takes (ADR 0018).
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
import threading
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from kakehashi.settings import LogFormat

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from structlog.typing import EventDict, Processor


LIBRARIES = ("celery", "kombu", "amqp")
"""They tell of each task and each connection at INFO; of them only warnings are worth a line."""

WIDTH = 24
"""Columns for the event in a line for people, so that the fields stand below each other."""

_fields: ContextVar[dict[str, Any]] = ContextVar("fields", default={})  # noqa: B039 - never changed in place

# A password that should have been percent-encoded may hold / and @ too: up to the last @ of the word.
_IN_URL = re.compile(r"""(://[^\s:/@?"'\\]*:)[^\s"'\\]*@""")
_NAMED = re.compile(r"""(password(?:=|\\?["']?\s?:\s?\\?["']))[^\s&"'\\,;)]+""", re.IGNORECASE)


@contextlib.contextmanager
def bound(**fields: Any) -> Iterator[None]:
    """Give these fields to every line that is logged meanwhile in this thread, whoever logs it."""
    token = _fields.set(_fields.get() | fields)
    try:
        yield
    finally:
        _fields.reset(token)


def redacted(text: str) -> str:
    """The text with the passwords of URLs and connection strings hidden."""
    return _NAMED.sub(r"\1***", _IN_URL.sub(r"\1***@", text))


def configure(level: str, form: LogFormat) -> None:
    """Send what this process logs to standard error; nothing changes where somebody has set up logging already.

    Args:
        level: the least severe level that is worth a line, such as `INFO`.
        form: how the lines look; those for people are coloured on a terminal, unless NO_COLOR is set.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(_Formatter(form, colored=sys.stderr.isatty() and not os.environ.get("NO_COLOR")))
    logging.basicConfig(level=level, handlers=[handler])
    for library in LIBRARIES:
        logging.getLogger(library).setLevel(max(logging.WARNING, logging.getLevelName(level)))
    logging.captureWarnings(capture=True)


def take_uncaught() -> None:
    """Let exceptions that nobody caught become lines of the log too, instead of tracebacks on standard error."""

    def log(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        logging.getLogger(__name__).critical("exception not caught", exc_info=(kind, error, trace))

    sys.excepthook = log
    threading.excepthook = lambda given: log(given.exc_type, given.exc_value or given.exc_type(), given.exc_traceback)


class _Formatter(logging.Formatter):
    """Hands over to structlog's formatter, which is made when the first line comes."""

    def __init__(self, form: LogFormat, *, colored: bool) -> None:
        super().__init__()
        self._form = form
        self._colored = colored
        self._inner: logging.Formatter | None = None

    def format(self, record: logging.LogRecord) -> str:
        if self._inner is None:
            self._inner = _structlog_formatter(self._form, colored=self._colored)
        return redacted(self._inner.format(record))


def _structlog_formatter(form: LogFormat, *, colored: bool) -> logging.Formatter:
    import structlog

    if form is LogFormat.JSON:
        time = structlog.processors.TimeStamper(fmt="iso")
        renderer: Processor = structlog.processors.JSONRenderer(default=str, ensure_ascii=False)
    else:
        time = structlog.processors.TimeStamper(fmt="%Y-%m-%d %H:%M:%S", utc=False)
        renderer = structlog.dev.ConsoleRenderer(colors=colored, pad_event_to=WIDTH)
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            time,
            _add_fields,
            structlog.processors.format_exc_info,
        ],
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
    )


def _add_fields(logger: Any, method: str, event: EventDict) -> EventDict:
    """Add who logs, what is bound, and what was given with the line; libraries give too much."""
    import structlog

    record: logging.LogRecord = event["_record"]
    event["pid"] = record.process
    if worker := os.environ.get("KAKEHASHI_WORKER_ID"):
        event["worker"] = worker
    event.update(_fields.get())
    if record.name.startswith("kakehashi."):
        structlog.stdlib.ExtraAdder()(logger, method, event)
    else:
        event["event"] = " ".join(event["event"].split())  # Celery's go over several lines
    return event
