"""Closed loops against the reference mechanisms, Newton's method, energy and virtual work.

The builders of `tests/unit/multibody/mechanisms.py` are loaded by path: test folders are no packages.
"""

from __future__ import annotations

import dataclasses
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biomech_id.algebra.wrench import Wrench
from biomech_id.dynamics.external import External
from biomech_id.errors import InvalidValueError, MissingInputError
from biomech_id.multibody.closures import Gearing
from biomech_id.multibody.examples.mechanisms import assist_knee
from biomech_id.multibody.forward import Simulation, simulate
from biomech_id.multibody.reduction import (
    assemble,
    configuration,
    forward_dynamics,
    inverse_dynamics,
    loop_forces,
    projection,
    reduced,
)
from biomech_id.multibody.system import System

_spec = importlib.util.spec_from_file_location("mechanisms", Path(__file__).parents[1] / "unit" / "multibody" / "mechanisms.py")
assert _spec is not None
assert _spec.loader is not None
mechanisms = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(mechanisms)

#: N, N m, kg m2: the reference's three ways agree to 3.6e-15 on values up to 30, times of rotation not counted.
TOLERANCE = 1e-11
DOWN = (0.0, -9.81, 0.0)


class Case:
    def __init__(self, file: Any, name: str) -> None:
        build = {"fourbar": mechanisms.reference_four_bar, "leg_exo": lambda f: mechanisms.reference_leg(f).mechanism(DOWN)}[name]
        self.file, self.loop = file[name], build(file)
        self.dependent = [self.loop.coordinate(key) for key in self.loop.dependent]

    def drives(self, tau1: np.ndarray) -> np.ndarray:
        """Forces in the free coordinates as drives at all joints."""
        tau = np.zeros((len(tau1), len(self.loop.speeds)))
        tau[:, [self.loop.speed(key) for key in self.loop.free]] = tau1
        return tau

    def of(self, name: str) -> np.ndarray:
        return np.array([case[name] for case in self.file["cases"]])


@pytest.fixture(scope="module", params=["fourbar", "leg_exo"])
def case(request: pytest.FixtureRequest, reference: Any) -> Case:
    return Case(reference("fourbar"), request.param)


def close(ours: np.ndarray, theirs: np.ndarray, atol: float = TOLERANCE) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=atol)


def test_dependent_coordinates_in_closed_form_and_by_newton(case: Case) -> None:
    q1, q2 = case.of("q1"), case.of("q2")
    assert len(q1) >= 8
    explicit = configuration(case.loop, q1)
    close(explicit[:, case.dependent], q2)
    close(assemble(case.loop, q1, q2 + 0.01), explicit)


def test_equations_in_free_coordinates(case: Case) -> None:
    found = reduced(case.loop, configuration(case.loop, case.of("q1")), case.of("q1d"))
    for ours, name in (
        (found.W, "W"), (found.M1, "M1"), (found.c1, "c1"), (found.g1, "g1"), (found.spring1, "tau_spring1"),
        (found.u[:, case.dependent], "q2d"),
    ):  # fmt: skip
        close(ours, case.of(name))


def test_inverse_and_forward_dynamics(case: Case) -> None:
    q, u1, a1 = configuration(case.loop, case.of("q1")), case.of("q1d"), case.of("q1dd")
    close(inverse_dynamics(case.loop, q, u1, a1), case.of("tau1"))
    close(forward_dynamics(case.loop, q, u1, case.drives(case.of("tau1"))), a1, 1e-9)


def test_the_wdot_term_is_not_small(case: Case) -> None:
    """Without it the answer would be wrong by 0.009 N m (four-bar) and 0.2 N m (leg); the test knows the difference."""
    q, u1 = configuration(case.loop, case.of("q1")), case.of("q1d")
    found = reduced(case.loop, q, u1)
    M = case.loop.masses.mass_matrix(case.loop.kinematics(q))
    left_out = np.einsum("nji,njk,nk->ni", found.W, M, found.W_rate_u)
    key = "c1 without W^T M Wdot q1dot term: error"
    assert np.abs(left_out).max() == pytest.approx(case.file["checks_max_abs"][key], rel=1e-6)


def freely(loop: System, q1: Any, u1: Any, t_s: np.ndarray) -> Simulation:
    return simulate(loop, configuration(loop, np.array([q1]))[0], np.array(u1), t_s, tolerance=1e-11)


@pytest.mark.slow
def test_free_run_of_the_reference_four_bar(reference: Any) -> None:
    loop = mechanisms.reference_four_bar(reference("fourbar"))
    stored = reference("fourbar")["fourbar"]["free_motion"]
    run = freely(loop, stored["y0"][:1], stored["y0"][1:], np.array(stored["t"]))
    states = np.array(stored["theta_thetadot"])
    close(run.q[:, 0], states[:, 0], 1e-7)  # rad, rad/s: two runs of the reference's own differ by 2.5e-7 at 1e-10
    assert run.energy_J[0] == pytest.approx(stored["E0"], abs=1e-12)
    assert run.energy_drift_J <= 1e-9 * abs(stored["E0"])


RUNS = {
    "two loops": (mechanisms.two_loops, [1.0], [9.0]),
    "slider-crank with damper": (mechanisms.piston, [0.7], [12.0]),
    "slider-crank": (lambda: mechanisms.piston(damping=0.0), [0.7], [12.0]),
    "gear pair": (mechanisms.gears, [0.3, 0.0], [2.0, -3.0]),
}


@pytest.mark.parametrize("name", [name if name == "gear pair" else pytest.param(name, marks=pytest.mark.slow) for name in RUNS])
def test_energy_of_a_free_run(name: str) -> None:
    build, q1, u1 = RUNS[name]
    loop = build()
    run = freely(loop, q1, u1, np.linspace(0, 2, 11))
    kinetic = (loop.energy(run.q[:1], run.u[:1]) - loop.energy(run.q[:1], 0 * run.u[:1]))[0]
    assert run.energy_drift_J <= 1e-9 * kinetic
    assert np.ptp(run.q[:, 0]) > 0.5
    if "damper" in name:
        assert run.work_J[-1] < -0.1


@pytest.mark.slow
def test_energy_of_the_leg_falling_for_two_seconds(reference: Any) -> None:
    """Strong strut, no stops: the leg swings from near its rest; its damper takes energy and the audit counts it."""
    loop = mechanisms.reference_leg(reference("fourbar")).mechanism(DOWN)
    run = freely(loop, [-1.5, -0.5, 1.6], np.zeros(3), np.linspace(0, 2, 5))
    assert np.ptp(run.energy_J) > 1e-3
    assert run.energy_drift_J <= 1e-9 * np.abs(run.energy_J).max()


@pytest.mark.parametrize("build", [mechanisms.two_loops, mechanisms.piston, mechanisms.gears])
def test_closures_close_the_loops(build: Any) -> None:
    loop: System = build()
    rng = np.random.default_rng(3)
    q1 = rng.uniform(-3, 3, (20, len(loop.free)))
    q = configuration(loop, q1)
    gaps = loop.loop_residual(q, loop.kinematics(q))
    if not any(isinstance(closure, Gearing) for closure in loop.closures):
        close(gaps, np.zeros_like(gaps), 1e-14)
    speeds = rng.normal(size=q1.shape)
    W, W_rate_u = projection(loop, q, speeds)
    u = (W @ speeds[..., None])[..., 0]
    h, dependent = 1e-4, [loop.coordinate(name) for name in loop.dependent]
    ahead, behind = (assemble(loop, q1 + s * h * speeds, (q + s * h * u)[:, dependent]) for s in (1, -1))
    close((ahead - behind) / (2 * h), u, 1e-5)  # difference quotients, off by h^2
    close((ahead - 2 * q + behind) / h**2, W_rate_u, 1e-3)


def test_rims_of_rolling_gears_share_a_velocity() -> None:
    loop = mechanisms.gears()
    q = assemble(loop, np.array([[0.4, 0.9]]), np.array([[0.0]]))
    W, _ = projection(loop, q, np.array([[2.0, -3.0]]))
    motion = loop.kinematics(q, (W @ np.array([[2.0], [-3.0]]))[..., 0])
    pitch = 0.08 * np.array([np.cos(0.4), np.sin(0.4), 0])  # carrier at 0.4 rad, central gear of 0.08 m

    def velocity(body: int) -> np.ndarray:
        return motion.velocity_m_s[0, body] + np.cross(motion.omega_rad_s[0, body], pitch - motion.origin_m[0, body])

    assert np.linalg.norm(velocity(2)) > 0.2
    close(velocity(2), velocity(3), 1e-14)


def test_loop_forces_keep_the_loop_closed(case: Case) -> None:
    """The cut tree, pushed by its drives and the loop's forces alone, accelerates as the closed mechanism does."""
    loop, q, u1, a1 = case.loop, configuration(case.loop, case.of("q1")), case.of("q1d"), case.of("q1dd")
    drives = case.drives(case.of("tau1"))
    force = loop_forces(loop, q, u1, a1, drives)
    found = reduced(loop, q, u1)
    J = loop.loop_jacobian(q, loop.kinematics(q))
    a = loop.forward(q, found.u, drives + np.einsum("nkj,nk->nj", J, force))
    close(a, (found.W @ a1[..., None])[..., 0] + found.W_rate_u, 1e-8 * np.abs(a).max())
    if case.file is not None and len(loop.free) == 1:
        close(force, case.of("lambda_loop"))


def test_out_of_reach_singular_and_without_closure_are_said() -> None:
    loop = mechanisms.piston()
    four_bar = mechanisms.small_four_bar()
    bars = [body.segment for body in four_bar.bodies]
    long_crank = mechanisms.four_bar((0.2, 0.1, 0.1), 0.25, bars, gravity_m_s2=DOWN)
    with pytest.raises(
        InvalidValueError,
        match=r"1 of 2 configurations, first in 1 .* the circles of coupler and rocker miss each other by 180 mm: together",
    ):
        configuration(long_crank, np.array([[0.0], [2.0]]))
    with pytest.raises(InvalidValueError, match="cannot be assembled"):
        assemble(long_crank, np.array([[2.0]]), np.zeros((1, 2)))
    # Stretched: crank tip, joint and rocker pivot in one line.
    stretched = mechanisms.four_bar((0.1, 0.1, 0.1), 0.3, bars, gravity_m_s2=DOWN)
    with pytest.raises(InvalidValueError, match="singular"):
        projection(stretched, np.array([[0.0, 0.0, np.pi]]), np.ones((1, 1)))
    bare = System(loop.bodies, DOWN, loop.closures, loop.free)
    with pytest.raises(MissingInputError, match="closed form"):
        configuration(bare, np.zeros((1, 1)))
    with pytest.raises(InvalidValueError, match="2 equations cannot determine 3"):
        System(loop.bodies, DOWN, loop.closures, ())
    both = System(loop.bodies, DOWN, loop.closures, loop.coordinates[:2])
    with pytest.raises(InvalidValueError, match="held fast by its closures"):
        projection(both, configuration(loop, np.array([[0.7]])), np.ones((1, 2)))
    with pytest.raises(InvalidValueError, match="leaves the plane"):
        mechanisms.four_bar((0.1, 0.1, 0.1), 0.3, bars, gravity_m_s2=(0.0, 0.0, -9.81))


def test_both_branches_of_a_four_bar() -> None:
    one = mechanisms.small_four_bar()
    bars = [body.segment for body in one.bodies]
    other = mechanisms.four_bar((0.08, 0.22, 0.18), 0.25, bars, gravity_m_s2=DOWN, branch=-1)
    psi, mirrored = configuration(one, np.array([[0.7]]))[0, 2], configuration(other, np.array([[-0.7]]))[0, 2]
    assert psi == pytest.approx(-mirrored, abs=1e-14)
    assert abs(psi - configuration(other, np.array([[0.7]]))[0, 2]) > 0.5


def test_assistance_shares_power_not_torque(reference: Any) -> None:
    case = Case(reference("fourbar"), "leg_exo")
    q, u1 = configuration(case.loop, case.of("q1")), case.of("q1d")
    none, half = (assist_knee(case.loop, q, case.of("tau1"), share) for share in (0.0, 0.5))
    close(none.wearer_moment_Nm, case.of("tau1")[:, 1])
    crank_speed = half.crank_per_knee * u1[:, 1]
    close(half.actuator_torque_Nm * crank_speed, 0.5 * case.of("tau1")[:, 1] * u1[:, 1])
    close(half.wearer_moment_Nm, case.of("tau1")[:, 1] / 2)
    # The same torque, put on the crank's joint of the cut tree, leaves as much to the free coordinates.
    W = projection(case.loop, q, u1)[0]
    drives = np.zeros(q.shape)
    drives[:, 3] = half.actuator_torque_Nm
    left = case.of("tau1") - np.einsum("nji,nj->ni", W, drives)
    close(left[:, 1], half.wearer_moment_Nm)
    close(left[:, [0, 2]], case.of("tau1")[:, [0, 2]])


def test_ground_under_the_foot_reaches_every_joint(reference: Any) -> None:
    """A force on the foot changes the free coordinates' forces by its virtual work, and nothing else."""
    case = Case(reference("fourbar"), "leg_exo")
    q, u1, a1 = configuration(case.loop, case.of("q1")), case.of("q1d"), case.of("q1dd")
    n, force, heel = len(q), np.array([30.0, 600.0, 0.0]), np.array([-0.04, -0.07, 0.0])
    motion = case.loop.kinematics(q)
    ground = External("foot", Wrench(np.tile(force, (n, 1)), np.zeros((n, 3)), motion.point(3, heel)[0]))
    change = inverse_dynamics(case.loop, q, u1, a1, [ground]) - inverse_dynamics(case.loop, q, u1, a1)
    J = case.loop.jacobian(q, "foot", heel)[0] @ projection(case.loop, q, u1)[0]
    close(change, -np.einsum("nxi,x->ni", J, force))
    assert np.abs(change).max() > 50


def test_a_leg_in_another_size(reference: Any) -> None:
    """Everything scaled: the same angles close it, moments go by size^4 where weights alone act; too short a crank is named."""
    adult = dataclasses.replace(mechanisms.reference_leg(reference("fourbar")), stiffness_N_m=0.0, damping_N_s_m=0.0)
    child, q1 = adult.scaled(0.6), np.array([[-1.5, -0.5, 1.6]])
    held = []
    for leg in (adult, child):
        system = leg.mechanism(DOWN)
        held.append(inverse_dynamics(system, configuration(system, q1), 0 * q1, 0 * q1))
    assert np.abs(held[0]).max() > 4
    close(held[1], 0.6**4 * held[0], 1e-12)
    close(configuration(child.mechanism(DOWN), q1)[:, :6], configuration(adult.mechanism(DOWN), q1)[:, :6], 1e-12)
    short = adult.scaled(1.0, crank_m=0.01, coupler_m=0.02)
    with pytest.raises(InvalidValueError, match=r"circles of crank and coupler miss each other by \d+(\.\d+)? mm: together"):
        configuration(short.mechanism(DOWN), q1)
