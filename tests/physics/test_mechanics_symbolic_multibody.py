"""Kane = Lagrange = Newton-Euler = closed form, to 1e-12 of the largest value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("sympy")
import sympy as sp
from sympy.physics import mechanics as me

from biomech_id.dynamics.body import Segment
from biomech_id.errors import InvalidValueError, MissingInputError
from biomech_id.multibody.closures import pin
from biomech_id.multibody.examples.limb import Limb, Link
from biomech_id.multibody.examples.pendulums import chain_of_links, double_pendulum, n_pendulum
from biomech_id.multibody.kinematics import GROUND
from biomech_id.multibody.linear import linearised
from biomech_id.multibody.symbolic.describe import describe
from biomech_id.multibody.symbolic.equations import Description, Equations, kane, lagrange
from biomech_id.multibody.symbolic.given_motion import GivenMotion
from biomech_id.multibody.system import System

LINKS = [(0.4, 2.0, 0.18, 0.03), (0.35, 1.2, 0.15, 0.012), (0.2, 0.5, 0.1, 0.002)]
RELATIVE = 1e-12


def links(inertia: bool = True) -> list[Segment]:
    return [Segment(f"link {i}", m, np.array([c, 0, 0]), np.diag([0, I, I]) * inertia) for i, (_, m, c, I) in enumerate(LINKS)]


def arm() -> System:
    return chain_of_links(links(), [link[0] for link in LINKS], gravity_m_s2=9.81)


def pinned(q: np.ndarray, free: tuple[str, ...] = ("q_0",)) -> System:
    """The arm, its tip held where it is in a configuration."""
    lengths = np.array([link[0] for link in LINKS])
    place = (float(lengths @ np.cos(q)), float(lengths @ np.sin(q)), 0.0)
    tip = pin("link 2", (LINKS[2][0], 0.0, 0.0), GROUND, place, plane_of=GROUND)
    return System(arm().bodies, arm().gravity_lab_m_s2, [tip], free)


def close(ours: np.ndarray, theirs: np.ndarray) -> None:
    assert np.abs(theirs).max() > 0.1
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=RELATIVE * np.abs(theirs).max())


def test_kane_lagrange_and_newton_euler_are_equal() -> None:
    system = arm()
    d = describe(system)
    by_kane, by_lagrange = kane(d), lagrange(d)
    rng = np.random.default_rng(2)
    q, u, driven = rng.normal(size=(3, 8, 3))
    a = by_kane.function(d.constants)(q, u)
    close(by_lagrange.function(d.constants)(q, u), a)
    # Free motion: no moment is left of the weights, the largest terms of the sum; driven motion: M a - f is what numbers find.
    assert np.abs(system.inverse(q, u, a)).max() <= RELATIVE * np.abs(system.inverse(q, 0 * u, 0 * a)).max()
    for equations in (by_kane, by_lagrange):
        M, f = (equations.evaluate(part, d.constants)(q, u) for part in (equations.M, equations.f))
        close((M @ driven[..., None] - f)[..., 0], system.inverse(q, u, driven))


@pytest.mark.parametrize("n", [4, pytest.param(10, marks=pytest.mark.slow)])
def test_n_pendulum_against_numbers(n: int) -> None:
    system = n_pendulum(np.full(n, 0.01 / n), np.full(n, 1 / n), gravity_m_s2=9.81)
    d = describe(system)
    q, u = np.random.default_rng(n).normal(size=(2, 3, n))
    theirs = system.forward(q, u, 0 * u)
    np.testing.assert_allclose(kane(d).function(d.constants)(q, u), theirs, rtol=0, atol=RELATIVE * np.abs(theirs).max())


def test_driven_bars_against_numbers() -> None:
    bars = double_pendulum([1.0, 0.6], [0.7, 1.1], gravity_m_s2=9.81)
    d = describe(bars)
    first, second = (d.frames[f"bar {k}"] for k in (1, 2))
    z = d.frame.z
    d.loads += [(first, 2.0 * z), (second, -0.7 * z), (first, 0.7 * z)]
    q, u = np.array([0.3, 1.1]), np.array([2.0, -1.0])
    theirs = bars.forward(q[None], u[None], np.array([[2.7, -0.7]]))[0]
    for equations in (kane(d), lagrange(d)):
        close(equations.function(d.constants)(q, u), theirs)
    energy = kane(d).evaluate([kane(d).energy()], d.constants)(q, u)
    assert energy[0] == pytest.approx(bars.energy(q[None], u[None])[0], rel=1e-13)


def test_pinned_tip_by_dependent_speeds_and_by_multipliers() -> None:
    q = np.array([0.2, 0.9, 1.6])
    d = describe(pinned(q))
    by_kane, by_lagrange = kane(d), lagrange(d)
    lengths = np.array([link[0] for link in LINKS])
    J = np.stack([-lengths * np.sin(q), lengths * np.cos(q)])
    u = np.linalg.svd(J)[2][-1] * 3.0  # speeds that leave the tip where it is
    a = by_kane.function(d.constants)(q, u)
    with_forces = by_lagrange.function(d.constants, multipliers=True)(q, u)
    close(with_forces[:3], a)
    assert with_forces.shape == (5,)
    # The tip does not accelerate: J a + J' u = 0.
    rate = np.stack([-lengths * np.cos(q) * u, -lengths * np.sin(q) * u])
    np.testing.assert_allclose(J @ a + rate @ u, 0, rtol=0, atol=1e-12)
    # Free equations pushed by the multipliers move the same way.
    pushed = arm().inverse(q[None], u[None], a[None])[0]
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
        d = describe(pinned(q))
        d.loads += [(d.frames["link 1"], moment_Nm * d.frame.z), (d.frames["link 0"], -moment_Nm * d.frame.z)]
        by_kane, by_lagrange = (way(d).function(d.constants)(q, u) for way in (kane, lagrange))
        close(by_lagrange, by_kane)
        found[moment_Nm] = by_kane
    assert np.abs(found[7.0] - found[0.0]).max() > 1.0  # rad/s2


def test_auxiliary_speeds_bring_the_pivot_force() -> None:
    """The force on the first link equals the rate of change of momentum less the weights."""
    d = describe(arm(), support_force=("R_x", "R_y"))
    equations = kane(d)
    q, u = np.array([0.4, -0.3, 1.0]), np.array([1.0, 2.0, -1.5])
    a = equations.function(d.constants)(q, u)
    t = me.dynamicsymbols._t
    rates = dict(zip([speed.diff(t) for speed in d.u], a, strict=True))
    zero = {speed.diff(t): 0 for speed in d.auxiliary}
    solved = sp.solve([eq.subs(zero).subs(rates) for eq in equations.auxiliary], d.support)
    force = equations.evaluate([solved[R] for R in d.support], d.constants)(q, u)
    lengths, mass, com = (np.array([link[k] for link in LINKS]) for k in (0, 1, 2))
    reach = np.tril(np.tile(lengths, (3, 1)), -1) + np.diag(com)
    along = reach @ (-a * np.sin(q) - u**2 * np.cos(q))
    across = reach @ (a * np.cos(q) - u**2 * np.sin(q))
    close(force, np.array([mass @ (along - 9.81), mass @ across]))


def test_linearised_about_rest_and_about_a_motion() -> None:
    d = describe(arm())
    equations = kane(d)
    function = equations.function(d.constants)
    q, u, h = np.array([0.3, 0.5, -0.4]), np.array([1.0, -2.0, 0.5]), 1e-5
    A = equations.linearised(d.constants, q, u)
    x = np.concatenate([q, u])
    quotients = [(function(*np.split(x + h * e, 2)) - function(*np.split(x - h * e, 2))) / (2 * h) for e in np.eye(6)]
    np.testing.assert_allclose(A[3:], np.array(quotients).T, rtol=0, atol=1e-6)  # h^2 times third derivatives
    close(linearised(arm(), q, u, np.zeros(3)).A, A)
    at_rest = equations.linearised(d.constants, np.zeros(3), np.zeros(3))
    assert np.abs(np.linalg.eigvals(at_rest).real).max() < 1e-7  # hanging: undamped oscillations


class Rates:
    """Systems whose speeds are not the rates of their coordinates."""

    @staticmethod
    def pendulum(constants: Any) -> tuple[Description, dict[Any, float]]:
        """A particle on a rod, q' = 2 u, gravity along +x."""
        q, u = me.dynamicsymbols("q u")
        g, l, m = sp.symbols("g l m")
        frame, origin = me.ReferenceFrame("A"), me.Point("O")
        origin.set_vel(frame, 0)
        rod = frame.orientnew("B", "Axis", [q, frame.z])
        rod.set_ang_vel(frame, 2 * u * frame.z)
        place = origin.locatenew("P", l * rod.x)
        place.v2pt_theory(origin, frame, rod)
        weight = (place, m * g * frame.x)
        d = Description(
            frame, origin, [q], [u], [q.diff(me.dynamicsymbols._t) - 2 * u], [me.Particle("bob", place, m)], [weight],
            -m * g * l * sp.cos(q), [weight],
        )  # fmt: skip
        return d, {g: constants["g"], l: constants["l"], m: constants["m"]}

    @staticmethod
    def body(constants: Any) -> tuple[Description, dict[Any, float]]:
        """A rigid body about a point, Cardan angles zxy, speeds its angular velocity in its own axes."""
        q, u, t = me.dynamicsymbols("q0:3"), me.dynamicsymbols("u0:3"), me.dynamicsymbols._t
        frame, origin = me.ReferenceFrame("N"), me.Point("O")
        origin.set_vel(frame, 0)
        first = frame.orientnew("F", "Axis", [q[0], frame.z])
        second = first.orientnew("S", "Axis", [q[1], first.x])
        body = second.orientnew("B", "Axis", [q[2], second.y])
        turning = q[0].diff(t) * first.z + q[1].diff(t) * second.x + q[2].diff(t) * body.y
        kinematics = [turning.dot(axis) - speed for axis, speed in zip(body, u, strict=True)]
        body.set_ang_vel(frame, sum((speed * axis for axis, speed in zip(body, u, strict=True)), start=me.Vector(0)))
        com = origin.locatenew("C", sum((c * e for c, e in zip(constants["com_body_m"], body, strict=True)), start=me.Vector(0)))
        com.v2pt_theory(origin, frame, body)
        I, m = constants["inertia_com_kgm2"], sp.Symbol("m")
        tensor = me.inertia(body, I[0][0], I[1][1], I[2][2], I[0][1], I[1][2], I[0][2])
        down = sum((g * e for g, e in zip(constants["gravity_m_s2"], frame, strict=True)), start=me.Vector(0))
        rigid, weight = me.RigidBody("body", com, body, m, (tensor, com)), (com, m * down)
        potential = -m * com.pos_from(origin).dot(down)
        return Description(frame, origin, q, u, kinematics, [rigid], [weight], potential, [weight]), {m: constants["mass_kg"]}


def test_speeds_that_are_no_rates_by_kane_and_lagrange(reference: Any) -> None:
    """q' = 2 u came out half as fast, body-fixed speeds wrong, while q' = u was taken for granted."""
    file = reference("kinematic_rates")
    for name, build, keys in (
        ("pendulum_scaled_speed", Rates.pendulum, ("q", "u", "udot")),
        ("rigid_body_body_fixed_speeds", Rates.body, ("q", "omega_body", "omega_body_dot")),
    ):
        d, constants = build(file[name]["constants"])
        q, u, a = (np.array([np.atleast_1d(s[key]) for s in file[name]["states"]]) for key in keys)
        for way in (kane, lagrange):
            np.testing.assert_allclose(way(d).function(constants)(q, u), a, rtol=0, atol=1e-12 * np.abs(a).max())
    model = file["rigid_body_body_fixed_speeds"]
    A = kane(d).linearised(constants, np.array(model["equilibrium_q"]), np.zeros(3))
    np.testing.assert_allclose(A, model["A_q_omega"], rtol=0, atol=1e-12 * np.abs(A).max())
    at_zero = kane(d).linearised(constants, np.zeros(3), np.zeros(3))  # an elimination without Cramer's rule gives 0 / 0
    assert np.isfinite(at_zero).all()
    pendulum, constants = Rates.pendulum(file["pendulum_scaled_speed"]["constants"])
    for way in (kane, lagrange):
        A = way(pendulum).linearised(constants, np.zeros(1), np.zeros(1))
        np.testing.assert_allclose(A, file["pendulum_scaled_speed"]["A_qu"], rtol=0, atol=1e-13)


PINNED = [("link 0", 1.0, 0.5), ("link 1", 0.8, 0.4), ("link 2", 0.9, 0.45)]


@pytest.mark.slow
@pytest.mark.parametrize("free", ["q_0", "q_1", "q_2"])
def test_the_pinned_arms_linear_model_is_two_by_two(reference: Any, free: str) -> None:
    """Whichever coordinate is called independent: by Kane, by Lagrange and by numbers; it was 6x6 with spurious zeros."""
    file = reference("kinematic_rates")["pinned_three_link"]
    segments = [Segment(name, 1.0, np.array([c, 0, 0]), np.diag([0, 0.1, 0.1])) for name, _, c in PINNED]
    hanging = chain_of_links(segments, [length for _, length, _ in PINNED], gravity_m_s2=9.81)
    tip = pin("link 2", (0.9, 0.0, 0.0), GROUND, (0.9, 1.2, 0.0), plane_of=GROUND)
    system = System(hanging.bodies, hanging.gravity_lab_m_s2, [tip], (free,))
    q = np.array(file["equilibrium_q"])
    found = linearised(system, q, np.zeros(1), np.zeros(3))
    assert np.abs(found.residual).max() < 1e-12
    d = describe(system)
    order = [system.coordinate(name) for name in (*system.free, *system.dependent)]
    by_symbols = [way(d).linearised(d.constants, q[order], np.zeros(3)) for way in (kane, lagrange)]
    for A in (found.A, *by_symbols):
        np.testing.assert_allclose(A, [[0, 1], [-22.742335064199, 0]], rtol=0, atol=1e-9)
    with pytest.raises(InvalidValueError, match="off its constraints"):
        kane(d).linearised(d.constants, q[order] + 0.01, np.zeros(3))


def test_what_would_be_wrong_in_silence_is_refused() -> None:
    d, constants = Rates.pendulum({"g": 9.81, "l": 1.0, "m": 1.0})
    t = me.dynamicsymbols._t
    other = sp.Symbol("t", real=True)
    with pytest.raises(InvalidValueError, match="no dynamic symbol"):
        Description(d.frame, d.origin, [sp.Symbol("q")], d.u, d.kinematics, d.bodies)
    with pytest.raises(InvalidValueError, match="in another time"):
        Description(d.frame, d.origin, d.q, d.u, d.kinematics, d.bodies, potential_J=sp.cos(other))
    burning = me.Particle("rocket", d.bodies[0].masscenter, sp.Symbol("m") * (1 - t))
    with pytest.raises(InvalidValueError, match="mass of rocket changes in time"):
        Description(d.frame, d.origin, d.q, d.u, d.kinematics, [burning])
    limb = Limb([Link(Segment("rod", 1.0, np.array([0.0, 0.5, 0.0]), np.zeros((3, 3))), (0.0, 1.0, 0.0))]).system((0.0, 0.0, 0.0))
    for angle in (2 * other, sp.Function("q")(other)):
        with pytest.raises(InvalidValueError, match="in another time"):
            GivenMotion(limb, {"rod": angle})
    with pytest.raises(InvalidValueError, match="not a motion of rod"):
        GivenMotion(limb, {"arm": 2 * t})
    # SymPy's own dynamic symbols turn the limb: six zeros came out while its time was another symbol.
    q = me.dynamicsymbols("q")
    wrench = GivenMotion(limb, {"rod": q}).wrench("rod", "rod")
    assert sp.simplify(wrench[0] - -q.diff(t, 2) / 2) == 0
    assert sp.simplify(wrench[1] - -(q.diff(t) ** 2) / 2) == 0
    assert constants


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
    d = describe(n_pendulum([2.0], [0.5], gravity_m_s2=9.81))
    equations = kane(d)
    momentum, spin = equations.momentum(), equations.angular_momentum()
    values = equations.evaluate([momentum.dot(d.frame.y), spin.dot(d.frame.z)], d.constants)(np.zeros(1), np.array([3.0]))
    np.testing.assert_allclose(values, [2.0 * 0.5 * 3.0, 2.0 * 0.25 * 3.0], rtol=1e-14)
    with pytest.raises(MissingInputError, match="l_0, m_0"):
        equations.function({sp.Symbol("g"): 9.81})


def test_latex_that_a_paper_can_take() -> None:
    """Angles as differences, q_0 and not q_0(t), forces by their names: equation (1) of the paper has minus signs."""
    d = describe(n_pendulum([2.0, 1.0], [0.5, 0.4], gravity_m_s2=9.81))
    equations = kane(d)
    text = equations.latex()
    assert r"\cos{\left(q_{0} - q_{1} \right)}" in text
    assert "{\\left(t \\right)}" not in text
    assert r"\dot{u_{0}}" in text
    q0, q1 = d.q
    m0, m1, l0, l1, g = (sp.Symbol(name) for name in ("m_0", "m_1", "l_0", "l_1", "g"))
    active = equations.active()
    assert sp.simplify(active[0] - -g * l0 * (m0 + m1) * sp.sin(q0)) == 0
    assert sp.simplify(active[1] - -g * l1 * m1 * sp.sin(q1)) == 0
    u0, u1 = d.u
    t = me.dynamicsymbols._t
    inertia = -l0 * l1 * m1 * (sp.cos(q0 - q1) * u0.diff(t) - sp.sin(q0 - q1) * u0**2) - l1**2 * m1 * u1.diff(t)
    assert sp.simplify(sp.expand_trig(equations.inertia()[1] - inertia)) == 0
