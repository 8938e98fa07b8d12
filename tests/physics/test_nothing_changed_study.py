"""Nothing changed, nothing said: the study's table holds its gates, and a few more placements agree with it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from benchmarks.studies import nothing_changed as study
from biomech_id.interpretation.deviations import judge_patterns
from biomech_id.interpretation.rules import shipped_rules
from biomech_id.sample import virtual_subject


def test_the_table_holds_its_gates() -> None:
    text = study.TABLE.read_text(encoding="utf-8")
    (line,) = [line for line in text.splitlines() if line.startswith("| all |")]
    pairs, changed, seeded, named, wrong = (int(cell) for cell in line.strip("|").split("|")[1:])
    assert pairs == study.N_PLACED * len(study.GAITS)
    assert changed <= 0.10 * pairs
    assert named >= 0.90 * seeded
    assert wrong == 0
    (said,) = re.findall(r"is said: (\d+) of (\d+)", text)
    assert int(said[1]) == study.N_HEALTHY
    assert int(said[0]) <= 0.10 * study.N_HEALTHY


@pytest.mark.slow
def test_a_sample_agrees_with_the_table() -> None:
    counts = study.of_patient(study.patient("toe walker", 3, seed=7), seed=7)
    assert (counts.pairs, counts.seeded, counts.wrong) == (3, 3, 0)
    assert counts.named >= 2
    assert counts.false <= 1


@pytest.mark.slow
def test_a_foot_that_drops_is_said_of_its_side_and_nothing_of_the_other() -> None:
    person = replace(virtual_subject(pattern="drop foot", plates="steps", duration_s=6.0), age_years=study.BODIES["adult"])
    tables = study.analysed(person, uncertainty=True)
    said = {(row.side, row.pattern) for row in judge_patterns(tables, study.people_for(tables), shipped_rules()) if row.marked}
    assert ("R", "ASWS2") in said
    assert {side for side, _ in said} == {"R"}
