from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from kakehashi.errors import UsageError
from kakehashi.solver import engine_named, engine_names, engines, register, unregister
from kakehashi.solver.engine import Engine
from kakehashi.solver.pysat_engine import PysatEngine
from tests.unit.solver.conftest import NATIVE


class Named(PysatEngine):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


@pytest.fixture
def registered() -> Iterator[Engine]:
    engine = Named("mine")
    register(engine)
    yield engine
    unregister("mine")


def missing() -> Engine:
    raise ImportError("no part of it is here")


def test_auto_is_the_best_that_there_is() -> None:
    assert engine_named() is engine_named("auto") is engine_named(NATIVE or "pysat")
    assert engine_named("pysat").name == "pysat"


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match="there is no engine 'fast'; known are auto, native, pysat"):
        engine_named("fast")


def test_another_engine_can_be_registered(registered: Engine) -> None:
    assert engine_named("mine") is registered
    assert engine_names() == ["auto", "native", "pysat", "mine"]


def test_a_registered_engine_can_be_forgotten(registered: Engine) -> None:
    unregister("mine")
    assert "mine" not in engine_names()
    unregister("mine")


def test_one_of_our_own_is_not_forgotten() -> None:
    engine = engine_named("pysat")
    unregister("pysat")
    assert engine_named("pysat") is engine


@pytest.mark.parametrize("name", ["auto", "native", "pysat", "mine"])
def test_a_name_is_taken_once(registered: Engine, name: str) -> None:
    with pytest.raises(UsageError, match="is taken"):
        register(Named(name))


def test_auto_passes_over_what_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_BUILT_IN", {"native": missing, "pysat": PysatEngine})
    monkeypatch.setattr(engines, "_loaded", {})
    monkeypatch.setattr(engines, "_missing", {})
    assert engine_named("auto").name == "pysat"
    assert set(engines._missing) == {"native"}
    assert engine_named("auto").name == "pysat"
    with pytest.raises(UsageError, match=r"'native' cannot be loaded here .*; use `auto`"):
        engine_named("native")


def test_each_of_our_engines_is_the_others_judge(monkeypatch: pytest.MonkeyPatch, registered: Engine) -> None:
    native = Named("native")
    monkeypatch.setitem(engines._loaded, "native", native)
    assert engines.judge_of("native") is engine_named("pysat")
    assert engines.judge_of("pysat") is native
    assert engines.judge_of(registered.name) is native
    assert engines.missing_judge() is engines.missing_judge("pysat") is None


def test_without_the_compiled_engine_pysat_has_no_judge_and_judges_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_BUILT_IN", {"native": missing, "pysat": PysatEngine})
    monkeypatch.setattr(engines, "_loaded", {"mine": Named("mine")})
    monkeypatch.setattr(engines, "_missing", {})
    assert engines.judge_of("pysat") is None
    assert engines.judge_of("mine") is engine_named("pysat")
    assert "that takes a second engine" in str(engines.missing_judge())
    assert engines.missing_judge("mine") is None


def test_without_any_engine_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_BUILT_IN", {"pysat": missing})
    monkeypatch.setattr(engines, "_loaded", {})
    monkeypatch.setattr(engines, "_missing", {})
    with pytest.raises(UsageError, match="install python-sat"):
        engine_named("auto")


def test_the_sat_solver_is_loaded_when_it_is_first_used() -> None:
    program = """
import sys
from kakehashi.puzzle import Puzzle
from kakehashi.solver import solve
assert "pysat" not in sys.modules
solve(Puzzle.from_rows([[2, 0, 2]]), engine="pysat")
assert "pysat" not in sys.modules
assert solve(Puzzle.from_rows([[3, 0, 2], [0, 0, 0], [3, 0, 2]]), engine="pysat").decided
assert "pysat" in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_program_without_its_compiled_engine_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_loaded", {})
    monkeypatch.setattr(engines, "_missing", {})
    monkeypatch.setattr(engines, "_BUILT_IN", {"native": missing, "pysat": engines._pysat})
    assert "the compiled engine is not there, pysat takes its place" in str(engines.missing_engine())
    monkeypatch.setattr(engines, "_missing", {})
    monkeypatch.setattr(engines, "_BUILT_IN", {"native": engines._pysat, "pysat": engines._pysat})
    monkeypatch.setattr(engines, "_loaded", {"native": Named("native")})
    assert engines.missing_engine() is None
