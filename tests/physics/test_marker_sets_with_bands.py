"""Whatever a laboratory puts on, a run with bands ends with bands: every shipped marker set, and a sample of random ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.studies.marker_sets_with_bands import TABLE, Worn, drawn, kind, outcome, shipped

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("worn", shipped(), ids=lambda worn: f"{worn.name} {worn.model}")
def test_every_shipped_set_runs_with_bands(worn: Worn, tmp_path: Path) -> None:
    assert kind(worn, outcome(worn, tmp_path)) == "bands"


def test_random_sets_are_as_the_table_says(tmp_path: Path) -> None:
    table = TABLE.read_text(encoding="utf-8")
    row = next(line for line in table.splitlines() if line.startswith("| random sets |"))
    *_, sessions, _, _, refused, without = map(int, row.strip("| ").split(" | ")[1:])
    assert (sessions, refused, without) == (200, 0, 0)
    for number in (1, 2, 53):
        worn = drawn(number)
        said = outcome(worn, tmp_path)
        assert kind(worn, said) in ("bands", "two markers"), said
        assert (kind(worn, said) == "bands") == (f"- {worn.name}," not in table), said
