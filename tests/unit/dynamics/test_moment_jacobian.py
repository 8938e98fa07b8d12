"""What a clinical moment changes by, against the moment itself with loads and axes a little off, both ways."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.algebra.rotation import cardan_matrix, rotation_about
from biomech_id.algebra.skew import skew
from biomech_id.models.registry import body_model

#: Turn, rad, and change of the moment, N m, that are little enough for the first order of both ways.
STEP = 1e-5


@pytest.mark.parametrize("model", ["conventional", "six-dof"])
@pytest.mark.parametrize("side", ["L", "R"])
@pytest.mark.parametrize("joint", ["ankle", "knee", "hip"])
def test_rows_are_the_differences_of_the_moment(model: str, side: str, joint: str) -> None:
    axes = body_model(model).axes
    rng = np.random.default_rng(3)
    R_lab_proximal = cardan_matrix(rng.uniform(-1.0, 1.0, (5, 3)), "zxy")
    R_lab_distal = R_lab_proximal @ cardan_matrix(rng.uniform(-0.6, 0.6, (5, 3)), "zxy") @ rotation_about(0, np.full(5, 0.1))
    moment_lab_Nm = rng.normal(size=(5, 3)) * 30.0
    rows = axes.moment_jacobian(joint, side, moment_lab_Nm, R_lab_proximal, R_lab_distal)
    largest = 0.0
    for k, unit in enumerate(STEP * np.eye(3)):
        turn = np.eye(3) + skew(unit)
        ahead = [
            axes.moment(joint, side, moment_lab_Nm + unit, R_lab_proximal, R_lab_distal),
            axes.moment(joint, side, moment_lab_Nm, turn @ R_lab_proximal, R_lab_distal),
            axes.moment(joint, side, moment_lab_Nm, R_lab_proximal, turn @ R_lab_distal),
        ]
        back = [
            axes.moment(joint, side, moment_lab_Nm - unit, R_lab_proximal, R_lab_distal),
            axes.moment(joint, side, moment_lab_Nm, turn.T @ R_lab_proximal, R_lab_distal),
            axes.moment(joint, side, moment_lab_Nm, R_lab_proximal, turn.T @ R_lab_distal),
        ]
        for row, a, b in zip(rows, ahead, back, strict=True):
            np.testing.assert_allclose(row[:, :, k], (a - b) / (2 * STEP), atol=1e-5)
            largest = max(largest, float(np.abs(row).max()))
    assert largest > 10.0
