"""TLS and passwords by URL: who shows no certificate for its name, by the right authority, is not talked to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kakehashi.errors import ServiceUnreachable, UsageError
from kakehashi.producer.broker import Broker
from kakehashi.settings import Settings
from kakehashi.storage import Bell, Repository
from tests.support.tls import PASSWORD, make_certificates, redis_server, tls_front

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.services import PostgreSQL


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificates")
    make_certificates(folder)
    return folder


@pytest.fixture(scope="module")
def address(certificates: Path) -> Iterator[str]:
    """What stands behind the scheme in the address of a Redis that speaks TLS."""
    with redis_server(certificates, "localhost") as port:
        yield f"://:{PASSWORD}@localhost:{port}/0"


class TestRedis:
    @pytest.mark.parametrize("scheme", ["rediss", "valkeys"])
    def test_bells_go_out_when_the_authority_is_named(self, certificates: Path, address: str, scheme: str) -> None:
        url = f"{scheme}{address}?ssl_ca_certs={certificates}/ca.crt"
        with Broker(Settings(broker=url, queue=scheme)) as broker:
            broker.ring([Bell(1, 1.0)])
            assert broker.depth() == 1

    def test_an_unknown_authority_is_refused_unless_nothing_is_to_be_checked(self, address: str) -> None:
        refused(f"rediss{address}", "certificate verify failed")
        assert Broker(Settings(broker=f"rediss{address}?ssl_cert_reqs=none", queue="x")).depth() == 0

    def test_a_certificate_for_another_name_is_refused(self, certificates: Path) -> None:
        with redis_server(certificates, "elsewhere") as port:
            url = f"rediss://:{PASSWORD}@localhost:{port}/0?ssl_ca_certs={certificates}/ca.crt"
            refused(url, "Hostname mismatch")

    def test_a_wrong_password_and_none_are_refused(self, certificates: Path, address: str) -> None:
        ca = f"?ssl_ca_certs={certificates}/ca.crt"
        refused(f"rediss{address.replace(PASSWORD, 'sesam')}{ca}", "invalid username-password pair")
        refused(f"rediss{address.replace(f':{PASSWORD}@', '')}{ca}", "Authentication required")

    def test_without_tls_there_is_no_answer(self, address: str) -> None:
        refused(f"redis{address}", "does not answer")


@pytest.mark.parametrize(
    ("name", "query", "is_trusted"),
    [
        ("localhost", "", False),
        ("localhost", "?ssl_ca_certs={}/ca.crt", True),
        ("elsewhere", "?ssl_ca_certs={}/ca.crt", False),
        ("elsewhere", "?ssl_cert_reqs=none", True),
    ],
)
def test_amqp_speaks_only_to_whom_it_trusts(certificates: Path, name: str, query: str, is_trusted: bool) -> None:
    with tls_front(certificates, name) as (port, heard):
        refused(f"amqps://bob:{PASSWORD}@localhost:{port}//{query.format(certificates)}", "does not answer")
    assert heard[:1] == ([b"AMQP\x00\x00\x09\x01"] if is_trusted else [])


@pytest.mark.parametrize("query", ["ssl_cert_reqs=perhaps", "ssl_certificate=x"])
def test_a_parameter_that_is_none_is_told(query: str) -> None:
    with pytest.raises(UsageError, match=r"expected ssl_ca_certs, ssl_certfile, ssl_keyfile, each with a file"):
        Broker(Settings(broker=f"rediss://localhost/0?{query}"))


def refused(url: str, reason: str) -> None:
    with pytest.raises(ServiceUnreachable, match=reason) as caught:
        Broker(Settings(broker=url)).depth()
    assert PASSWORD not in str(caught.value)
    assert "sesam" not in str(caught.value)


def test_postgresql_checks_the_certificate_and_its_name(
    certificates: Path, postgresql: PostgreSQL, postgresql_url: str
) -> None:
    def url(port: int, ca: str = "ca.crt") -> str:
        verify = f"sslmode=verify-full&sslrootcert={certificates}/{ca}&gssencmode=disable"
        return f"postgresql://postgres:{PASSWORD}@localhost:{port}/shared?{verify}"

    with tls_front(certificates, "localhost", postgresql.socket) as (port, _):
        with Repository(url(port)) as repository:
            assert list(repository.batches(1)) == []
        with pytest.raises(ServiceUnreachable, match="certificate verify failed") as caught:
            Repository(url(port, "elsewhere.crt"))
        assert PASSWORD not in str(caught.value)
    with (
        tls_front(certificates, "elsewhere", postgresql.socket) as (port, _),
        pytest.raises(ServiceUnreachable, match="does not match host name"),
    ):
        Repository(url(port))
