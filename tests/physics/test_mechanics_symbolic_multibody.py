"""Kane = Lagrange = Newton-Euler = closed form, to 1e-12 of the largest value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("sympy")
import sympy as sp
from sympy.physics import mechanics as me

from biomech_id.dynamics.body import Segment
from biomech_id.errors import MissingInputError
from biomech_id.multibody.pendulums import DoublePendulum, NPendulum
from biomech_id.multibody.symbolic.equations import Description, Equations, Pendulum, kane, lagrange
from biomech_id.multibody.tree import TableBody, Tree

LINKS = [(0.4, 2.0, 0.18, 0.03), (0.35, 1.2, 0.15, 0.012), (0.2, 0.5, 0.1, 0.002)]
RELATIVE = 1e-12


def arm(**options: Any) -> Pendulum:
    pendulum = Pendulum(**options)
    for link in LINKS:
        pendulum.link(*link)
    return pendulum


def close(ours: np.ndarray, theirs: np.ndarray) -> None:
    assert np.abs(theirs).max() > 0.1
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=RELATIVE * np.abs(theirs).max())


def test_kane_lagrange_and_newton_euler_are_equal() -> None:
    pendulum = arm()
    by_kane, by_lagrange = kane(pendulum.description), lagrange(pendulum.description)
    rng = np.random.default_rng(2)
    q, u = rng.normal(size=(2, 8, 3))
    a = by_kane.function(pendulum.constants)(q, u)
    close(by_lagrange.function(pendulum.constants)(q, u), a)
    bodies = []
    for i, (_, m, c, I) in enumerate(LINKS):
        segment = Segment(f"link {i}", m, np.array([c, 0, 0]), np.diag([0, I, I]))
        bodies.append(TableBody(segment, i - 1, d_m=LINKS[i - 1][0] if i else 0.0))
    relative = [np.diff(x, axis=1, prepend=0.0) for x in (q, u, a)]
    tau = Tree(bodies).inverse(*relative, gravity_lab_m_s2=(9.81, 0, 0))
    weights = Tree(bodies).inverse(relative[0], 0 * u, 0 * a, gravity_lab_m_s2=(9.81, 0, 0))
    # Free motion: no joint moment is left of the weights, the largest terms of the sum.
    assert np.abs(tau).max() <= RELATIVE * np.abs(weights).max()
    # Driven motion: M a - f of both is what the solver finds; an absolute angle's moment is its joint's less the next's.
    driven = rng.normal(size=a.shape) * 5
    by_solver = Tree(bodies).inverse(*relative[:2], np.diff(driven, axis=1, prepend=0.0), gravity_lab_m_s2=(9.81, 0, 0))
    absolute = by_solver - np.pad(by_solver[:, 1:], ((0, 0), (0, 1)))
    for equations in (by_kane, by_lagrange):
        M, f = (equations.evaluate(part, pendulum.constants)(q, u) for part in (equations.M, equations.f))
        close((M @ driven[..., None] - f)[..., 0], absolute)


@pytest.mark.parametrize("n", [4, 10])
def test_n_pendulum_against_the_closed_form(n: int) -> None:
    pendulum = Pendulum()
    for _ in range(n):
        pendulum.link(1 / n, 0.01 / n)
    q, u = np.random.default_rng(n).normal(size=(2, 3, n))
    closed = NPendulum(np.full(n, 0.01 / n), np.full(n, 1 / n))
    theirs = np.array([closed.accelerations(0.0, *state) for state in zip(q, u, strict=True)])
    ours = kane(pendulum.description).function(pendulum.constants)(q, u)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=RELATIVE * np.abs(theirs).max())


def test_driven_bars_against_the_closed_form() -> None:
    pendulum = Pendulum()
    pendulum.link(0.7, 1.0, 0.35, 0.7**2 / 12, 2.0)
    pendulum.link(1.1, 0.6, 0.55, 0.6 * 1.1**2 / 12, -0.7)
    bars = DoublePendulum(np.array([1.0, 0.6]), np.array([0.7, 1.1]), np.array([2.0, -0.7]))
    q, u = np.array([0.3, 1.1]), np.array([2.0, -1.0])
    theirs = bars.accelerations(0.0, q, u)
    for equations in (kane(pendulum.description), lagrange(pendulum.description)):
        close(equations.function(pendulum.constants)(q, u), theirs)
    energy = kane(pendulum.description).evaluate([kane(pendulum.description).energy()], pendulum.constants)(q, u)
    assert energy[0] == pytest.approx(bars.energy(q, u), rel=1e-13)


def test_pinned_tip_by_dependent_speeds_and_by_multipliers() -> None:
    pendulum = arm()
    q = np.array([0.2, 0.9, 1.6])
    lengths = np.array([link[0] for link in LINKS])
    pendulum.pin_tip(float(lengths @ np.cos(q)), float(lengths @ np.sin(q)))
    by_kane, by_lagrange = kane(pendulum.description), lagrange(pendulum.description)
    J = np.stack([-lengths * np.sin(q), lengths * np.cos(q)])
    u = np.linalg.svd(J)[2][-1] * 3.0  # speeds that leave the tip where it is
    a = by_kane.function(pendulum.constants)(q, u)
    with_forces = by_lagrange.function(pendulum.constants, multipliers=True)(q, u)
    close(with_forces[:3], a)
    assert with_forces.shape == (5,)
    # The tip does not accelerate: J a + J' u = 0.
    rate = np.stack([-lengths * np.cos(q) * u, -lengths * np.sin(q) * u])
    np.testing.assert_allclose(J @ a + rate @ u, 0, rtol=0, atol=1e-12)
    # Free equations pushed by the multipliers move the same way.
    free = arm()
    evaluate = kane(free.description)
    M, f = (evaluate.evaluate(part, free.constants)(q, u) for part in (evaluate.M, evaluate.f))
    pushed = M @ a - f[:, 0]
    assert np.abs(pushed).max() > 0.1
    np.testing.assert_allclose(np.abs(J.T @ with_forces[3:]), np.abs(pushed), rtol=0, atol=1e-11)


def test_a_driven_joint_of_a_pinned_arm_by_both_ways() -> None:
    """A load that no potential stands for reaches Lagrange's equations with multipliers too."""
    q = np.array([0.2, 0.9, 1.6])
    lengths = np.array([link[0] for link in LINKS])
    J = np.stack([-lengths * np.sin(q), lengths * np.cos(q)])
    u = np.linalg.svd(J)[2][-1] * 3.0
    found = {}
    for moment_Nm in (0.0, 7.0):
        pendulum = Pendulum()
        for k, link in enumerate(LINKS):
            pendulum.link(*link, moment_Nm if k == 1 else 0.0)
        pendulum.pin_tip(float(lengths @ np.cos(q)), float(lengths @ np.sin(q)))
        by_kane, by_lagrange = (way(pendulum.description).function(pendulum.constants)(q, u) for way in (kane, lagrange))
        close(by_lagrange, by_kane)
        found[moment_Nm] = by_kane
    assert np.abs(found[7.0] - found[0.0]).max() > 1.0  # rad/s2


def test_auxiliary_speeds_bring_the_pivot_force() -> None:
    """The force on the first link equals the rate of change of momentum less the weights."""
    pendulum = arm(pivot_force=True)
    equations = kane(pendulum.description)
    q, u = np.array([0.4, -0.3, 1.0]), np.array([1.0, 2.0, -1.5])
    a = equations.function(pendulum.constants)(q, u)
    t = me.dynamicsymbols._t
    rates = dict(zip([speed.diff(t) for speed in pendulum.description.u], a, strict=True))
    zero = {speed.diff(t): 0 for speed in pendulum.description.auxiliary}
    solved = sp.solve([eq.subs(zero).subs(rates) for eq in equations.auxiliary], pendulum.pivot_force)
    force = equations.evaluate([solved[R] for R in pendulum.pivot_force], pendulum.constants)(q, u)
    lengths, mass, com = (np.array([link[k] for link in LINKS]) for k in (0, 1, 2))
    reach = np.tril(np.tile(lengths, (3, 1)), -1) + np.diag(com)
    along = reach @ (-a * np.sin(q) - u**2 * np.cos(q))
    across = reach @ (a * np.cos(q) - u**2 * np.sin(q))
    close(force, np.array([mass @ (along - 9.81), mass @ across]))


def test_linearised_about_rest_and_about_a_motion() -> None:
    pendulum = arm()
    equations = kane(pendulum.description)
    function = equations.function(pendulum.constants)
    q, u, h = np.array([0.3, 0.5, -0.4]), np.array([1.0, -2.0, 0.5]), 1e-5
    A = equations.linearised(pendulum.constants, q, u)
    x = np.concatenate([q, u])
    quotients = [(function(*np.split(x + h * e, 2)) - function(*np.split(x - h * e, 2))) / (2 * h) for e in np.eye(6)]
    np.testing.assert_allclose(A[3:], np.array(quotients).T, rtol=0, atol=1e-6)  # h^2 times third derivatives
    at_rest = equations.linearised(pendulum.constants, np.zeros(3), np.zeros(3))
    assert np.abs(np.linalg.eigvals(at_rest).real).max() < 1e-7  # hanging: undamped oscillations
    simple = Pendulum()
    simple.link(0.5, 1.0)
    A = kane(simple.description).linearised(simple.constants, np.zeros(1), np.zeros(1))
    np.testing.assert_allclose(A, [[0, 1], [-9.81 / 0.5, 0]], rtol=0, atol=1e-13)


def rolling_disc(contact: bool) -> Equations:
    """A thin disc: yaw, lean, spin, and the contact point's x, y as dependent speeds, or left to the velocity of the centre."""
    q1, q2, q3, q4, q5 = q = me.dynamicsymbols("q1:6")
    u1, u2, u3, u4, u5 = u = me.dynamicsymbols("u1:6")
    r, m, g = sp.symbols("r m g")
    N = me.ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q1, N.z])
    L = Y.orientnew("L", "Axis", [q2, Y.x])
    R = L.orientnew("R", "Axis", [q3, L.y])
    R.set_ang_vel(N, u1 * L.x + u2 * L.y + u3 * L.z)
    t = me.dynamicsymbols._t
    ties = R.ang_vel_in(N) - sum((q.diff(t) * axis for q, axis in ((q1, Y.z), (q2, L.x), (q3, L.y))), start=me.Vector(0))
    kinematics = [ties.dot(axis) for axis in (L.x, L.y, L.z)]
    origin, centre = me.Point("O"), me.Point("centre")
    origin.set_vel(N, 0)
    turning = me.cross(R.ang_vel_in(N), r * L.z)
    I = me.inertia(L, m * r**2 / 4, m * r**2 / 2, m * r**2 / 4)
    if contact:
        centre.set_vel(N, turning)
        centre.set_pos(origin, r * L.z)
        body = me.RigidBody("disc", centre, R, m, (I, centre))
        return kane(Description(N, origin, list(q[:3]), list(u[:3]), kinematics, [body], [(centre, -m * g * N.z)]))
    centre.set_pos(origin, q4 * N.x + q5 * N.y + r * L.z)
    centre.set_vel(
        N, u4 * N.x + u5 * N.y + me.cross(L.ang_vel_in(N), r * L.z).subs({q2.diff(t): u1, q1.diff(t): (u3 / sp.cos(q2))})
    )
    slip = centre.vel(N) - turning
    body = me.RigidBody("disc", centre, R, m, (I, centre))
    return kane(
        Description(
            N, origin, list(q), list(u), [*kinematics, q4.diff(t) - u4, q5.diff(t) - u5], [body], [(centre, -m * g * N.z)],
            velocity=[slip.dot(N.x), slip.dot(N.y)],
        )
    )  # fmt: skip


def test_rolling_disc_by_dependent_speeds_and_without() -> None:
    constants = {sp.Symbol("r"): 0.3, sp.Symbol("m"): 2.0, sp.Symbol("g"): 9.81}
    with_constraints, minimal = rolling_disc(False), rolling_disc(True)
    q, u = np.array([0.3, 0.4, 0.7, 0.0, 0.0]), np.array([0.5, 3.0, -0.8, 0.0, 0.0])
    slip = with_constraints.evaluate(with_constraints.description.velocity, constants)
    base = slip(q, u)
    u[3:] -= base @ np.linalg.inv(np.stack([slip(q, u + e) - base for e in np.eye(5)[3:]]))
    np.testing.assert_allclose(slip(q, u), 0, atol=1e-14)
    a = with_constraints.function(constants)(q, u)
    free = minimal.function(constants)(q[:3], u[:3])
    assert np.abs(free).max() > 1
    np.testing.assert_allclose(a[:3], free, rtol=0, atol=1e-12 * np.abs(free).max())
    # Thin disc, upright steady roll, gravity only: nothing changes.
    np.testing.assert_allclose(minimal.function(constants)(np.zeros(3), np.array([0.0, 4.0, 0.0])), 0, atol=1e-13)


def test_momentum_latex_and_missing_constants() -> None:
    pendulum = Pendulum()
    pendulum.link(0.5, 2.0)
    equations = kane(pendulum.description)
    frame = pendulum.description.frame
    momentum, spin = equations.momentum(), equations.angular_momentum()
    values = equations.evaluate([momentum.dot(frame.y), spin.dot(frame.z)], pendulum.constants)(np.zeros(1), np.array([3.0]))
    np.testing.assert_allclose(values, [2.0 * 0.5 * 3.0, 2.0 * 0.25 * 3.0], rtol=1e-14)
    assert r"\dot u" in equations.latex()
    assert "l_{0}" in equations.latex()
    with pytest.raises(MissingInputError, match="l_0, m_0"):
        equations.function({pendulum.g: 9.81})
