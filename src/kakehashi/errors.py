"""The one base class of every error that Kakehashi raises on purpose."""

from __future__ import annotations


class KakehashiError(Exception):
    """Something went wrong that a person can mend; the message says what, where, and what to do."""


class UsageError(KakehashiError):
    """The call does not make sense as it stands: an option, a path or an identifier is wrong."""


class ServiceUnreachable(KakehashiError):
    """The database or the broker does not answer."""
