from __future__ import annotations

import pytest

from benchmarks.formats import main
from kakehashi.formats import formats


def test_each_format_is_written_read_back_and_compared(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--count", "20", "--solve", "5", "--engine", "pysat"])
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in shown[4:]] == [format_.name for format_ in formats()]
    assert all(float(line.split()[2].replace(",", "")) > 0 for line in shown[4:])
