"""Contacts that do not slide, against closed forms: a sleigh, a skate, discs that roll and stand slanted, a ball on a turntable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

from biomech_id.algebra.arrays import FloatArray
from biomech_id.dynamics.body import Segment
from biomech_id.errors import BiomechError
from biomech_id.multibody.closures import Gearing, coupler
from biomech_id.multibody.forward import Simulation, simulate
from biomech_id.multibody.friction import Friction
from biomech_id.multibody.functions import SineFunction
from biomech_id.multibody.joints import PolynomialFunction, free, prismatic, revolute
from biomech_id.multibody.parts import Body, Drive
from biomech_id.multibody.rolling import Rolling
from biomech_id.multibody.system import System

G_M_S2 = 9.81
TEN_S = np.linspace(0, 10, 41)
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
STILL = (0.0, 0.0, 0.0)
ON_A_PLANE = (*prismatic("x", X), *prismatic("y", Y), *revolute("yaw", Z))


def segment(name: str, mass_kg: float, com_m: tuple[float, float, float], inertia_kgm2: tuple[float, float, float]) -> Segment:
    return Segment(name, mass_kg, np.array(com_m), np.diag(inertia_kgm2))


def slides_m_s(system: System, run: Simulation, contact: Rolling) -> float:
    each = zip(run.q, run.u, strict=True)
    return max(float(np.abs(contact.rows(system.kinematics(q[None])) @ u).max()) for q, u in each)


def sleigh(gravity: tuple[float, float, float] = STILL, com_m: float = 0.4) -> System:
    """3 kg in a plane; the blade's point is the origin, the centre of mass lies ahead of it."""
    return System([Body(segment("sled", 3.0, (com_m, 0.0, 0.0), (0.3, 0.3, 0.5)), ON_A_PLANE)], gravity)


BLADE = {"blade": Rolling("sled", Y)}


def test_chaplygins_sleigh_turns_until_its_mass_is_ahead() -> None:
    """v = V tanh(s), yaw' = V/k sech(s), s = a V t/k^2 + s0, k^2 = a^2 + I/m; the blade's force is m (v + ...) yaw'."""
    a_m, k2, V, s0 = 0.4, 0.16 + 0.5 / 3.0, 1.2, -2.0
    system, k = sleigh(), np.sqrt(k2)
    run = simulate(system, np.zeros(3), np.array([V * np.tanh(s0), 0.0, V / k / np.cosh(s0)]), TEN_S, rolling=BLADE)
    s = a_m * V * TEN_S / k2 + s0
    speed, turn = V * np.tanh(s), V / k / np.cosh(s)
    yaw = 2 * k / a_m * (np.arctan(np.exp(s)) - np.arctan(np.exp(s0)))
    np.testing.assert_allclose(run.q[:, 2], yaw, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.u, np.array([speed * np.cos(yaw), speed * np.sin(yaw), turn]).T, rtol=0, atol=1e-9)
    # Force across the blade: the centre's acceleration there, v yaw' + a yaw''.
    across = 3.0 * (speed * turn - a_m * turn * np.tanh(s) * a_m * V / k2)
    np.testing.assert_allclose(run.forces["blade"], np.outer(across, [1, 0, 0]), rtol=0, atol=1e-8)
    assert run.energy_drift_J < 1e-8
    assert slides_m_s(system, run, BLADE["blade"]) < 1e-14


def test_a_skate_on_a_slope_goes_along_a_cycloid() -> None:
    """Released while it turns it does not go downhill for good: x = b sin^2(w t), y = b (w t - sin(2 w t)/2)."""
    slope, turn = 0.3, 1.5
    downhill = G_M_S2 * np.sin(slope)
    system = sleigh((downhill, 0.0, -G_M_S2 * np.cos(slope)), com_m=0.0)
    run = simulate(system, np.zeros(3), np.array([0.0, 0.0, turn]), TEN_S, rolling=BLADE)
    b, phase = downhill / (2 * turn**2), turn * TEN_S
    there = np.array([b * np.sin(phase) ** 2, b * (phase - np.sin(2 * phase) / 2), phase]).T
    np.testing.assert_allclose(run.q, there, rtol=0, atol=1e-9)
    # Across the blade: what turns the velocity, and what gravity has there.
    across = 3.0 * (2 * downhill * np.sin(phase))
    np.testing.assert_allclose(run.forces["blade"][:, 0], across, rtol=0, atol=1e-8)
    assert run.energy_drift_J < 1e-8
    assert slides_m_s(system, run, BLADE["blade"]) < 1e-14


M_KG, R_M = 2.0, 0.25
THIN, ABOUT_AXIS = M_KG * R_M**2 / 4, M_KG * R_M**2 / 2


def upright(drives: list[Drive] | None = None) -> System:
    joint = (*ON_A_PLANE, *revolute("spin", Y))
    disc = Body(segment("disc", M_KG, STILL, (THIN, ABOUT_AXIS, THIN)), joint)
    return System([disc], (0.0, 0.0, -G_M_S2), drives=drives or [])


UPRIGHT = {"rim": Rolling("disc", Z, radius_m=R_M, axis=Y)}


def test_an_upright_disc_that_is_driven_goes_along_a_spiral() -> None:
    """spin' = tau / (C + m r^2), yaw' stays; the ground's force is m r (spin' along, spin yaw' across)."""
    torque, turn, spin0 = 0.3, 0.7, 2.0
    system = upright([Drive(("spin",), lambda t, q, u: [torque])])
    u0 = np.array([R_M * spin0, 0.0, turn, spin0])
    run = simulate(system, np.zeros(4), u0, TEN_S, rolling=UPRIGHT)
    faster = torque / (ABOUT_AXIS + M_KG * R_M**2)
    np.testing.assert_allclose(run.u[:, 2:], np.array([turn + 0 * TEN_S, spin0 + faster * TEN_S]).T, rtol=0, atol=1e-10)
    for k, way in enumerate((np.cos, np.sin)):
        there = [quad(lambda t, way=way: R_M * (spin0 + faster * t) * way(turn * t), 0, t, epsabs=1e-12)[0] for t in TEN_S]
        np.testing.assert_allclose(run.q[:, k], there, rtol=0, atol=1e-9)
    c, s, spin = np.cos(turn * TEN_S), np.sin(turn * TEN_S), spin0 + faster * TEN_S
    along, across = M_KG * R_M * faster, M_KG * R_M * spin * turn
    force = np.array([along * c - across * s, along * s + across * c, 0 * s]).T
    np.testing.assert_allclose(run.forces["rim"], force, rtol=0, atol=1e-9)  # joints, not the contact, carry the weight here
    assert run.energy_drift_J < 1e-8
    assert slides_m_s(system, run, UPRIGHT["rim"]) < 1e-14


def coin(tilt_rad: float) -> tuple[System, FloatArray]:
    """A thin disc, free, and where it stands slanted on the ground: its plane is ``tilt_rad`` from the ground, its axis y."""
    system = System([Body(segment("coin", M_KG, STILL, (THIN, ABOUT_AXIS, THIN)), free("c"))], (0.0, 0.0, -G_M_S2))
    half = (tilt_rad - np.pi / 2) / 2  # a turn about x that brings y to cos(tilt) z + sin(tilt) y
    q = system.at_zero(**{"c.pz": R_M * np.sin(tilt_rad), "c.w": np.cos(half), "c.x": -np.sin(half)})[0]
    return system, q


@pytest.mark.parametrize(("tilt_rad", "precession"), [(0.35, None), (1.2, 1.5), (1.2, -4.0), (0.9, 3.0)], ids=str)
def test_a_coin_rolls_slanted_along_a_circle(tilt_rad: float, precession: float | None) -> None:
    """(C + m r^2) ws W sin - A W^2 sin cos + m g r cos = 0 with the spin ws; Euler's disc has ws = 0, W^2 = 4 g / (r sin)."""
    c, s = np.cos(tilt_rad), np.sin(tilt_rad)
    W = precession or np.sqrt(4 * G_M_S2 / (R_M * s))
    spin = (THIN * W**2 * s * c - M_KG * G_M_S2 * R_M * c) / ((ABOUT_AXIS + M_KG * R_M**2) * W * s)
    assert (abs(spin) < 1e-12) == (precession is None)
    system, q0 = coin(tilt_rad)
    omega = np.array([0.0, spin, W * s])  # in the coin's axes; x is level, z uphill
    R = system.kinematics(q0[None]).R_lab_body[0, 1]
    np.testing.assert_allclose(R @ [0, 1, 0], [0, s, c], rtol=0, atol=1e-15)
    u0 = np.concatenate([np.cross(R @ omega, R @ [0, 0, R_M]), omega])
    rim = {"rim": Rolling("coin", Z, radius_m=R_M, axis=(0.0, -1.0, 0.0))}
    # Somewhat more than one turn about the circle, and seven of Euler's disc, which goes round in 0.3 s.
    times_s = (7.3 if precession is None else 1.1) * np.linspace(0, 2 * np.pi, 41) / abs(W)
    run = simulate(system, q0, u0, times_s, rolling=rim)
    moving = system.kinematics(run.q, run.u)
    axis, turned = moving.R_lab_body[:, 1, :, 1], W * times_s
    np.testing.assert_allclose(axis, np.array([-s * np.sin(turned), s * np.cos(turned), c + 0 * turned]).T, rtol=0, atol=1e-7)
    np.testing.assert_allclose(run.q[:, 2], R_M * s, rtol=0, atol=1e-10)
    centre = run.q[:, :2] + R_M * spin / W * axis[:, :2] / s
    np.testing.assert_allclose(centre, np.broadcast_to(centre[0], centre.shape), rtol=0, atol=1e-7)
    level = M_KG * W * R_M * spin * axis / s
    force = np.array([level[:, 0], level[:, 1], M_KG * G_M_S2 + 0 * turned]).T
    np.testing.assert_allclose(run.forces["rim"], force, rtol=0, atol=1e-6)
    assert run.energy_drift_J < 1e-8
    assert slides_m_s(system, run, rim["rim"]) < 1e-12


def test_a_ball_on_a_turntable_goes_round_at_two_sevenths_of_its_rate() -> None:
    turntable = Body(segment("table", 1.0, STILL, (1.0, 1.0, 1.0)), revolute("table", Z))
    inertia = 0.4 * M_KG * R_M**2
    ball = Body(segment("ball", M_KG, STILL, (inertia, inertia, inertia)), free("b"))
    system, rate = System([turntable, ball], (0.0, 0.0, -G_M_S2)), 3.0
    contact = {"touch": Rolling("ball", Z, radius_m=R_M, other="table")}
    q0 = system.at_zero(**{"b.px": 0.5, "b.pz": R_M})[0]
    velocity, spin_z = np.array([0.2, 0.4, 0.0]), 1.1
    # At the point that touches v + w x (-r z) = rate z x p.
    slip = velocity - np.array([0.0, rate * 0.5, 0.0])
    u0 = np.array([rate, *velocity, -slip[1] / R_M, slip[0] / R_M, spin_z])
    run = simulate(system, q0, u0, TEN_S, prescribed={"table": PolynomialFunction((0.0, rate))}, rolling=contact)
    turn = 2 / 7 * rate
    c, s = np.cos(turn * TEN_S), np.sin(turn * TEN_S)
    v = np.array([velocity[0] * c - velocity[1] * s, velocity[0] * s + velocity[1] * c]).T
    np.testing.assert_allclose(run.u[:, 1:3], v, rtol=0, atol=1e-9)
    way = np.array([v[:, 1] - velocity[1], velocity[0] - v[:, 0]]).T / turn
    np.testing.assert_allclose(run.q[:, 1:3], q0[1:3] + way, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.q[:, 3], R_M, rtol=0, atol=1e-10)
    force = M_KG * np.array([-turn * v[:, 1], turn * v[:, 0], G_M_S2 + 0 * TEN_S])
    c, s = np.cos(rate * TEN_S), np.sin(rate * TEN_S)
    force = np.array([c * force[0] + s * force[1], c * force[1] - s * force[0], force[2]]).T  # in the table's axes
    np.testing.assert_allclose(run.forces["touch"], force, rtol=0, atol=1e-8)
    assert run.energy_drift_J < 1e-8
    assert slides_m_s(system, run, contact["touch"]) < 1e-12


WIDE_M = 0.3
RIMS = {f"{side} rim": Rolling(side, Z, radius_m=R_M, axis=Y) for side in ("left", "right")}


def axle(closures: tuple[Gearing, ...] = (), slope: float = 0.0) -> System:
    """A bar with a wheel at either end, on a plane that falls along x; with the gearing the wheels turn as one."""
    bar = Body(segment("bar", 5.0, STILL, (0.4, 0.4, 0.6)), ON_A_PLANE, place_m=(0.0, 0.0, R_M))
    wheels = [
        Body(segment(side, M_KG, STILL, (THIN, ABOUT_AXIS, THIN)), revolute(side, Y), "bar", (0.0, sign * WIDE_M, 0.0))
        for side, sign in (("left", 1.0), ("right", -1.0))
    ]
    gravity = (G_M_S2 * np.sin(slope), 0.0, -G_M_S2 * np.cos(slope))
    return System([bar, *wheels], gravity, closures=closures, free=("x", "y", "yaw", "right") if closures else ())


def test_two_wheels_that_say_one_thing_twice_and_friction_that_ends() -> None:
    """Wheels on one axle: both bind the way across. Friction in both stops the cart after v^2 / (2 * its deceleration)."""
    system, speed, torque = axle(), 1.5, 0.4
    u0 = np.array([speed, 0.0, 0.0, speed / R_M, speed / R_M])
    rub = dict.fromkeys(("left", "right"), Friction(torque))
    run = simulate(system, np.zeros(5), u0, TEN_S, rolling=RIMS, friction=rub)
    inertia = 5.0 + 2 * M_KG + 2 * ABOUT_AXIS / R_M**2
    slower = 2 * torque / R_M / inertia
    way = np.where(speed / slower > TEN_S, speed * TEN_S - slower * TEN_S**2 / 2, speed**2 / slower / 2)
    assert 0 < speed / slower < 10
    np.testing.assert_allclose(run.q[:, 0], way, rtol=0, atol=1e-9)
    rests = run.u[speed / slower < TEN_S]
    np.testing.assert_array_equal(rests[:, 3:], 0.0)
    np.testing.assert_allclose(rests, 0.0, rtol=0, atol=1e-20)
    for side in RIMS:
        moves = speed / slower > TEN_S
        np.testing.assert_allclose(run.forces[side][moves, 0], -slower * (inertia - 2 * ABOUT_AXIS / R_M**2) / 2, rtol=0, atol=1e-9)
    assert run.energy_drift_J < 1e-8


def test_an_axle_turns_by_the_difference_of_its_wheels() -> None:
    """Driven by opposite torques: yaw' = r (right' - left') / (2 b) and one inertia; the wheels roll."""
    torque = 0.1
    system = axle()
    system = System(
        system.bodies, system.gravity_lab_m_s2, drives=[Drive(("left", "right"), lambda t, q, u: [-torque, torque * (1 + t)])]
    )
    run = simulate(system, np.zeros(5), np.zeros(5), TEN_S, rolling=RIMS)
    about = 0.6 + 2 * (THIN + M_KG * WIDE_M**2) + 2 * ABOUT_AXIS * (WIDE_M / R_M) ** 2
    t, ahead = TEN_S, 5.0 + 2 * M_KG + 2 * ABOUT_AXIS / R_M**2
    np.testing.assert_allclose(run.u[:, 2], torque * WIDE_M / R_M * (2 * t + t**2 / 2) / about, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.u[:, 3] + run.u[:, 4], 2 * torque * (t**2 / 2) / R_M / ahead / R_M, rtol=0, atol=1e-9)
    assert run.energy_drift_J < 1e-8


@pytest.mark.parametrize("way", ["gear", "function"])
def test_closed_loops_and_contacts_together(way: str) -> None:
    """Wheels geared to each other roll straight down a slope: g sin / (1 + 2 C / (M r^2)), yaw 0."""
    slope = 0.2
    function = {} if way == "gear" else {"left": PolynomialFunction((0.0, 1.0)), "right": PolynomialFunction((0.0, 1.0))}
    system = axle((Gearing({"left": 1.0, "right": -1.0}, 0.0, function),), slope)
    run = simulate(system, np.zeros(5), np.zeros(4), TEN_S, rolling=RIMS)
    mass = 5.0 + 2 * M_KG
    faster = G_M_S2 * np.sin(slope) / (1 + 2 * ABOUT_AXIS / (mass * R_M**2))
    np.testing.assert_allclose(run.q[:, 0], faster * TEN_S**2 / 2, rtol=0, atol=1e-8)
    np.testing.assert_allclose(run.q[:, 2], 0, rtol=0, atol=1e-10)
    assert run.energy_drift_J < 1e-7
    assert max(slides_m_s(system, run, rim) for rim in RIMS.values()) < 1e-12


@pytest.mark.parametrize("closed_form", [False, True])
def test_a_loop_that_is_not_linear_and_contacts(closed_form: bool) -> None:
    """left = right + right^2 / 5: one freedom without forces, so that its inertia M(right) and energy give time by an integral."""
    slow, bend = axle((coupler("left", "right", PolynomialFunction((0.0, 1.0, 0.2))),)), 0.2
    if closed_form:

        def left(m: Any, q: Sequence[Any]) -> list[Any]:
            turn = q[3] + bend * q[3] * q[3]
            return [(m.sin(turn), m.cos(turn))]

        slow = System(slow.bodies, STILL, slow.closures, slow.free, closed_form=left)
    times_s, start = np.linspace(0, 2, 11), 0.8
    run = simulate(slow, np.zeros(5), np.array([R_M * start, 0.0, 0.0, start]), times_s, rolling=RIMS)

    def root(angle: float) -> float:
        ratio = 1 + 2 * bend * angle  # left' / right'
        ahead, turn = R_M * (1 + ratio) / 2, R_M * (1 - ratio) / (2 * WIDE_M)
        about = 0.6 + 2 * (THIN + M_KG * WIDE_M**2)
        return float(np.sqrt((5.0 + 2 * M_KG) * ahead**2 + about * turn**2 + ABOUT_AXIS * (1 + ratio**2)))

    there_s = [quad(root, 0, angle, epsabs=1e-13)[0] / (root(0.0) * start) for angle in run.q[:, 4]]
    np.testing.assert_allclose(there_s, times_s, rtol=0, atol=1e-9)
    assert run.q[-1, 4] > 1
    assert run.energy_drift_J < 1e-8
    assert max(slides_m_s(slow, run, rim) for rim in RIMS.values()) < 1e-12


def test_drift_is_the_derivative_of_the_constraint() -> None:
    """A' u of a wheel on a tilting plate, against the change of A u along a motion with u' = 0."""
    plate = Body(segment("plate", 1.0, STILL, (1.0, 1.0, 1.0)), (*revolute("roll", X), *prismatic("lift", Z)))
    disc = Body(segment("disc", M_KG, STILL, (THIN, ABOUT_AXIS, THIN)), free("c"))
    system, rng, h = System([plate, disc], (0.0, 0.0, -G_M_S2)), np.random.default_rng(3), 1e-5
    contacts = [
        Rolling("disc", (0.36, 0.48, 0.8), (0.1, 0.2, 0.3), R_M, (0.48, 0.8, -0.36), other="plate"),
        Rolling("disc", (0.36, 0.48, 0.8), (0.1, 0.2, 0.3), R_M, other="plate"),
        Rolling("disc", (0.48, 0.8, -0.36), (0.1, 0.2, 0.3), other="plate"),
        Rolling("plate", (0.48, 0.8, -0.36), (0.1, 0.2, 0.3), other="disc"),
    ]
    q, u = rng.normal(size=(1, 9)), rng.normal(size=(1, 8))
    q[:, 5:] /= np.linalg.norm(q[:, 5:])

    def along(step: float) -> FloatArray:
        q_there = q.copy()
        for _ in range(2):  # midpoint rule: the error is of third order
            q_there = q + step * system.rates((q + q_there) / 2, u)
        q_there[:, 5:] /= np.linalg.norm(q_there[:, 5:])
        return q_there

    bent = q + 1j * 1e-30 * system.rates(q, u)
    for contact in contacts:
        sides = [contact.rows(system.kinematics(along(step))) @ u[0] for step in (-h, h)]
        drift = contact.rows(system.kinematics(bent)).imag @ u[0] / 1e-30
        assert np.abs(drift).max() > 0.1
        np.testing.assert_allclose(drift, (sides[1] - sides[0]) / (2 * h), rtol=0, atol=1e-8)


def test_what_joints_have_bound_already_is_no_constraint() -> None:
    """Normal to a slanted plane a sled does not move but for rounding: no row is made of that, and it goes on as it was."""
    c, s = np.cos(0.7), np.sin(0.7)
    R = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    sled = Body(segment("sled", 3.0, STILL, (0.3, 0.3, 0.5)), ON_A_PLANE, R_parent_joint=R)
    u0 = np.array([0.3, -0.2, 0.7])
    run = simulate(System([sled], STILL), np.array([0.0, 0.0, 0.1]), u0, TEN_S, rolling={"bottom": Rolling("sled", Z)})
    np.testing.assert_allclose(run.u, np.broadcast_to(u0, run.u.shape), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(run.forces["bottom"], 0.0)


def test_a_turn_that_is_given_and_a_blade() -> None:
    """A sleigh whose yaw is swung: v' = a yaw'^2 with the force across from Newton's law."""
    swing = SineFunction(0.5, rate=2.0)
    run = simulate(sleigh(), np.zeros(3), np.array([0.3, 0.0, 1.0]), TEN_S, prescribed={"yaw": swing}, rolling=BLADE)
    t = TEN_S
    speed = 0.3 + 0.4 * (t / 2 + np.sin(4 * t) / 8)  # yaw' = cos(2 t)
    yaw, turn = swing.value(t), swing.slope(t)
    np.testing.assert_allclose(run.u[:, 0], speed * np.cos(yaw), rtol=0, atol=1e-9)
    across = 3.0 * (speed * turn + 0.4 * swing.curvature(t))
    np.testing.assert_allclose(run.forces["blade"][:, 0], across, rtol=0, atol=1e-8)
    np.testing.assert_allclose(run.forces["yaw"], (0.5) * swing.curvature(t) + 0.4 * across, rtol=0, atol=1e-8)
    assert run.energy_drift_J < 1e-8


NO = np.zeros(3)


def run_sled(**rolling: object) -> Simulation:
    return simulate(sleigh(), NO, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0]), rolling=rolling)  # type: ignore[arg-type]


def flat() -> Simulation:
    system, q0 = coin(0.0)
    rim = {"rim": Rolling("coin", Z, radius_m=R_M, axis=Y)}
    return simulate(system, q0, np.zeros(6), np.array([0.0, 1.0]), rolling=rim)


def held_two_ways() -> Simulation:
    """A blade that turns about a fixed point away from it: the turn and the blade cannot both be."""
    yaw = {"yaw": PolynomialFunction((0.0, 1.0)), "x": PolynomialFunction((0.0, 1.0)), "y": PolynomialFunction((0.0,))}
    return simulate(sleigh(), NO, np.array([1.0, 0.0, 1.0]), np.array([0.0, 1.0]), prescribed=yaw, rolling=BLADE)


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "slides": (lambda: run_sled(blade=Rolling("sled", X)), "'blade' slides at 1 m/s"),
    "held two ways": (held_two_ways, "'blade' slides at 0.84"),
    "flat": (flat, "'rim' slides at nan m/s"),
    "no body": (lambda: run_sled(blade=Rolling("sledge", Y)), "no body 'sledge'"),
    "no contact": (lambda: run_sled(blade=Y), "a mapping of names to skates and wheels"),
    "no direction": (lambda: Rolling("sled", STILL), "(0.0, 0.0, 0.0) of 'sled' is no unit vector"),
    "two numbers": (lambda: Rolling("sled", (0.0, 1.0)), "(0.0, 1.0) of 'sled' is no unit vector"),  # type: ignore[arg-type]
    "a long axis": (lambda: Rolling("sled", Z, axis=(0.0, 2.0, 0.0), radius_m=1.0), "(0.0, 2.0, 0.0) of 'sled' is no unit"),
    "a missing number": (lambda: Rolling("sled", Z, (0.0, np.nan, 0.0)), "place_m of the sled"),
    "no axis": (lambda: Rolling("coin", Z, radius_m=1.0, axis=None), "an array as its axis, not None"),  # type: ignore[arg-type]
    "a wheel without a radius": (lambda: Rolling("coin", Z, axis=Y), "The coin has a wheel's axis and no radius"),
    "a negative radius": (lambda: Rolling("sled", Z, radius_m=-1.0), "radius_m"),
    "a word": (lambda: Rolling("sled", "across"), "'sled' is no unit vector"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_calls_get_a_sentence(what: str) -> None:
    call, words = WRONG[what]
    with pytest.raises(BiomechError) as refused:
        call()
    assert words in str(refused.value)
