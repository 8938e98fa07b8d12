"""What could not have been said: the study's table holds its gates, and one more patient agrees with it."""

from __future__ import annotations

import pytest

from benchmarks.studies import could_not_be_said as study


def test_the_table_holds_its_gates() -> None:
    rows = [line.strip("|").split("|") for line in study.TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    counts = {row[0].strip(): tuple(int(cell) for cell in row[1:]) for row in rows[1:]}
    assert list(counts) == [*study.FAULTS, "all"]
    sessions, there, turned, right = counts["all"]
    assert sessions == len(study.GAITS) * len(study.FAULTS) == 40
    assert there == sessions
    assert right == turned > 3 * sessions


@pytest.mark.slow
def test_a_sample_agrees_with_the_table() -> None:
    ((_, tables),) = study.patients(("stiff knee",))
    for fault in ("left: one cycle", "left knee axis turned", "no bands"):
        counts = study.of_session(tables, fault)
        assert (counts.there, counts.right) == (1, counts.turned), fault
