"""Generated code of a system's tree gives the plain way's numbers: random trees with all kinds of joints, springs and wrenches."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pytest

from biomech_id.algebra.wrench import Wrench
from biomech_id.dynamics.body import Frames, Motion, Segment
from biomech_id.dynamics.external import External
from biomech_id.errors import InvalidValueError
from biomech_id.multibody import tree_code
from biomech_id.multibody.functions import ScaledFunction, SineFunction, piecewise_linear
from biomech_id.multibody.generated import compiler
from biomech_id.multibody.joints import (
    JointSteps,
    PolynomialFunction,
    Slide,
    Turn,
    ball,
    free,
    prismatic,
    revolute,
    universal,
)
from biomech_id.multibody.kinematics import GROUND
from biomech_id.multibody.parts import Body
from biomech_id.multibody.springs import LineSpring, Spring
from biomech_id.multibody.system import System

DOWN = (0.3, -9.7, 1.1)
EXACT = 1e-12
ASKED = ("inverse", "forward", "terms", "kinematics")
with_compiler = pytest.mark.skipif(compiler() is None, reason="no C compiler")
LANGUAGES = ["python", pytest.param("c", marks=with_compiler)]
#: Compiling takes a second a tree, and C is the same list of assignments.
RANDOM = [*(("python", seed) for seed in range(12)), pytest.param("c", 1, marks=with_compiler)]


@dataclass(frozen=True)
class Bump:
    """A function that no tape can follow."""

    height: float

    def value(self, q: Any) -> Any:
        return self.height * np.exp(-(np.asarray(q) ** 2))

    def slope(self, q: Any) -> Any:
        return -2 * q * self.value(q)

    def curvature(self, q: Any) -> Any:
        return (4 * q**2 - 2) * self.value(q)


def axis(rng: np.random.Generator) -> tuple[float, float, float]:
    v = rng.normal(size=3)
    x, y, z = v / np.linalg.norm(v)
    return float(x), float(y), float(z)


def joint(kind: int, k: int, rng: np.random.Generator) -> JointSteps:
    """One of seven joints."""
    return (
        revolute(f"r{k}", axis(rng)),
        prismatic(f"s{k}", axis(rng)),
        universal(f"u{k}", f"v{k}"),
        ball(f"b{k}"),
        free(f"f{k}"),
        (Turn(f"a{k}"), Turn(f"a{k}", function=PolynomialFunction((0.1, -0.5, 0.2))), Turn(f"c{k}", axis(rng))),
        (Turn(f"k{k}", axis(rng)), Slide(f"k{k}", axis(rng), SineFunction(0.2, 0.4)), Turn(f"m{k}", axis(rng), SineFunction(2.0))),
    )[kind]


def random_system(seed: int, n: int = 5) -> System:
    """A branched tree, each body with a mass and an inertia of its own, two springs along coordinates and two along lines."""
    rng = np.random.default_rng(seed)
    bodies: list[Body] = []
    for k in range(n):
        A, mass = rng.normal(size=(3, 3)), rng.uniform(0.5, 5.0)
        spread = mass * 0.01 * (A @ A.T + np.eye(3))
        segment = Segment(f"body {k}", mass, rng.normal(size=3) * 0.2, np.trace(spread) * np.eye(3) - spread)
        Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        parent = GROUND if k == 0 else f"body {rng.integers(max(0, k - 2), k)}"
        kind = int(rng.integers(7)) if k else (4, 0, 3)[seed % 3]
        bodies.append(Body(segment, joint(kind, k, rng), parent, rng.normal(size=3) * 0.3, Q * np.sign(np.linalg.det(Q))))
    tree = System(bodies, DOWN)
    plain = [name for name in tree.coordinates if name in tree.speeds]
    springs = [Spring(name, 80.0, 3.0, 0.2) for name in plain[:2]]
    lines = [LineSpring("body 1", (0.1, 0.2, 0.9), GROUND, (2.0, 0.0, 0.3), 50.0, 2.0, 0.3)]
    lines += [LineSpring("body 2", (0.9, 0.2, 0.0), f"body {n - 1}", (-0.7, 0.9, 0.3), 40.0, 1.0, 0.1)]
    return dataclasses.replace(tree, springs=(*springs, *lines))


def states(system: System, N: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    q = rng.normal(size=(N, len(system.coordinates)))
    for four, _ in system.layout.quaternions:
        q[:, four] /= np.linalg.norm(q[:, four], axis=1, keepdims=True)
    u, a = rng.normal(size=(2, N, len(system.speeds)))
    return q, u, a


def wrenches(N: int) -> list[External]:
    rng = np.random.default_rng(9)
    each, one = (Wrench(*rng.normal(size=(2, frames, 3)) * 20, rng.normal(size=3)) for frames in (N, 1))
    return [External("body 2", each), External("body 4", one), External("body 2", one)]


def asked_of(system: System, asked: str, state: Any, external: Any = (), **more: Any) -> dict[str, np.ndarray]:
    loads = {} if asked == "kinematics" else {"external": external}
    result = getattr(system, asked)(*state, **loads, **more)
    return {asked: result} if isinstance(result, np.ndarray) else {k: v for k, v in vars(result).items() if k != "layout"}


def given(monkeypatch: pytest.MonkeyPatch, left: float) -> None:
    """Quantities of systems from now on: generated after so many states, shared with no earlier system."""
    kept: dict[bytes, Any] = {}
    monkeypatch.setattr(tree_code, "_of_systems", WeakKeyDictionary())
    monkeypatch.setattr(
        tree_code, "_with_content", lambda content: kept.setdefault(content, defaultdict(lambda: tree_code.TreeCode(left)))
    )


@pytest.fixture
def plainly(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Ask a copy of a system that never generates."""

    def ask(system: System, *asked: Any, **more: Any) -> dict[str, np.ndarray]:
        with monkeypatch.context() as patch:
            given(patch, np.inf)
            return asked_of(copy.deepcopy(system), *asked, **more)

    return ask


@pytest.fixture(params=LANGUAGES)
def at_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Generate at the first call, compile at the second."""
    given(monkeypatch, 0.0)
    monkeypatch.setattr(tree_code, "COMPILED_FROM", 0 if request.param == "c" else np.inf)
    monkeypatch.setattr(tree_code, "COMPILED_PER_LINE", 0)
    return str(request.param)


def language(system: System, asked: str) -> str:
    code = tree_code._of_systems[system][asked].code
    return code.language if code else "plain"


def same(found: dict[str, np.ndarray], expected: dict[str, np.ndarray], tolerance: float = EXACT) -> None:
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        size = np.abs(values).max(initial=1e-3)
        np.testing.assert_allclose(found[name], values, rtol=0, atol=tolerance * size, err_msg=name)


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize(("at_once", "seed"), RANDOM, indirect=["at_once"])
def test_random_trees_by_generated_code_are_the_plain_numbers(seed: int, asked: str, at_once: str, plainly: Any) -> None:
    system = random_system(seed)
    for N in (1, 5, 40):
        state, loads = states(system, N), wrenches(N)
        asked_of(system, asked, state, loads)
        found, expected = asked_of(system, asked, state, loads), plainly(system, asked, state, loads)
        assert language(system, asked) == at_once
        condition = np.linalg.cond(system.terms(*state[:2]).M).max() / 1e3 if asked == "forward" else 1.0
        same(found, expected, EXACT * max(1.0, condition))


@pytest.mark.parametrize("asked", ASKED)
def test_a_gap_stays_in_its_state_as_it_does_plainly(asked: str, at_once: str, plainly: Any) -> None:
    system = random_system(1)
    q, u, a = states(system, 30)
    whole = asked_of(system, asked, (q, u, a))
    whole = asked_of(system, asked, (q, u, a))
    assert language(system, asked) == at_once
    q[4, 0], u[7, -1], a[9] = np.nan, np.nan, np.nan
    gaps = [4, 7, 9]
    found, expected = asked_of(system, asked, (q, u, a)), plainly(system, asked, (q, u, a))
    for name, values in expected.items():
        np.testing.assert_array_equal(np.isnan(found[name]), np.isnan(values), err_msg=name)
        same({name: np.delete(found[name], gaps, axis=0)}, {name: np.delete(whole[name], gaps, axis=0)}, 1e-10)


def test_a_state_that_is_infinite_or_no_rotation_is_named(at_once: str) -> None:
    system = random_system(0)
    q, u, a = states(system, 20)
    for _ in range(2):
        system.inverse(q, u, a)
    assert language(system, "inverse") == at_once
    a[6, 1] = np.inf
    with pytest.raises(InvalidValueError, match="a is infinite in state 6"):
        system.inverse(q, u, a)
    with pytest.raises(InvalidValueError, match="tau is infinite in state 6"):
        system.forward(q, u, a)
    a[6, 1] = 0.0
    q[11, system.layout.quaternions[0][0]] *= 1.01
    with pytest.raises(InvalidValueError, match="state 11 has length"):
        system.inverse(q, u, a)


def test_joints_that_fall_together_are_named_by_state(at_once: str) -> None:
    rod = Segment("rod", 2.0, np.array([0.5, 0.1, 0.0]), np.diag([0.02, 0.2, 0.2]))
    system = System([Body(rod, (Turn("first"), Turn("tilt", (1.0, 0.0, 0.0)), Turn("last")))], DOWN)
    q, u, tau = np.full((3, 20, 3), 0.4)
    for _ in range(2):
        system.forward(q, u, tau)
    assert language(system, "forward") == at_once
    q[13, 1] = 0.0
    with pytest.raises(InvalidValueError, match="In state 13 no mass resists"):
        system.forward(q, u, tau)


def test_a_joint_that_moves_no_mass_is_never_generated(at_once: str) -> None:
    rod = Segment("rod", 0.0, np.zeros(3), np.zeros((3, 3)))
    system = System([Body(rod, revolute("angle"))], DOWN)
    for _ in range(3):
        with pytest.raises(InvalidValueError, match="no mass resists the joint of the rod"):
            system.forward([[0.0]], [[0.0]], [[0.0]])


def test_what_code_cannot_do_stays_plain(at_once: str, plainly: Any) -> None:
    system = random_system(0)
    q, u, a = states(system, 4)
    for _ in range(2):
        system.inverse(q, u, a)
    still, turning = np.zeros((1, 3)), np.array([[0.0, 0.5, 0.0]])
    base = Motion(Frames(np.eye(3)[None], still), turning, still, still, still, still)
    same(asked_of(system, "inverse", (q, u, a), base=base), plainly(system, "inverse", (q, u, a), base=base))
    assert np.abs(system.inverse(q, u, a, base=base) - system.inverse(q, u, a)).max() > 0.1
    slope = system.inverse(q, u + 1e-30j, a).imag / 1e-30
    difference = (system.inverse(q, u + 1e-5, a) - system.inverse(q, u - 1e-5, a)) / 2e-5
    assert np.abs(slope - difference).max() < 1e-6 * np.abs(slope).max()


@pytest.mark.parametrize("function", [Bump(0.3), piecewise_linear([-4.0, 0.0, 4.0], [0.1, 0.4, -0.3])])
def test_functions_without_a_formula_stay_plain(function: Any, at_once: str, plainly: Any) -> None:
    rod = Segment("rod", 2.0, np.array([0.5, 0.1, 0.0]), np.diag([0.02, 0.2, 0.2]))
    system = System([Body(rod, (Turn("angle"), Slide("angle", function=function)))], DOWN)
    state = states(system, 7)
    for asked in ASKED:
        asked_of(system, asked, state)
        same(asked_of(system, asked, state), plainly(system, asked, state), 0.0)
        assert language(system, asked) == "plain"


def test_copies_and_equal_systems(at_once: str) -> None:
    system = random_system(6)
    state = states(system, 3)
    before = [system.inverse(*state) for _ in range(2)][-1]
    for twin in (copy.deepcopy(system), pickle.loads(pickle.dumps(system)), random_system(6)):
        np.testing.assert_array_equal(twin.inverse(*state), before)
        assert tree_code._of_systems[twin] is tree_code._of_systems[system]
    other = dataclasses.replace(system, springs=())
    assert np.abs(other.inverse(*state) - before).max() > 0.1
    assert language(other, "inverse") == "python"  # generated for itself


def test_equal_systems_share_as_a_matter_of_course() -> None:
    one, twin = random_system(6), random_system(6)
    for system in (one, twin):
        system.inverse(*states(system, 1))
    assert tree_code._of_systems[twin] is tree_code._of_systems[one]


def test_threads_do_not_mix_their_states(at_once: str) -> None:
    system = random_system(3)
    q, u, a = states(system, 60)
    expected = [system.inverse(q, u, a) for _ in range(2)][-1]

    def one(k: int) -> float:
        return float(np.abs(system.inverse(q[[k % 60]], u[[k % 60]], a[[k % 60]]) - expected[k % 60]).max())

    with ThreadPoolExecutor(4) as pool:
        assert max(pool.map(one, range(600))) < 1e-9


def test_who_asks_little_generates_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, tree_code.GENERATED_FROM)
    system = random_system(2)
    state = states(system, 1)
    for _ in range((tree_code.GENERATED_FROM - 1) // (tree_code.CALL_STATES + 1)):
        system.inverse(*state)
    quantity = tree_code._of_systems[system]["inverse"]
    assert quantity.code is None
    system.inverse(*state)
    assert quantity.code is not None
    assert quantity.left == tree_code.COMPILED_FROM + tree_code.COMPILED_PER_LINE * len(quantity.code.program.lines)


class Bent:
    """A function that its owner may change."""

    k = 1.0

    def value(self, q: Any) -> Any:
        return self.k * q * q

    def slope(self, q: Any) -> Any:
        return 2.0 * self.k * q

    def curvature(self, q: Any) -> Any:
        return 2.0 * self.k + 0.0 * q


@pytest.mark.parametrize("within", [lambda bent: bent, lambda bent: ScaledFunction(2.0, bent)], ids=["alone", "scaled"])
def test_a_function_that_is_changed_is_asked_again(within: Any) -> None:
    bent = Bent()
    rod = Segment("rod", 2.0, np.array([0.5, 0.0, 0.0]), np.diag([0.1, 0.2, 0.3]))
    system = System([Body(rod, (Turn("a", function=within(bent)),))], gravity_lab_m_s2=DOWN)
    state = np.full((3_000, 1), 0.7)
    first = system.inverse(state, state, state)
    bent.k = 3.0
    changed = system.inverse(state, state, state)
    assert np.array_equal(
        changed, System(system.bodies, gravity_lab_m_s2=DOWN).inverse(state[:1], state[:1], state[:1]) + 0 * state
    )
    assert not np.allclose(first, changed)
