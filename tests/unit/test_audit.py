"""The audit of the pinned versions, with a uv that answers as pip-audit would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "audit.py"
FINE: dict[str, Any] = {"name": "a", "version": "1", "vulns": []}
BAD: dict[str, Any] = {"name": "b", "version": "2", "vulns": [{"id": "CVE-1", "fix_versions": ["3"]}]}
SKIPPED: dict[str, Any] = {"name": "c", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("packages", "code", "said"),
    [
        ([FINE], 0, "1 packages audited, 0 known"),
        ([FINE, BAD], 1, "b 2: CVE-1, mended in 3\n2 packages audited, 1 known"),
        ([SKIPPED], 0, "NOTICE: not audited"),
        (None, 0, "NOTICE: not audited"),
    ],
)
def test_what_is_known_fails_and_who_is_away_does_not(tmp_path: Path, packages: Any, code: int, said: str) -> None:
    answer = json.dumps({"dependencies": packages}) if packages is not None else "it broke"
    fake = tmp_path / "uv"
    fake.write_text(f"#!/bin/sh\nfor last; do :; done\nprintf '%s' '{answer}' > \"$last\"\nexit 1\n")
    fake.chmod(0o755)
    done = subprocess.run(
        [sys.executable, SCRIPT, "pins.txt"],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout[: len(said)]) == (code, said)


def test_a_service_that_does_not_answer_is_not_waited_for(tmp_path: Path) -> None:
    fake = tmp_path / "uv"
    fake.write_text("#!/bin/sh\nexec sleep 60\n")
    fake.chmod(0o755)
    done = subprocess.run(
        [sys.executable, SCRIPT, "pins.txt", "--seconds", "0.1"],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "NOTICE: not audited, the advisory service did not answer\n"
