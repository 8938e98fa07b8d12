"""Joints with Coulomb friction: sliders in closed form, mechanisms that are one pendulum, and time stepping beside it."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from biomech_id.algebra.arrays import FloatArray
from biomech_id.dynamics.body import Segment
from biomech_id.errors import InvalidValueError
from biomech_id.multibody.closures import spherical
from biomech_id.multibody.examples.pendulums import n_pendulum
from biomech_id.multibody.forward import Simulation, simulate
from biomech_id.multibody.friction import Friction, breaking, holding
from biomech_id.multibody.generated import generate
from biomech_id.multibody.joints import ball, prismatic, revolute
from biomech_id.multibody.parts import Body, Drive
from biomech_id.multibody.springs import Spring
from biomech_id.multibody.system import System
from biomech_id.multibody.traced import equations
from tests.physics import test_redundant_loops as cranks
from tests.physics.test_redundant_loops import plate_on_cranks, posed
from tests.unit.multibody.mechanisms import slider_crank

G_M_S2 = 9.81
MASS_KG, STIFFNESS_N_M = 2.0, 50.0
OMEGA = np.sqrt(STIFFNESS_N_M / MASS_KG)


CRANK = [
    Segment("crank", 1.0, np.array([0.05, 0.0, 0.0]), np.diag([0.0, 0.001, 0.001])),
    Segment("rod", 1.0, np.array([0.15, 0.0, 0.0]), np.diag([0.0, 0.008, 0.008])),
    Segment("slider", 2.0, np.zeros(3), np.zeros((3, 3))),
]


def block(*, gravity: tuple[float, float, float] = (0.0, 0.0, 0.0), **more: object) -> System:
    segment = Segment("block", MASS_KG, np.zeros(3), np.zeros((3, 3)))
    return System([Body(segment, prismatic("x", (1, 0, 0)))], gravity, **more)  # type: ignore[arg-type]


def two_rods(**more: object) -> System:
    """A double pendulum whose coordinates are the turns of its joints."""
    rods = [Segment(name, 1.0, np.array([0.5, 0.0, 0.0]), np.diag([0.0, 1 / 12, 1 / 12])) for name in ("upper", "lower")]
    bodies = [Body(rods[0], revolute("hip")), Body(rods[1], revolute("knee"), "upper", (1.0, 0.0, 0.0))]
    return System(bodies, (0.0, -G_M_S2, 0.0), **more)  # type: ignore[arg-type]


def test_a_slider_on_a_spring_loses_the_same_amplitude_each_half_swing() -> None:
    """x_k+1 = -(x_k - 2 F / k), and it stops in the dead band |x| < F / k."""
    friction_N, start_m = 3.0, 0.5
    band_m = friction_N / STIFFNESS_N_M
    swings = int(np.ceil((start_m - band_m) / (2 * band_m)))
    times_s = np.arange(12) * np.pi / OMEGA
    system = block(springs=[Spring("x", STIFFNESS_N_M)])
    run = simulate(system, np.array([start_m]), np.zeros(1), times_s, friction={"x": Friction(friction_N)})
    k = np.arange(len(times_s))
    left = (-1.0) ** np.minimum(k, swings) * (start_m - 2 * band_m * np.minimum(k, swings))
    np.testing.assert_allclose(run.q[:, 0], left, rtol=0, atol=1e-11)
    assert (run.u[swings + 1 :] == 0).all()
    assert np.ptp(run.q[swings + 1 :]) == 0  # no creep at all
    np.testing.assert_allclose(run.forces["x"][swings + 1 :], STIFFNESS_N_M * left[-1], rtol=0, atol=1e-9)
    way = start_m * swings * 2 - 2 * band_m * swings**2
    np.testing.assert_allclose(run.work_J[-1], -friction_N * way, rtol=0, atol=1e-10)
    assert run.energy_drift_J < 1e-10


@pytest.mark.parametrize(("coefficient", "slides"), [(0.4, True), (0.41, True), (np.tan(np.pi / 8), False), (0.42, False)])
def test_a_block_on_an_incline(coefficient: float, slides: bool) -> None:
    """At 22.5 degrees tan is 0.4142: the friction that just holds it holds it."""
    slope = np.pi / 8
    limit_N = coefficient * MASS_KG * G_M_S2 * np.cos(slope)
    incline = block(gravity=(G_M_S2 * np.sin(slope), 0.0, -G_M_S2 * np.cos(slope)))
    run = simulate(incline, np.zeros(1), np.zeros(1), np.linspace(0, 2, 5), friction={"x": Friction(limit_N)})
    acceleration = (G_M_S2 * (np.sin(slope) - coefficient * np.cos(slope))) * slides
    np.testing.assert_allclose(run.q[:, 0], acceleration * run.t_s**2 / 2, rtol=0, atol=1e-10)
    assert (run.u == 0).all() or slides
    assert np.abs(run.forces["x"]).max() <= limit_N


def test_stick_and_slip_of_a_block_that_is_dragged() -> None:
    """Its spring's end moves at V: it sticks for 2 D / V and slips for 2 (pi - atan(D w / V)) / w, D = (static - kinetic) / k."""
    drag_m_s, kinetic_N, static_N = 0.1, 1.0, 4.0
    gap_m = (static_N - kinetic_N) / STIFFNESS_N_M
    slip_s = 2 * (np.pi - np.arctan(gap_m * OMEGA / drag_m_s)) / OMEGA
    first_s = static_N / STIFFNESS_N_M / drag_m_s
    period_s = slip_s + 2 * gap_m / drag_m_s
    times_s = np.sort(np.concatenate([[0.0], (first_s + period_s * np.arange(6)[:, None] + [-0.01, slip_s + 0.01]).ravel()]))
    pulled = block(drives=[Drive(("x",), lambda t, q, u: [STIFFNESS_N_M * (drag_m_s * t - q[0])])])
    run = simulate(pulled, np.zeros(1), np.zeros(1), times_s, friction={"x": Friction(kinetic_N, static_N)})
    assert (run.u == 0).all()
    np.testing.assert_allclose(run.q[1::2, 0], drag_m_s * period_s * np.arange(6), rtol=0, atol=1e-7)
    assert np.abs(run.forces["x"]).max() <= static_N
    assert run.energy_drift_J < 1e-8
    half_s = np.array([0.0, first_s + 0.5 * slip_s])
    sliding = simulate(pulled, np.zeros(1), np.zeros(1), half_s, friction={"x": Friction(kinetic_N, static_N)})
    phase = OMEGA * 0.5 * slip_s
    extension = kinetic_N / STIFFNESS_N_M + gap_m * np.cos(phase) + drag_m_s / OMEGA * np.sin(phase)
    assert sliding.q[1, 0] == pytest.approx(drag_m_s * sliding.t_s[1] - extension, abs=1e-7)
    assert sliding.forces["x"][1] == -kinetic_N


def test_a_pendulum_comes_to_rest() -> None:
    """Ten seconds in some thousand evaluations; the last angle is one that friction holds, and stays to the last digit."""
    pendulum = n_pendulum([1.0], [1.0], gravity_m_s2=G_M_S2)
    run = simulate(pendulum, np.array([1.2]), np.zeros(1), np.linspace(0, 10, 201), friction={"q_0": Friction(0.8)})
    rest = np.flatnonzero(np.diff(run.q[:, 0]) == 0)
    assert len(rest) > 50
    assert (run.u[rest[0] + 1 :] == 0).all()
    assert np.ptp(run.q[rest[0] + 1 :]) == 0
    assert abs(run.forces["q_0"][-1]) < 0.8
    assert run.energy_drift_J < 1e-9
    assert run.evaluations < 6000
    held = simulate(pendulum, np.array([0.02]), np.zeros(1), np.linspace(0, 10, 3), friction={"q_0": Friction(0.5)})
    assert held.q[:, 0].tolist() == [0.02] * 3
    assert held.evaluations < 300
    assert held.forces["q_0"] == pytest.approx(G_M_S2 * np.sin(0.02), abs=1e-12)


def pendulum_of(number: int, friction_Nm: float, times_s: FloatArray) -> Simulation:
    """The cranks of `plate_on_cranks` as one body, its friction the sum."""
    inertia = number * (cranks.INERTIA_KGM2 + cranks.MASS_KG * (cranks.COM_M[0] ** 2 + cranks.COM_M[1] ** 2))
    inertia += cranks.PLATE_KG * cranks.RADIUS_M**2
    mass_kg = number * cranks.MASS_KG + cranks.PLATE_KG
    com_m = np.array([number * cranks.MASS_KG * np.array(cranks.COM_M)])[0] + [cranks.PLATE_KG * cranks.RADIUS_M, 0.0]
    com_m = np.append(com_m / mass_kg, 0.0)
    about = inertia - mass_kg * com_m @ com_m
    segment = Segment("all", mass_kg, com_m, np.diag([about / 2, about / 2, about]))
    one = System([Body(segment, revolute("first"))], (0.0, -G_M_S2, 0.0))
    return simulate(one, np.array([-0.4]), np.zeros(1), times_s, friction={"first": Friction(friction_Nm)})


@pytest.mark.parametrize("number", [2, 3])
def test_friction_in_every_joint_of_a_mechanism_is_that_of_one_pendulum(number: int) -> None:
    """Dependent joints stick together: what each of them holds is not determined, their sum is, and the motion."""
    system = plate_on_cranks(number, spherical)
    times_s = np.linspace(0, 4, 41)
    limits = np.linspace(0.2, 0.4, number + 1)
    friction = {name: Friction(limit) for name, limit in zip(system.speeds, limits, strict=True)}
    run = simulate(system, posed(system, -0.4)[0], np.zeros(1), times_s, friction=friction)
    one = pendulum_of(number, limits.sum(), times_s)
    np.testing.assert_allclose(run.q[:, 0], one.q[:, 0], rtol=0, atol=1e-9)
    assert np.abs(run.u[-1]).max() == 0
    ways = np.array([1.0, -1.0, *[1.0] * (number - 1)])
    forces = np.array([run.forces[name] for name in system.speeds])
    np.testing.assert_allclose(ways @ forces, one.forces["first"], rtol=0, atol=1e-9)
    assert (np.abs(forces[:, -1]) <= limits).all()
    assert run.energy_drift_J < 1e-8


def time_stepped(system: System, q: FloatArray, u: FloatArray, limits: FloatArray, steps: int, step_s: float) -> FloatArray:
    """Moreau's time stepping, of first order; which joints stick in a step by trying all ways."""
    for _ in range(steps):
        parts = system.terms((q + step_s / 2 * u)[None], u[None])
        inverse = np.linalg.inv(parts.M[0])
        freely = u + step_s * inverse @ (parts.C + parts.G)[0]
        u_next = None
        for ways in product((-1.0, 0.0, 1.0), repeat=len(u)):
            going, impulse = np.array(ways), -step_s * np.array(ways) * limits
            stuck = going == 0
            impulse[stuck] = np.linalg.solve(inverse[np.ix_(stuck, stuck)], -(freely + inverse @ impulse)[stuck])
            after = freely + inverse @ impulse
            if (after * going >= 0).all() and (np.abs(impulse[stuck]) <= step_s * limits[stuck]).all():
                u_next = after
                break
        assert u_next is not None
        q, u = q + step_s * (u + u_next) / 2, u_next
    return q


def test_two_joints_beside_time_stepping() -> None:
    """The steps' error halves with the step, towards ours: hip and knee stick and slip by themselves."""
    system, limits = two_rods(), np.array([1.5, 1.0])
    q0 = np.array([-0.4, 0.5])
    friction = {"hip": Friction(1.5), "knee": Friction(1.0)}
    run = simulate(system, q0, np.zeros(2), np.linspace(0, 1.5, 31), friction=friction)
    states = {(bool(hip), bool(knee)) for hip, knee in run.u == 0}
    assert len(states) >= 3
    errors = [
        np.abs(time_stepped(system, q0, np.zeros(2), limits, n, 1.5 / n) - run.q[-1]).max() for n in (600, 1200)
    ]  # fmt: skip
    assert errors[0] < 5e-3
    assert errors[1] < 0.7 * errors[0]
    assert run.energy_drift_J < 1e-8


@pytest.mark.parametrize("number", [2, 4])
@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_chains_come_to_rest_and_stay(number: int, ratio: float) -> None:
    rods = [Segment(f"rod {k}", 1.0, np.array([0.25, 0.0, 0.0]), np.diag([0.0, 1 / 48, 1 / 48])) for k in range(number)]
    before = ["base", *(rod.name for rod in rods)]
    bodies = [Body(rod, revolute(f"q{k}"), before[k], (0.5 * (k > 0), 0.0, 0.0)) for k, rod in enumerate(rods)]
    chain = System(bodies, (0.0, -G_M_S2, 0.0))
    limits = 2.0 * (number - np.arange(number))
    friction = {name: Friction(limit, ratio * limit) for name, limit in zip(chain.speeds, limits, strict=True)}
    run = simulate(chain, np.full(number, 0.3), np.zeros(number), np.linspace(0, 10, 101), friction=friction)
    assert (run.u[-20:] == 0).all()
    assert np.ptp(run.q[-20:], axis=0).max() == 0
    assert run.energy_drift_J < 1e-8
    forces = np.array(list(run.forces.values())).T
    moving = run.u != 0
    np.testing.assert_array_equal(forces[moving], (-np.sign(run.u) * limits)[moving])
    assert (np.abs(forces) <= ratio * limits).all()
    # What holds the chain at last is what inverse dynamics asks of its joints.
    needed = chain.inverse(run.q[-1:], np.zeros((1, number)), np.zeros((1, number)))[0]
    np.testing.assert_allclose(forces[-1], needed, rtol=0, atol=1e-9)


def test_a_ball_with_friction_about_its_axes() -> None:
    top = Segment("top", 1.0, np.array([0.0, 0.0, -0.3]), np.diag([0.02, 0.03, 0.01]))
    system = System([Body(top, ball("hip"))], (0.0, 0.0, -G_M_S2))
    friction = {f"hip.w{axis}": Friction(0.6) for axis in "xyz"}
    run = simulate(system, np.array([0.8, 0.6, 0.0, 0.0]), np.array([0.0, 2.0, 9.0]), np.linspace(0, 5, 51), friction=friction)
    assert run.work_J[-1] < -0.5
    assert (run.u[-1] == 0).all()
    assert run.energy_drift_J < 1e-8


def test_least_constraint_within_limits() -> None:
    """Forces of 200 random systems satisfy the complementarity; singular ones too."""
    rng = np.random.default_rng(5)
    for k in range(200):
        n, rank = 4, 4 - k % 3
        X = rng.normal(size=(n, rank)) * 10.0 ** rng.uniform(-2, 2, (n, 1))
        A, limits = X @ X.T, rng.uniform(0.1, 3.0, n)
        b = X @ rng.normal(size=rank) * 10.0 ** rng.uniform(-1, 1)
        f = holding(A, b, limits)
        left, size = A @ f + b, np.diag(A) * limits
        assert (np.abs(f) <= limits * (1 + 1e-12)).all()
        inside = np.abs(f) < limits * (1 - 1e-12)
        assert np.abs(left / size)[inside].max(initial=0.0) < 1e-9
        assert (-np.sign(f) * left / size)[~inside].min(initial=0.0) > -1e-9
        going = breaking(A, b, limits, limits)
        assert (going[inside] == 0).all()


def test_what_does_not_end_says_why() -> None:
    """The law -0.5 sign(u) of a drive has no state of rest: steps get smaller and smaller."""
    law = Drive(("q_0",), lambda t, q, u: [-0.5 * np.sign(u[0])])
    pendulum = replace(n_pendulum([1.0], [1.0], gravity_m_s2=G_M_S2), drives=[law])
    words = r"at .* s 40000 evaluations .* speed 'q_0' is .*jumps where it changes sign"
    with pytest.raises(InvalidValueError, match=words) as refused:
        simulate(pendulum, np.array([0.02]), np.zeros(1), np.array([0.0, 0.5]))
    assert "Friction" in str(refused.value.expected)
    assert refused.value.where == "q_0"


def test_events_of_a_joint_that_rests() -> None:
    """A speed that is zero all along is no crossing each step: it is one where the rest begins and one where it ends."""
    pulled = block(drives=[Drive(("x",), lambda t, q, u: [-4.0 if t < 1 else 4.0 * (t - 1)])])
    run = simulate(
        pulled,
        np.zeros(1),
        np.array([2.0]),
        np.linspace(0, 3, 31),
        friction={"x": Friction(5.0)},
        events={"u": lambda t, q, u: u[0]},
    )
    np.testing.assert_allclose(run.events_s["u"], [2.0 / 4.5, 2.25], rtol=0, atol=1e-7)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_a_run_ends_where_a_joint_breaks_away(way: float) -> None:
    pulled = block(drives=[Drive(("x",), lambda t, q, u: [way * t])])
    friction, events = {"x": Friction(1.0)}, {"moves": lambda t, q, u: u[0]}
    run = simulate(pulled, np.zeros(1), np.zeros(1), np.linspace(0, 3, 31), friction=friction, events=events, stop_at="moves")
    np.testing.assert_allclose(run.events_s["moves"], [1.0], rtol=0, atol=1e-7)
    assert run.t_s[-1] == pytest.approx(1.0)
    on = simulate(pulled, np.zeros(1), np.zeros(1), np.linspace(0, 3, 31), friction=friction, events=events)
    np.testing.assert_allclose(on.events_s["moves"], [1.0], rtol=0, atol=1e-7)
    np.testing.assert_allclose(on.q[-1], way * 2.0**3 / 6 / MASS_KG, rtol=0, atol=1e-7)


def test_a_run_that_starts_by_breaking_away_ends_there() -> None:
    pulled = block(drives=[Drive(("x",), lambda t, q, u: [2.0])])
    more = {"friction": {"x": Friction(1.0)}, "events": {"moves": lambda t, q, u: u[0]}, "stop_at": "moves"}
    run = simulate(pulled, np.zeros(1), np.zeros(1), np.linspace(0, 3, 31), **more)  # type: ignore[arg-type]
    assert run.t_s.tolist() == [0.0]


LOADS = {
    "sine, one period": (lambda t: 1.4 * np.sin(2 * np.pi * t), np.linspace(0, 1, 101)),
    "sine, three periods": (lambda t: 1.4 * np.sin(2 * np.pi * t), np.linspace(0, 3, 301)),
    "bump": (lambda t: 5 * np.exp(-(((t - 5) / 0.5) ** 2)), np.linspace(0, 10, 201)),
    "pulse": (lambda t: 50.0 * (2.0 <= t < 2.2), np.linspace(0, 3, 301)),
}


@pytest.mark.parametrize("case", LOADS)
def test_a_load_that_comes_and_goes_beside_time_stepping(case: str) -> None:
    """A block that rests breaks away under it, stops and starts again; Moreau's steps of the one block."""
    load, times_s = LOADS[case]
    shaken = block(drives=[Drive(("x",), lambda t, q, u: [load(t)])])
    run = simulate(shaken, np.zeros(1), np.zeros(1), times_s, friction={"x": Friction(1.0)})
    x, u, steps = 0.0, 0.0, 40_000
    step_s = times_s[-1] / steps
    for k in range(steps):
        freely = u + step_s * load((k + 0.5) * step_s) / MASS_KG
        after = np.sign(freely) * max(0.0, abs(freely) - step_s * 1.0 / MASS_KG)
        x, u = x + step_s * (u + after) / 2, after
    assert abs(x - run.q[-1, 0]) < 3e-4 * np.abs(run.q).max()
    assert np.ptp(run.q) > 1e-5
    assert run.energy_drift_J < 1e-9


def test_a_rest_without_a_load_in_time_costs_nothing() -> None:
    pendulum = n_pendulum([1.0], [1.0], gravity_m_s2=G_M_S2)
    run = simulate(pendulum, np.array([0.02]), np.zeros(1), np.linspace(0, 10, 1001), friction={"q_0": Friction(0.5)})
    assert run.evaluations < 300


CART = np.array([[4.4624 + 2.6133, 2.6133], [2.6133, 2.6133]])


def test_a_joint_that_another_pushes_back_rests_again() -> None:
    """Cart and load: each alone would go, the load once it slips no longer draws the cart."""
    segments = [Segment(name, mass, np.zeros(3), np.zeros((3, 3))) for name, mass in (("cart", 4.4624), ("load", 2.6133))]
    bodies = [Body(segments[0], prismatic("x1")), Body(segments[1], prismatic("x2"), "cart")]
    drive = Drive(("x1", "x2"), lambda t, q, u: [-2.77837, -4.72114])
    friction = {"x1": Friction(0.74460, 0.77063), "x2": Friction(2.41228, 3.76734)}
    run = simulate(System(bodies, (0, 0, 0), drives=[drive]), *np.zeros((2, 2)), np.linspace(0, 1, 3), friction=friction)
    assert run.evaluations < 300
    ahead = np.linalg.inv(CART)
    limits, kinetic = np.array([[one.limit, one.kinetic] for one in friction.values()]).T
    going = breaking(ahead, ahead @ [-2.77837, -4.72114], limits, kinetic)
    np.testing.assert_array_equal(np.sign(run.u[-1]), going)


@pytest.mark.parametrize(("number", "systems"), [(2, 1500), (3, 500)])
def test_what_goes_speeds_up_and_what_rests_is_held(number: int, systems: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(systems):
        X = rng.normal(size=(number, number)) * 10.0 ** rng.uniform(-1, 1, (number, 1))
        A, kinetic = X @ X.T, rng.uniform(0.1, 3.0, number)
        limits = kinetic * rng.uniform(1.0, 3.0, number)
        b = X @ rng.normal(size=number) * 10.0 ** rng.uniform(-0.5, 1.5)
        going = breaking(A, b, limits, kinetic)
        rest, f = going == 0, -going * kinetic
        f[rest] = holding(A[np.ix_(rest, rest)], b[rest] + A[rest] @ f)
        assert (going * (A @ f + b) >= -1e-9 * np.abs(b).max()).all()
        assert (np.abs(f[rest]) <= limits[rest] * (1 + 1e-9)).all()


def at_dead_centre(inner: bool, u0: float, gravity_m_s2: float, friction_N: float) -> Simulation:
    system = slider_crank(0.1, 0.3, CRANK, gravity_m_s2=(0.0, -gravity_m_s2, 0.0))
    q0 = np.array([np.pi, -np.pi, 0.2] if inner else [0.0, 0.0, 0.4])
    return simulate(system, q0, np.array([u0]), np.linspace(0, 3, 31), friction={"x": Friction(friction_N)})


@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize("gravity_m_s2", [0.0, G_M_S2])
@pytest.mark.parametrize("u0", [0.0, 2.0])
def test_friction_at_a_dead_centre(inner: bool, gravity_m_s2: float, u0: float) -> None:
    """A slider there holds no crank, which goes on through it and falls out of it; nearly no friction changes nearly nothing."""
    run = at_dead_centre(inner, u0, gravity_m_s2, 1.0)
    assert run.energy_drift_J < 1e-9
    assert (np.ptp(run.q[:, 0]) > 0.3) == bool(u0 or gravity_m_s2)
    back = at_dead_centre(inner, -u0, gravity_m_s2, 1.0)
    if not gravity_m_s2:
        np.testing.assert_allclose(back.q[:, 0] - back.q[0, 0], run.q[0, 0] - run.q[:, 0], rtol=0, atol=1e-9)
    light, none = (at_dead_centre(inner, u0, gravity_m_s2, limit) for limit in (1e-9, 0.0))
    np.testing.assert_allclose(light.q, none.q, rtol=0, atol=1e-6)
    # What friction took is F times the slider's way, turning points included but for those between two samples.
    fine = np.abs(np.diff(run.q[:, 2])).sum()
    assert run.work_J[-1] <= -fine + 1e-9


def test_nothing_else_changes_without_friction() -> None:
    """The steps between outputs and events are those of SciPy's own loop."""
    system, times_s = two_rods(), np.linspace(0, 2, 21)
    code = generate(equations(system, ["a1"]), "python")

    def rates(_: float, y: FloatArray) -> FloatArray:
        return np.concatenate([y[2:], code(np.concatenate([y, [0.0, 0.0]]))])

    run = simulate(system, np.array([0.3, 0.9]), np.zeros(2), times_s, language="python", events={"down": lambda t, q, u: q[1]})
    there = solve_ivp(
        rates, (0, 2), [0.3, 0.9, 0, 0], "DOP853", times_s, events=lambda t, y: y[1], rtol=1e-12, atol=1e-12
    )  # fmt: skip
    np.testing.assert_allclose(run.q, there.y[:2].T, rtol=0, atol=1e-10)
    assert there.t_events is not None
    np.testing.assert_allclose(run.events_s["down"], there.t_events[0], rtol=0, atol=1e-10)
