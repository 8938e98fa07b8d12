"""A sample of ``benchmarks.studies.exchanged_markers``, whose table lies beside it: exchanged labels found, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from benchmarks.studies.exchanged_markers import TABLE, TRIALS, false_alarms, judged, recorded, virtual

N = 40


def test_the_study_meets_its_gates() -> None:
    text = TABLE.read_text(encoding="utf-8")
    pairs, found, _ = re.search(r"^\| all \| (\d+) \| ([\d.]+) \| ([\d.]+) \|$", text, re.MULTILINE).groups()  # type: ignore[union-attr]
    trials, alarms = re.search(r"^False alarms in (\d+) trials .*: (\d+)\.$", text, re.MULTILINE).groups()  # type: ignore[union-attr]
    assert int(pairs) >= 500
    assert float(found) >= 98.0
    assert int(trials) >= TRIALS
    assert int(alarms) <= 1


def test_a_sample_is_as_the_table_says(c3d_dir: Path) -> None:
    rng = np.random.default_rng(11)
    cases = list(recorded(c3d_dir))[::7]
    assert [said for one in (*cases, *virtual(6, rng)) for said in false_alarms(one)] == []
    results = [judged(cases[number % len(cases)], rng) for number in range(N)]
    named = [result[1] for result in results if result is not None]
    assert len(named) > 0.8 * N
    assert np.mean(named) >= 0.95
