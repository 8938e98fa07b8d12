"""Coordinates whose motion is given, the others by dynamics: a pendulum on a moved pivot, and inverse dynamics beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from biomech_id.algebra.arrays import FloatArray
from biomech_id.dynamics.body import Segment
from biomech_id.multibody.forward import Simulation, simulate
from biomech_id.multibody.forward import _check_prescribed as check_prescribed
from biomech_id.multibody.friction import Friction
from biomech_id.multibody.functions import SineFunction
from biomech_id.multibody.joints import AxisFunction, PolynomialFunction, prismatic, revolute
from biomech_id.multibody.parts import Body
from biomech_id.multibody.reduction import inverse_dynamics, projection
from biomech_id.multibody.springs import LineSpring, Spring
from biomech_id.multibody.system import System
from tests.physics.test_friction import CRANK
from tests.physics.test_redundant_loops import in_the_plane, plate_on_cranks, posed
from tests.physics.test_wrenches_by_law import tree
from tests.unit.multibody.mechanisms import slider_crank

G_M_S2 = 9.81


def on_a_pivot() -> System:
    """A massless pivot that slides up and down, and a point mass on a rod of 0.5 m; angle from straight down."""
    pivot = Segment("pivot", 0.0, np.zeros(3), np.zeros((3, 3)))
    bob = Segment("bob", 2.0, np.array([0.0, -0.5, 0.0]), np.zeros((3, 3)))
    bodies = [Body(pivot, prismatic("height", (0, 1, 0))), Body(bob, revolute("angle"), "pivot")]
    return System(bodies, (0.0, -G_M_S2, 0.0))


def sine(amplitude: float, rate_rad_s: float, phase: float = 0.0) -> SineFunction:
    return SineFunction(amplitude, phase, rate=rate_rad_s)


def starts(system: System, prescribed: dict[str, Any], q: FloatArray, u: FloatArray) -> tuple[FloatArray, FloatArray]:
    q, u = q.copy(), u.copy()
    for name, motion in prescribed.items():
        q[system.coordinate(name)], u[system.speed(name)] = motion.value(0.0), motion.slope(0.0)
    return q, u


def test_an_inverted_pendulum_stands_on_a_pivot_that_shakes() -> None:
    """Kapitza: angle'' = -(g + height'') sin(angle) / l, which stays up where (a w)^2 > 2 g l."""
    system, shake = on_a_pivot(), sine(0.03, 200.0)
    # It sways once in 0.87 s about the top, and has fallen from there after 1.6 s where the pivot shakes too little.
    times_s, start_rad = np.linspace(0, 1.2, 13), np.pi - 0.1
    run = simulate(system, np.array([0.0, start_rad]), np.zeros(2), times_s, prescribed={"height": shake})

    def rates(t: float, y: FloatArray) -> list[float]:
        return [y[1], -(G_M_S2 + float(shake.curvature(t))) * np.sin(y[0]) / 0.5]

    there = solve_ivp(rates, (0, 1.2), [start_rad, 0.0], "DOP853", times_s, rtol=1e-13, atol=1e-13).y
    np.testing.assert_allclose(run.q[:, 1], there[0], rtol=0, atol=1e-8)
    assert np.abs(run.q[:, 1] - np.pi).max() < 0.25
    np.testing.assert_array_equal(run.q[:, 0], shake.value(times_s))
    np.testing.assert_array_equal(run.u[:, 0], shake.slope(times_s))
    # The force on the pivot carries and accelerates the bob along the vertical.
    angle, rate, height = there[0], there[1], shake.curvature(times_s)
    lifted = height + 0.5 * (np.cos(angle) * rate**2 - np.sin(angle) ** 2 * (G_M_S2 + height) / 0.5)
    np.testing.assert_allclose(run.forces["height"], 2.0 * (G_M_S2 + lifted), rtol=0, atol=1e-5)
    assert run.energy_drift_J < 1e-8 * np.ptp(run.energy_J)
    times_s = np.linspace(0, 1.6, 17)
    still = simulate(system, np.array([0.0, start_rad]), np.zeros(2), times_s, prescribed={"height": sine(0.01, 200.0)})
    assert np.abs(still.q[:, 1] - np.pi).max() > 1  # it falls


def test_given_motion_and_inverse_dynamics_are_each_others_inverse() -> None:
    """Forces that drive the given coordinates, put in as drives, give back their accelerations: 1e-9."""
    system = tree()
    prescribed: dict[str, AxisFunction] = {"b": sine(0.4, 3.0, 0.2), "d": PolynomialFunction((0.1, 0.2, -0.3, 0.1))}
    q0, u0 = starts(system, prescribed, np.array([0.3, 0.0, -0.2, 0.0, 0.5]), np.array([0.1, 0.0, 0.4, 0.0, -0.3]))
    times_s = np.linspace(0, 1, 11)
    run = simulate(system, q0, u0, times_s, prescribed=prescribed)
    tau = np.zeros_like(run.u)
    for name in prescribed:
        tau[:, system.speed(name)] = run.forces[name]
    a = system.forward(run.q, run.u, tau)
    for name, motion in prescribed.items():
        np.testing.assert_allclose(a[:, system.speed(name)], motion.curvature(times_s), rtol=0, atol=1e-9)
    np.testing.assert_allclose(system.inverse(run.q, run.u, a), tau, rtol=0, atol=1e-9)
    assert run.energy_drift_J < 1e-8
    assert np.abs(run.work_J).max() > 0.1
    driven = {name: PolynomialFunction((0.1 * k, 0.3, -0.2 * k)) for k, name in enumerate(system.speeds)}
    whole = simulate(system, *starts(system, driven, np.zeros(5), np.zeros(5)), times_s, prescribed=driven)
    accelerations = np.array([motion.curvature(times_s) for motion in driven.values()]).T
    forces = np.array([whole.forces[name] for name in system.speeds]).T
    np.testing.assert_allclose(forces, system.inverse(whole.q, whole.u, accelerations), rtol=0, atol=1e-9)
    assert whole.energy_drift_J < 1e-8


@pytest.mark.parametrize("number", [2, 3])
def test_a_crank_that_is_turned(number: int) -> None:
    system, turn = plate_on_cranks(number, in_the_plane), PolynomialFunction((0.4, 2.0, 0.5))
    times_s = np.linspace(0, 1, 11)
    run = simulate(system, posed(system, 0.4)[0], np.array([2.0]), times_s, prescribed={"first": turn})
    a1 = turn.curvature(times_s)[:, None] + np.zeros((11, 1))
    needed = inverse_dynamics(system, run.q, run.u[:, :1], a1)[:, 0]
    np.testing.assert_allclose(run.forces["first"], needed, rtol=0, atol=1e-9)
    W, _ = projection(system, run.q, run.u[:, :1])
    np.testing.assert_allclose(run.u, W[..., 0] * turn.slope(times_s)[:, None], rtol=0, atol=1e-9)
    assert run.energy_drift_J < 1e-8


def dragged() -> Simulation:
    """A block with stick and slip on a spring whose other end moves at 0.1 m/s."""
    car, block = (Segment(name, 2.0, np.zeros(3), np.zeros((3, 3))) for name in ("car", "block"))
    bodies = [Body(car, prismatic("car", (1, 0, 0))), Body(block, prismatic("x", (1, 0, 0)), place_m=(-1.0, 0.0, 0.0))]
    spring = LineSpring("car", (0.0, 0.0, 0.0), "block", (0.0, 0.0, 0.0), 50.0, 0.0, 1.0)
    system = System(bodies, (0.0, 0.0, 0.0), springs=[spring])
    motion = {"car": PolynomialFunction((0.0, 0.1))}
    times_s = np.linspace(0, 4, 81)
    return simulate(system, np.zeros(2), np.array([0.1, 0.0]), times_s, prescribed=motion, friction={"x": Friction(1.0, 4.0)})


def test_friction_and_given_motion_together() -> None:
    """The block sticks for 2 D / V and slips for 2 (pi - atan(D w / V)) / w, as on any spring that is drawn at V."""
    run = dragged()
    gap_m, rate_rad_s = 3.0 / 50.0, 5.0
    first_s = 4.0 / 50.0 / 0.1
    slip_s = 2 * (np.pi - np.arctan(gap_m * rate_rad_s / 0.1)) / rate_rad_s
    period_s = slip_s + 2 * gap_m / 0.1
    phase = np.mod(run.t_s - first_s, period_s)
    rests = (run.t_s < first_s) | (phase > slip_s)
    clear = (np.abs(phase - slip_s) > 1e-6) & (np.abs(run.t_s - first_s) > 1e-6)
    np.testing.assert_array_equal((run.u[:, 1] == 0)[clear], rests[clear])
    np.testing.assert_allclose(run.forces["car"], 50.0 * (run.q[:, 0] - run.q[:, 1]), rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.forces["x"][rests], -run.forces["car"][rests], rtol=0, atol=1e-9)
    assert run.energy_drift_J < 1e-8


def test_a_spring_on_a_given_coordinate_takes_its_drive() -> None:
    body = Body(Segment("block", 2.0, np.zeros(3), np.zeros((3, 3))), prismatic("x"))
    block = System([body], (0.0, 0.0, 0.0), springs=[Spring("x", 30.0, 4.0)])
    motion, times_s = sine(0.2, 4.0), np.linspace(0, 1, 5)
    run = simulate(block, np.zeros(1), np.array([0.8]), times_s, prescribed={"x": motion})
    force = 2.0 * motion.curvature(times_s) + 30.0 * motion.value(times_s) + 4.0 * motion.slope(times_s)
    np.testing.assert_allclose(run.forces["x"], force, rtol=0, atol=1e-10)
    assert run.energy_drift_J < 1e-9


@pytest.mark.parametrize(("rate_hz", "span_s"), [(20.0, 100.0), (3.0, 600.0), (1.0, 1800.0)])
def test_the_derivatives_of_long_runs_are_derivatives(rate_hz: float, span_s: float) -> None:
    """The sines are exact; over a fixed share of the run their differences were not."""
    check_prescribed(on_a_pivot(), {"height": sine(0.1, 2 * np.pi * rate_hz)}, {}, np.array([0.0, span_s]))


class SmoothStep:
    """3 t^2 - 2 t^3 over the first second: its acceleration jumps at both ends; so many of them one after the other."""

    def __init__(self, number: int = 1) -> None:
        self.number = number

    def _part(self, t: Any, before: float, polynomial: Any, after: float) -> Any:
        part = np.clip(np.asarray(t) * 1.0, 0.0, self.number)
        inside = (t > 0) & (t < self.number)
        return np.where(inside, polynomial(part - np.floor(part)), np.where(np.asarray(t) <= 0, before, after))

    def value(self, t: Any) -> Any:
        t = np.asarray(t)
        whole = np.clip(np.floor(t), 0, self.number)
        return whole + self._part(t, 0.0, lambda x: 3 * x**2 - 2 * x**3, 0.0)

    def slope(self, t: Any) -> Any:
        return self._part(t, 0.0, lambda x: 6 * x - 6 * x**2, 0.0)

    def curvature(self, t: Any) -> Any:
        return self._part(t, 0.0, lambda x: 6 - 12 * x, 0.0)


@pytest.mark.parametrize(("number", "span_s"), [(1, 4.9), (1, 7.0), (49, 49.0)])
def test_a_piecewise_acceleration_is_an_acceleration(number: int, span_s: float) -> None:
    check_prescribed(on_a_pivot(), {"height": SmoothStep(number)}, {}, np.array([0.0, span_s]))


@pytest.mark.parametrize("motion", [sine(1.0, 3.0, 0.3), PolynomialFunction((0.0, 7.0)), PolynomialFunction((0.4, 0.0, 0.0, 0.5))])
def test_friction_where_only_a_given_motion_moves(motion: Any) -> None:
    """The crank is given, the slider rubs: what drives it is inverse dynamics and F sign(x') dx/dtheta, also past dead centres."""
    system, times_s = slider_crank(0.1, 0.3, CRANK, gravity_m_s2=(0.0, -G_M_S2, 0.0)), np.linspace(0, 3, 61)
    theta = float(motion.value(0.0))
    rod = -np.arcsin(np.sin(theta) / 3)
    q0 = np.array([theta, rod - theta, 0.1 * np.cos(theta) + 0.3 * np.cos(rod)])
    run = simulate(system, q0, np.zeros(1), times_s, prescribed={"theta": motion}, friction={"x": Friction(5.0)})
    needed = inverse_dynamics(system, run.q, run.u[:, :1], motion.curvature(times_s)[:, None] + np.zeros((61, 1)))[:, 0]
    way = projection(system, run.q, run.u[:, :1])[0][:, 2, 0]
    moves = np.abs(run.u[:, 2]) > 1e-6
    rubbed = needed + 5.0 * np.sign(run.u[:, 2]) * way
    np.testing.assert_allclose(run.forces["theta"][moves], rubbed[moves], rtol=0, atol=1e-9)
    assert moves.sum() > 50
    assert run.energy_drift_J < 1e-9
