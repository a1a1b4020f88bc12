from __future__ import annotations

import sys

import pytest

from kakehashi.errors import UsageError


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    monkeypatch.delitem(sys.modules, "kakehashi.worker.metrics", raising=False)
    with pytest.raises(UsageError, match=r"pip install 'kakehashi\[metrics\]'"):
        import kakehashi.worker.metrics  # noqa: F401
