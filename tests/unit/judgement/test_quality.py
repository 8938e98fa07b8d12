from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.errors import InvalidValueError
from biomech_id.judgement.measures import inside_percent, stance_pressures
from biomech_id.judgement.quality import RULES, graded, graded_cycles
from biomech_id.movement.grades import Grade, rule_sentence, worst
from biomech_id.trial import ForcePlate
from biomech_id.trial.plates import plate_baseline_N


def test_rules_have_stable_names_and_ordered_limits() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
        assert rule.why
        assert rule.warn >= rule.reject if rule.low_is_bad else rule.warn <= rule.reject


@pytest.mark.parametrize(
    ("rule", "value", "verdict", "limit"),
    [
        ("gap-largest", 100.0, Grade.ACCEPT, 100.0),
        ("gap-largest", 110.0, Grade.WARN, 100.0),
        ("gap-largest", 510.0, Grade.REJECT, 500.0),
        ("cop-inside-foot", 95.0, Grade.ACCEPT, 95.0),
        ("cop-inside-foot", 94.0, Grade.WARN, 95.0),
        ("cop-inside-foot", 60.0, Grade.REJECT, 80.0),
        ("cycles-used", 0.0, Grade.WARN, 1.0),
        ("marker-rigidity", float("nan"), Grade.NOT_MEASURED, 10.0),
    ],
)
def test_grades(rule: str, value: float, verdict: Grade, limit: float) -> None:
    row = graded("walk", rule, value)
    assert (row.verdict, row.limit) == (verdict, limit)


def test_counts_are_never_held_against_a_trial() -> None:
    for rule in ("cycles-refused", "stances-on-plate"):
        row = graded("walk", rule, 40.0)
        assert row.verdict is Grade.NOT_JUDGED
        assert np.isnan(row.limit)


def test_one_vocabulary_of_grades() -> None:
    assert {str(grade) for grade in Grade} == {"accept", "warn", "reject", "not measured", "not judged"}
    assert [grade for grade in Grade if grade.doubted] == [Grade.WARN, Grade.REJECT]


def test_worst_grade() -> None:
    assert worst([]) is Grade.NOT_JUDGED
    assert worst([Grade.WARN, Grade.ACCEPT]) is Grade.WARN
    assert worst([Grade.WARN, Grade.REJECT, Grade.ACCEPT]) is Grade.REJECT
    assert worst([Grade.NOT_MEASURED, Grade.NOT_JUDGED]) is Grade.NOT_MEASURED
    assert worst([Grade.NOT_MEASURED, Grade.ACCEPT]) is Grade.ACCEPT


@pytest.mark.parametrize(
    ("values", "value", "verdict", "limit"),
    [
        ([3.0, 5.0, 4.0], 5.0, Grade.ACCEPT, 10.0),
        ([3.0, 12.0, 4.0], 12.0, Grade.WARN, 10.0),
        ([3.0, 40.0, 4.0], 40.0, Grade.WARN, 10.0),  # one cycle is refused, and the trial goes on
        ([float("nan"), 40.0], 40.0, Grade.WARN, 10.0),
        ([30.0, 40.0], 40.0, Grade.REJECT, 25.0),
        ([float("nan")], float("nan"), Grade.NOT_MEASURED, 10.0),
        ([], float("nan"), Grade.NOT_JUDGED, float("nan")),
    ],
)
def test_cycles_are_refused_and_not_trials(values: list[float], value: float, verdict: Grade, limit: float) -> None:
    row = graded_cycles("walk", "marker-rigidity", {"L": values})
    assert row.verdict is verdict
    np.testing.assert_equal((row.value, row.limit), (value, limit))


def test_a_sentence_names_number_unit_and_limit() -> None:
    assert rule_sentence(graded("walk", "cop-inside-foot", 60.0)) == "CoP inside foot 60 %, below the limit of 80 %"
    assert rule_sentence(graded("walk", "gap-largest", 0.0)) == ""


@pytest.mark.parametrize(("rule", "value"), [("no-such-rule", 1.0), ("gap-largest", float("inf"))])
def test_what_cannot_be_graded_is_refused(rule: str, value: float) -> None:
    with pytest.raises(InvalidValueError, match=rule):
        graded("walk", rule, value)


def test_plate_baseline_is_the_largest_force_removed() -> None:
    corners = np.array([[0.6, 0.4, 0], [0, 0.4, 0], [0, 0, 0], [0.6, 0, 0]])
    zeros = np.zeros((10, 3))
    plates = [ForcePlate("plate 1", 2, corners, zeros, zeros, 1000.0, baseline_N=np.array(b)) for b in ([0, 3, 4], [1, 0, 0])]
    assert plate_baseline_N(plates) == pytest.approx(5.0)
    assert np.isnan(plate_baseline_N([]))


def test_pressure_inside_the_foot(body: BodyMotion, contacts: Mapping[str, FootContact]) -> None:
    def percent(motion: BodyMotion, feet: Mapping[str, FootContact]) -> float:
        return inside_percent([beyond_m for *_, beyond_m in stance_pressures(motion, feet, mass_kg=64.0)])

    assert percent(body, {"L": contacts["L"]}) == 100.0
    shifted = {side: outline + [0.3, 0.0, 0.0] for side, outline in body.foot_outline_lab_m.items()}
    assert percent(replace(body, foot_outline_lab_m=shifted), {"L": contacts["L"]}) == 0.0
    assert np.isnan(percent(body, {}))
