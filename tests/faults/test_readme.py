"""What the README of the fault suite names is there."""

from __future__ import annotations

import re
from pathlib import Path

from tests.faults.scenario import scenarios

ROOT = Path(__file__).parents[2]
ROWS = [line for line in Path(__file__).with_name("README.md").read_text().splitlines() if re.match(r"\| \d", line)]


def test_each_row_is_shown_by_something_that_exists() -> None:
    names = {scenario.name for scenario in scenarios()}
    for row in ROWS:
        shown_by = row.split("|")[3]
        found = re.findall(r'"([^"]+)"', shown_by)
        assert set(found) <= names, row
        for path, _, test in (name.partition("::") for name in re.findall(r"`(tests/[^`]+)`", shown_by)):
            assert f"def {test}(" in (ROOT / path).read_text() if test else (ROOT / path).exists(), row
            found.append(path)
        assert found, row


def test_the_rows_are_numbered_in_order() -> None:
    numbers = [int(row.split("|")[1]) for row in ROWS]
    assert numbers == sorted(set(numbers))
    assert len(numbers) > 15
