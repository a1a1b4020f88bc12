"""A RabbitMQ that can be taken away and comes back, where it is installed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

import pytest
from kombu.connection import Connection

from tests.acceptance.place import wait
from tests.support.valkey import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

SERVER = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
"""Where Debian and its like put the script; the one in the search path insists on a user of its own."""

CONSUMER_TIMEOUT = 5.0
"""Seconds after which a bell without an acknowledgement closes the channel; half an hour by default."""


class RabbitMQ:
    """A RabbitMQ node of its own, with all its files in a temporary folder. Skips the test where there is none."""

    def __init__(self) -> None:
        if not SERVER.exists():
            pytest.skip("RabbitMQ is not installed (Debian: rabbitmq-server)")
        self._port = free_port()
        self._folder = Path(tempfile.mkdtemp(prefix="kakehashi-rabbitmq-"))
        self._server: subprocess.Popen[bytes] | None = None
        (self._folder / "rabbitmq.conf").write_text(f"consumer_timeout = {1000 * CONSUMER_TIMEOUT:.0f}\n")
        # How often it looks for consumers that take too long.
        (self._folder / "advanced.config").write_text("[{rabbit, [{channel_tick_interval, 500}]}].\n")
        self._epmd = {"ERL_EPMD_PORT": str(free_port())}
        self._environment = {
            "HOME": str(self._folder),
            "RABBITMQ_NODENAME": f"kakehashi-{self._port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self._port),
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_MNESIA_BASE": str(self._folder / "data"),
            "RABBITMQ_LOG_BASE": str(self._folder / "log"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self._folder / "plugins"),
            "RABBITMQ_CONFIG_FILE": str(self._folder / "rabbitmq"),
            "RABBITMQ_ADVANCED_CONFIG_FILE": str(self._folder / "advanced.config"),
            "RABBITMQ_CONF_ENV_FILE": os.devnull,
        }

    @property
    def url(self) -> str:
        """Its address, the same after each start."""
        return f"amqp://guest:guest@127.0.0.1:{self._port}//"

    def start(self) -> None:
        """Come up, with the messages of last time if they are still there."""
        with (self._folder / "said").open("ab") as said:
            self._server = subprocess.Popen(
                [SERVER], env=os.environ | self._environment | self._epmd, stdout=said, stderr=said,
                start_new_session=True,
            )  # fmt: skip
        wait(self._answers, bool)

    def _answers(self) -> bool:
        with contextlib.suppress(OSError), Connection(self.url, connect_timeout=2.0) as connection:
            connection.connect()
            return True
        return False

    def kill(self) -> None:
        """SIGKILL."""
        if self._server is not None:
            self._signal(signal.SIGKILL)
            self._server.wait()
            self._server = None

    def forget(self) -> None:
        """Lose what was written down; only while it is down."""
        shutil.rmtree(self._folder / "data")

    def empty(self) -> None:
        """Lose all messages that wait, while it runs."""
        with Connection(self.url) as connection, connection.channel() as channel:
            channel.queue_purge("kakehashi")

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Connections stay, and no answer comes."""
        self._signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self._server is not None
        os.killpg(self._server.pid, number)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        # The name server of Erlang is a daemon; it goes when it has seen that its node is gone.
        kill = ["epmd", "-kill"]
        environment = os.environ | self._epmd
        wait(
            lambda: subprocess.run(kill, env=environment, check=False, capture_output=True).stdout,
            lambda said: b"Killed" in said,
            10,
        )
        shutil.rmtree(self._folder)
