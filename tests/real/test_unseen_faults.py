"""Faults that the limits were not set with: a sample is as the study's table says, and what the table meets stays met."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.studies.unseen_fault_kinds import KINDS
from benchmarks.studies.unseen_fault_words import cause_is_very, class_is_right
from benchmarks.studies.unseen_faults import RECORDINGS, SEED, TABLE, Row, case_of, judge, read_rows
from benchmarks.studies.unseen_faults_table import gates, is_met, table

#: Gates of the study that its table does not meet.
NOT_MET = frozenset((
    "silent of all that leave the band", "silent of the unseen that leave the band",
    "silent of those with a whitened change of 4 and more", "silent of the unseen with a whitened change of 4 and more",
    "cause first, of what the diagnosis tells",
))  # fmt: skip
#: Kind, size and recording of the sample: one that nothing tells, one of the rules alone, one of both, one of the diagnosis alone.
SAMPLE = (
    ("a door slammed: cameras ring", "10 mm", "tuned device"),
    ("frames repeated by twos, threes", "4 frames", "tuned device"),
    ("calibration square tipped, sideways", "6 deg", "tuned device"),
    ("LANK lateral, mid", "-10 mm", "HC032A"),
)


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return read_rows()


def test_the_table_is_that_of_the_rows(rows: list[Row]) -> None:
    # The head has the version that the rows were made with.
    committed, made = (text.split("\n", 3)[-1] for text in (TABLE.read_text(encoding="utf-8"), table(rows, SEED, len(RECORDINGS))))
    assert committed == made
    kinds = {row.kind for row in rows if row.origin == "unseen"}
    assert kinds <= {kind.name for kind in KINDS}
    assert len(kinds) >= 150
    assert {row.recording for row in rows} == set(RECORDINGS)


def test_gates_that_the_table_meets_stay_met(rows: list[Row]) -> None:
    assert {name for name, gate in gates(rows).items() if not is_met(*gate)} == NOT_MET


@pytest.mark.real
@pytest.mark.parametrize("which", SAMPLE, ids=[" ".join(which) for which in SAMPLE])
def test_a_sample_is_as_the_table_says(rows: list[Row], which: tuple[str, str, str], c3d_dir: Path) -> None:
    row = next(row for row in rows if (row.kind, row.size, row.recording) == which)
    now = judge(case_of(row))
    assert (now.leaves, now.rules, now.first_class, now.class_first) == (row.leaves, row.rules, row.first_class, row.class_first)
    assert now.delta == pytest.approx(row.delta, rel=0.05, abs=0.1)
    assert now.of_band == pytest.approx(row.of_band, rel=0.05, abs=0.02)


def test_words_of_causes() -> None:
    knee = ("LKNE", "knee axis", "thigh axis")
    assert class_is_right("LTHI forward, whole", "thigh axis", knee)
    assert not cause_is_very("LTHI forward, whole", knee)
    assert cause_is_very("LKNE aside, mid", knee)
    assert not class_is_right("RTHI forward, whole", "thigh axis", knee)
    assert class_is_right("LKNE forward, mid", "KNE moved in mid-walk", knee)
    assert not class_is_right("LTHI forward, mid", "THI moved in mid-walk", knee)
    assert cause_is_very("plate 2 late", ("plate clock", "delay"))
    assert not class_is_right("mass", "weight", ("plate place",))
    assert cause_is_very("stored events shifted", ("events late", "event time"))
    assert cause_is_very("one stored event wrong", ("event twice",))
