from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import budgets, compare, growth, load, million, plan, twins
from benchmarks.plan import STEPS, Step
from benchmarks.rivals.registry import NAMES

MODULES = (budgets, compare, growth, load, million, twins)
PARSERS = {module.__name__.rpartition(".")[2]: module.parser for module in MODULES}


@pytest.mark.parametrize("step", STEPS)
def test_every_step_is_a_command_that_is_understood(step: Step) -> None:
    line = step.command(Path("data"), Path("out"), Path("sources"))
    given = PARSERS[step.module]().parse_args(line[3:])
    assert given.out == Path("out")
    if step.module == "compare":
        assert given.prototype == Path("sources")
        assert set(given.rivals.split(",")) <= set(NAMES)
    if step.sources:
        assert all(source.startswith(("made:", "data/")) for source in given.sources)


def test_no_two_comparisons_write_the_same_file() -> None:
    names = [
        (source, step.options[step.options.index("--select") + 1 :] if "--select" in step.options else (), sample)
        for step in STEPS
        if step.module == "compare"
        for source in step.sources
        for sample in [step.options[step.options.index("--sample") + 1] if "--sample" in step.options else ""]
    ]
    assert len(names) == len(set(names))


def test_the_commands_can_be_shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["plan", "data", "--show"])
    assert plan.main() == 0
    assert capsys.readouterr().err.count("python -m benchmarks.") == len(STEPS)
