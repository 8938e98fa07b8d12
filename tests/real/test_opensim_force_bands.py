"""Both bands of muscle forces in a walk of gait2392: linear response against 400 draws, ends at the limit of the effort."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from biomech_id.osim.document.setups import AnalyzeSetup, read_setup
from biomech_id.osim.forces.actuators import read_actuated
from biomech_id.osim.forces.analysed_motion import analysed_motion
from biomech_id.osim.forces.force_bands import (
    MORE_EFFORT,
    EffortProblem,
    ForceErrors,
    effort_problem,
    linear_response,
    near_optimal,
)
from biomech_id.osim.forces.joint_reactions import WEIGHT_OF_KG, size_gradient
from biomech_id.osim.forces.least_effort import least_effort
from biomech_id.osim.forces.static_optimisation import MuscleForces, static_optimisation
from biomech_id.osim.run import coordinates_in, outer_forces
from biomech_id.readers.opensim.storage import read_storage

pytestmark = pytest.mark.real

DRAWS = 400
#: A muscle below this share of the body's weight is looked at by nobody.
LEAST_BODY_WEIGHTS = 0.05


@pytest.fixture(scope="module")
def forces(shared_dir: Path) -> MuscleForces:
    setup = read_setup(shared_dir / "opensim_refs" / "gait2392" / "so_setup_default.xml")
    assert isinstance(setup, AnalyzeSetup)
    assert setup.external_loads_file is not None
    actuated, table = read_actuated(setup.model_file, setup.force_sets), read_storage(setup.coordinates_file)
    motion = analysed_motion(
        actuated.model, table.time_s, coordinates_in(table, actuated.model), in_degrees=True, cutoff_hz=setup.cutoff_hz,
        time_range_s=setup.time_range_s,
    )  # fmt: skip
    return static_optimisation(actuated, motion, outer_forces(setup.external_loads_file))


@pytest.fixture(scope="module")
def problem(forces: MuscleForces) -> EffortProblem:
    return effort_problem(forces)


def scattered(p: EffortProblem, errors: ForceErrors) -> np.ndarray:
    """Standard deviations (N, n) of all forces over draws of strengths, moment arms and moments."""
    rng, (N, m, n) = np.random.default_rng(11), p.G.shape
    mean, square = np.zeros((N, n)), np.zeros((N, n))
    for _ in range(DRAWS):
        strength = 1 + errors.strength * p.muscles * rng.normal(size=(N, n))
        arms = 1 + errors.arm * p.muscles * rng.normal(size=(N, m, n))
        tau = p.tau + errors.moment * np.abs(p.tau).max(axis=0) * rng.normal(size=(N, m))
        force = least_effort(p.G * strength[:, None] * arms, tau, *p.bounds).controls * strength * p.strength
        mean += force / DRAWS
        square += force**2 / DRAWS
    return np.asarray(np.sqrt(np.maximum(square - mean**2, 0.0) * DRAWS / (DRAWS - 1)))


def test_linear_response_is_what_four_hundred_draws_scatter(forces: MuscleForces, problem: EffortProblem) -> None:
    p = problem
    n = p.G.shape[2]
    sd = linear_response(p, np.broadcast_to(np.eye(n), (len(p.G), n, n)), ForceErrors())
    scatter = scattered(p, ForceErrors())
    used = (p.controls * p.strength > LEAST_BODY_WEIGHTS * WEIGHT_OF_KG * forces.equations.actuated.model.mass_kg) & p.muscles
    ratios = {k: np.median((sd[:, k] / scatter[:, k])[used[:, k]]) for k in range(n) if used[:, k].any()}
    assert len(ratios) > 30
    assert 0.8 < min(ratios.values()) <= max(ratios.values()) < 1.25
    assert 0.95 < np.median(list(ratios.values())) < 1.1


def test_near_optimal_ends_are_possible_and_at_the_limit(forces: MuscleForces, problem: EffortProblem) -> None:
    p = problem
    press = size_gradient(forces, ["hip_r", "knee_r", "ankle_r"])[:, :, p.columns]
    least, most, ends = near_optimal(p, press)
    assert (most - least > 0.2 * WEIGHT_OF_KG * forces.equations.actuated.model.mass_kg).mean() > 0.5
    assert np.abs(np.einsum("imn,isen->isem", p.G, ends) - p.tau[:, None, None]).max() < 1e-8
    assert ((ends >= p.bounds[0]) & (ends <= p.bounds[1])).all()
    allowed = MORE_EFFORT * (p.controls**2 * p.muscles).sum(axis=1)[:, None, None]
    spent = ((ends**2).sum(axis=3) - (p.controls**2).sum(axis=1)[:, None, None]) / allowed
    np.testing.assert_allclose(spent, 1.0, atol=1e-6)
