"""The Typer application: all commands, and one place where errors become exit codes.

Exit codes: 0 every puzzle was decided (for `solve`: solved; for `check`: right), 1 some were not, 2 usage, 3 the broker
or the database is unreachable or cannot be used, 130 interrupted. Commands live in modules of their own and import what
they need when they run, so that `kakehashi solve` does not pay for Celery.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from kakehashi.cli import (
    batches,
    convert,
    doctor,
    duplicates,
    export,
    fleet,
    local,
    maintenance,
    pictures,
    puzzles,
    status,
)
from kakehashi.cli.exits import INTERRUPTED, UNDECIDED, UNREACHABLE, USAGE
from kakehashi.cli.output import note
from kakehashi.errors import KakehashiError, ServiceUnreachable, UsageError
from kakehashi.storage.errors import StorageError
from kakehashi.worker.interrupts import handled

if TYPE_CHECKING:
    from typer import Context


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""A disk without room, a user without, a file that may not become larger."""


def _interrupt() -> None:
    raise KeyboardInterrupt


def _close_output() -> None:
    """Drop what was not written yet: Python would complain once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Group(TyperGroup):
    """Turns the errors that a person can mend into one sentence and an exit code."""

    def invoke(self, ctx: Context) -> Any:  # type: ignore[override]
        try:
            with handled(_interrupt):  # a polite kill is no worse than Ctrl-C: what was begun is cleared away
                return super().invoke(ctx)
        except UsageError as error:
            code, message = USAGE, str(error)
        except (ServiceUnreachable, StorageError) as error:
            code, message = UNREACHABLE, str(error)
        except KakehashiError as error:
            code, message = UNDECIDED, str(error)
        except KeyboardInterrupt:
            code, message = INTERRUPTED, "interrupted"
        except MemoryError:
            code, message = UNDECIDED, "out of memory: this takes more than the machine has, or than `ulimit` allows"
        except BrokenPipeError:  # whoever read our output has seen enough
            _close_output()
            raise typer.Exit(0) from None
        except OSError as error:
            if error.errno not in _FULL:
                raise
            _close_output()
            code, message = USAGE, f"the output cannot be written: {error.strerror}"
        note(f"kakehashi: {message}")
        raise typer.Exit(code)


app = typer.Typer(
    cls=_Group,
    help="Solve Hashiwokakero (Bridges) puzzles: one at once, or a million through a fleet of workers.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"kakehashi {version('kakehashi')}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


for _module in (puzzles, pictures, convert, local, fleet, status, batches, export, duplicates, maintenance, doctor):
    _module.add_to(app)
