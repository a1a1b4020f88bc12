"""Several hosts on one machine: network namespaces, and a switch between them whose cables can be cut or be bad.

The kernel's own means (`tc netem`) are not in every kernel; a switch in user space needs `/dev/net/tun` alone.
"""

from __future__ import annotations

import contextlib
import fcntl
import heapq
import itertools
import os
import random
import select
import struct
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

_TUNSETIFF = 0x400454CA
_TAP = 0x0002 | 0x1000  # ethernet frames, with nothing before them
_FRAME_BYTES = 2048


@dataclass
class Cable:
    """What is between a host and the switch; may be changed at any time.

    Attributes:
        cut: nothing comes through, and nobody is told.
        delay: seconds that each frame takes, either way.
        loss: how many of a frame get lost, 0 to 1.
    """

    file: int
    cut: bool = False
    delay: float = 0.0
    loss: float = 0.0


class Network:
    """A switch, with this machine at `HOST`, where the services listen. Skips the test of whoever is not root."""

    HOST = "198.18.77.1"  # of the range that is set aside for tests of networks (RFC 2544)

    def __init__(self) -> None:
        if os.geteuid() != 0 or not Path("/dev/net/tun").exists():
            pytest.skip("only root may make network namespaces, and /dev/net/tun has to be there")
        self._names: list[str] = []
        self._cables: list[Cable] = []
        self._rng = random.Random(1)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._switch, name="switch", daemon=True)

    def __enter__(self) -> Self:
        self._plug_in(f"{self.HOST}/24", ())
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        for cable in self._cables:
            os.close(cable.file)
        for name in self._names:
            subprocess.run(["ip", "netns", "delete", name], check=True)

    def host(self) -> tuple[Sequence[str], Cable]:
        """A new host: what a command has to begin with to run on it, and its cable."""
        number = len(self._cables) + 1
        name = f"kakehashi-{os.getpid()}-{number}"
        subprocess.run(["ip", "netns", "add", name], check=True)
        self._names.append(name)
        inside = ("ip", "netns", "exec", name)
        return inside, self._plug_in(f"198.18.77.{number}/24", inside)

    def _plug_in(self, address: str, inside: Sequence[str]) -> Cable:
        file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        device = f"kk{os.getpid()}x{len(self._cables)}"
        fcntl.ioctl(file, _TUNSETIFF, struct.pack("16sH", device.encode(), _TAP))
        if inside:
            subprocess.run(["ip", "link", "set", device, "netns", inside[-1]], check=True)
            subprocess.run([*inside, "ip", "link", "set", "lo", "up"], check=True)
        subprocess.run([*inside, "ip", "address", "add", address, "dev", device], check=True)
        subprocess.run([*inside, "ip", "link", "set", device, "up"], check=True)
        cable = Cable(file)
        self._cables.append(cable)
        return cable

    def _switch(self) -> None:
        """Hand each frame to everybody else: hosts leave alone what is not for them."""
        under_way: list[tuple[float, int, Cable, bytes]] = []
        numbers = itertools.count()
        while not self._ended.is_set():
            cables = {cable.file: cable for cable in self._cables}
            pause = max(0.0, under_way[0][0] - time.monotonic()) if under_way else 0.1
            for file in select.select(list(cables), [], [], min(pause, 0.1))[0]:
                frame = os.read(file, _FRAME_BYTES)
                for other in cables.values():
                    if other.file != file and self._passes(cables[file]) and self._passes(other):
                        due = time.monotonic() + cables[file].delay + other.delay
                        heapq.heappush(under_way, (due, next(numbers), other, frame))
            while under_way and under_way[0][0] <= time.monotonic():
                _, _, cable, frame = heapq.heappop(under_way)
                with contextlib.suppress(OSError):  # its buffer is full, or it is down: a frame is lost
                    os.write(cable.file, frame)

    def _passes(self, cable: Cable) -> bool:
        return not cable.cut and self._rng.random() >= cable.loss
