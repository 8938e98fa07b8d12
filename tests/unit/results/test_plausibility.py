"""What the body's own movement says of plates: every rule is silent about a walk as it is, and speaks of its fault."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import biomech_id as bid
from benchmarks.studies.designed_faults import FAULTS, Recording
from biomech_id.results.session.plausibility import FORE_AFT_SLOPE, force_directions, plausibility_findings
from biomech_id.results.session.values import TrialResult
from biomech_id.sample.patterns.patients import PATIENTS
from biomech_id.sentences import worded


def computed(recording: Recording) -> TrialResult:
    given = [recording.static, recording.walk]
    found = bid.analyse(given, mass_kg=recording.mass_kg, uncertainty=False, budget=False)
    return found.computed.trials[0]


@pytest.fixture(scope="module")
def recording() -> Recording:
    person = bid.virtual_subject(plates="steps", noise_m=0.0003)
    return Recording("virtual", person.static().trial, person.walk().trial)


#: Fault of the study -> the rule that says it.
SAID = {
    "sign of Fx and Fy": "force-slope", "gain of Fx doubled": "force-slope", "Fx dead": "force-slope",
    "sign of Fy": "force-sideways",
    "gain of Fz 1.3": "force-unlike-weight", "gain of Mz tenfold": "free-moment-large",
    "plates 100 mm too high": "foot-above-plate",
    "plates 100 mm too low": "foot-above-plate", "force clipped at 85 %": "force-clipped",
    "plates 150 ms late": "kinetics-expected",
    "sides of events exchanged": "events-unlike-feet", "strikes and offs exchanged": "events-unlike-feet",
    "knee marker 30 mm off, 20 frames": "marker-jumps", "leg length 1400 mm": "measure-unlike-markers",
    "height 40 % too large": "measure-unlike-markers",
}  # fmt: skip


@pytest.mark.parametrize("fault", SAID)
def test_a_fault_is_said(recording: Recording, fault: str) -> None:
    changed = FAULTS[fault](recording, np.random.default_rng(3))
    given = [changed.static, changed.walk]
    session = bid.analyse(given, mass_kg=changed.mass_kg, uncertainty=False, budget=False).computed
    findings = [*session.findings, *session.trials[0].findings]
    mine = [finding for finding in findings if finding.rule == SAID[fault]]
    assert mine, [finding.rule for finding in findings]
    for language in ("en", "de"):
        text = worded(mine[0].rule, mine[0].values, language)
        assert text.endswith(".")
        assert "None" not in text
        assert "{" not in text
        assert worded(mine[0].rule, mine[0].values, language, "hint")


def test_a_walk_as_it_is_has_no_finding_and_its_force_turns_with_the_body(recording: Recording) -> None:
    result = computed(recording)
    assert list(plausibility_findings(result)) == []
    row = next(row for row in result.quality if row.rule == "plausibility")
    assert (row.value, row.verdict) == (0.0, "accept")
    seen = list(force_directions(result))
    assert len(seen) >= 5
    assert all(FORE_AFT_SLOPE[0] + 0.1 < each.slope < FORE_AFT_SLOPE[1] - 0.1 for each in seen)


def test_a_doubted_force_grades_the_trial(recording: Recording) -> None:
    result = computed(FAULTS["sign of Fx and Fy"](recording, np.random.default_rng(3)))
    row = next(row for row in result.quality if row.rule == "plausibility")
    assert row.value >= 1
    assert row.verdict == "warn"
    assert result.verdict.doubted


@pytest.mark.parametrize("pattern", [name for name in PATIENTS if name != "crutches"])
def test_nobody_is_doubted_for_how_they_walk(pattern: str) -> None:
    """On crutches the plates bear more than feet, and no stance has kinetics: that is said, and is no false alarm."""
    person = bid.virtual_subject(pattern=pattern, plates="steps", seed=3, noise_m=0.0003)
    assert list(plausibility_findings(computed(Recording(pattern, person.static().trial, person.walk().trial)))) == []


def test_a_moment_beyond_its_movement_is_said_and_kept(recording: Recording) -> None:
    result = computed(recording)
    heavy = replace(result, mass_kg=0.3 * (result.mass_kg or 0.0))
    found = [finding for finding in plausibility_findings(heavy) if finding.rule == "beyond-movement"]
    assert found
    assert found[0].values["value"] > found[0].values["limit"]
    name = str(found[0].values["variable"])
    assert np.nanmax(np.abs(heavy.frames[name])) == pytest.approx(found[0].values["value"])
