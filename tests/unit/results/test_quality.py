from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.errors import InvalidValueError
from biomech_id.results.session.measures import (
    centre_drift_mm,
    filled_percent,
    largest_gap_ms,
    marker_rigidity_mm,
    plate_baseline_N,
    pressure_inside_percent,
    untracked_percent,
)
from biomech_id.results.session.quality import RULES, Grade, graded, rule_sentence, worst
from biomech_id.trial import ForcePlate, Markers


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
        ("cop-inside-foot", 60.0, Grade.REJECT, 70.0),
        ("cycles-used", 0.0, Grade.WARN, 1.0),
        ("marker-rigidity", float("nan"), Grade.ACCEPT, 10.0),
    ],
)
def test_grades(rule: str, value: float, verdict: Grade, limit: float) -> None:
    row = graded("walk", rule, value)
    assert (row.verdict, row.limit) == (verdict, limit)


def test_counts_are_never_held_against_a_trial() -> None:
    assert graded("walk", "cycles-refused", 40.0).verdict is Grade.ACCEPT
    row = graded("walk", "stances-on-plate", 0.0)
    assert row.verdict is Grade.ACCEPT
    assert np.isnan(row.limit)


def test_worst_grade() -> None:
    assert worst([]) is Grade.ACCEPT
    assert worst([Grade.WARN, Grade.ACCEPT]) is Grade.WARN
    assert worst([Grade.WARN, Grade.REJECT, Grade.ACCEPT]) is Grade.REJECT


def test_a_sentence_names_number_unit_and_limit() -> None:
    assert rule_sentence(graded("walk", "cop-inside-foot", 60.0)) == "CoP inside foot 60 %, below the limit of 70 %"
    assert rule_sentence(graded("walk", "gap-largest", 0.0)) == ""


@pytest.mark.parametrize(("rule", "value"), [("no-such-rule", 1.0), ("gap-largest", float("inf"))])
def test_what_cannot_be_graded_is_refused(rule: str, value: float) -> None:
    with pytest.raises(InvalidValueError, match=rule):
        graded("walk", rule, value)


def test_largest_gap_counts_frames_between_measured_ones() -> None:
    missing = np.zeros((20, 3), dtype=bool)
    missing[:6, 0] = True  # the marker comes into view later: no gap
    missing[4:8, 1] = True
    missing[:, 2] = True  # never measured
    assert largest_gap_ms(missing, 100.0) == pytest.approx(40.0)
    assert largest_gap_ms(missing[:, [0, 2]], 100.0) == 0.0


@pytest.fixture
def square() -> Markers:
    """Four markers on the corners of a 100 mm square, still for 10 frames."""
    corners = np.array([[0, 0, 1], [0.1, 0, 1], [0.1, 0.1, 1], [0, 0.1, 1]])
    return Markers(("A", "B", "C", "D"), np.tile(corners, (10, 1, 1)), 100.0)


def test_rigidity_sees_a_marker_that_moves_on_its_segment(square: Markers) -> None:
    groups = {"plate": ("A", "B"), "other": ("C", "D", "missing")}
    assert marker_rigidity_mm(square, square, groups) == pytest.approx(0.0, abs=1e-12)
    moved = square.position_m.copy()
    moved[:, 1, 0] += 0.004
    assert marker_rigidity_mm(square.with_positions(moved), square, groups) == pytest.approx(4.0, rel=1e-9)
    assert np.isnan(marker_rigidity_mm(square, square, {"lone": ("A",)}))


def test_filled_share_counts_only_the_named_markers(square: Markers) -> None:
    filled = np.zeros((10, 4), dtype=bool)
    filled[:5, 0] = True
    markers = square.with_positions(square.position_m, filled=filled)
    assert filled_percent(markers, ["A", "B", "absent"]) == pytest.approx(25.0)
    assert np.isnan(filled_percent(markers, ["absent"]))


def test_untracked_frames_are_counted_inside_the_tracked_span(body: BodyMotion) -> None:
    assert untracked_percent(body) == 0.0
    angles = {key: values.copy() for key, values in body.joint_angles_rad.items()}
    for values in angles.values():
        values[:40] = np.nan  # the subject is not yet in view
    angles["L", "knee"][60:72] = np.nan
    assert untracked_percent(replace(body, joint_angles_rad=angles)) == pytest.approx(100.0 * 12 / 120)
    assert untracked_percent(replace(body, joint_angles_rad={})) == 100.0


def test_centre_drift_is_the_change_of_a_bones_length(body: BodyMotion) -> None:
    assert centre_drift_mm(body, body) == 0.0
    centres = dict(body.joint_centres_lab_m)
    along = centres["R", "hip"] - centres["R", "knee"]
    centres["R", "hip"] = centres["R", "hip"] + 0.007 * along / np.linalg.norm(along, axis=1, keepdims=True)
    assert centre_drift_mm(replace(body, joint_centres_lab_m=centres), body) == pytest.approx(7.0, rel=1e-9)


def test_plate_baseline_is_the_largest_force_removed() -> None:
    corners = np.array([[0.6, 0.4, 0], [0, 0.4, 0], [0, 0, 0], [0.6, 0, 0]])
    zeros = np.zeros((10, 3))
    plates = [ForcePlate("plate 1", 2, corners, zeros, zeros, 1000.0, baseline_N=np.array(b)) for b in ([0, 3, 4], [1, 0, 0])]
    assert plate_baseline_N(plates) == pytest.approx(5.0)
    assert np.isnan(plate_baseline_N([]))


def test_pressure_inside_the_foot(body: BodyMotion, contacts: Mapping[str, FootContact]) -> None:
    assert pressure_inside_percent(body, {"L": contacts["L"]}, mass_kg=64.0) == 100.0
    shifted = {side: outline + [0.3, 0.0, 0.0] for side, outline in body.foot_outline_lab_m.items()}
    astray = replace(body, foot_outline_lab_m=shifted)
    assert pressure_inside_percent(astray, {"L": contacts["L"]}, mass_kg=64.0) == 0.0
    assert np.isnan(pressure_inside_percent(body, {}, mass_kg=64.0))
