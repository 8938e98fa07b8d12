"""Loops that say one motion twice, and motion through states in which two branches of a mechanism meet.

Second way: cranks that stay parallel are one pendulum, in which the plate is a point mass at the crank's tip.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import InvalidValueError
from biomech_id.multibody.closures import Gearing, PointGap, pin, spherical
from biomech_id.multibody.examples.mechanisms import planar_segment
from biomech_id.multibody.forward import simulate
from biomech_id.multibody.generated import generate
from biomech_id.multibody.joints import revolute
from biomech_id.multibody.kinematics import GROUND
from biomech_id.multibody.parts import Body
from biomech_id.multibody.reduction import (
    assemble,
    constrained_accelerations,
    forward_dynamics,
    indeterminate_forces,
    loop_forces,
    projection,
)
from biomech_id.multibody.symbolic.describe import describe
from biomech_id.multibody.system import System
from biomech_id.multibody.traced import equations

RADIUS_M, GRAVITY_M_S2 = 0.2, 9.81
PIVOTS_M = ((0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.7, 0.1, 0.0))
MASS_KG, COM_M, INERTIA_KGM2 = 1.1, (0.09, 0.02), 0.013
PLATE_KG = 1.7
TIMES_S = np.linspace(0.0, 10.0, 101)
Closing = Callable[..., PointGap]


def in_the_plane(*between: object) -> PointGap:
    return pin(*between, plane_of="crank 1")  # type: ignore[arg-type]


def plate_on_cranks(number: int, closing: Closing, R: FloatArray | None = None) -> System:
    """A plate that equal cranks carry: it never turns; the plane turned by R together with gravity."""
    R = np.eye(3) if R is None else R
    cranks = [planar_segment(f"crank {k + 1}", MASS_KG, COM_M, INERTIA_KGM2) for k in range(number)]
    plate = planar_segment("plate", PLATE_KG, (0.21, 0.05), 0.04)
    bodies = [
        Body(cranks[0], revolute("first"), GROUND, R_parent_joint=R),
        Body(plate, revolute("plate"), "crank 1", (RADIUS_M, 0.0, 0.0)),
    ]
    closures = []
    for k in range(1, number):
        bodies.append(Body(cranks[k], revolute(f"angle_{k + 1}"), GROUND, R @ PIVOTS_M[k], R))
        closures.append(closing(f"crank {k + 1}", (RADIUS_M, 0.0, 0.0), "plate", PIVOTS_M[k]))
    return System(bodies, R @ (0.0, -GRAVITY_M_S2, 0.0), closures, ("first",))


def posed(system: System, first_rad: float) -> FloatArray:
    guess = [-first_rad, *[first_rad] * (len(system.dependent) - 1)]
    return assemble(system, np.array([[first_rad]]), np.array(guess) + 0.03)


def pendulum_rad(number: int, first_rad: float, speed_rad_s: float) -> FloatArray:
    """The first crank's angle at `TIMES_S`, from one equation of motion of the cranks together."""
    inertia = number * (INERTIA_KGM2 + MASS_KG * (COM_M[0] ** 2 + COM_M[1] ** 2)) + PLATE_KG * RADIUS_M**2
    x, y = number * MASS_KG * COM_M[0] + PLATE_KG * RADIUS_M, number * MASS_KG * COM_M[1]

    def rates(_: float, state: FloatArray) -> list[float]:
        angle, speed = state
        return [speed, -GRAVITY_M_S2 * (x * np.cos(angle) - y * np.sin(angle)) / inertia]

    run = solve_ivp(rates, (0.0, TIMES_S[-1]), [first_rad, speed_rad_s], "DOP853", TIMES_S, rtol=1e-13, atol=1e-13)
    return np.asarray(run.y[0])


@pytest.mark.parametrize(
    ("number", "closing", "speed_rad_s"),
    [(2, in_the_plane, 8.0), (2, in_the_plane, 5.0), (2, spherical, 7.0), (3, in_the_plane, 9.3), (3, spherical, 8.0)],
)
def test_ten_seconds_through_change_points(number: int, closing: Closing, speed_rad_s: float) -> None:
    """Every half turn all cranks lie in one line with the first two pivots, where they could go apart."""
    system = plate_on_cranks(number, closing)
    run = simulate(system, posed(system, 0.4)[0], np.array([speed_rad_s]), TIMES_S)
    angles = run.q[:, [0, *range(2, number + 1)]]
    assert np.ptp(angles[:, 0]) > np.pi
    assert np.abs(angles - angles[:, :1]).max() < 1e-8
    assert np.abs(system.loop_residual(run.q, system.kinematics(run.q))).max() < 1e-8
    assert run.energy_drift_J < 1e-8
    np.testing.assert_allclose(angles[:, 0], pendulum_rad(number, 0.4, speed_rad_s), rtol=0, atol=1e-7)


@pytest.mark.parametrize("first_rad", [1e-3, 1e-5])
def test_a_motion_that_begins_beside_a_change_point(first_rad: float) -> None:
    system, times_s = plate_on_cranks(2, in_the_plane), TIMES_S[:21]
    run = simulate(system, np.array([first_rad, -first_rad, first_rad]), np.array([5.0]), times_s)
    np.testing.assert_allclose(run.q[:, 0], pendulum_rad(2, first_rad, 5.0)[:21], rtol=0, atol=1e-8)


def test_what_an_equation_is_multiplied_by_changes_no_motion() -> None:
    """A wheel geared to the crank, its equation in radians and in thousandths: no change point in either."""
    two = plate_on_cranks(2, in_the_plane)
    bodies = [*two.bodies, Body(planar_segment("wheel", 0.1, (0.0, 0.0), 1e-4), revolute("wheel"))]
    runs = []
    for factor in (1.0, 1e3, 1e-3):
        closures = [*two.closures, Gearing({"first": 3.0 * factor, "wheel": -factor})]
        system = System(bodies, two.gravity_lab_m_s2, closures, ("first",))
        q0 = np.array([1.2, -1.2, 1.2, 3.6])
        runs.append(simulate(system, q0, np.array([1.0]), TIMES_S[:4]))
    np.testing.assert_allclose(runs[1].q, runs[0].q, rtol=0, atol=1e-10)
    np.testing.assert_allclose(runs[2].q, runs[0].q, rtol=0, atol=1e-10)
    assert max(run.evaluations for run in runs) < 1.2 * min(run.evaluations for run in runs)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("number", [2, 3])
def test_motion_of_a_ball_in_a_plane_is_that_of_a_pin(number: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    R = Rotation.random(random_state=seed).as_matrix()
    pinned, balled = (plate_on_cranks(number, closing, R) for closing in (in_the_plane, spherical))
    q = posed(balled, 0.7)
    u1, tau = rng.normal(size=(1, 1)), rng.normal(size=(1, number + 1))
    np.testing.assert_allclose(q, posed(pinned, 0.7), rtol=0, atol=1e-12)
    a1 = forward_dynamics(pinned, q, u1, tau)
    np.testing.assert_allclose(forward_dynamics(balled, q, u1, tau), a1, rtol=0, atol=1e-10 * np.abs(a1).max())
    W, w = projection(balled, q, u1)
    u, a = (W @ u1[..., None])[..., 0], (W @ a1[..., None])[..., 0] + w
    whole, forces = constrained_accelerations(balled, q, u, tau)
    np.testing.assert_allclose(whole, a, rtol=0, atol=1e-9 * np.abs(a).max())
    np.testing.assert_allclose(
        loop_forces(balled, q, u1, a1, tau), forces, rtol=0, atol=1e-9 * np.nanmax(np.abs(forces), initial=1.0)
    )
    program = equations(balled, ["a1"], "IC")
    given = np.concatenate([q[0, [0, *range(1, number + 1)]], u1[0], (np.swapaxes(W, 1, 2) @ tau[..., None])[0, :, 0]])
    np.testing.assert_allclose(generate(program, "python")(given), a1[0], rtol=0, atol=1e-9 * np.abs(a1).max())


def test_forces_that_rigid_bodies_leave_open_are_named() -> None:
    pinned, balled = (plate_on_cranks(2, closing) for closing in (in_the_plane, spherical))
    q, u1, tau = posed(balled, 0.7), np.ones((1, 1)), np.zeros((1, 3))
    assert indeterminate_forces(pinned, q) == ()
    assert indeterminate_forces(balled, q) == ("closure of crank 2 and plate, equation 3",)
    a1 = forward_dynamics(balled, q, u1, tau)
    force_N = loop_forces(balled, q, u1, a1, tau)[0]
    assert np.isnan(force_N[2])
    across = q[0, 0]  # a pin's force is in the axes of the first crank, a ball's in the laboratory's
    c, s = np.cos(across), np.sin(across)
    in_lab_N = np.array([[c, -s], [s, c]]) @ loop_forces(pinned, q, u1, a1, tau)[0]
    np.testing.assert_allclose(force_N[:2], in_lab_N, rtol=0, atol=1e-12)
    three = plate_on_cranks(3, in_the_plane)
    along = tuple(f"closure of crank {k} and plate, equation 1" for k in (2, 3))  # in the axes of a crank, along it
    assert indeterminate_forces(three, posed(three, 0.7)) == along


def test_states_and_systems_without_an_answer() -> None:
    two = plate_on_cranks(2, in_the_plane)
    flat = np.zeros((1, 3))
    with pytest.raises(InvalidValueError, match=r"singular: its free coordinates do not determine how plate, angle_2 move"):
        projection(two, flat, np.ones((1, 1)))
    locked = System(two.bodies, two.gravity_lab_m_s2, two.closures, ("first", "plate"))
    with pytest.raises(InvalidValueError, match="held fast by its closures: first, plate cannot move"):
        projection(locked, posed(two, 0.7), np.ones((1, 2)))
    three = plate_on_cranks(3, in_the_plane)
    longer = spherical("crank 3", (RADIUS_M + 1e-6, 0.0, 0.0), "plate", PIVOTS_M[2])
    unequal = System(three.bodies, three.gravity_lab_m_s2, [three.closures[0], longer], ("first",))
    with pytest.raises(InvalidValueError, match=r"cannot be assembled from this guess: the closure of crank . and plate"):
        posed(unequal, 0.7)
    with pytest.raises(InvalidValueError, match="4 equations close loops of 3 dependent coordinates"):
        describe(three)
