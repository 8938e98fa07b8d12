"""The fifth document's arm from its figure alone: places of points, then Lagrange and momentum, by SymPy.

Places are made by turning a unit vector from segment to segment. Joint moments come from the Lagrangian; the moments that the
document takes from free bodies come from angular momentum about the shoulder, reactions from linear momentum.
The misprints of (10), (14) and (31) do not come out of this; d_S is measured from the hand's centre of mass, as (17) and (42) to
(44) have it.
"""

from __future__ import annotations

import csv
import runpy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sympy")
import sympy as sp

from biomech_id.multibody.examples import planar_arm
from biomech_id.multibody.examples.planar_arm import HandSpring, PlanarArm
from tests.physics.recomputed.table import Cases, Pair, check, parameters

ROOT = Path(__file__).resolve().parents[3]
MASS, LENGTH, COM, INERTIA, G = (2.3, 1.1, 0.6), (0.31, 0.26, 0.18), (0.14, 0.11, 0.08), (0.019, 0.007, 0.0012), 9.7
F_S, D_S = 6.5, 0.04
ALPHA, RATE, ACCELERATION = np.random.default_rng(46).uniform(-2, 2, (3, 6, 3))
CASES = Cases()


def library() -> dict[str, Any]:
    """The names that stand in the calls on the document's page."""
    names = {"arm": PlanarArm(*map(np.array, (MASS, LENGTH, COM, INERTIA)), G), "spring": HandSpring(F_S, D_S, "hand_com")}
    return vars(planar_arm) | names | {"alpha": ALPHA, "rate": RATE, "acceleration": ACCELERATION}


@cache
def call(item: str) -> str:
    table = csv.DictReader((ROOT / "docs" / "documents" / "items.csv").read_text(encoding="utf-8").splitlines())
    return next(row["call"] for row in table if (row["document"], row["item"]) == ("5", item))


class Arm:
    """Symbols, places and energies; numbers come from `values`."""

    def __init__(self) -> None:
        self.a, self.v, self.w = (sp.symbols(f"{letter}1:4") for letter in "avw")
        self.m, self.l, self.d, self.I = (sp.symbols(f"{letter}1:4") for letter in ("m", "l", "d", "I"))
        self.g, self.F, self.dS = sp.symbols("g F d_S")
        along, self.joints, self.coms, self.headings = sp.Matrix([1, 0]), [sp.zeros(2, 1)], [], []
        for a, l, d in zip(self.a, self.l, self.d, strict=True):
            along = sp.Matrix([[sp.cos(a), -sp.sin(a)], [sp.sin(a), sp.cos(a)]]) * along
            self.headings.append(along)
            self.coms.append(self.joints[-1] + d * along)
            self.joints.append(self.joints[-1] + l * along)
        self.pulled = self.coms[2] + self.dS * along
        self.turning = [sum(self.v[: i + 1]) for i in range(3)]
        self.kinetic = sum(
            (m * self.rate(c).dot(self.rate(c)) + I * w**2) / 2
            for m, c, I, w in zip(self.m, self.coms, self.I, self.turning, strict=True)
        )
        self.height = sum(m * self.g * c[1] for m, c in zip(self.m, self.coms, strict=True))
        self.pull = sp.Matrix([-self.F, 0])
        self.by_pull = sp.Matrix(self.pulled).jacobian(self.a).T * self.pull

    def rate(self, expression: Any) -> Any:
        """Total derivative in time."""
        pairs = [*zip(self.a, self.v, strict=True), *zip(self.v, self.w, strict=True)]
        return sum((expression.diff(x) * dx for x, dx in pairs), start=0 * expression)

    def second(self, expression: Any) -> Any:
        return self.rate(self.rate(expression))

    @property
    def mass_matrix(self) -> Any:
        return sp.hessian(self.kinetic, self.v)

    def lagrange(self, i: int) -> Any:
        """Moment at joint i of weights, spring and motion."""
        inertia = self.rate(self.kinetic.diff(self.v[i])) - self.kinetic.diff(self.a[i])
        return inertia + self.height.diff(self.a[i]) - self.by_pull[i]

    def still(self, i: int) -> Any:
        """What velocities alone need."""
        moment = self.rate(self.kinetic.diff(self.v[i])) - self.kinetic.diff(self.a[i])
        return moment.subs(dict.fromkeys(self.w, 0))

    def reaction(self, i: int) -> Any:
        """Force at joint i: rate of momentum of all beyond it, less weights and spring."""
        momentum = sum((m * self.rate(c) for m, c in zip(self.m[i:], self.coms[i:], strict=True)), start=sp.zeros(2, 1))
        return self.rate(momentum) + sp.Matrix([0, sum(self.m[i:]) * self.g]) - self.pull

    def free_body(self, i: int) -> Any:
        """Moment at joint i: rate of angular momentum about the shoulder, of all beyond it."""
        spin, outside = 0, cross(self.pulled, self.pull)
        for k in range(i, 3):
            spin += self.m[k] * cross(self.coms[k], self.rate(self.coms[k])) + self.I[k] * self.turning[k]
            outside += cross(self.coms[k], sp.Matrix([0, -self.m[k] * self.g]))
        return self.rate(spin) - outside - cross(self.joints[i], self.reaction(i))

    def values(self, expression: Any) -> np.ndarray:
        """In the states of the test (6, ...)."""
        matrix = sp.Matrix(expression) if isinstance(expression, sp.MatrixBase | list) else sp.Matrix([expression])
        symbols = [*self.m, *self.l, *self.d, *self.I, self.g, self.F, self.dS, *self.a, *self.v, *self.w]
        numbers = [*MASS, *LENGTH, *COM, *INERTIA, G, F_S, D_S]
        function = sp.lambdify(symbols, list(matrix), "numpy", cse=True)
        states = np.concatenate([ALPHA, RATE, ACCELERATION], axis=1)
        found = np.array([function(*numbers, *state) for state in states], dtype=float)
        return found.reshape(len(states), *matrix.shape) if matrix.shape[1] > 1 else found


def cross(r: Any, f: Any) -> Any:
    return r[0] * f[1] - r[1] * f[0]


@cache
def arm() -> Arm:
    return Arm()


def scalar(item: str, expression: Any) -> Pair:
    """The call on the page, and an expression."""
    return eval(call(item), library()), arm().values(expression)[:, 0]


def drawn(alpha: np.ndarray) -> np.ndarray:
    """Shoulder, elbow, wrist and tip (N, 4) as x + iy: each link turns on from the one before."""
    turns = np.exp(1j * alpha)
    links = np.array(LENGTH) * np.stack([turns[:, 0], turns[:, 0] * turns[:, 1], turns.prod(axis=1)], axis=1)
    return np.concatenate([np.zeros((len(alpha), 1)), np.cumsum(links, axis=1)], axis=1)


@CASES("-")
def at_the_shoulder() -> list[Pair]:
    """Alpha, beta and theta: one angle, that of the upper arm with x."""
    heading = np.angle(drawn(ALPHA)[:, 1])
    ours = library()
    kinds = (ours["theta_of_alpha"](ALPHA), ours["beta_of_alpha"](ALPHA))
    return [(eval(call("-"), ours), heading), *((kind[:, 0], heading) for kind in kinds)]


@CASES("1")
def angles() -> list[Pair]:
    """Angles of segments with x, and those inside the joints, measured on the drawn arm."""
    bent = np.abs(ALPHA) * [1, 0.7, 0.7]  # elbow and wrist flexed: the inner angle is between 0 and pi
    points, ours = drawn(bent), library()
    links = np.diff(points, axis=1)
    turns = np.angle(np.concatenate([links[:, :1], links[:, 1:] / links[:, :-1]], axis=1))
    theta = np.cumsum(turns, axis=1)
    inner = np.angle(-links[:, :-1] / links[:, 1:])  # from the next link to the one before, reversed
    beta = np.concatenate([theta[:, :1], inner], axis=1)
    return [
        (ours["theta_of_alpha"](bent), theta),
        (ours["alpha_of_theta"](theta), bent),
        (ours["beta_of_alpha"](bent), beta),
        (ours["alpha_of_beta"](beta), bent),
    ]


@CASES("Fig 1")
def initial_and_target_position() -> list[Pair]:
    """Joints of the drawn arm in both postures of the recipe, as the chain has them."""
    recipe = runpy.run_path(str(ROOT / "pipelines" / "mechanics" / "arm_reaching.py"))
    alpha = np.stack([recipe["START"], recipe["TARGET"]])
    chain = recipe["BODY"].chain(alpha, 0 * alpha, 0 * alpha)
    links = recipe["BODY"].length_m * np.exp(1j * np.array([[a[: k + 1].sum() for k in range(3)] for a in alpha]))
    points = np.concatenate([np.zeros((2, 1)), np.cumsum(links, axis=1)[:, :2]], axis=1)
    ours = np.asarray(chain.joint_lab_m)[:, ::-1]
    return [(ours[..., 0], points.real), (ours[..., 1], points.imag)]


@CASES("2")
def accelerations_by_the_jacobian() -> list[Pair]:
    a, ours = arm(), library()
    J = sp.Matrix([c for com in a.coms for c in com]).jacobian(a.a)
    rates, jacobians = (eval(part, ours) for part in call("2").split("; "))
    by_both = a.values(sp.Matrix([c for com in a.coms for c in a.second(com)]))
    sums = np.einsum("nijk,nk->nij", rates, RATE) + np.einsum("nijk,nk->nij", jacobians, ACCELERATION)
    return [(jacobians.reshape(6, 6, 3), a.values(J)), (rates.reshape(6, 6, 3), a.values(a.rate(J))), (sums.reshape(6, 6), by_both)]


for number in range(3, 15):
    segment, part, axis = (number - 3) // 4, (number - 3) % 2, (number - 3) % 4 // 2
    CASES(str(number))(
        lambda item=str(number), segment=segment, part=part, axis=axis: scalar(
            item, arm().second(arm().coms[segment])[axis] if part else arm().coms[segment][axis]
        )
    )
for first, segment in ((15, 2), (18, 1), (21, 0)):
    CASES(str(first))(lambda item=str(first), i=segment: scalar(item, arm().reaction(i)[0]))
    CASES(str(first + 1))(lambda item=str(first + 1), i=segment: scalar(item, arm().reaction(i)[1]))
    CASES(str(first + 2))(lambda item=str(first + 2), i=segment: scalar(item, arm().free_body(i)))
for k in range(9):
    CASES(str(27 + k))(lambda item=str(27 + k), k=k: scalar(item, arm().mass_matrix[k // 3, k % 3]))
for i in range(3):
    CASES(str(36 + i))(lambda item=str(36 + i), i=i: scalar(item, arm().still(i)))
    CASES(str(39 + i))(lambda item=str(39 + i), i=i: scalar(item, arm().height.diff(arm().a[i])))
    CASES(str(42 + i))(lambda item=str(42 + i), i=i: scalar(item, -arm().by_pull[i]))


@CASES("24", "25")
def joint_moments() -> Pair:
    return eval(call("24"), library()), arm().values([arm().lagrange(i) for i in range(3)])


@CASES("24a")
def joint_moments_element_by_element() -> list[Pair]:
    """Each of the four vectors on the right, and their sum."""
    a = arm()
    moments = library()["arm"].moments(ALPHA, RATE, ACCELERATION, library()["spring"])
    inertia = a.values(a.mass_matrix * sp.Matrix(a.w))
    parts = [inertia, *(a.values([part(i) for i in range(3)]) for part in (a.still, lambda i: a.height.diff(a.a[i])))]
    parts.append(a.values(-a.by_pull))
    ours = (moments.inertia, moments.velocity, moments.gravity, moments.external)
    return [*zip(ours, parts, strict=True), (eval(call("24a"), library()), sum(parts))]


@CASES("26")
def angular_accelerations() -> Pair:
    """Found back from the moments that Lagrange needs, the spring's taken off: forward dynamics of the same arm."""
    a = arm()
    moments = a.values([a.lagrange(i) + a.by_pull[i] for i in range(3)])
    return library()["arm"].system.forward(ALPHA, RATE, moments), ACCELERATION


@pytest.mark.parametrize("row", parameters("5"))
def test_recomputed(row: dict[str, str]) -> None:
    check(CASES[row["item"]]())
