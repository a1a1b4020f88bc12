"""The broker's address as Celery wants it: a scheme that it knows, and certificates that are checked."""

from __future__ import annotations

import ssl
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from kakehashi.errors import UsageError

_SAME = {"valkey": "redis", "valkeys": "rediss"}
"""Schemes that kombu has no transport for, and those of the transport that speaks the same."""

_FILES = {"ssl_ca_certs": "ca_certs", "ssl_certfile": "certfile", "ssl_keyfile": "keyfile"}
"""Parameters of a URL that name files; the Redis transport calls them so, AMQP's library by the second names."""

_REQUIRED = "ssl_cert_reqs"
_CHECKED = {"required": ssl.CERT_REQUIRED, "none": ssl.CERT_NONE}


def celery_address(url: str) -> tuple[str, dict[str, Any] | None]:
    """The URL for Celery, and its setting `broker_use_ssl`, None without TLS.

    Over TLS (`rediss`, `valkeys`, `amqps`) the server has to show a certificate for its name, by an authority that this
    machine trusts or that the URL names (`?ssl_ca_certs=FILE`; with `ssl_certfile` and `ssl_keyfile` we show one, too),
    unless `ssl_cert_reqs=none` asks for no check at all. Left to itself, Kombu checks nothing with `rediss`, and with
    `amqps` no name.

    Raises:
        UsageError: there is a parameter `ssl_...` that is none of these.
    """
    scheme, separator, rest = url.partition("://")
    kind, plus, transport = scheme.partition("+")
    kind = _SAME.get(kind, kind)
    url = kind + plus + transport + separator + rest
    if kind not in ("rediss", "amqps"):
        return url, None
    parts = urlsplit(url)
    given = dict(parse_qsl(parts.query))
    files = {name: given.pop(name) for name in _FILES if name in given}
    asked = given.pop(_REQUIRED, "required")
    checked = _CHECKED.get(asked.lower().removeprefix("cert_"))
    wrong = [name for name in given if name.startswith("ssl_")]
    if wrong or checked is None:
        what = wrong[0] if wrong else f"{_REQUIRED}={asked}"
        raise UsageError(
            f"the broker's address has {what!r}: expected {', '.join(_FILES)}, each with a file, or {_REQUIRED}=none"
        )
    url = parts._replace(query=urlencode(given)).geturl()
    is_checked = checked is ssl.CERT_REQUIRED
    if kind == "rediss":
        return url, {_REQUIRED: checked, "ssl_check_hostname": is_checked, **files}
    name = {"server_hostname": parts.hostname} if is_checked else {}  # with it, the name is checked
    return url, {"cert_reqs": checked, **name, **{_FILES[ours]: file for ours, file in files.items()}}
