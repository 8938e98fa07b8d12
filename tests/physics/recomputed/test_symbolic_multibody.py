"""The fourth document's pendulums from their sketch alone: places of particles, energies, momenta, by SymPy and mpmath.

A particle's place is a sum of links, x down and y to the right. Partial velocities are derivatives of places, generalised forces
come from energies, constraints from where the tip is. The minus signs that every line of (1) lost come out of this.
(12), (13) and (15) are left out: the library's bodies keep their mass, and (15) is an empty line.
"""

from __future__ import annotations

import math
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
from sympy.physics import mechanics as me

from biomech_id.dynamics.body import Segment
from biomech_id.multibody.closures import pin
from biomech_id.multibody.examples.pendulums import chain_of_links, n_pendulum
from biomech_id.multibody.forward import simulate
from biomech_id.multibody.generated import compiler, generate
from biomech_id.multibody.joints import X, revolute
from biomech_id.multibody.kinematics import GROUND
from biomech_id.multibody.linear import linearised
from biomech_id.multibody.parts import Body
from biomech_id.multibody.reduction import inverse_dynamics, projection
from biomech_id.multibody.symbolic.describe import describe
from biomech_id.multibody.symbolic.equations import Description, Equations, kane, lagrange
from biomech_id.multibody.system import System
from biomech_id.multibody.traced import equations
from tests.physics.recomputed.lagrangian import Lagrangian
from tests.physics.recomputed.table import Cases, Pair, check, parameters

CASES = Cases()
ROOT = Path(__file__).resolve().parents[3]
G = 9.81
MASS, LENGTH = (0.4, 0.9, 0.7, 0.3), (0.5, 0.3, 0.6, 0.4)
Q, U, A = np.random.default_rng(13).uniform(-2, 2, (3, 5, 4))


class Particles(Lagrangian):
    """N particles on massless links, angles from the vertical: places (2, 1), masses, energies."""

    def __init__(self, mass: Any, length: Any) -> None:
        n = len(mass)
        q, u = sp.symbols(f"q0:{n}"), sp.symbols(f"u0:{n}")
        m, l, g = sp.symbols(f"m0:{n}"), sp.symbols(f"l0:{n}"), sp.Symbol("g")
        place, self.places, self.m, self.g = sp.zeros(2, 1), [], m, g
        for k in range(n):
            place = place + l[k] * sp.Matrix([sp.cos(q[k]), sp.sin(q[k])])
            self.places.append(place)
        self.partial = [place.jacobian(q) for place in self.places]
        velocities = [J * sp.Matrix(u) for J in self.partial]
        self.kinetic = sum(m[k] * velocities[k].dot(velocities[k]) / 2 for k in range(n))
        self.potential = -sum(m[k] * g * self.places[k][0] for k in range(n))
        super().__init__(q, u, self.kinetic, self.potential, dict(zip((*m, *l, g), (*mass, *length, G), strict=True)))

    def partial_rate(self, k: int) -> Any:
        """Rate of the partial velocities of particle k."""
        return sum((self.partial[k].diff(x) * y for x, y in zip(self.q, self.v, strict=True)), start=sp.zeros(2, len(self.q)))


@cache
def particles() -> Particles:
    return Particles(MASS, LENGTH)


@cache
def library() -> tuple[System, Equations]:
    system = n_pendulum(MASS, LENGTH, gravity_m_s2=G)
    return system, kane(describe(system))


def evaluated(equations_: Equations, expression: Any, q: np.ndarray = Q, u: np.ndarray = U) -> np.ndarray:
    return equations_.evaluate(expression, equations_.description.constants)(q, u)


def times(M: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.einsum("n...ij,nj->n...i", M, x)


@CASES("Fig 1")
def sketch() -> Pair:
    """Ends of the three links that are drawn, to the right and up."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        from docs.documents import figures

        page = figures.pendulum_sketch((0.4, -0.7, 1.3))
    (line,) = (line for line in page.axes[0].lines if line.get_marker() == "o")
    ends = np.concatenate([[0], -1j * np.cumsum(np.exp(1j * np.array([0.4, -0.7, 1.3])))])
    pyplot.close(page)
    return line.get_data(), [ends.real, ends.imag]


@CASES("v_i")
def velocity_of_a_particle() -> list[Pair]:
    """Rate of its place."""
    system, mine = library()[0], particles()
    moving = system.motions(system.kinematics(Q, U))
    velocities = [mine.at(J * sp.Matrix(mine.v), Q, U) for J in mine.partial]
    return [(one.com_velocity_lab_m_s[:, :2], v) for one, v in zip(moving, velocities, strict=True)]


@CASES("1")
def generalised_active_forces() -> list[Pair]:
    """Less the slopes of the potential energy; and line by line as printed, with the minus sign that each lost."""
    _, by_kane = library()
    ours, mine = evaluated(by_kane, by_kane.active())[..., 0], particles()
    printed = [[-G * LENGTH[i] * sum(MASS[i:]) * np.sin(q[i]) for i in range(4)] for q in Q]
    return [(ours, mine.at(mine.G, Q, U)), (ours, printed)]


@CASES("Fig 2")
def equations_of_four_links() -> list[Pair]:
    """Mass matrix and right side by Lagrange."""
    _, by_kane = library()
    mine = particles()
    right = evaluated(by_kane, by_kane.f)[..., 0]
    return [(evaluated(by_kane, by_kane.M), mine.at(mine.M, Q, U)), (right, mine.at(mine.C + mine.G, Q, U))]


#: As the third figure sets them.
FOUR = ([0.01 / 4] * 4, [1 / 4] * 4)


@CASES("Fig 3")
def rates_of_the_speeds() -> Pair:
    """With the masses and lengths of the listing, in 50 digits."""
    d = describe(n_pendulum(*FOUR, gravity_m_s2=G))
    mine, theirs = Particles(*FOUR), []
    function = sp.lambdify([*mine.q, *mine.v, *mine.constants], [mine.M, mine.C + mine.G], "mpmath", cse=True)
    with mp.workdps(50):
        for q, u in zip(Q, U, strict=True):
            M, right = function(*(mp.mpf(float(x)) for x in (*q, *u, *mine.constants.values())))
            theirs.append(list(mpmath.lu_solve(M, right)))
    return kane(d).function(d.constants)(Q, U), theirs


@CASES("Fig 4")
def angles_and_speeds_of_four_links() -> list[Pair]:
    """Ten seconds by another integrator of equations from energies."""
    t, start = np.linspace(0, 10, 1000), np.concatenate([np.arange(4) * 0.01, np.zeros(4)])
    run = simulate(n_pendulum(*FOUR, gravity_m_s2=G), start[:4], start[4:], t)
    mine = Particles(*FOUR)
    both = sp.Matrix.hstack(mine.M, mine.C + mine.G).subs(mine.constants)
    function = sp.lambdify([*mine.q, *mine.v], both, "numpy", cse=True)

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        values = function(*y)
        return np.concatenate([y[4:], np.linalg.solve(values[:, :4], values[:, 4])])

    theirs = solve_ivp(rates, (0, 10), start, "DOP853", t, rtol=1e-12, atol=1e-13).y.T
    return [(run.q, theirs[:, :4], 1e-9), (run.u, theirs[:, 4:], 1e-9)]


# Three links, for what holds of any particle.

Q3, U3, A3 = (values[:, :3] for values in (Q, U, A))


@cache
def three_particles() -> Particles:
    return Particles(MASS[:3], LENGTH[:3])


@cache
def three() -> tuple[System, Equations]:
    system = n_pendulum(MASS[:3], LENGTH[:3], gravity_m_s2=G)
    return system, kane(describe(system))


@cache
def inertia_in_parts() -> tuple[np.ndarray, np.ndarray]:
    """The library's Fr*: what stands with the rates of the speeds (5, 3, 3), and the rest (5, 3)."""
    _, by_kane = three()
    t, speeds = me.dynamicsymbols._t, by_kane.description.u
    rates = sp.symbols("r0:3")
    expression = by_kane.inertia().subs(dict(zip([u.diff(t) for u in speeds], rates, strict=True)))
    rest = expression.subs(dict.fromkeys(rates, 0))
    return evaluated(by_kane, expression.jacobian(rates), Q3, U3), evaluated(by_kane, rest, Q3, U3)[..., 0]


def inertia_forces(rates: np.ndarray) -> np.ndarray:
    """The library's Fr* with rates of the speeds put in (5, 3)."""
    coefficients, rest = inertia_in_parts()
    return times(coefficients, rates) + rest


@CASES("9")
def generalised_inertia_forces() -> list[Pair]:
    """-M u' and the rest, by Lagrange."""
    mine = three_particles()
    lagrangian = -times(mine.at(mine.M, Q3, U3), A3) + mine.at(mine.C, Q3, U3)
    return [(inertia_forces(A3), lagrangian), (inertia_forces(0 * A3), mine.at(mine.C, Q3, U3))]


@CASES("10")
def partial_velocities() -> list[Pair]:
    """Derivatives of the places with respect to the angles; their sum with the speeds is the rate of the place."""
    (system, _), mine = three(), three_particles()
    moving, found = system.motions(system.kinematics(Q3, U3)), []
    for k in range(3):
        ours = system.jacobian(Q3, f"link {k}", (LENGTH[k], 0.0, 0.0))[0][:, :2]
        theirs = mine.at(mine.partial[k], Q3, U3)
        found += [(ours, theirs), (moving[k].com_velocity_lab_m_s[:, :2], times(theirs, U3))]
    return found


@CASES("11")
def inertia_force_of_a_particle() -> list[Pair]:
    """Less the rate of its momentum along a motion q(t) = q + u t + a t^2 / 2, in 50 digits."""
    (system, _), found = three(), []
    moving = system.motions(system.kinematics(Q3, U3, A3))
    with mp.workdps(50):
        for k in range(3):
            forces = []
            for q, u, a in zip(Q3, U3, A3, strict=True):

                def momentum(t: Any, k: int = k, q: Any = q, u: Any = u, a: Any = a) -> Any:
                    def place(s: Any) -> Any:
                        angles = [mp.mpf(x) + mp.mpf(y) * s + mp.mpf(z) * s * s / 2 for x, y, z in zip(q, u, a, strict=True)]
                        return sum(mp.mpf(l) * mp.expj(angle) for l, angle in zip(LENGTH[: k + 1], angles, strict=False))

                    return mp.mpf(MASS[k]) * mp.diff(place, t)

                force = -mp.diff(momentum, 0)
                forces.append([float(force.real), float(force.imag)])
            found.append((-MASS[k] * moving[k].com_acceleration_lab_m_s2[:, :2], forces, 1e-10))
    return found


@CASES("14")
def each_term_by_the_product_rule() -> list[Pair]:
    """Of the last particle: partial velocities times rates of speeds, and speeds times rates of partial velocities."""
    (system, _), mine = three(), three_particles()
    both = system.motions(system.kinematics(Q3, U3, A3))[2].com_acceleration_lab_m_s2[:, :2]
    still = system.motions(system.kinematics(Q3, U3, 0 * A3))[2].com_acceleration_lab_m_s2[:, :2]
    moved = times(mine.at(mine.partial_rate(2), Q3, U3), U3)
    return [(both - still, times(mine.at(mine.partial[2], Q3, U3), A3)), (still, moved)]


def by_partial_velocities() -> tuple[np.ndarray, np.ndarray]:
    """Sums over particles of m v_r . v_i, and of m v_r . (u_i times the rate of v_i)."""
    mine = three_particles()
    M = sum((m * J.T * J for m, J in zip(mine.m, mine.partial, strict=True)), start=sp.zeros(3, 3))
    rest = sum((mine.m[k] * mine.partial[k].T * mine.partial_rate(k) * sp.Matrix(mine.v) for k in range(3)), start=sp.zeros(3, 1))
    return mine.at(M, Q3, U3), mine.at(rest, Q3, U3)


@CASES("16")
def component_of_the_inertia_force_along_a_partial_velocity() -> Pair:
    M, rest = by_partial_velocities()
    return inertia_forces(A3), -times(M, A3) - rest


@CASES("17")
def written_out() -> list[Pair]:
    """What stands with each rate of a speed, and all else."""
    M, rest = by_partial_velocities()
    coefficients, all_else = inertia_in_parts()
    return [(coefficients, -M), (all_else, -rest)]


@CASES("18")
def mass_matrix_of_dot_products() -> Pair:
    """Their M_m is minus our M."""
    _, by_kane = three()
    return -evaluated(by_kane, by_kane.M, Q3, U3), -by_partial_velocities()[0]


# Three links whose tip is held: one coordinate is free.

TIED = np.array([0.3, 1.0, 1.9])
LINKS = ((0.5, 1.3, 0.2, 0.03), (0.45, 0.8, 0.25, 0.02), (0.4, 0.6, 0.15, 0.01))  # length, mass, centre of mass, inertia


class Tied:
    """The held chain: symbols, tip, energies, and a state that leaves the tip where it is."""

    def __init__(self) -> None:
        self.q, self.u, self.a = (sp.symbols(f"{letter}0:3") for letter in "qua")
        place, self.kinetic, self.potential = sp.zeros(2, 1), sp.S.Zero, sp.S.Zero
        for k, (length, mass, com, inertia) in enumerate(LINKS):
            along = sp.Matrix([sp.cos(self.q[k]), sp.sin(self.q[k])])
            centre, place = place + com * along, place + length * along
            speed = centre.jacobian(self.q) * sp.Matrix(self.u)
            self.kinetic += mass * speed.dot(speed) / 2 + inertia * self.u[k] ** 2 / 2
            self.potential -= mass * G * centre[0]
        self.tip, self.J = place, place.jacobian(self.q)
        self.drift = sum((self.J.diff(x) * y for x, y in zip(self.q, self.u, strict=True)), start=sp.zeros(2, 3)) * sp.Matrix(
            self.u
        )
        self.free = Lagrangian(self.q, self.u, self.kinetic, self.potential, {})
        segments = [Segment(f"link {k}", m, np.array([c, 0, 0]), np.diag([0, I, I])) for k, (_, m, c, I) in enumerate(LINKS)]
        chain = chain_of_links(segments, [link[0] for link in LINKS], gravity_m_s2=G)
        held = self.number(self.tip)[:, 0]
        closing = pin("link 2", (LINKS[2][0], 0.0, 0.0), GROUND, (*held, 0.0), plane_of=GROUND)
        self.system = System(chain.bodies, chain.gravity_lab_m_s2, [closing], ("q_0",))
        self.u1, self.a1 = np.array([1.7]), np.array([-2.4])
        J = self.number(self.J)
        self.A = -np.linalg.inv(J[:, 1:]) @ J[:, :1]
        self.speeds = np.concatenate([self.u1, self.A @ self.u1])
        still = -np.linalg.inv(J[:, 1:]) @ self.number(self.drift, self.speeds)[:, 0]
        self.rates = np.concatenate([self.a1, self.A @ self.a1 + still])

    def number(self, expression: Any, u: Any = (0, 0, 0), q: Any = TIED) -> np.ndarray:
        numbers = dict(zip((*self.q, *self.u), (*map(float, q), *map(float, u)), strict=True))
        return np.array(sp.Matrix(expression).subs(numbers).tolist(), dtype=float)


@cache
def tied() -> Tied:
    return Tied()


@cache
def tied_kane() -> Equations:
    return kane(describe(tied().system))


@cache
def tied_lagrange() -> Equations:
    return lagrange(describe(tied().system))


def constraint_values(u: np.ndarray) -> np.ndarray:
    """The library's constraints of the speeds, for speeds that need not obey them."""
    by_kane = tied_kane()
    return evaluated(by_kane, by_kane.description.velocity, TIED[None], u[None])[0]


@CASES("2")
def constraints_of_the_speeds() -> Pair:
    """Velocity of the tip."""
    one, u = tied(), np.array([0.4, -1.1, 2.0])
    return constraint_values(u), (one.number(one.J) @ u)


@CASES("3")
def gradient_times_speeds() -> list[Pair]:
    """Linear in the speeds: their value is their gradient, by differences of the library's values, times the speeds."""
    one, u = tied(), np.array([0.4, -1.1, 2.0])
    gradient = np.stack([constraint_values(axis) - constraint_values(0 * u) for axis in np.eye(3)], axis=1)
    return [(gradient, one.number(one.J)), (constraint_values(u), gradient @ u)]


def loop_jacobian() -> np.ndarray:
    system = tied().system
    return system.loop_jacobian(TIED[None], system.kinematics(TIED[None], np.zeros((1, 3))))[0]


@CASES("4")
def the_gradient_is_b() -> Pair:
    return loop_jacobian(), tied().number(tied().J)


@CASES("5")
def its_columns_are_sorted() -> list[Pair]:
    one, J = tied(), tied().number(tied().J)
    columns = {name: one.system.coordinate(name) for name in (*one.system.free, *one.system.dependent)}
    ours = loop_jacobian()
    free, bound = ([columns[name] for name in names] for names in (one.system.free, one.system.dependent))
    return [(ours[:, free], J[:, :1]), (ours[:, bound], J[:, 1:])]


@CASES("6")
def dependent_speeds() -> Pair:
    """Of two links whose far end stands still while the first moves: in 50 digits."""
    one = tied()
    W = projection(one.system, TIED[None], one.u1[None])[0][0]
    with mp.workdps(50):
        l = [mp.mpf(str(link[0])) for link in LINKS]
        q = [mp.mpf(float(x)) for x in TIED]
        place = [[-a * mp.sin(b), a * mp.cos(b)] for a, b in zip(l, q, strict=True)]
        left = mp.matrix([[place[1][k], place[2][k]] for k in range(2)])
        right = mp.matrix([-place[0][k] * mp.mpf(float(one.u1[0])) for k in range(2)])
        theirs = [float(x) for x in mpmath.lu_solve(left, right)]
    return (W @ one.u1)[1:], theirs


@CASES("7")
def the_matrix_a() -> Pair:
    one = tied()
    return projection(one.system, TIED[None], one.u1[None])[0][0][1:], one.A


@CASES("8")
def forces_of_dependent_speeds_are_added() -> Pair:
    """One coordinate is free: the force along it times its speed is the rate of the whole energy."""
    one = tied()
    energy = one.kinetic + one.potential
    numbers = dict(zip((*one.q, *one.u), (*TIED, *one.speeds), strict=True))
    pairs = [*zip(one.q, one.speeds, strict=True), *zip(one.u, one.rates, strict=True)]
    power = sum(float(energy.diff(symbol).subs(numbers)) * change for symbol, change in pairs)
    return inverse_dynamics(one.system, TIED[None], one.u1[None], one.a1[None])[0], [power / one.u1[0]]


def linear_system() -> tuple[np.ndarray, np.ndarray]:
    """The library's M and f by Lagrange, multipliers among the columns, in the state of the test."""
    one, by_lagrange = tied(), tied_lagrange()
    parts = (evaluated(by_lagrange, part, TIED[None], one.speeds[None])[0] for part in (by_lagrange.M, by_lagrange.f))
    M, f = parts
    return M, f[:, 0]


@CASES("19")
def constraints_linear_in_the_rates() -> list[Pair]:
    """m_c q' + f_c: gradient of where the tip is; nothing is left of it in a state that holds the tip."""
    one = tied()
    return [(linear_system()[0][3:, :3], one.number(one.J)), (constraint_values(one.speeds), one.number(one.J) @ one.speeds, 1e-12)]


@CASES("20")
def their_rate_linear_in_the_accelerations() -> list[Pair]:
    """Acceleration of the tip."""
    one, (M, f) = tied(), linear_system()
    drift = one.number(one.drift, one.speeds)[:, 0]
    a = np.array([0.7, -1.4, 2.2])
    return [(f[3:], -drift), (M[3:, :3] @ a - f[3:], one.number(one.J) @ a + drift)]


@CASES("21")
def lagranges_equations_with_multipliers() -> list[Pair]:
    """Mass matrix and right side of the free chain, and what a force on the tip does along each angle."""
    one, (M, f) = tied(), linear_system()
    free = [one.number(part, one.speeds) for part in (one.free.M, one.free.C + one.free.G)]
    return [(M[:3, :3], free[0]), (f[:3], free[1][:, 0]), (M[:3, 3:], -one.number(one.J).T)]


@CASES("22")
def one_linear_system() -> list[Pair]:
    """Accelerations and the tip's force from 50 digits: M a - J' F = f, J a + drift = 0."""
    one, by_lagrange = tied(), tied_lagrange()
    with mp.workdps(50):
        numbers = {symbol: sp.Float(float(value), 50) for symbol, value in zip((*one.q, *one.u), (*TIED, *one.speeds), strict=True)}
        M, right, J, drift = (x.subs(numbers) for x in (one.free.M, one.free.C + one.free.G, one.J, one.drift))
        whole = sp.Matrix(sp.BlockMatrix([[M, -J.T], [J, sp.zeros(2, 2)]]))
        side = mp.matrix([*right, *(-drift)])
        theirs = [float(x) for x in mpmath.lu_solve(mp.matrix(whole.tolist()), side)]
    constants = by_lagrange.description.constants
    with_forces, alone = (by_lagrange.function(constants, multipliers=both)(TIED, one.speeds) for both in (True, False))
    return [(with_forces, theirs), (alone, theirs[:3])]


@CASES("Sec lin")
def linear_models() -> list[Pair]:
    """Of the free chain about a motion; of the tied one about rest: by derivatives in 50 digits of forces, and of the energy."""
    one = tied()
    chain = System(one.system.bodies, one.system.gravity_lab_m_s2)
    d, u = describe(chain), np.array([1.1, -0.7, 0.4])
    found = [(linearised(chain, TIED, u, np.zeros(3)).A, free_model(one, u))]
    found.append((kane(d).linearised(d.constants, TIED, u), free_model(one, u)))
    q, stiffness = rest_of_the_tied_chain(one)
    place = (*one.number(one.tip, q=q)[:, 0], 0.0)
    closing = pin("link 2", (LINKS[2][0], 0.0, 0.0), GROUND, place, plane_of=GROUND)
    system = System(one.system.bodies, one.system.gravity_lab_m_s2, [closing], ("q_0",))
    d = describe(system)
    by_numbers, by_symbols = linearised(system, q, np.zeros(1), np.zeros(3)).A, kane(d).linearised(d.constants, q, np.zeros(3))
    found += [(A, [[0.0, 1.0], [-stiffness, 0.0]], 1e-9) for A in (by_numbers, by_symbols)]
    return found


def free_model(one: Tied, u: np.ndarray) -> np.ndarray:
    """d(q', u')/d(q, u) of M u' = f: derivatives of M u' - f at fixed u', by SymPy."""
    state = dict(zip((*one.q, *one.u), (*map(float, TIED), *map(float, u)), strict=True))
    M, f = one.number(one.free.M, u), one.number(one.free.C + one.free.G, u)
    a = np.linalg.solve(M, f)[:, 0]
    residual = one.free.C + one.free.G - one.free.M * sp.Matrix(a)
    slopes = np.array(residual.jacobian([*one.q, *one.u]).subs(state).tolist(), dtype=float)
    return np.concatenate([np.concatenate([np.zeros((3, 3)), np.eye(3)], axis=1), np.linalg.solve(M, slopes)])


def rest_of_the_tied_chain(one: Tied) -> tuple[np.ndarray, float]:
    """Where the tied chain rests, and U''/m there: energies along the one way it can go."""
    l = [mp.mpf(str(link[0])) for link in LINKS]
    with mp.workdps(40):
        held = [sum(a * f(mp.mpf(float(b))) for a, b in zip(l, TIED, strict=True)) for f in (mp.cos, mp.sin)]
        reach = sp.lambdify(one.q, one.potential, "mpmath")
        kinetic = sp.lambdify([*one.q, *one.u], one.kinetic, "mpmath")

        def angles(first: Any) -> list[Any]:
            """Of the last two links, by the cosine rule, on the side of the state above."""
            x, y = held[0] - l[0] * mp.cos(first), held[1] - l[0] * mp.sin(first)
            far, heading = mp.hypot(x, y), mp.atan2(y, x)
            inner = mp.acos((l[1] ** 2 + far**2 - l[2] ** 2) / (2 * l[1] * far))
            second = heading - inner
            return [first, second, mp.atan2(y - l[1] * mp.sin(second), x - l[1] * mp.cos(second))]

        assert max(abs(a - b) for a, b in zip(angles(mp.mpf(float(TIED[0]))), TIED, strict=True)) < 1e-12
        energy = lambda first: reach(*angles(first))  # noqa: E731
        rest = mp.findroot(lambda x: mp.diff(energy, x), mp.mpf("0.3"))
        ways = [mp.diff(lambda x, k=k: angles(x)[k], rest) for k in range(3)]
        mass = 2 * kinetic(*angles(rest), *ways)
        return np.array(angles(rest), dtype=float), float(mp.diff(energy, rest, 2) / mass)


@CASES("Sec aux")
def the_pivots_force() -> Pair:
    """Rate of the chain's momentum less its weight."""
    one = tied()
    chain = System(one.system.bodies, one.system.gravity_lab_m_s2)
    d = describe(chain, support_force=("R_x", "R_y"))
    by_kane, u = kane(d), np.array([1.1, -0.7, 0.4])
    a = by_kane.function(d.constants)(TIED, u)
    t = me.dynamicsymbols._t
    known = dict(zip([speed.diff(t) for speed in d.u], a, strict=True)) | {speed.diff(t): 0 for speed in d.auxiliary}
    solved = sp.solve([equation.subs(known) for equation in by_kane.auxiliary], d.support)
    ours = by_kane.evaluate([solved[R] for R in d.support], d.constants)(TIED, u)
    place, momentum, weight = sp.zeros(2, 1), sp.zeros(2, 1), sp.zeros(2, 1)
    for k, (length, mass, com, _) in enumerate(LINKS):
        along = sp.Matrix([sp.cos(one.q[k]), sp.sin(one.q[k])])
        momentum += mass * (place + com * along).jacobian(one.q) * sp.Matrix(one.u)
        weight += sp.Matrix([mass * G, 0])
        place += length * along
    own = np.linalg.solve(one.number(one.free.M, u), one.number(one.free.C + one.free.G, u))[:, 0]
    rate = momentum.jacobian(one.q) * sp.Matrix(one.u) + momentum.jacobian(one.u) * sp.Matrix(own)
    return ours, one.number(rate - weight, u)[:, 0]


def disc() -> tuple[Equations, dict[Any, float]]:
    """A rolling disc in the words of the document's own program: yaw, lean, spin; speeds along the axes that do not spin."""
    q, u, t = me.dynamicsymbols("q1:4"), me.dynamicsymbols("u1:4"), me.dynamicsymbols._t
    r, m, g = sp.symbols("r m g")
    ground, centre, origin = me.ReferenceFrame("N"), me.Point("centre"), me.Point("O")
    yaw = ground.orientnew("Y", "Axis", [q[0], ground.z])
    lean = yaw.orientnew("L", "Axis", [q[1], yaw.x])
    spin = lean.orientnew("R", "Axis", [q[2], lean.y])
    spin.set_ang_vel(ground, u[0] * lean.x + u[1] * lean.y + u[2] * lean.z)
    turning = q[0].diff(t) * yaw.z + q[1].diff(t) * lean.x + q[2].diff(t) * lean.y
    kinematics = [(spin.ang_vel_in(ground) - turning).dot(axis) for axis in (lean.x, lean.y, lean.z)]
    origin.set_vel(ground, 0)
    centre.set_pos(origin, r * lean.z)
    centre.set_vel(ground, spin.ang_vel_in(ground).cross(r * lean.z))
    tensor = me.inertia(lean, m * r**2 / 4, m * r**2 / 2, m * r**2 / 4)
    body = me.RigidBody("disc", centre, spin, m, (tensor, centre))
    d = Description(ground, origin, list(q), list(u), kinematics, [body], [(centre, -m * g * ground.z)])
    return kane(d), {r: 0.35, m: 1.7, g: G}


@CASES("Sec val")
def the_rolling_disc() -> Pair:
    """Newton's and Euler's equations with the ground's force on the rim, which stands still: matrices, no frames."""
    r, m = sp.Rational("0.35"), sp.Rational("1.7")
    q, u, a = (sp.symbols(f"{letter}1:4") for letter in "qua")
    to_lab = sp.rot_axis3(-q[0]) * sp.rot_axis1(-q[1])
    up = sp.Matrix([0, 0, 1])
    yaw_rate, lean_rate = u[2] / sp.cos(q[1]), u[0]
    changes = [(q[0], yaw_rate), (q[1], lean_rate), *zip(u, a, strict=True)]
    rate = lambda x: sum((x.diff(s) * change for s, change in changes), start=sp.zeros(3, 1))  # noqa: E731
    arm = to_lab * up * r  # from the rim on the ground to the centre
    velocity = (to_lab * sp.Matrix(u)).cross(arm)
    force = m * rate(velocity) + m * sp.Float(G, 30) * up
    spin = to_lab * sp.diag(m * r**2 / 4, m * r**2 / 2, m * r**2 / 4) * sp.Matrix(u)
    balance = rate(spin) + arm.cross(force)
    coefficients = sp.lambdify([*q, *u], [balance.jacobian(a), balance.subs(dict.fromkeys(a, 0))], "numpy")
    by_kane, constants = disc()
    states = [(0.3, 0.4, 0.7, 0.5, 3.0, -0.8), (-1.0, -0.6, 0.2, 1.2, -2.0, 0.9), (2.0, 0.1, 1.0, -0.3, 4.0, 0.2)]
    theirs = []
    for state in states:
        left, right = coefficients(*state)
        theirs.append(np.linalg.solve(left, -right)[:, 0])
    q_u = np.array(states)
    return by_kane.function(constants)(q_u[:, :3], q_u[:, 3:]), theirs


@CASES("Sec exp")
def exported_code() -> list[Pair]:
    """Mass matrix, velocity and gravity terms of four links from the code that is written: Python, and C where it compiles."""
    mine, states = particles(), np.concatenate([Q, U], axis=1)
    program = equations(library()[0], ["M1", "c1", "g1"])
    theirs = (mine.at(mine.M, Q, U), -mine.at(mine.C, Q, U), -mine.at(mine.G, Q, U))
    found: list[Pair] = []
    for language in ("python", "c") if compiler() else ("python",):
        code = generate(program, language)
        parts = code.program.split(code(states))
        found += [(parts[name], value) for name, value in zip(("M1", "c1", "g1"), theirs, strict=True)]
    space: dict[str, Any] = dict(vars(math))
    exec(program.source("python"), space)
    by_hand = [program.split(np.array(space["evaluate"](list(state)), dtype=float)) for state in states]
    return [*found, *((np.array([one[name] for one in by_hand]), v) for name, v in zip(("M1", "c1", "g1"), theirs, strict=True))]


@CASES("Sec 3D")
def rigid_bodies_in_space() -> list[Pair]:
    """Energy, momentum and angular momentum of two bodies, as sums over the particles they are made of."""
    rng = np.random.default_rng(21)
    clouds = [(rng.uniform(0.1, 0.5, 6), rng.normal(0, 0.2, (6, 3))) for _ in range(2)]
    arm, gravity = np.array([0.3, -0.1, 0.2]), np.array([0.0, 0.0, -9.81])
    segments = []
    for name, (masses, places) in zip(("shaft", "plate"), clouds, strict=True):
        com = masses @ places / masses.sum()
        r = places - com
        tensor = np.einsum("n,nij->ij", masses, (r**2).sum(axis=1)[:, None, None] * np.eye(3) - r[:, :, None] * r[:, None])
        segments.append(Segment(name, masses.sum(), com, (tensor + tensor.T) / 2))
    system = System(
        [Body(segments[0], revolute("yaw")), Body(segments[1], revolute("tilt", X), "shaft", tuple(arm))], tuple(gravity)
    )
    d = describe(system)
    by_kane, (q, u) = kane(d), np.random.default_rng(22).uniform(-1.5, 1.5, (2, 4, 2))
    momentum, spin = by_kane.momentum(), by_kane.angular_momentum()
    parts = [by_kane.energy(), *(v.dot(axis) for v in (momentum, spin) for axis in d.frame)]
    theirs = []
    for (yaw, tilt), (yaw_rate, tilt_rate) in zip(q, u, strict=True):
        c, s = np.cos(yaw), np.sin(yaw)
        shaft = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        c, s = np.cos(tilt), np.sin(tilt)
        plate = shaft @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        spins = (np.array([0, 0, yaw_rate]), np.array([0, 0, yaw_rate]) + tilt_rate * shaft[:, 0])
        sums = np.zeros(7)
        for (masses, places), R, start, omega in zip(clouds, (shaft, plate), (np.zeros(3), shaft @ arm), spins, strict=True):
            start_speed = np.cross(spins[0], start)
            for m, local in zip(masses, places, strict=True):
                place = start + R @ local
                velocity = start_speed + np.cross(omega, R @ local)
                energy = m * (velocity @ velocity) / 2 - m * gravity @ place
                sums += np.array([energy, *(m * velocity), *(m * np.cross(place, velocity))])
        theirs.append(sums)
    return [(by_kane.evaluate(parts, d.constants)(q, u), theirs)]


@pytest.mark.parametrize("row", parameters("4", slow=("Fig 4", "Sec lin", "Sec aux", "Sec val", "Sec 3D")))
def test_recomputed(row: dict[str, str]) -> None:
    check(CASES[row["item"]]())
