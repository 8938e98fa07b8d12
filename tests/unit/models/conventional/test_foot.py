"""The foot: static offsets bring its axis onto the sole; the outline surrounds it."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.errors import Severity
from biomech_id.models.conventional.foot import corrected_foot, uncorrected_foot
from biomech_id.models.conventional.model import conventional_model
from biomech_id.models.conventional.static_offsets import FootOffsets, decide_foot_flat, foot_offsets, offsets_apart, stored_offsets
from biomech_id.models.foot_outline import OUTLINE_NAMES, foot_length_m, outline_foot_m
from biomech_id.sample import virtual_subject
from biomech_id.trial import Subject

SIDES = ("L", "R")
N = 5


def standing(side: str, heel_height_m: float = 0.06, toe_height_m: float = 0.04) -> tuple[np.ndarray, ...]:
    """Ankle, heel and toe marker and upright shank axes; the foot points 10 degrees outward."""
    s = 1.0 if side == "L" else -1.0
    ankle, heel, toe = np.array([0, 0, 0.09]), np.array([-0.05, 0, heel_height_m]), np.array([0.14, 0, toe_height_m])
    c, d = np.cos(np.deg2rad(10)), np.sin(np.deg2rad(10)) * s
    out = np.array([[c, -d, 0], [d, c, 0], [0, 0, 1]])
    return tuple(np.tile(out @ p, (N, 1)) for p in (ankle, heel, toe)) + (np.tile(np.eye(3), (N, 1, 1)),)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("flat", [True, False])
def test_the_corrected_foot_points_along_the_sole(side: str, flat: bool) -> None:
    ankle, heel, toe, shank = standing(side)
    uncorrected = uncorrected_foot(ankle, toe, shank)
    offsets = foot_offsets(side, uncorrected, heel, toe, flat=flat)
    foot = corrected_foot(uncorrected, side, offsets.plantar_flexion_rad, offsets.rotation_rad)
    sole = heel - toe
    if flat:
        sole = sole * [1, 1, 0]
    assert foot[0, :, 2] == pytest.approx(sole[0] / np.linalg.norm(sole[0]), abs=1e-12)
    assert foot[0, 2, 0] > 0.9  # x goes up through the instep
    assert foot[0, 1, 1] > 0.9  # y to the left


def test_both_sides_have_the_same_offsets_in_mirrored_feet() -> None:
    found = []
    for side in SIDES:
        ankle, heel, toe, shank = standing(side)
        found.append(foot_offsets(side, uncorrected_foot(ankle, toe, shank), heel, toe, flat=True))
    assert found[0].distance(found[1]) < 1e-12


def test_sole_delta_lifts_the_heel_of_a_flat_foot() -> None:
    ankle, heel, toe, shank = standing("R")
    uncorrected = uncorrected_foot(ankle, toe, shank)
    lifted = foot_offsets("R", uncorrected, heel, toe, flat=True, sole_delta_m=0.02)
    foot = corrected_foot(uncorrected, "R", lifted.plantar_flexion_rad, lifted.rotation_rad)
    # The z axis goes from toe to heel: 20 mm up over the 190 mm between them.
    assert foot[0, 2, 2] == pytest.approx(0.02 / np.hypot(0.19, 0.02), abs=1e-12)
    as_it_stood = foot_offsets("R", uncorrected, heel, toe, flat=False)
    assert lifted.distance(as_it_stood) < 1e-12  # here the markers themselves stand 20 mm apart


def test_frames_without_a_heel_do_not_count() -> None:
    ankle, heel, toe, shank = standing("L")
    whole = foot_offsets("L", uncorrected_foot(ankle, toe, shank), heel, toe, flat=True)
    heel[2] = np.nan
    assert foot_offsets("L", uncorrected_foot(ankle, toe, shank), heel, toe, flat=True).distance(whole) < 1e-15


A = FootOffsets(0.20, 0.05)
B = FootOffsets(0.10, 0.06)


@pytest.mark.parametrize(
    ("stored", "flat", "rule", "severity"),
    [
        (None, True, "foot-flat-assumed", Severity.INFO),
        (FootOffsets(0.2001, 0.0499), True, "foot-flat-as-stored", Severity.INFO),
        (FootOffsets(0.1001, 0.0601), False, "foot-flat-as-stored", Severity.INFO),
        (FootOffsets(0.30, 0.05), True, "foot-flat-assumed", Severity.INFO),
    ],
    ids=["nothing stored", "as flat", "as it stood", "neither"],
)
def test_foot_flat_is_decided_by_what_is_stored(stored: FootOffsets | None, flat: bool, rule: str, severity: Severity) -> None:
    decided, finding = decide_foot_flat({"L": A}, {"L": B}, {"L": stored}, "static")
    assert (decided, finding.rule, finding.severity, finding.where) == (flat, rule, severity, "static")


def test_every_offset_that_is_not_the_stored_one_is_named_with_both_numbers() -> None:
    ours = {"L": {"static_plantar_flexion_rad": 0.20, "thigh_rotation_rad": 0.05}, "R": {"static_plantar_flexion_rad": 0.30}}
    stored = Subject(static_plantar_flexion_rad={"L": 0.30, "R": 0.3001}, thigh_rotation_rad={"L": 0.0})
    (finding,) = offsets_apart(ours, stored, "static")
    assert finding.severity is Severity.WARNING
    assert finding.message.endswith("static trial: L static plantar flexion 11.46 deg, stored 17.19 (5.73 apart).")
    assert list(offsets_apart(ours, Subject(), "static")) == []


def test_a_calibration_that_was_told_foot_flat_is_checked_too() -> None:
    static = virtual_subject().static().trial
    said = static.subject.with_values("file", static_plantar_flexion_rad={"L": 0.6}, static_rotation_offset_rad={"L": 0.05})
    for flat in (None, True):
        rules = [finding.rule for finding in conventional_model(static, said, foot_flat=flat).findings]
        assert rules.count("static-offsets-differ") == 1


def test_stored_zeros_are_not_offsets() -> None:
    zero = Subject(static_plantar_flexion_rad={"L": 0.0}, static_rotation_offset_rad={"L": 0.0})
    known = Subject(static_plantar_flexion_rad={"L": 0.1}, static_rotation_offset_rad={"L": 0.0})
    assert stored_offsets(zero, "L") is None
    assert stored_offsets(known, "R") is None
    assert stored_offsets(known, "L") == FootOffsets(0.1, 0.0)


def test_foot_length_is_less_a_marker_radius() -> None:
    _, heel, toe, _ = standing("L", 0.05, 0.05)
    assert foot_length_m(heel, toe, 0.007) == pytest.approx(0.19 - 0.007)


@pytest.mark.parametrize("side", SIDES)
def test_outline_lies_on_the_floor_around_the_markers(side: str) -> None:
    ankle, heel, toe, shank = standing(side)
    uncorrected = uncorrected_foot(ankle, toe, shank)
    offsets = foot_offsets(side, uncorrected, heel, toe, flat=True)
    foot = corrected_foot(uncorrected, side, offsets.plantar_flexion_rad, offsets.rotation_rad)
    outline = outline_foot_m(side, heel, toe, ankle, foot, marker_radius_m=0.007, floor_lab_m=0.0)
    lab = outline @ foot[0].T + ankle[0]
    assert len(outline) == len(OUTLINE_NAMES)
    assert np.abs(lab[:, 2]).max() < 1e-12
    # Its area by the shoelace formula is a foot's: some 60 % of length times breadth, and it goes around once.
    x, y = lab[:, 0], lab[:, 1]
    area = 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))
    length = np.linalg.norm(lab[OUTLINE_NAMES.index("ToeOutline")] - lab[OUTLINE_NAMES.index("HeelOutline")])
    assert 0.24 < length < 0.27
    assert 0.5 < abs(area) / (length * 0.36 * length) < 0.9
    outer = lab[OUTLINE_NAMES.index("BallLateralOutline"), 1] - lab[OUTLINE_NAMES.index("BallMedialOutline"), 1]
    assert outer * (1.0 if side == "L" else -1.0) > 0.05
