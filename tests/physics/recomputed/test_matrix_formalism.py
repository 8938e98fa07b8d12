"""The third document from its words alone: uniform bars by Lagrange, its run by another integrator, a leg by rates of momentum.

Bars are sums of their elements: energies are integrals along them, by SymPy. Foot, shank, thigh and a trunk move and turn in space
by functions of time, of which mpmath takes momentum, angular momentum about the laboratory's origin and their rates in 50 digits;
the library gets angles' and places' derivatives as numbers. The tensor of the foot that the document prints in the shank's rows
((E9) to (E11)) is the shank's own here, as in the library.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sympy")
import mpmath
import sympy as sp
from mpmath import mp
from scipy.integrate import solve_ivp

from biomech_id.algebra.skew import skew
from biomech_id.algebra.wrench import Wrench
from biomech_id.dynamics.block_system import BlockSystem, block_system
from biomech_id.dynamics.body import Frames, Motion, Segment
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.external import External
from biomech_id.dynamics.newton_euler import solve
from biomech_id.multibody.examples.pendulums import double_pendulum
from biomech_id.multibody.forward import simulate
from biomech_id.multibody.joints import X, prismatic, revolute
from biomech_id.multibody.parts import Body
from biomech_id.multibody.springs import Spring
from biomech_id.multibody.system import System
from tests.physics.recomputed.lagrangian import Lagrangian
from tests.physics.recomputed.moving import GRAVITY, TIMES, Moving, N, cross, numbers, rate, vector
from tests.physics.recomputed.table import Cases, Pair, check, parameters

CASES = Cases()
ROOT = Path(__file__).resolve().parents[3]
STATES = np.random.default_rng(3).uniform(-2, 2, (3, 5, 2))


MASS, LENGTH, DRIVE, G = (1.4, 0.8), (0.9, 1.1), (2.5, -1.2), 9.81


@cache
def bars() -> Lagrangian:
    """Two uniform bars, the second on the end of the first, theta from the vertical: energies summed over their elements."""
    q, v, s = sp.symbols("theta1:3"), sp.symbols("omega1:3"), sp.symbols("s")
    m, l, g = sp.symbols("m1:3"), sp.symbols("l1:3"), sp.symbols("g")
    kinetic, potential, hinge = sp.S.Zero, sp.S.Zero, sp.zeros(2, 1)
    for k in range(2):
        along = sp.Matrix([sp.sin(q[k]), -sp.cos(q[k])])  # to the right, up
        element = hinge + s * along
        speed = element.jacobian(q) * sp.Matrix(v)
        kinetic += sp.integrate(sp.expand(speed.dot(speed)) * m[k] / l[k] / 2, (s, 0, l[k]))
        potential += sp.integrate(g * element[1] * m[k] / l[k], (s, 0, l[k]))
        hinge = hinge + l[k] * along
    return Lagrangian(q, v, kinetic, potential, dict(zip((*m, *l, g), (*MASS, *LENGTH, G), strict=True)))


def drive() -> np.ndarray:
    """M_1 works on the first bar's turning, M_12 on that of the second relative to the first."""
    turnings = np.array([[1, 0], [-1, 1]])  # of each drive, for each angle
    return np.tile(np.array(DRIVE) @ turnings, (5, 1))


def library_bars() -> tuple[System, np.ndarray, np.ndarray, np.ndarray]:
    system = double_pendulum(MASS, LENGTH, DRIVE, gravity_m_s2=G)
    q, v, _ = STATES
    return system, q, v, np.stack([system.drive_forces(0.0, x, y) for x, y in zip(q, v, strict=True)])


def matrix_times(M: np.ndarray, a: np.ndarray) -> np.ndarray:
    return np.einsum("nij,nj->ni", M, a)


@CASES("E1")
def moments_about_the_hinges() -> Pair:
    """What is left of either row for accelerations that nobody asked for."""
    system, q, v, Q = library_bars()
    terms, by_energy = system.terms(q, v, Q), bars()
    right = [by_energy.at(part, q, v) for part in (by_energy.M, by_energy.C, by_energy.G)]
    ours = matrix_times(terms.M, STATES[2]) - terms.C - terms.G - terms.Q - terms.E
    return ours, matrix_times(right[0], STATES[2]) - right[1] - right[2] - drive()


@CASES("E2")
def matrix_and_right_side() -> list[Pair]:
    system, q, v, Q = library_bars()
    terms, by_energy = system.terms(q, v, Q), bars()
    right = by_energy.at(by_energy.C + by_energy.G, q, v) + drive()
    return [(terms.M, by_energy.at(by_energy.M, q, v)), (terms.C + terms.G + terms.Q, right)]


@CASES("E4")
def by_name() -> list[Pair]:
    system, q, v, Q = library_bars()
    terms, by_energy = system.terms(q, v, Q), bars()
    named = [(getattr(terms, k), by_energy.at(getattr(by_energy, k), q, v)) for k in "MCG"]
    return [*named, (terms.Q, drive()), (terms.E, 0 * q)]


@CASES("E5")
def angular_accelerations_of_the_bars() -> Pair:
    system, q, v, Q = library_bars()
    by_energy = bars()
    inverse = by_energy.inverse * (by_energy.C + by_energy.G + sp.Matrix(drive()[0]))
    return system.forward(q, v, Q), by_energy.at(inverse, q, v)


def cart() -> tuple[System, Lagrangian]:
    """A bar that hangs on a cart, both on springs; E is a force on the bar's end."""
    rod = Segment("bar", 1.3, np.array([0.3, 0.05, 0.0]), np.diag([0.0, 0.04, 0.04]))
    box = Segment("cart", 2.2, np.zeros(3), np.zeros((3, 3)))
    springs = [Spring("way", 50.0, 3.0, 0.1), Spring("angle", 8.0, 0.4, -0.2)]
    bodies = [Body(box, prismatic("way", X)), Body(rod, revolute("angle"), "cart", (0.0, 0.2, 0.0))]
    system = System(bodies, (1.5, -9.0, 0.0), springs=springs)
    q, v = sp.symbols("x phi"), sp.symbols("v w")
    x, phi = q
    turn = sp.Matrix([[sp.cos(phi), -sp.sin(phi)], [sp.sin(phi), sp.cos(phi)]])
    places = [sp.Matrix([x, 0]), sp.Matrix([x, sp.Rational(1, 5)]) + turn * sp.Matrix([0.3, 0.05])]
    speeds = [place.jacobian(q) * sp.Matrix(v) for place in places]
    kinetic = sum(m * s.dot(s) / 2 for m, s in zip((2.2, 1.3), speeds, strict=True)) + 0.04 * v[1] ** 2 / 2
    potential = -sum(m * sp.Matrix([1.5, -9.0]).dot(place) for m, place in zip((2.2, 1.3), places, strict=True))
    return system, Lagrangian(q, v, kinetic, potential, {})


@CASES("E3")
def any_mechanism_in_the_plane() -> list[Pair]:
    """M, C, G, Q (drives and springs) and E: a cart with a bar, and a force on the bar's end by its virtual work."""
    (system, by_energy), (q, v, tau) = cart(), STATES
    force = np.array([3.0, -7.0])
    x, phi = by_energy.q
    end = sp.Matrix([x + sp.cos(phi) * 0.6, 0.2 + sp.sin(phi) * 0.6])
    places = by_energy.at(end, q, v)
    load = Wrench(np.tile([*force, 0.0], (5, 1)), np.zeros((5, 3)), np.column_stack([places, np.zeros(5)]))
    terms = system.terms(q, v, tau, [External("bar", load)])
    springs = np.array([50.0, 8.0]) * (q - [0.1, -0.2]) + np.array([3.0, 0.4]) * v
    work = np.einsum("nij,i->nj", by_energy.at(end.jacobian(by_energy.q), q, v), force)
    named = [(getattr(terms, k), by_energy.at(getattr(by_energy, k), q, v)) for k in "MCG"]
    return [*named, (terms.Q, tau - springs), (terms.E, work)]


@CASES("E6")
def any_mechanism_in_space() -> list[Pair]:
    """A plate on a shaft: the shaft turns about z, the plate about its own x; energies from the path of every tensor axis."""
    rng = np.random.default_rng(8)
    arm, com, turn = rng.normal(0, 0.3, 3), rng.normal(0, 0.2, 3), np.linalg.qr(rng.normal(size=(3, 3)))[0]
    tensor = turn @ np.diag([0.05, 0.06, 0.08]) @ turn.T
    tensor, gravity = (tensor + tensor.T) / 2, (1.0, -4.0, -8.0)
    shaft = Segment("shaft", 1.1, np.array([0.1, 0.0, 0.0]), np.diag([0.01, 0.01, 0.015]))
    plate = Body(Segment("plate", 1.7, com, tensor), revolute("tilt", X), "shaft", tuple(arm))
    system = System([Body(shaft, revolute("yaw")), plate], gravity)
    q, v = sp.symbols("yaw tilt"), sp.symbols("w1 w2")
    turned = [sp.rot_axis3(-q[0]), sp.rot_axis3(-q[0]) * sp.rot_axis1(-q[1])]
    places = [turned[0] * sp.Matrix([0.1, 0, 0]), turned[0] * sp.Matrix(arm) + turned[1] * sp.Matrix(com)]
    kinetic, potential = sp.S.Zero, sp.S.Zero
    for m, I, R, place in zip((1.1, 1.7), (np.diag([0.01, 0.01, 0.015]), tensor), turned, places, strict=True):
        speed = place.jacobian(q) * sp.Matrix(v)
        rate = R.diff(q[0]) * v[0] + R.diff(q[1]) * v[1]
        spread = sp.Matrix(np.trace(I) / 2 * np.eye(3) - I)  # integral of r r' dm
        kinetic += m * speed.dot(speed) / 2 + (rate * spread * rate.T).trace() / 2
        potential -= m * sp.Matrix(gravity).dot(place)
    by_energy, (x, y, tau) = Lagrangian(q, v, kinetic, potential, {}), STATES
    terms = system.terms(x, y, tau)
    return [*((getattr(terms, k), by_energy.at(getattr(by_energy, k), x, y)) for k in "MCG"), (terms.Q, tau)]


@CASES("E7")
def forward_dynamics() -> Pair:
    """Accelerations of the cart and its bar, in 50 digits."""
    (system, by_energy), (q, v, tau) = cart(), STATES
    springs = np.array([50.0, 8.0]) * (q - [0.1, -0.2]) + np.array([3.0, 0.4]) * v
    expected = []
    with mp.workdps(50):
        for x, y, pull in zip(q, v, tau - springs, strict=True):
            numbers = {symbol: sp.Float(value, 50) for symbol, value in zip((*by_energy.q, *by_energy.v), (*x, *y), strict=True)}
            M, right = by_energy.M.subs(numbers), (by_energy.C + by_energy.G).subs(numbers)
            expected.append(list(mpmath.lu_solve(mp.matrix(M.tolist()), mp.matrix(list(right)) + mp.matrix(list(pull)))))
    return system.terms(q, v, tau).accelerations(), expected


def four_of_first_order(m: tuple[float, float], l: tuple[float, float], drives: np.ndarray) -> Callable[..., Any]:
    """Rates of (omega_1, omega_2, theta_1, theta_2) from the energies' M, C, G."""
    by_energy = bars()
    names = dict(zip(by_energy.constants, (*m, *l, G), strict=True))
    right = by_energy.inverse * (by_energy.C + by_energy.G + sp.Matrix(drives))
    function = sp.lambdify([*by_energy.v, *by_energy.q], [*right.subs(names), *by_energy.v], "math", cse=True)
    return lambda t, y: function(*y)


@CASES("E8")
def as_four_of_first_order() -> list[Pair]:
    """Two seconds of driven bars, by another integrator of another form of the equations."""
    start, t = np.array([0.4, -0.9, 0.3, 0.8]), np.linspace(0, 2, 41)
    system = double_pendulum(MASS, LENGTH, DRIVE, gravity_m_s2=G)
    run = simulate(system, start[2:], start[:2], t)
    theirs = solve_ivp(four_of_first_order(MASS, LENGTH, drive()[0]), (0, 2), start, "DOP853", t, rtol=1e-13, atol=1e-13).y.T
    return [(run.q, theirs[:, 2:], 1e-9), (run.u, theirs[:, :2], 1e-9)]


class TenSeconds:
    """The document's run: our own Euler steps of 0.1 ms, and the true motion; what the recipe draws beside them."""

    def __init__(self) -> None:
        import matplotlib as mpl

        mpl.use("Agg")
        from matplotlib import pyplot

        rates = four_of_first_order((1.0, 1.0), (1.0, 1.0), np.zeros(2))
        start = [np.pi, -2 * np.pi, np.pi / 6, np.pi / 3]
        t = np.linspace(0, 10, 1001)
        self.true = solve_ivp(rates, (0, 10), start, "DOP853", t, rtol=3e-14, atol=1e-14).y.T
        y, kept = list(start), [list(start)]
        for i in range(1, 100_001):
            y = [a + 1e-4 * b for a, b in zip(y, rates(0.0, y), strict=True)]
            if i % 100 == 0:
                kept.append(y)
        self.euler = np.array(kept)
        page = runpy.run_path(str(ROOT / "pipelines" / "mechanics" / "double_pendulum.py"))["draw"]()
        angle, strobe, _ = page.axes
        self.drawn = np.radians([line.get_ydata() for line in angle.lines[:4]])
        self.strobe = np.array([line.get_data() for line in strobe.lines])  # line, x or y, end
        pyplot.close(page)


@cache
def ten_seconds() -> TenSeconds:
    return TenSeconds()


@CASES("In 14")
def euler_steps() -> list[Pair]:
    """Both angles by Euler's steps as the recipe takes them; how far off they end: what the page says, to its digits."""
    run = ten_seconds()
    off = np.degrees(np.abs(run.euler[-1] - run.true[-1]))
    angle, speed = off[2:].max(), off[:2].max()
    return [(run.drawn[2:], run.euler[:, 2:].T, 1e-9), (4.3, angle, 0.05), (44.0, speed, 0.5)]


@CASES("In 15")
def angles_over_ten_seconds() -> Pair:
    return ten_seconds().drawn[:2], ten_seconds().true[:, 2:].T, 1e-9


@CASES("In 16")
def strobe() -> Pair:
    """Ends of both bars every 0.1 s."""
    run = ten_seconds()
    angles = run.true[:-1:10, 2:]
    bends = np.cumsum(np.stack([np.sin(angles), -np.cos(angles)], axis=1), axis=2)  # instant, x or y, end
    zero = np.zeros((*bends.shape[:2], 1))
    ends = np.concatenate([zero, bends], axis=2)
    lines = np.stack([ends[..., :2], ends[..., 1:]], axis=1).reshape(-1, 2, 2)
    return run.strobe, lines, 1e-9


# A leg in space: functions of time in mpmath, and what a chain of the library gets of them.


class Leg:
    """What momentum says of each frame, and the library's chain of the same motion."""

    def __init__(self) -> None:
        self.moving = m = Moving()
        shape = (len(TIMES), N, 3)
        self.force, self.moment, self.net_moment, self.outside = (np.zeros(shape) for _ in range(4))
        self.momentum_rate, self.spin_rate, self.omega_rate = (np.zeros(shape) for _ in range(3))
        self.R, place = (
            np.zeros((*shape, 3)),
            {k: np.zeros(shape) for k in ("com", "velocity", "acceleration", "omega", "alpha", "joint")},
        )
        with mp.workdps(50):
            g = vector(GRAVITY)
            for f, time in enumerate(TIMES):
                t, need, turning = mp.mpf(time), mp.matrix(3, 1), mp.matrix(3, 1)
                grf, cop, free = (vector(v) for v in m.ground[f])
                for i in range(N):
                    mass, R, c = mp.mpf(m.mass[i]), m.turn(i, t), m.com(i, t)
                    speed = rate(lambda x, i=i: m.com(i, x), t)
                    acceleration = rate(lambda x, i=i: rate(lambda y: m.com(i, y), x), t)
                    pushed = mass * g + (grf if i == 0 else 0 * grf)
                    twisted = mass * cross(c, g) + (cross(cop, grf) + free if i == 0 else 0 * grf)
                    need += mass * acceleration - pushed
                    turning += rate(lambda x, i=i: m.about_origin(i, x), t) - twisted
                    P = m.joint(i, t)
                    self.force[f, i], self.moment[f, i] = numbers(need), numbers(R.T * (turning - cross(P, need)))
                    own = (cross(cop - c, grf) + free) if i == 0 else 0 * grf
                    spin = rate(lambda x, i=i: m.spin(i, x), t)
                    self.momentum_rate[f, i], self.spin_rate[f, i] = numbers(mass * acceleration), numbers(R.T * spin)
                    self.outside[f, i], self.net_moment[f, i] = numbers(R.T * own), numbers(R.T * (spin - own))
                    self.omega_rate[f, i] = numbers(rate(lambda x, i=i: m.turn(i, x).T * m.omega(i, x), t))
                    alpha = rate(lambda x, i=i: m.omega(i, x), t)
                    for key, value in (
                        ("com", c),
                        ("velocity", speed),
                        ("acceleration", acceleration),
                        ("alpha", alpha),
                        ("joint", P),
                    ):
                        place[key][f, i] = numbers(value)
                    place["omega"][f, i], self.R[f, i] = numbers(m.omega(i, t)), numbers(R)
        self.place = place
        order = ("omega", "alpha", "com", "velocity", "acceleration")
        motions = [
            Motion(Frames(self.R[:, i], place["joint"][:, i]), *(np.ascontiguousarray(place[k][:, i]) for k in order))
            for i in range(N)
        ]
        names = ("foot", "shank", "thigh", "trunk")
        segments = [Segment(name, m.mass[i], np.zeros(3), m.tensor[i]) for i, name in enumerate(names)]
        self.chain = Chain(segments, motions, [place["joint"][:, i] for i in range(N)])
        grf, cop, free = m.ground.transpose(1, 0, 2)
        self.external = [External("foot", Wrench(grf, free, cop))]

    @property
    def system(self) -> BlockSystem:
        return block_system(self.chain, self.external, gravity_lab_m_s2=GRAVITY)

    @property
    def x(self) -> np.ndarray:
        """The unknowns by momentum: force, laboratory axes, and moment, axes of the segment."""
        return np.stack([self.force, self.moment], axis=2).reshape(len(TIMES), -1)

    def arms(self, f: int, i: int) -> tuple[np.ndarray, np.ndarray]:
        """From the centre of mass of segment i to its proximal joint, and to the distal one (that of i - 1)."""
        c, P = self.place["com"][f, i], self.place["joint"][f]
        return P[i] - c, P[i - 1] - c


@cache
def leg() -> Leg:
    return Leg()


def foot_and_shank(values: np.ndarray) -> np.ndarray:
    return values[:, :2]


@CASES("E9")
def newton_and_euler_as_vectors() -> list[Pair]:
    """Force and moment of ankle and knee, laboratory axes."""
    one = leg()
    loads = solve(one.chain, one.external, gravity_lab_m_s2=GRAVITY)
    moment_lab = np.einsum("fnij,fnj->fni", one.R, one.moment)
    ours = foot_and_shank(loads.force_lab_N), foot_and_shank(loads.moment_lab_Nm)
    return [(ours[0], foot_and_shank(one.force)), (ours[1], foot_and_shank(moment_lab))]


@CASES("E10")
def in_the_axes_that_are_said() -> list[Pair]:
    """Forces in those of the laboratory, moments in those of foot and shank."""
    one = leg()
    loads = solve(one.chain, one.external, gravity_lab_m_s2=GRAVITY)
    found: list[Pair] = []
    for i, name in enumerate(("foot", "shank")):
        wrench = loads.wrench(name)
        turned = wrench.expressed_in(name, one.R[:, i])
        found += [(wrench.force_N, one.force[:, i]), (turned.moment_Nm, one.moment[:, i])]
    return found


@CASES("E11")
def moments_of_forces_turned_into_the_segments_axes() -> Pair:
    """The right side A x has to have: rates of momentum and spin, less weights and ground."""
    one = leg()
    force = one.momentum_rate - one.chain.mass_kg[:, None] * GRAVITY
    force[:, 0] -= one.moving.ground[:, 0]
    return one.system.b[:, :12], np.stack([force, one.net_moment], axis=2).reshape(len(TIMES), -1)[:, :12]


@CASES("E12")
def the_ankles_moment_on_the_shank() -> Pair:
    """A unit moment about each axis of the foot, taken from the shank, as the shank's axes see it."""
    one = leg()
    theirs = np.zeros((len(TIMES), 3, 3))
    for f in range(len(TIMES)):
        for j in range(3):
            in_lab = one.R[f, 0] @ np.eye(3)[j]
            theirs[f, :, j] = [-(in_lab @ axis) for axis in one.R[f, 1].T]
    return one.system.A[:, 9:12, 3:6], theirs


@CASES("E13")
def foot_and_shank_as_twelve_rows() -> list[Pair]:
    one = leg()
    system, mass = one.system, one.chain.mass_kg
    n = len(TIMES)
    stack = lambda force, moment: np.stack([force, moment], axis=2).reshape(n, -1)[:, :12]  # noqa: E731
    M = np.zeros((n, 12, 12))
    for i in range(2):
        for k in range(3):
            M[:, 6 * i + k, 6 * i + k] = mass[i]
        M[:, 6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = one.moving.tensor[i]
    inertia = np.einsum("nij,fnj->fni", np.array(one.moving.tensor), one.omega_rate)
    ground = np.zeros((n, N, 3))
    ground[:, 0] = one.moving.ground[:, 0]
    weight = np.tile(mass[:, None] * GRAVITY, (n, 1, 1))
    zero = np.zeros((n, N, 3))
    Fx = np.einsum("fij,fj->fi", system.F, system.x)[:, :12]
    return [
        (system.M[:, :12, :12], M),
        (system.a[:, :12], stack(one.place["acceleration"], one.omega_rate)),
        (system.C[:, :12], stack(zero, inertia - one.spin_rate)),
        (system.G[:, :12], stack(weight, zero)),
        (system.E[:, :12], stack(ground, one.outside)),
        (Fx, stack(one.momentum_rate - weight - ground, one.net_moment)),
    ]


@CASES("E14")
def a_cross_product_as_a_matrix() -> Pair:
    """v x w by the permutation symbol."""
    v, w = np.random.default_rng(1).normal(size=(2, 7, 3))
    epsilon = np.array([[[int(sp.LeviCivita(i, j, k)) for k in range(3)] for j in range(3)] for i in range(3)])
    return (skew(v) @ w[..., None])[..., 0], np.einsum("ijk,nj,nk->ni", epsilon, v, w)


@CASES("E15")
def the_skew_symmetric_matrix() -> Pair:
    """Derivative of v x w with respect to w, entry by entry."""
    v, w = sp.symbols("v_x:z"), sp.symbols("w_x:z")
    S = sp.Matrix(v).cross(sp.Matrix(w)).jacobian(w)
    at = np.random.default_rng(2).normal(size=(7, 3))
    return skew(at), [np.array(S.subs(dict(zip(v, one, strict=True))), dtype=float) for one in at]


@CASES("E16")
def a_cross_product_by_that_matrix() -> Pair:
    """Its component along any third vector is the volume of the three."""
    v, w, along = np.random.default_rng(3).normal(size=(3, 7, 3))
    volume = [float(sp.Matrix(np.stack(three)).det()) for three in zip(v, w, along, strict=True)]
    return np.einsum("ni,nij,nj->n", along, skew(v), w), volume


@CASES("E17")
def twelve_rows_with_cross_products_of_the_unknowns() -> Pair:
    """A times what momentum finds for ankle and knee: net force and moment on foot and shank."""
    one = leg()
    theirs = []
    for f in range(len(TIMES)):
        moment = [one.R[f, i] @ one.moment[f, i] for i in range(2)]
        force, row = one.force[f], []
        for i in range(2):
            own, below = (vector(v) for v in one.arms(f, i))
            net, about = force[i].copy(), moment[i] + numbers(cross(own, vector(force[i])))
            if i:
                net -= force[0]
                about -= moment[0] + numbers(cross(below, vector(force[0])))
            row += [*net, *(one.R[f, i].T @ about)]
        theirs.append(row)
    return np.einsum("fij,fj->fi", one.system.A[:, :12, :12], one.x[:, :12]), theirs


def coefficients(f: int, n: int) -> np.ndarray:
    """A of one frame: the balances with cross products in symbols, and what each unknown stands with."""
    one = leg()
    F = [sp.symbols(f"F{i}x:z") for i in range(n)]
    M = [sp.symbols(f"M{i}x:z") for i in range(n)]
    balances = []
    for i in range(n):
        R = [sp.Matrix(one.R[f, k]) for k in range(n)]
        own, below = (sp.Matrix(arm) for arm in one.arms(f, i))
        net, about = sp.Matrix(F[i]), R[i] * sp.Matrix(M[i]) + own.cross(sp.Matrix(F[i]))
        if i:
            net -= sp.Matrix(F[i - 1])
            about -= R[i - 1] * sp.Matrix(M[i - 1]) + below.cross(sp.Matrix(F[i - 1]))
        balances += [*net, *(R[i].T * about)]
    unknowns = [symbol for i in range(n) for symbol in (*F[i], *M[i])]
    return np.array(sp.Matrix(balances).jacobian(unknowns), dtype=float)


@CASES("E18")
def one_matrix_before_the_unknowns() -> Pair:
    return leg().system.A[:, :12, :12], [coefficients(f, 2) for f in range(len(TIMES))]


@CASES("E19")
def inverse_dynamics() -> list[Pair]:
    """Of foot and shank alone, solved whole: ankle and knee by momentum."""
    one = leg()
    whole = one.chain
    two = Chain(whole.segments[:2], whole.motions[:2], whole.joints_lab_m[:2])
    system = block_system(two, one.external, gravity_lab_m_s2=GRAVITY)
    loads = solve(two, one.external, gravity_lab_m_s2=GRAVITY, method="block")
    moment_lab = np.einsum("fnij,fnj->fni", one.R, one.moment)
    return [
        (system.x, one.x[:, :12]),
        (loads.force_lab_N, foot_and_shank(one.force)),
        (loads.moment_lab_Nm, foot_and_shank(moment_lab)),
    ]


@CASES("E20")
def segment_i_between_two_joints() -> list[Pair]:
    """The third and fourth of four: what A x has in their rows is their rate of momentum less the weight, and of spin."""
    one = leg()
    rows_of = np.einsum("fij,fj->fi", one.system.A, one.x).reshape(len(TIMES), N, 2, 3)
    weight = one.chain.mass_kg[:, None] * GRAVITY
    return [(rows_of[:, 2:, 0], (one.momentum_rate - weight)[:, 2:]), (rows_of[:, 2:, 1], one.spin_rate[:, 2:])]


@CASES("E21")
def six_rows_of_twelve_columns() -> list[Pair]:
    """Of the third and of the fourth; all other columns are zero."""
    A, found = leg().system.A, []
    for f in range(len(TIMES)):
        theirs = coefficients(f, N)
        for i in (2, 3):
            columns = slice(6 * i - 6, 6 * i + 6)
            found.append((A[f, 6 * i : 6 * i + 6, columns], theirs[6 * i : 6 * i + 6, columns]))
            found.append((np.delete(A[f, 6 * i : 6 * i + 6], np.r_[columns], axis=1), np.zeros((6, 12))))
    return found


@pytest.mark.parametrize("row", parameters("3", slow=("In 14", "In 15", "In 16")))
def test_recomputed(row: dict[str, str]) -> None:
    check(CASES[row["item"]]())
