"""Markers under other names: a sample of the study, which the committed table may not contradict."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.studies.recognised_markers import TABLE, numbered, renamed, statics, unknown

SAMPLE = 36


def totals() -> list[tuple[int, int, int, int]]:
    """Of each part of the table: all, right, not recognised, wrong."""
    rows = re.findall(r"\*\*all (\d+)\*\* \|  \| (\d+) \| (\d+) \| (\d+) \|", TABLE.read_text(encoding="utf-8"))
    return [(int(row[0]), int(row[1]), int(row[2]), int(row[3])) for row in rows]


def test_the_table_holds_the_gate() -> None:
    (n, right, _, wrong), (_, _, _, wrong_by_number), (unknown, by_places, _, wrong_unknown) = totals()
    assert n >= 300
    assert right >= 0.97 * n
    assert wrong == wrong_by_number == wrong_unknown == 0
    assert by_places >= 0.5 * unknown


@pytest.mark.real
def test_a_sample_does_not_contradict_it(shared_dir: Path) -> None:
    every = statics(shared_dir)
    for told in (renamed(every, SAMPLE, seed=5), numbered(every[6:], 13, seed=5), unknown(every, 12, seed=5)):
        assert sum(count for (_, _, what), count in told.items() if what == "wrong") == 0
    right = sum(count for (_, _, what), count in renamed(every, SAMPLE, seed=6).items() if what == "right")
    assert right >= 0.9 * SAMPLE
