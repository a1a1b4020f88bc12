"""Makes the tests' engines known; worker processes load it through KAKEHASHI_ENGINES."""

from __future__ import annotations

from kakehashi.solver.engines import register
from tests.support.engines import ENGINES, Liar, ScriptedEngine

register(Liar())
for _name, _act in ENGINES.items():
    register(ScriptedEngine(_name, _act))
