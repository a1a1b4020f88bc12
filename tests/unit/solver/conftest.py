"""The engines that the solver's tests run over: each of our own, native in several ways to sweep."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import pytest

from kakehashi.solver.pysat_engine import PysatEngine

if TYPE_CHECKING:
    from kakehashi.solver import Engine

NATIVE = "native" if importlib.util.find_spec("kakehashi.solver._native") else ""
"""The name of the native engine where it was compiled."""

WITHOUT_NATIVE = "the package was built without the native engine"


@pytest.fixture(scope="session", params=["native", "pysat"])
def engine_name(request: pytest.FixtureRequest) -> str:
    """The name of an engine of our own."""
    name: str = request.param
    if name == "native" and not NATIVE:
        pytest.skip(WITHOUT_NATIVE)
    return name


@pytest.fixture(scope="session", params=["native", "tiles", "crumbs", "hasty", "pysat"])
def real_engine(request: pytest.FixtureRequest) -> Engine:
    """An engine that solves; three of them are the native one with tiles so small that small boards have several."""
    if request.param == "pysat":
        return PysatEngine()
    if not NATIVE:
        pytest.skip(WITHOUT_NATIVE)
    from kakehashi.solver.native_engine import NativeEngine

    sweeps = {
        "native": NativeEngine(),
        "tiles": NativeEngine(tile=2, hops=1),
        "crumbs": NativeEngine(tile=1, hops=0),
        "hasty": NativeEngine(tile=2, hops=0, budget=1),
    }
    return sweeps[request.param]
