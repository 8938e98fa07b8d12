"""Wrenches by law on bodies and between them, beside springs of the library, momentum, and work in closed form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomech_id.algebra.arrays import FloatArray
from biomech_id.dynamics.body import Segment
from biomech_id.multibody.forward import simulate
from biomech_id.multibody.joints import free, prismatic, revolute, universal
from biomech_id.multibody.laws import WrenchLaw
from biomech_id.multibody.parts import Body, Terms
from biomech_id.multibody.reduction import forward_dynamics, inverse_dynamics
from biomech_id.multibody.springs import LineSpring
from biomech_id.multibody.system import System
from tests.physics.test_redundant_loops import in_the_plane, plate_on_cranks, posed

STIFFNESS_N_M, DAMPING_N_S_M, REST_M = 80.0, 3.0, 0.25
TIMES_S = np.linspace(0.0, 1.0, 11)


def tree() -> System:
    rng = np.random.default_rng(4)
    segments = [Segment(f"body {k}", 1.0 + k, rng.normal(0, 0.2, 3), np.diag([0.03, 0.04, 0.05])) for k in range(4)]
    joints = [universal("a", "b"), revolute("c", (0, 1, 0)), prismatic("d", (1, 0, 0)), revolute("e", (1, 0, 0))]
    parents = ["base", "body 0", "body 1", "body 0"]
    places = rng.normal(0, 0.3, (4, 3))
    bodies = [Body(*parts) for parts in zip(segments, joints, parents, places, strict=True)]
    return System(bodies, (0.0, 0.0, -9.81))


def line(t: float, q: FloatArray, u: FloatArray, x_m: FloatArray, v_m_s: FloatArray) -> FloatArray:
    """A linear spring and damper."""
    length = np.sqrt(x_m @ x_m)
    along = x_m / length
    pull = STIFFNESS_N_M * (length - REST_M) + DAMPING_N_S_M * along @ v_m_s
    return np.concatenate([-pull * along, np.zeros(3)])


ENDS = [("body 2", (0.1, 0.2, 0.0), "body 3", (0.0, -0.1, 0.3)), ("body 1", (0.0, 0.2, 0.1), "base", (1.0, 0.5, 0.0))]


@pytest.mark.parametrize("ends", ENDS)
def test_the_law_of_a_spring_is_a_spring(ends: tuple[str, tuple[float, ...], str, tuple[float, ...]]) -> None:
    bare, law = tree(), WrenchLaw(*ends, line)  # type: ignore[arg-type]
    sprung = replace(bare, springs=[LineSpring(*ends, STIFFNESS_N_M, DAMPING_N_S_M, REST_M)])  # type: ignore[arg-type]
    q, u, a = np.random.default_rng(0).normal(size=(3, 20, 5))
    loads = law.on(bare.kinematics(q, u), q, np.zeros(20))
    needed = sprung.inverse(q, u, a)
    np.testing.assert_allclose(bare.inverse(q, u, a, loads), needed, rtol=0, atol=1e-12 * np.abs(needed).max())
    freely = sprung.forward(q, u, np.zeros((20, 5)))
    np.testing.assert_allclose(bare.forward(q, u, np.zeros((20, 5)), loads), freely, rtol=0, atol=1e-10 * np.abs(freely).max())
    here, there = bare.terms(q, u, None, loads), sprung.terms(q, u)
    assert isinstance(here, Terms)
    np.testing.assert_allclose(here.E, there.Q, rtol=0, atol=1e-12 * np.abs(there.Q).max())
    runs = [simulate(bare, q[0], u[0], TIMES_S, external=[law]), simulate(sprung, q[0], u[0], TIMES_S)]
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-9)
    assert max(run.energy_drift_J for run in runs) < 1e-8
    # What the law does is what the spring's energy loses, and what its damper takes.
    stored = (sprung.energy(runs[1].q, runs[1].u) - bare.energy(runs[1].q, runs[1].u))[[0, -1]]
    assert runs[0].work_J[-1] == pytest.approx(stored[0] - stored[1] + runs[1].work_J[-1], abs=1e-8)


def test_closed_loops_take_laws_too() -> None:
    system = plate_on_cranks(2, in_the_plane)
    ends = ("plate", (0.2, 0.1, 0.0), "base", (0.5, 0.6, 0.0))
    law = WrenchLaw(*ends, line)
    sprung = replace(system, springs=[LineSpring(*ends, STIFFNESS_N_M, DAMPING_N_S_M, REST_M)])
    q, u1 = posed(system, 0.7), np.array([[2.0]])
    u = u1 * [[1.0, -1.0, 1.0]]
    loads = law.on(system.kinematics(q, u), q, np.zeros(1))
    tau = np.zeros((1, 3))
    a1 = forward_dynamics(sprung, q, u1, tau)
    np.testing.assert_allclose(forward_dynamics(system, q, u1, tau, loads), a1, rtol=1e-12)
    np.testing.assert_allclose(inverse_dynamics(system, q, u1, a1, loads), 0.0, atol=1e-12 * np.abs(a1).max())
    runs = [simulate(one, q[0], u1[0], TIMES_S, external=laws) for one, laws in ((system, [law]), (sprung, None))]
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-9)
    assert runs[0].energy_drift_J < 1e-8


def test_two_free_bodies_that_act_on_each_other_keep_their_momentum() -> None:
    """Forces and moments of any law, along no line: both momenta stay, about any point."""
    segments = [Segment(name, 2.0 + k, np.array([0.1, 0.0, 0.2]), np.diag([0.2, 0.3, 0.4])) for k, name in enumerate("ab")]
    system = System([Body(segment, free(segment.name)) for segment in segments], (0.0, 0.0, 0.0))

    def odd(t: float, q: FloatArray, u: FloatArray, x_m: FloatArray, v_m_s: FloatArray) -> FloatArray:
        return np.concatenate([[np.sin(5 * t), x_m[0], -2.0 + u[3]], np.cross(x_m, v_m_s) + [0.1, 0.2 * t, 0.0]])

    q0 = system.at_zero(**{system.coordinates[0]: 1.0})[0]
    u0 = np.random.default_rng(3).normal(size=12)
    run = simulate(system, q0, u0, TIMES_S, external=[WrenchLaw("a", (0.3, 0.0, 0.1), "b", (0.0, 0.2, 0.0), odd)])
    momenta = []
    for motion, segment in zip(system.motions(system.kinematics(run.q, run.u)), segments, strict=True):
        R, linear = motion.frames.R_lab_seg, segment.mass_kg * motion.com_velocity_lab_m_s
        spin = np.einsum("nij,jk,nlk,nl->ni", R, segment.inertia_kgm2, R, motion.omega_lab_rad_s)
        momenta.append(np.concatenate([linear, spin + np.cross(motion.com_lab_m, linear)], axis=1))
    total = momenta[0] + momenta[1]
    assert np.ptp(momenta[0], axis=0).min() > 0.05
    np.testing.assert_allclose(total, np.broadcast_to(total[0], total.shape), rtol=0, atol=1e-9)
    assert run.energy_drift_J < 1e-8


def test_a_force_that_grows_with_time() -> None:
    """F = 6 t on 2 kg: x = t^3 / 2, and its work is the motion energy (3 t^2)^2 / 4 ... m v^2 / 2."""
    block = System([Body(Segment("block", 2.0, np.zeros(3), np.zeros((3, 3))), prismatic("x", (1, 0, 0)))], (0.0, 0.0, 0.0))
    law = WrenchLaw("block", (0.0, 0.0, 0.0), "base", (0.0, 0.0, 0.0), lambda t, q, u, x_m, v_m_s: [6.0 * t, 0, 0, 0, 0, 0])
    run = simulate(block, np.zeros(1), np.zeros(1), TIMES_S, external=[law])
    np.testing.assert_allclose(run.q[:, 0], TIMES_S**3 / 2, rtol=0, atol=1e-10)
    np.testing.assert_allclose(run.work_J, (1.5 * TIMES_S**2) ** 2, rtol=0, atol=1e-10)


def test_a_gap_stays_a_gap() -> None:
    bare, law = tree(), WrenchLaw(*ENDS[0], line)
    q, u = np.random.default_rng(0).normal(size=(2, 3, 5))
    q[1, 0] = np.nan
    lost = np.isnan(bare.inverse(q, u, u, law.on(bare.kinematics(q, u), q, np.zeros(3)))).any(axis=1)
    np.testing.assert_array_equal(lost, [False, True, False])


def test_one_law_needs_no_list() -> None:
    system, law = tree(), WrenchLaw(*ENDS[0], line)  # type: ignore[arg-type]
    runs = [simulate(system, *np.full((2, 5), 0.1), TIMES_S, external=external) for external in (law, [law])]
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=1e-12, atol=1e-14)  # generated code may take over in between
