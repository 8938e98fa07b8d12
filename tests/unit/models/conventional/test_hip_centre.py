"""The conventional model's hip centres by other methods: at their place in the pelvis, and named."""

from __future__ import annotations

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.dynamics.model_errors import HipCentreMethod
from biomech_id.errors import MissingInputError, OptionError
from biomech_id.models.conventional.model import CONVENTIONAL
from biomech_id.models.model import CalibrationInput
from biomech_id.trial import Trial


@pytest.fixture(scope="module")
def static() -> Trial:
    return bid.virtual_subject().static().trial


def by_hand_mm(method: str, trial: Trial) -> dict[str, np.ndarray]:
    """The formulas of docs/hip-centres.md with the lengths of this body: forward, to the left, up."""
    left, right = trial.markers["LASI"], trial.markers["RASI"]
    back = 0.5 * (trial.markers["LPSI"] + trial.markers["RPSI"])
    w = 1e3 * float(np.linalg.norm(left - right, axis=1).mean())
    if trial.subject.inter_asis_distance_m:
        w = 1e3 * trial.subject.inter_asis_distance_m
    r = 1e3 * (trial.subject.marker_diameter_m or np.nan) / 2
    d = 1e3 * float(np.linalg.norm(0.5 * (left + right) - back, axis=1).mean()) - 2 * r
    found = {}
    for side, to_left in (("L", 1.0), ("R", -1.0)):
        leg = 1e3 * trial.subject.leg_length_m[side]
        x, y, z = {
            "bell": (-0.19 * w, -0.30 * w, 0.36 * w),
            "harrington": (-0.24 * d - 9.9 - r, -0.30 * w - 10.9, 0.33 * w + 7.3),
            "hara": (11 - 0.063 * leg - r, -9 - 0.078 * leg, 8 + 0.086 * leg),
        }[method]
        found[side] = np.array([x, to_left * z, y])
    return found


@pytest.mark.parametrize("method", ["bell", "harrington", "hara"])
def test_a_regression_is_where_its_formula_says_and_is_named(method: str, static: Trial) -> None:
    model = bid.conventional_model(static, hip=method)
    said = model.calibration.to_dict()
    for side, centre in by_hand_mm(method, static).items():
        np.testing.assert_allclose(said["sides"][side]["hip_centre_in_pelvis_mm"], centre, atol=1e-6)
    assert said["hip_centre"] == {"L": method, "R": method}
    assert method.title() in said["hip_centre_method"]
    assert set(model.errors.hip_centre.values()) == {HipCentreMethod(method)}


def test_without_a_word_it_is_davis(static: Trial) -> None:
    plain, named = (bid.conventional_model(static, **how).calibration.to_dict() for how in ({}, {"hip": "davis"}))
    assert plain == named
    assert plain["hip_centre"] == {"L": "davis", "R": "davis"}


def test_a_centre_from_motion_is_that_of_another_model(static: Trial) -> None:
    with pytest.raises(MissingInputError, match="six-dof"):
        CONVENTIONAL.calibrate(CalibrationInput([static], static.subject, static, hip_centre="score"))
    with pytest.raises(OptionError, match="harrington"):
        CONVENTIONAL.calibrate(CalibrationInput([static], static.subject, static, hip_centre="harington"))
