"""A model with constant bones closes the energy of a child's shanks, which the conventional one does not, and what that costs.

Power goes through joint centres, moving as they do: where a shank changes its length, its energy does not follow. The thigh is left
out: gait2392's knee slides, and its centre is the tibia's.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from biomech_id.algebra.vectors import dot, matvec
from biomech_id.conventions import GRAVITY_M_S2, SIDES
from biomech_id.pipeline.job import Job
from biomech_id.pipeline.recipe import Recipe
from biomech_id.pipeline.single import analyse_job
from biomech_id.results.session.values import TrialResult

pytestmark = pytest.mark.real
GRAVITY = np.array([0.0, 0.0, -GRAVITY_M_S2])


def straight_walk(shared_dir: Path, model: str) -> TrialResult:
    recipe = Recipe(model=model, report=False, budget=False, uncertainty=False)
    session = analyse_job(Job((shared_dir / "c3d" / "children" / "HC036A",), recipe))
    return next(trial for trial in session.trials if trial.name == "HC036A10")


def unexplained_W_kg(trial: TrialResult, side: str) -> float:
    """Root mean square of power through knee and ankle against the rate of the shank's energy."""
    shank, segment = trial.motion.motions[side, "shank"], trial.motion.segments[side, "shank"]
    R, omega = shank.frames.R_lab_seg, shank.omega_lab_rad_s
    tensor = R @ segment.inertia_kgm2 @ R.swapaxes(1, 2)
    rate = segment.mass_kg * dot(shank.com_velocity_lab_m_s, shank.com_acceleration_lab_m_s2 - GRAVITY)
    rate = rate + dot(omega, matvec(tensor, shank.alpha_lab_rad_s2))
    assert trial.loads is not None
    assert trial.mass_kg is not None
    for joint, sign in (("knee", 1.0), ("ankle", -1.0)):
        wrench = trial.loads[side, joint].wrench
        velocity = np.gradient(wrench.point_lab_m, 1.0 / trial.motion.rate_hz, axis=0)
        rate = rate - sign * (dot(wrench.force_N, velocity) + dot(wrench.moment_Nm, omega))
    return float(np.sqrt(np.nanmean((rate / trial.mass_kg) ** 2)))


def test_shanks_close_their_energy_and_what_it_costs_is_small(shared_dir: Path) -> None:
    generic = shared_dir / "opensim_refs" / "gait2392" / "gait2392_thelen2003muscle.osim"
    bones, conventional = (straight_walk(shared_dir, model) for model in (str(generic), "conventional"))
    for side in SIDES:
        assert unexplained_W_kg(bones, side) < 0.02
        assert unexplained_W_kg(conventional, side) > 0.1
    residuals_mm = [1e3 * np.sqrt(np.nanmean(residual**2)) for residual in bones.motion.fit_residual_m.values()]
    assert 1.0 < np.median(residuals_mm) < 15.0
    # The force left at the root is no larger than what the conventional model's whole body leaves.
    left, usual = ({row.rule: row.value for row in trial.quality}["residual-single"] for trial in (bones, conventional))
    assert 0.0 < left <= usual
