"""Gait variable and profile scores against a calculation by hand."""

import numpy as np
import pytest

from biomech_id.errors import ShapeError
from biomech_id.gait.measures.scores import GAIT_VARIABLES, gait_scores, gait_variable_score

NORM = {name: 10.0 * np.sin(np.linspace(0, 2 * np.pi, 101) + i) for i, name in enumerate(GAIT_VARIABLES)}


def _person(offsets):
    """Curves that differ from the norm by one constant per side and variable."""
    return {(side, *name): NORM[name] + offsets[side, i] for side in "LR" for i, name in enumerate(GAIT_VARIABLES)}


OFFSETS = {("L", i): float(i + 1) for i in range(9)} | {("R", i): float(2 * i + 1) for i in range(9)}


def test_nine_variables_in_bakers_order():
    assert len(GAIT_VARIABLES) == 9
    assert [v for v, _ in GAIT_VARIABLES].count("PelvisAngles") == 3


def test_profile_by_hand():
    scores = gait_scores(_person(OFFSETS), NORM)
    for (side, i), offset in OFFSETS.items():
        assert scores.variables[(side, *GAIT_VARIABLES[i])] == pytest.approx(offset)
    left = [OFFSETS["L", i] for i in range(9)]
    right = [OFFSETS["R", i] for i in range(9)]
    assert scores.sides["L"] == pytest.approx(np.sqrt(sum(x * x for x in left) / 9))
    assert scores.sides["R"] == pytest.approx(np.sqrt(sum(x * x for x in right) / 9))
    # The pelvis counts once, from the left: nine left ones and the right side's last six.
    assert scores.overall == pytest.approx(np.sqrt(sum(x * x for x in left + right[3:]) / 15))


def test_only_every_second_percent_counts():
    person = NORM["HipAngles", "X"].copy()
    person[1::2] += 50.0
    assert gait_variable_score(person, NORM["HipAngles", "X"]) == pytest.approx(0.0, abs=1e-12)
    person[0] += 51.0
    assert gait_variable_score(person, NORM["HipAngles", "X"]) == pytest.approx(51.0 / np.sqrt(51.0))


def test_curves_of_51_and_101_points_score_alike():
    person = NORM["KneeAngles", "X"] + np.linspace(0, 9, 101)
    full = gait_variable_score(person, NORM["KneeAngles", "X"])
    assert gait_variable_score(person[::2], NORM["KneeAngles", "X"][::2]) == pytest.approx(full)


def test_a_missing_variable_leaves_its_side_without_a_profile():
    person = _person(OFFSETS)
    del person["R", "AnkleAngles", "X"]
    person["L", "HipAngles", "Z"] = np.full(101, np.nan)
    scores = gait_scores(person, NORM)
    assert scores.sides == {}
    assert np.isnan(scores.overall)
    assert ("L", "HipAngles", "Z") not in scores.variables
    assert scores.variables["L", "HipAngles", "X"] == pytest.approx(4.0)


def test_one_missing_point_does_not_take_a_score_away():
    person = NORM["KneeAngles", "X"] + 5.0
    person[40] = np.nan
    assert gait_variable_score(person, NORM["KneeAngles", "X"]) == pytest.approx(5.0)
    person[:11] = np.nan
    assert np.isnan(gait_variable_score(person, NORM["KneeAngles", "X"]))  # 44 of 51 points


def test_wrong_length():
    with pytest.raises(ShapeError, match="100"):
        gait_variable_score(np.zeros(100), np.zeros(101))
