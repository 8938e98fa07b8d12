"""Laws that joint loads obey whatever the motion: symmetries of space, equivalence of gravity and acceleration, linearity.

Motions are arbitrary arrays, one instant a frame: Newton and Euler do not ask whether frames follow from each other.
Tolerance: 1e-9 of the largest term that enters a moment (force times distance from the laboratory's origin).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from biomech_id.algebra.wrench import Wrench
from biomech_id.dynamics.body import Frames, Motion, Segment
from biomech_id.dynamics.chain import BASE, Chain
from biomech_id.dynamics.external import External
from biomech_id.dynamics.loads import ChainLoads
from biomech_id.dynamics.newton_euler import solve

RELATIVE = 1e-9
N_FRAMES = 4
GRAVITY = np.array([0.3, -0.4, -9.8])


@dataclass(frozen=True)
class Case:
    """A chain with its external wrenches, open to being transformed as a whole."""

    segments: list[Segment]
    R: np.ndarray
    vectors: dict[str, np.ndarray]
    joints: np.ndarray
    parents: tuple[int, ...]
    forces: np.ndarray
    moments: np.ndarray
    points: np.ndarray
    targets: tuple[int, ...]

    def chain(self) -> Chain:
        motions = [
            Motion(Frames(self.R[:, i], self.joints[:, i]), *(self.vectors[k][:, i] for k in ("w", "al", "c", "v", "a")))
            for i in range(len(self.segments))
        ]
        names = tuple(f"s{i}" for i in range(len(self.segments)))
        return Chain(self.segments, motions, list(np.moveaxis(self.joints, 1, 0)), self.parents, names)

    def external(self) -> list[External]:
        wrenches = zip(self.forces, self.moments, self.points, strict=True)
        return [External(f"s{i}", Wrench(f, m, p)) for i, (f, m, p) in zip(self.targets, wrenches, strict=True)]

    def solve(self, gravity: np.ndarray = GRAVITY) -> ChainLoads:
        return solve(self.chain(), self.external(), gravity_lab_m_s2=gravity)

    def replaced(self, **changes: object) -> Case:
        return Case(**(self.__dict__ | changes))  # type: ignore[arg-type]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    n = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    parents = tuple(draw(st.sampled_from([BASE, *range(i + 1, n)])) for i in range(n))
    n_external = draw(st.integers(0, 3))
    per_frame = draw(st.booleans())

    def tensor() -> np.ndarray:
        axes = Rotation.random(rng=rng).as_matrix()
        boxes = rng.uniform(0.01, 0.2, 3)
        return axes @ np.diag([boxes[1] + boxes[2], boxes[0] + boxes[2], boxes[0] + boxes[1]]) @ axes.T

    def tensors() -> np.ndarray:
        return np.stack([tensor() for _ in range(N_FRAMES)]) if per_frame else tensor()

    return Case(
        segments=[Segment(f"s{i}", rng.uniform(0.5, 10), np.zeros(3), tensors()) for i in range(n)],
        R=Rotation.random(N_FRAMES * n, rng=rng).as_matrix().reshape(N_FRAMES, n, 3, 3),
        vectors={k: rng.normal(0, s, (N_FRAMES, n, 3)) for k, s in (("w", 5), ("al", 30), ("c", 1), ("v", 2), ("a", 20))},
        joints=rng.normal(0, 1, (N_FRAMES, n, 3)),
        parents=parents,
        forces=rng.normal(0, 400, (n_external, N_FRAMES, 3)),
        moments=rng.normal(0, 20, (n_external, N_FRAMES, 3)),
        points=rng.normal(0, 1, (n_external, N_FRAMES, 3)),
        targets=tuple(int(i) for i in rng.integers(0, n, n_external)),
    )


def assert_equal(case: Case, found: ChainLoads, force: np.ndarray, moment: np.ndarray) -> None:
    reach = max(1.0, np.abs(case.joints).max(), np.abs(case.vectors["c"]).max(), np.abs(case.points).max(initial=0.0))
    largest = max(np.abs(force).max(), np.abs(moment).max(), np.abs(case.forces).max(initial=0.0) * reach, 1.0)
    np.testing.assert_allclose(found.force_lab_N, force, rtol=0, atol=RELATIVE * largest)
    np.testing.assert_allclose(found.moment_lab_Nm, moment, rtol=0, atol=RELATIVE * largest)


def mapped(case: Case, polar: np.ndarray, R: np.ndarray, segments: list[Segment]) -> Case:
    """The case with every vector mapped by an orthogonal matrix; axial vectors take its determinant along."""
    axial = np.linalg.det(polar) * polar
    rules = {"w": axial, "al": axial, "c": polar, "v": polar, "a": polar}
    return case.replaced(
        segments=segments, R=R, vectors={k: v @ rules[k].T for k, v in case.vectors.items()},
        joints=case.joints @ polar.T, points=case.points @ polar.T,
        forces=case.forces @ polar.T, moments=case.moments @ axial.T,
    )  # fmt: skip


@given(cases(), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_turning_the_laboratory_turns_the_loads(case: Case, seed: int) -> None:
    Q = Rotation.random(rng=np.random.default_rng(seed)).as_matrix()
    before = case.solve()
    after = mapped(case, Q, Q @ case.R, case.segments).solve(Q @ GRAVITY)
    assert_equal(case, after, before.force_lab_N @ Q.T, before.moment_lab_Nm @ Q.T)


@given(cases(), st.tuples(*[st.floats(-10, 10)] * 3))
@settings(max_examples=40, deadline=None)
def test_moving_the_origin_changes_nothing(case: Case, shift: tuple[float, float, float]) -> None:
    before = case.solve()
    vectors = case.vectors | {"c": case.vectors["c"] + shift}
    moved = case.replaced(vectors=vectors, joints=case.joints + shift, points=case.points + shift)
    assert_equal(case, moved.solve(), before.force_lab_N, before.moment_lab_Nm)


@given(cases())
@settings(max_examples=40, deadline=None)
def test_the_mirror_image_has_mirrored_loads(case: Case) -> None:
    mirror = np.diag([1.0, -1.0, 1.0])
    segments = [Segment(s.name, s.mass_kg, s.com_m, mirror @ s.inertia_kgm2 @ mirror) for s in case.segments]
    before = case.solve()
    after = mapped(case, mirror, mirror @ case.R @ mirror, segments).solve(mirror @ GRAVITY)
    assert_equal(case, after, before.force_lab_N @ mirror, -before.moment_lab_Nm @ mirror)


@given(cases())
@settings(max_examples=40, deadline=None)
def test_a_rising_lift_feels_like_gravity(case: Case) -> None:
    before = case.solve()
    rising = case.replaced(vectors=case.vectors | {"a": case.vectors["a"] - GRAVITY})
    assert_equal(case, rising.solve(np.zeros(3)), before.force_lab_N, before.moment_lab_Nm)


@given(cases(), st.floats(-3, 3))
@settings(max_examples=40, deadline=None)
def test_loads_are_linear_in_the_external_wrenches(case: Case, factor: float) -> None:
    without = case.replaced(forces=0 * case.forces, moments=0 * case.moments).solve()
    once, scaled = case.solve(), case.replaced(forces=factor * case.forces, moments=factor * case.moments).solve()
    force = without.force_lab_N + factor * (once.force_lab_N - without.force_lab_N)
    moment = without.moment_lab_Nm + factor * (once.moment_lab_Nm - without.moment_lab_Nm)
    assert_equal(case, scaled, force, moment)


@given(cases(), st.floats(0.1, 10))
@settings(max_examples=40, deadline=None)
def test_a_body_k_times_as_heavy_bears_k_times_the_load(case: Case, k: float) -> None:
    heavy = [Segment(s.name, k * s.mass_kg, s.com_m, k * s.inertia_kgm2) for s in case.segments]
    before = case.solve()
    after = case.replaced(segments=heavy, forces=k * case.forces, moments=k * case.moments).solve()
    assert_equal(case, after, k * before.force_lab_N, k * before.moment_lab_Nm)


@given(cases())
@settings(max_examples=40, deadline=None)
def test_both_methods_agree_and_the_budget_adds_up(case: Case) -> None:
    loads = solve(case.chain(), case.external(), gravity_lab_m_s2=GRAVITY, budget=True)
    block = solve(case.chain(), case.external(), gravity_lab_m_s2=GRAVITY, method="block")
    assert_equal(case, loads, block.force_lab_N, block.moment_lab_Nm)
    assert loads.budget is not None
    parts = loads.budget.values()
    assert_equal(case, loads, sum(p.force_lab_N for p in parts), sum(p.moment_lab_Nm for p in parts))


@given(cases())
@settings(max_examples=40, deadline=None)
def test_the_base_carries_the_sum_of_everything(case: Case) -> None:
    """Newton's third law: forces at the base are all that accelerates the chain, whatever hangs on what."""
    loads, chain = case.solve(), case.chain()
    at_base = [i for i, parent in enumerate(chain.parents) if parent == BASE]
    needed = (chain.mass_kg[:, None] * (chain.com_acceleration_lab_m_s2 - GRAVITY)).sum(axis=1) - case.forces.sum(axis=0)
    scale = max(1.0, np.abs(needed).max())
    np.testing.assert_allclose(loads.force_lab_N[:, at_base].sum(axis=1), needed, rtol=0, atol=RELATIVE * scale)


@pytest.mark.parametrize("part", ["gravity", "linear_inertia", "angular_inertia", "gyroscopic", "ground_reaction"])
def test_each_budget_part_is_the_whole_of_a_world_with_that_cause_alone(part: str) -> None:
    case = _fixed_case()
    zero = {k: 0 * v for k, v in case.vectors.items() if k not in ("c", "v")}
    still = case.replaced(vectors=case.vectors | zero, forces=0 * case.forces, moments=0 * case.moments)
    worlds = {
        "gravity": (still, GRAVITY),
        "ground_reaction": (still.replaced(forces=case.forces, moments=case.moments), np.zeros(3)),
        "linear_inertia": (still.replaced(vectors=still.vectors | {"a": case.vectors["a"]}), np.zeros(3)),
        "angular_inertia": (still.replaced(vectors=still.vectors | {"al": case.vectors["al"]}), np.zeros(3)),
        "gyroscopic": (still.replaced(vectors=still.vectors | {"w": case.vectors["w"]}), np.zeros(3)),
    }
    world, gravity = worlds[part]
    alone = world.solve(gravity)
    budget = solve(case.chain(), case.external(), gravity_lab_m_s2=GRAVITY, budget=True).budget
    assert budget is not None
    assert np.abs(alone.moment_lab_Nm).max() > 0.1
    assert_equal(case, budget[part], alone.force_lab_N, alone.moment_lab_Nm)


def _fixed_case() -> Case:
    rng = np.random.default_rng(7)
    n = 3
    tensor = np.diag([0.1, 0.12, 0.05])
    return Case(
        segments=[Segment(f"s{i}", 2.0 + i, np.zeros(3), tensor) for i in range(n)],
        R=Rotation.random(N_FRAMES * n, rng=rng).as_matrix().reshape(N_FRAMES, n, 3, 3),
        vectors={k: rng.normal(0, s, (N_FRAMES, n, 3)) for k, s in (("w", 5), ("al", 30), ("c", 1), ("v", 2), ("a", 20))},
        joints=rng.normal(0, 1, (N_FRAMES, n, 3)), parents=(1, 2, BASE),
        forces=rng.normal(0, 400, (1, N_FRAMES, 3)), moments=rng.normal(0, 20, (1, N_FRAMES, 3)),
        points=rng.normal(0, 1, (1, N_FRAMES, 3)), targets=(0,),
    )  # fmt: skip
