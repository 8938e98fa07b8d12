"""The second document's exoskeleton from its sketch and table: cosine rule, products of transformations, d'Alembert's principle.

Angles of the loops follow from triangles, in 40 digits; places of bodies from the table's rows, multiplied as 4 x 4 matrices. Every
body is six particles of its mass, centre and tensor, so that forces at the free coordinates are sums over particles, m (x'' - g)
times how the particle moves with each coordinate, and how it moves is a difference of places. No Jacobian, no rotating axes.
Lengths and masses are the library's (none are published): its table is read, its pins and pivots are typed in.
(1), (6) and (7) are left out: how coordinates are sorted, and in which variables the Lagrangian is written, are no values.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sympy")
from mpmath import mp

from biomech_id.multibody.closures import circle_intersection
from biomech_id.multibody.examples.exoskeleton import arm_exoskeleton
from biomech_id.multibody.generated import generate
from biomech_id.multibody.reduction import configuration, inverse_dynamics, projection, reduced
from biomech_id.multibody.straight_line import Operations
from biomech_id.multibody.system import System
from biomech_id.multibody.traced import equations
from tests.physics.recomputed.table import Cases, Pair, check, parameters

CASES = Cases()
ROOT = Path(__file__).resolve().parents[3]
TABLE = ROOT / "biomech_id" / "multibody" / "examples" / "tables" / "exoskeleton.csv"
GRAVITY = (0.4, -9.7, 0.8)
DIGITS = 40
FREE = ("rho1", "rho2", "rho4", "rho5", "rho7")
#: Free coordinates, speeds and their rates.
STATES = (
    ((0.3, -0.4, 0.35, 0.6, 0.1), (0.8, -1.1, 0.9, 0.7, -2.0), (3.0, 2.0, -4.0, 5.0, 1.0)),
    ((-0.2, 0.7, 0.55, 0.3, -0.8), (-0.5, 0.4, -1.2, 1.5, 0.6), (1.0, -6.0, 2.0, -3.0, 4.0)),
)
STIFFNESS, DAMPING, REST = 4500, 60, "0.15"


def number(x: float | str) -> Any:
    return mp.mpf(str(x))


def polar(length: str, angle: Any) -> Any:
    return number(length) * mp.expj(angle)


def triangle(start: Any, first: Any, end: Any, second: Any, side: int = 1) -> Any:
    """The corner at two distances from start and end, to the left of the way between them: by the cosine rule."""
    way = end - start
    inner = mp.acos((first**2 + abs(way) ** 2 - second**2) / (2 * first * abs(way)))
    return start + first * mp.expj(mp.arg(way) + side * inner)


@cache
def transforms() -> list[tuple[str, str, str, list[Any]]]:
    """Body, what it hangs on, coordinate, and its row gamma, b, alpha, d, theta, r."""
    rows = csv.DictReader(TABLE.read_text(encoding="utf-8").splitlines())
    keys = ("gamma_rad", "b_m", "alpha_rad", "d_m", "theta_rad", "r_m")
    with mp.workdps(DIGITS):
        return [(row["body"], row["parent"], row["coordinate"], [angle(row[key]) for key in keys]) for row in rows]


def angle(text: str) -> Any:
    """Quarter turns exactly."""
    value, quarter = number(text), mp.pi / 2
    turns = mp.nint(value / quarter)
    return turns * quarter if turns and abs(value - turns * quarter) < mp.mpf("1e-14") else value


def turn(axis: int, by: Any) -> Any:
    T, (j, k) = np.array(mp.eye(4).tolist(), dtype=object), ((1, 2), (2, 0), (0, 1))[axis]
    T[j, j] = T[k, k] = mp.cos(by)
    T[k, j] = mp.sin(by)
    T[j, k] = -T[k, j]
    return T


def shift(axis: int, by: Any) -> Any:
    T = np.array(mp.eye(4).tolist(), dtype=object)
    T[axis, 3] = by
    return T


def step(row: list[Any], coordinate: str, q: Any) -> Any:
    """Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r), then the joint's own turn or slide."""
    gamma, b, alpha, d, theta, r = row
    T = turn(2, gamma) @ shift(2, b) @ turn(0, alpha) @ shift(0, d) @ turn(2, theta) @ shift(2, r)
    return T @ (shift(2, q) if coordinate == "Ls" else turn(2, q))


def loops(q1: Any) -> dict[str, Any]:
    """All coordinates from the free ones; the plane of the upper arm as complex numbers, x along it."""
    rho1, rho2, rho4, rho5, rho7 = q1
    # Wheels roll: radii 30 on 20 mm as the first carrier sees them, 20 on 30 mm as the second does.
    eta5 = number(30) * rho4 / number(20)
    rho6 = -number(20) * (eta5 - rho5) / number(30)
    O12 = number("0.3") + polar("0.05", rho4)
    C = O12 + polar("0.06", number("0.9") + rho4 + eta5)
    O10 = polar("0.052", number("0.25"))
    D = triangle(O10, number("0.07"), C, number("0.29"))
    eta3, rod = mp.arg(D - O10), mp.arg(C - D)
    E = O10 + polar("0.06", eta3 - number("2.2"))
    O9 = mp.mpc(number("0.115"), number("-0.06"))  # the yoke sees the upper arm turn by rho3 about O3
    F = triangle(mp.mpc(0), abs(E), O9, number("0.09"))
    rho3, eta2 = mp.arg(F) - mp.arg(E), mp.arg(F - O9)
    to_carrier, to_gear = rho4 + rho5, rho4 + eta5
    A = O12 + polar("0.05", to_carrier) + mp.mpc(number("0.14"), number("0.03")) * mp.expj(to_carrier + rho6)
    O14 = O12 + polar("0.035", to_gear - number("0.6"))
    return {
        "rho1": rho1, "rho2": rho2, "rho3": rho3, "rho4": rho4, "rho5": rho5, "rho6": rho6, "rho7": rho7,
        "eta2": eta2, "eta3": eta3, "eta4": mp.arg(mp.expj(rod - eta3)), "eta5": eta5,
        "eta7": mp.arg((A - O14) * mp.expj(-to_gear)), "Ls": abs(A - O14),
    }  # fmt: skip


def placed(q: dict[str, Any]) -> dict[str, Any]:
    """Body -> its 4 x 4 transformation, base axes."""
    found: dict[str, Any] = {"base": np.array(mp.eye(4).tolist(), dtype=object)}
    for body, parent, coordinate, row in transforms():
        found[body] = found[parent] @ step(row, coordinate, q[coordinate])
    return found


@cache
def particles() -> list[tuple[str, Any, np.ndarray]]:
    """Six for each body, on the axes of its tensor: body, mass, place in it."""
    found = []
    for row in csv.DictReader(TABLE.read_text(encoding="utf-8").splitlines()):
        mass, com = float(row["mass_kg"]), np.array([float(row[k]) for k in ("x_m", "y_m", "z_m")])
        xx, yy, zz, xy, xz, yz = (float(row[k]) for k in ("xx", "yy", "zz", "xy", "xz", "yz"))
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        spread, axes = np.linalg.eigh(np.trace(tensor) / 2 * np.eye(3) - tensor)  # integral of r r' dm
        assert spread.min() >= 0
        for k in range(3):
            for side in (1, -1):
                place = com + side * np.sqrt(3 * spread[k] / mass) * axes[:, k]
                with mp.workdps(DIGITS):
                    share = number(mass) / 6
                found.append((row["body"], share, np.array([mp.mpf(float(x)) for x in (*place, 1)])))
    return found


def cloud(q1: Any) -> np.ndarray:
    """Places of all particles (n, 3), in 40 digits."""
    at = placed(loops(q1))
    return np.array([(at[body] @ place)[:3] for body, _, place in particles()])


def masses() -> np.ndarray:
    return np.array([mass for _, mass, _ in particles()])[:, None]


def central(function: Callable[[Any], Any]) -> Any:
    """Derivative at zero: right to 24 of 40 digits."""
    h = mp.mpf(10) ** -12
    return (function(h) - function(-h)) / (2 * h)


class State:
    """One state by particles."""

    def __init__(self, q1: Any, u1: Any, a1: Any) -> None:
        with mp.workdps(DIGITS):
            self.q1, self.u1, self.a1 = (np.array([number(x) for x in values]) for values in (q1, u1, a1))
            h = mp.mpf(10) ** -12
            self.q = loops(self.q1)
            self.at, before, after = cloud(self.q1), cloud(self.along(-h)), cloud(self.along(h))
            self.velocity, self.acceleration = (after - before) / (2 * h), (after - 2 * self.at + before) / h**2
            steady = [cloud(self.q1 + s * self.u1) for s in (-h, h)]
            self.steady = (steady[0] - 2 * self.at + steady[1]) / h**2
            self.partial = [central(lambda s, k=k: cloud(self.q1 + s * unit(k))) for k in range(5)]
            self.names = list(self.q)
            self.slopes = [[central(lambda s, k=k, n=n: loops(self.q1 + s * unit(k))[n]) for k in range(5)] for n in self.names]
            self.speeds = {
                n: sum(w * u for w, u in zip(row, self.u1, strict=True)) for n, row in zip(self.names, self.slopes, strict=True)
            }

    def along(self, t: Any) -> Any:
        return self.q1 + t * self.u1 + t * t / 2 * self.a1

    def felt(self, vectors: np.ndarray) -> np.ndarray:
        """Sum of m v . dx/dq, for each free coordinate."""
        return np.array([(masses() * vectors * partial).sum() for partial in self.partial])

    @property
    def M1(self) -> np.ndarray:
        return np.array([self.felt(partial) for partial in self.partial])

    @property
    def c1(self) -> np.ndarray:
        return self.felt(self.steady)

    @property
    def g1(self) -> np.ndarray:
        return -self.felt(np.tile([number(x) for x in GRAVITY], (len(self.at), 1)))

    @property
    def spring1(self) -> np.ndarray:
        tension = STIFFNESS * (self.q["Ls"] - number(REST)) + DAMPING * self.speeds["Ls"]
        return tension * np.array(self.slopes[self.names.index("Ls")])

    @property
    def tau1(self) -> np.ndarray:
        return self.felt(self.acceleration) + self.g1 + self.spring1

    @property
    def kinetic(self) -> Any:
        return (masses() * self.velocity**2).sum() / 2

    @property
    def potential(self) -> Any:
        return potential(self.q1)


def potential(q1: Any) -> Any:
    heights = (masses() * cloud(q1) * np.array([number(x) for x in GRAVITY])).sum()
    return STIFFNESS * (loops(q1)["Ls"] - number(REST)) ** 2 / 2 - heights


def unit(k: int) -> Any:
    return np.array([mp.mpf(i == k) for i in range(5)])


@cache
def states() -> list[State]:
    return [State(*state) for state in STATES]


def values(name: str) -> np.ndarray:
    with mp.workdps(DIGITS):
        return np.array([np.array(getattr(state, name), dtype=float) for state in states()])


@cache
def arm() -> System:
    return arm_exoskeleton(GRAVITY)


@cache
def library() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Closed configurations, free speeds and their rates."""
    q1, u1, a1 = (np.array(part, dtype=float) for part in zip(*STATES, strict=True))
    assert arm().free == FREE
    return configuration(arm(), q1), u1, a1


def coordinates() -> np.ndarray:
    """All, in the library's order."""
    return np.array([[float(state.q[name]) for name in arm().coordinates] for state in states()])


def slopes() -> np.ndarray:
    """Of all speeds with the free ones, in the library's order."""
    found = [[state.slopes[state.names.index(name)] for name in arm().speeds] for state in states()]
    return np.array(found, dtype=float)


@CASES("2")
def dependent_coordinates() -> Pair:
    """Triangles."""
    return library()[0], coordinates()


@CASES("3")
def sines_and_cosines() -> list[Pair]:
    """Of lever and crank from where circles meet, on both sides; the library's mechanism is on the left one."""
    found: list[Pair] = []
    with mp.workdps(DIGITS):
        for state in states():
            q = state.q
            C = number("0.3") + polar("0.05", q["rho4"]) + polar("0.06", number("0.9") + q["rho4"] + q["eta5"])
            O10 = polar("0.052", number("0.25"))
            for side in (1, -1):
                D = triangle(O10, number("0.07"), C, number("0.29"), side)
                centres = [(float(z.real), float(z.imag)) for z in (O10, C)]
                x, y = circle_intersection(np, centres[0], 0.07, centres[1], 0.29, side)
                ours = (y - centres[0][1]) / 0.07, (x - centres[0][0]) / 0.07
                found.append((ours, [float(((D - O10) / number("0.07")).imag), float(((D - O10) / number("0.07")).real)]))
    names = ("rho3", "rho6", "eta2", "eta3", "eta4", "eta5", "eta7")
    own = library()[0][:, [arm().coordinate(name) for name in names]]
    theirs = coordinates()[:, [arm().coordinate(name) for name in names]]
    return [*found, (np.sin(own), np.sin(theirs)), (np.cos(own), np.cos(theirs))]


@CASES("4")
def dependent_length_and_speeds() -> list[Pair]:
    """The spring's length, and rates of all coordinates along the way that the free ones take."""
    q, u1, _ = library()
    W = projection(arm(), q, u1)[0]
    speeds = [[float(state.speeds[name]) for name in arm().speeds] for state in states()]
    length = [float(state.q["Ls"]) for state in states()]
    return [(q[:, arm().coordinate("Ls")], length), (np.einsum("nij,nj->ni", W, u1), speeds)]


@CASES("5")
def the_lagrangian() -> list[Pair]:
    """Kinetic energy, and potential energies of gravity and of the spring, of the particles."""
    q, u1, _ = library()
    u = np.einsum("nij,nj->ni", projection(arm(), q, u1)[0], u1)
    at_rest = arm().energy(q, 0 * u)
    kinetic, stored = values("kinetic"), values("potential")
    return [(arm().energy(q, u) - at_rest, kinetic), (arm().energy(q, u) - 2 * at_rest, kinetic - stored)]


@CASES("8")
def lagranges_equations_of_the_second_kind() -> Pair:
    """d/dt dL/dq1' - dL/dq1, by differences of energies; the damper, which has none, is added."""
    theirs = []
    with mp.workdps(DIGITS):
        h = mp.mpf(10) ** -8
        for state in states():

            def kinetic(q1: Any, u1: Any) -> Any:
                velocity = central(lambda s: cloud(q1 + s * u1))
                return (masses() * velocity**2).sum() / 2

            def momentum(t: Any, k: int, state: State = state) -> Any:
                q1, u1 = state.along(t), state.u1 + t * state.a1
                speed, partial = (central(lambda s, way=way, q1=q1: cloud(q1 + s * way)) for way in (u1, unit(k)))
                return (masses() * speed * partial).sum()

            forces = []
            for k in range(5):
                rate = (momentum(h, k) - momentum(-h, k)) / (2 * h)
                slope = (kinetic(state.q1 + h * unit(k), state.u1) - kinetic(state.q1 - h * unit(k), state.u1)) / (2 * h)
                stored = (potential(state.q1 + h * unit(k)) - potential(state.q1 - h * unit(k))) / (2 * h)
                damped = DAMPING * state.speeds["Ls"] * state.slopes[state.names.index("Ls")][k]
                forces.append(float(rate - slope + stored + damped))
            theirs.append(forces)
    return inverse_dynamics(arm(), *library()), theirs


@CASES("9")
def inertia_velocity_gravity_and_spring_terms() -> list[Pair]:
    q, u1, a1 = library()
    ours = reduced(arm(), q, u1)
    named = [(getattr(ours, name), values(name)) for name in ("M1", "c1", "g1", "spring1")]
    total = np.einsum("nij,nj->ni", ours.M1, a1) + ours.c1 + ours.g1 + ours.spring1
    return [*named, (total, values("tau1"))]


def ends(body: str, place: Any, other: str, other_place: Any) -> list[Pair]:
    """Where the library has both ends of a pin, seen in the upper arm's plane, beside products of the table's transformations."""
    q = library()[0]
    moving, found = arm().kinematics(q), []
    upper = arm().index("upper3")
    with mp.workdps(DIGITS):
        for n, state in enumerate(states()):
            at = placed(state.q)
            plane = at["upper3"]
            for name, where in ((body, place), (other, other_place)):
                ours = moving.point(arm().index(name), tuple(float(x) for x in where))[0][n]
                flat = (ours - moving.origin_m[n, upper]) @ moving.R_lab_body[n, upper]
                theirs = at[name] @ np.array([*where, mp.mpf(1)])
                seen = plane[:3, :3].T @ (theirs[:3] - plane[:3, 3])
                found += [(ours, theirs[:3].astype(float)), (flat[:2], seen[:2].astype(float))]
            gap = at[body] @ np.array([*place, mp.mpf(1)]) - at[other] @ np.array([*other_place, mp.mpf(1)])
            found.append((plane[:3, :3].T.astype(float)[:2] @ gap[:3].astype(float), np.zeros(2)))
    return found


def flat(z: Any) -> tuple[Any, Any, Any]:
    z = mp.mpc(z)
    return z.real, z.imag, mp.mpf(0)


def pins() -> dict[str, tuple[str, Any, str, Any]]:
    return {
        "10": ("rod11", flat(number("0.29")), "gear12", flat(polar("0.06", number("0.9")))),
        "11": ("lever10", flat(polar("0.06", number("-2.2"))), "crank9", flat(number("0.09"))),
        "12": ("rod15", flat(0), "forearm6", flat(mp.mpc(number("0.14"), number("0.03")))),
    }


CASES("10")(lambda: ends(*pins()["10"]))
CASES("11")(lambda: ends(*pins()["11"]))
CASES("12")(lambda: ends(*pins()["12"]))


@CASES("13")
def jacobians_of_the_closing_conditions() -> list[Pair]:
    """Gaps of pins and wheels with every coordinate on its own: differences of products of transformations."""
    q, u1, _ = library()
    u = np.einsum("nij,nj->ni", projection(arm(), q, u1)[0], u1)
    ours = arm().loop_jacobian(q, arm().kinematics(q, u))
    theirs = []
    with mp.workdps(DIGITS):
        for state in states():

            def gaps(name: str, s: Any, state: State = state) -> np.ndarray:
                one = state.q | {name: state.q[name] + s}
                at = placed(one)
                across = at["upper3"][:3, :2].T
                rolled = [one["eta5"] - number(30) / 20 * one["rho4"], one["rho6"] + number(20) / 30 * (one["eta5"] - one["rho5"])]
                for body, place, other, other_place in pins().values():
                    gap = at[body] @ np.array([*place, mp.mpf(1)]) - at[other] @ np.array([*other_place, mp.mpf(1)])
                    rolled += list(across @ gap[:3])
                return np.array(rolled)

            columns = [central(lambda s, name=name: gaps(name, s)) for name in arm().speeds]
            theirs.append(np.array(columns, dtype=float).T)
    free = [arm().speed(name) for name in FREE]
    bound = [k for k in range(13) if k not in free]
    expected = np.array(theirs)
    return [(ours[:, :, free], expected[:, :, free]), (ours[:, :, bound], expected[:, :, bound])]


@CASES("14")
def the_matrix_w() -> Pair:
    q, u1, _ = library()
    return projection(arm(), q, u1)[0], slopes()


@CASES("15")
def forces_projected_onto_the_free_coordinates() -> list[Pair]:
    """d'Alembert's principle of all particles; W' tau of the open tree beside it."""
    q, u1, a1 = library()
    W, w = projection(arm(), q, u1)
    rates = np.einsum("nij,nj->ni", W, a1) + w
    tau = arm().inverse(q, np.einsum("nij,nj->ni", W, u1), rates)
    projected = np.einsum("nji,nj->ni", W, tau)
    return [(inverse_dynamics(arm(), q, u1, a1), values("tau1")), (projected, values("tau1"))]


@CASES("Sec 4")
def three_eliminations() -> list[Pair]:
    """TE, DE and IC: gravitational load and mass matrix of the code that each of them writes."""
    q, u1, _ = library()
    q1 = q[:, [arm().coordinate(name) for name in FREE]]
    found: list[Pair] = []
    for method in ("TE", "DE", "IC"):
        code = generate(equations(arm(), ("g1", "M1"), method), "python")
        given = [q1, q[:, [arm().coordinate(name) for name in arm().dependent]], u1] if method == "IC" else [q1, u1]
        parts = code.program.split(code(np.concatenate(given, axis=1)))
        found += [(parts[name], values(name)) for name in ("g1", "M1")]
    return found


@CASES("Sec 2")
def topology() -> list[Pair]:
    """Wheels roll on each other; each shoulder axis is perpendicular to the next, the last parallel to those of the elbow."""
    q = library()[0]
    moving = arm().kinematics(q)
    names = ("yoke1", "yoke2", "upper3", "carrier4", "carrier5", "forearm6")
    ours = np.stack([moving.R_lab_body[:, arm().index(name), :, 2] for name in names], axis=1)
    with mp.workdps(DIGITS):
        theirs = [[placed(state.q)[name][:3, 2].astype(float) for name in names] for state in states()]
        arcs = [[float(30 * s.q["rho4"] / 20), float(-20 * (s.q["eta5"] - s.q["rho5"]) / 30)] for s in states()]
    wheels = q[:, [arm().coordinate(name) for name in ("eta5", "rho6")]]
    along = np.einsum("nki,nji->nkj", ours, ours)
    square = [along[:, k, k + 1] for k in range(2)] + [along[:, 2, k] - 1 for k in (3, 4, 5)]
    return [(ours, theirs), (wheels, arcs), (np.array(square), np.zeros((5, 2)))]


#: Table 1 as printed: counts, and their weighted sums.
COUNTS = {
    ("g1", "TE"): ((710, 985, 12, 3, 22, 0, 365), 2343),
    ("g1", "DE"): ((491, 646, 24, 3, 38, 5, 358), 2061),  # printed: 1975
    ("g1", "IC"): ((462, 554, 6, 0, 50, 0, 264), 1804),
    ("W", ""): ((40, 66, 6, 0, 22, 0, 36), 386),
    ("g", ""): ((422, 488, 0, 0, 28, 0, 228), 1418),
    ("M1", "TE"): ((1138, 1671, 28, 3, 22, 0, 598), 3754),
    ("M1", "DE"): ((1142, 1656, 25, 3, 32, 5, 591), 3899),
    ("M1", "IC"): ((1230, 1730, 6, 0, 48, 0, 537), 4001),
    ("M", ""): ((1190, 1664, 0, 0, 26, 0, 501), 3615),
}


@CASES("Table 1")
def weighted_sums() -> list[Pair]:
    """The library's weights on the printed counts; the sums of DE's g1 do not add up in print. What stands on the page."""
    factors = (1, 1, 4, 5, 10, 15, 1)
    sums = [sum(f * n for f, n in zip(factors, counts, strict=True)) for counts, _ in COUNTS.values()]
    ours = [Operations(*counts).weighted for counts, _ in COUNTS.values()]
    page = (ROOT / "docs" / "documents" / "closed-loops.md").read_text(encoding="utf-8")
    part = page.split("<!-- generated: costs -->")[1].split("<!-- end -->")[0]
    cells = [line.strip("| ").split(" | ") for line in part.splitlines()]
    on_page = {(line[0], line[1]): [int(cell) for cell in line[2:]] for line in cells if tuple(line[:2]) in COUNTS}
    theirs = dict(zip(COUNTS, sums, strict=True))
    weighed = [sum(f * n for f, n in zip(factors, row[:7], strict=True)) for row in on_page.values()]
    assert len(on_page) == 6
    return [
        (ours, sums),
        (ours, [printed for _, printed in COUNTS.values()]),
        ([row[8] for row in on_page.values()], [theirs[key] for key in on_page]),
        ([row[7] for row in on_page.values()], weighed),
    ]


@cache
def sketches() -> Any:
    import matplotlib as mpl

    mpl.use("Agg")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        from docs.documents import figures
    return figures


#: The pose that is drawn, without abduction.
DRAWN = ("0", "0.35", "0.6", "0.1")


def pose(abduction: Any) -> dict[str, Any]:
    rho1, rho4, rho5, rho7 = map(number, DRAWN)
    return loops((rho1, abduction, rho4, rho5, rho7))


@CASES("Fig 1")
def the_drawn_exoskeleton() -> list[Pair]:
    """Corners of every line, hanging and abducted by 90 degrees, from products of the table's transformations."""
    figures, found = sketches(), []
    C, E = flat(polar("0.06", number("0.9"))), flat(polar("0.06", number("-2.2")))
    zero = flat(0)
    corners = {
        "yoke2": (("yoke2", zero), ("crank9", zero)),
        "upper3": (("upper3", zero), ("lever10", zero), ("carrier4", zero)),
        "carrier4": (("carrier4", zero), ("gear12", zero)),
        "carrier5": (("carrier5", zero), ("forearm6", zero)),
        "forearm6": (("forearm6", zero), ("tool7", zero)),
        "crank9": (("crank9", zero), ("crank9", flat(number("0.09")))),
        "lever10": (("rod11", zero), ("lever10", zero), ("lever10", E)),
        "rod11": (("rod11", zero), ("rod11", flat(number("0.29")))),
        "gear12": (("gear12", C), ("gear12", zero), ("cylinder14", zero)),
        "rod15": (("cylinder14", zero), ("rod15", zero)),
    }
    for degrees in (0, 90):
        ours = figures.lines(*figures.posed(np.radians(degrees)))
        with mp.workdps(DIGITS):
            at = placed(pose(degrees * mp.pi / 180))
            for name, places in corners.items():
                found.append((ours[name], [(at[body] @ np.array([*place, mp.mpf(1)]))[:3].astype(float) for body, place in places]))
        assert set(ours) == set(corners)
    return found


@CASES("Fig 2")
def the_table() -> list[Pair]:
    """Each row of the printed table, multiplied out, beside how the mechanism hangs its body."""
    words = {"pi": mp.pi, "pi/2": mp.pi / 2, "-pi/2": -mp.pi / 2}
    found: list[Pair] = []
    with mp.workdps(DIGITS):
        for body, (_, name, parent, coordinate, *row) in zip(arm().bodies, sketches().denavit_hartenberg_table(), strict=True):
            T = step([words.get(cell) or number(cell) for cell in row], coordinate, mp.mpf(0)).astype(float)
            found += [(body.R_parent_joint, T[:3, :3]), (body.place_m, T[:3, 3])]
            assert (body.name, body.parent) == (name, parent)
    return found


@CASES("Fig 3")
def circles_of_the_crank_levers() -> list[Pair]:
    """Centres, radii, and both points in which each pair meets, by the cosine rule."""
    from matplotlib import pyplot

    page = sketches().crank_levers()
    found: list[Pair] = []
    with mp.workdps(DIGITS):
        q = pose(mp.mpf(0))
        O10 = polar("0.052", number("0.25"))
        C = number("0.3") + polar("0.05", q["rho4"]) + polar("0.06", number("0.9") + q["rho4"] + q["eta5"])
        E = O10 + polar("0.06", q["eta3"] - number("2.2"))
        O9 = mp.mpc(number("0.115"), number("-0.06")) * mp.expj(-q["rho3"])
        pairs = ((O10, number("0.07"), C, number("0.29")), (mp.mpc(0), abs(E), O9, number("0.09")))
        for axes, (start, first, end, second), letter in zip(page.axes, pairs, "DF", strict=True):
            texts = {text.get_text(): text.xy for text in axes.texts}
            meet, other = triangle(start, first, end, second), triangle(start, first, end, second, -1)
            theirs = {letter: meet, f"{letter}'": other}
            found += [(texts[name], [float(z.real), float(z.imag)]) for name, z in theirs.items()]
            circles = [(*patch.center, patch.radius) for patch in axes.patches]
            expected = [(float(z.real), float(z.imag), float(r)) for z, r in ((start, first), (end, second))]
            found.append((circles, expected))
    pyplot.close(page)
    return found


@pytest.mark.parametrize("row", parameters("2", slow=("8",)))
def test_recomputed(row: dict[str, str]) -> None:
    check(CASES[row["item"]]())
