"""The engines by name; each is loaded when it is first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kakehashi.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from kakehashi.solver.engine import Engine

AUTO = "auto"
"""The name that stands for the best engine there is."""


def _native() -> Engine:
    from kakehashi.solver.native_engine import NativeEngine

    return NativeEngine()


def _pysat() -> Engine:
    from kakehashi.solver.pysat_engine import PysatEngine

    return PysatEngine()


_BUILT_IN: dict[str, Callable[[], Engine]] = {"native": _native, "pysat": _pysat}
"""How each engine of our own is loaded, the best first. One whose parts are missing raises ImportError."""

_missing: dict[str, ImportError] = {}
"""Engines of our own that could not be loaded: `auto` does not look for them on the disk again at every puzzle."""

_loaded: dict[str, Engine] = {}
"""Engines have no state, so one of each serves all; those that others registered stand here too."""


def engine_named(name: str = AUTO) -> Engine:
    """The engine of this name; `auto` is the best one that can be loaded.

    Raises:
        UsageError: there is no such engine, or a part that it needs is not installed.
    """
    if name == AUTO:
        return _best()
    if name not in _loaded:
        load = _BUILT_IN.get(name)
        if load is None:
            raise UsageError(f"there is no engine {name!r}; known are {', '.join(engine_names())}")
        try:
            _loaded[name] = load()
        except ImportError as error:
            raise UsageError(f"the engine {name!r} cannot be loaded here ({error}); use `auto`") from error
    return _loaded[name]


def judge_of(name: str) -> Engine | None:
    """The engine that can confirm what the engine of this name said; None where there is none.

    Of our own two, which share no code, each is the other's judge; any other engine's judge is the best of them.
    """
    for own in _BUILT_IN:
        if own != name:
            judge = _own(own)
            if judge is not None:
                return judge
    return None


def missing_judge(name: str = AUTO) -> str | None:
    """One sentence when nothing can confirm what this engine says, for the compiled engine was not built here."""
    if judge_of(engine_named(name).name) is not None:
        return None
    return "nothing is confirmed: that takes a second engine, and the compiled one is not there"


def missing_engine() -> str | None:
    """One sentence when `auto` is not the best that this program has, for the compiled engine was not built here."""
    best, first = _best().name, next(iter(_BUILT_IN))
    if best == first:
        return None
    return (
        f"the compiled engine is not there, {best} takes its place and is many times slower on hard boards: "
        "install a C++ compiler, and this package anew"
    )


def engine_names() -> list[str]:
    """All names that `engine_named` knows, `auto` first."""
    return [AUTO, *_BUILT_IN, *(name for name in _loaded if name not in _BUILT_IN)]


def register(engine: Engine) -> None:
    """Make an engine known under its own name, for as long as this process lives.

    Raises:
        UsageError: the name is taken.
    """
    if engine.name in engine_names():
        raise UsageError(f"the engine name {engine.name!r} is taken; known are {', '.join(engine_names())}")
    _loaded[engine.name] = engine


def unregister(name: str) -> None:
    """Forget an engine that was registered; one of our own, or one that nobody knows, is left as it is."""
    if name not in _BUILT_IN:
        _loaded.pop(name, None)


def _best() -> Engine:
    for name in _BUILT_IN:
        engine = _own(name)
        if engine is not None:
            return engine
    missing = _missing.get(name)
    raise UsageError(f"no engine can be loaded here ({missing}); install python-sat") from missing


def _own(name: str) -> Engine | None:
    """An engine of our own; None where it cannot be loaded."""
    if name not in _loaded and name not in _missing:
        try:
            _loaded[name] = _BUILT_IN[name]()
        except ImportError as error:
            _missing[name] = error
    return _loaded.get(name)
