"""Certificates of an authority of our own, a Redis that speaks TLS, and a front that speaks it for a PostgreSQL.

The wheels of the tests' services are built without TLS.
"""

from __future__ import annotations

import contextlib
import shutil
import socket
import ssl
import subprocess
import threading
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PASSWORD = "geheim"

_SSL_REQUEST = bytes.fromhex("0000000804d2162f")
"""What a PostgreSQL client says first when it wants TLS; the answer is an S."""


def make_certificates(folder: Path) -> None:
    """Write `ca.crt`, and `NAME.crt` with `NAME.key` for two servers: `localhost` and `elsewhere`."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl")

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=ca", "-days", "2")
    for name in ("localhost", "elsewhere"):
        (folder / "name").write_text(f"subjectAltName=DNS:{name}")
        openssl("req", *key, "-keyout", f"{name}.key", "-out", "request", "-subj", f"/CN={name}")
        openssl(
            "x509", "-req", "-in", "request", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-out", f"{name}.crt", "-extfile", "name",
        )  # fmt: skip


@contextlib.contextmanager
def redis_server(certificates: Path, name: str) -> Iterator[int]:
    """The port of a Redis that takes TLS and a password only, with the certificate of this name."""
    program = shutil.which("redis-server") or shutil.which("valkey-server")
    if program is None:
        pytest.skip("there is no redis-server")
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = int(probe.getsockname()[1])
    server = subprocess.Popen(
        [
            program, "--port", "0", "--tls-port", str(port), "--bind", "127.0.0.1", "--save", "",
            "--tls-cert-file", f"{name}.crt", "--tls-key-file", f"{name}.key", "--tls-ca-cert-file", "ca.crt",
            "--tls-auth-clients", "no", "--requirepass", PASSWORD,
        ],
        cwd=certificates,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        ends = time.monotonic() + 10
        while time.monotonic() < ends:
            if server.poll() is not None:
                pytest.skip(f"{program} was built without TLS")
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.02)
        yield port
    finally:
        server.terminate()
        server.wait()


@contextlib.contextmanager
def tls_front(certificates: Path, name: str, behind: str | None = None) -> Iterator[tuple[int, list[bytes]]]:
    """A port that takes TLS with the certificate of this name, and a list of what was said there first.

    With `behind`, the path of a unix socket, all goes on to that; it is asked for TLS as PostgreSQL's clients do.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / f"{name}.crt", certificates / f"{name}.key")
    heard: list[bytes] = []

    def serve(plain: socket.socket) -> None:
        with contextlib.suppress(OSError), plain:
            if behind is not None:
                assert plain.recv(8) == _SSL_REQUEST
                plain.sendall(b"S")
            with context.wrap_socket(plain, server_side=True) as client:
                heard.append(client.recv(8192))
                if behind is not None:
                    _carry(client, behind, heard[-1])

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1], heard


def _carry(client: ssl.SSLSocket, behind: str, first: bytes) -> None:
    """Carry bytes both ways until one side ends."""
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(behind)
        server.sendall(first)

        def back() -> None:
            with contextlib.suppress(OSError):
                while data := server.recv(65536):
                    client.sendall(data)

        threading.Thread(target=back, daemon=True).start()
        while data := client.recv(65536):
            server.sendall(data)
