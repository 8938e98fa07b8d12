"""M a = C + G + F x + E in the letters of the matrix formalism, beside an assembly by hand, row by row and frame by frame."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from biomech_id.algebra.wrench import Wrench
from biomech_id.dynamics.block_system import BlockSystem, block_system
from biomech_id.dynamics.body import Frames, Motion, Segment
from biomech_id.dynamics.chain import BASE, Chain
from biomech_id.dynamics.external import External
from biomech_id.dynamics.newton_euler import solve

LETTERS = ("M", "a", "C", "G", "F", "E")
GRAVITY = np.array([0.4, -9.6, 0.9])
N = 3
#: Of the largest entry of the letter; rounding of sums of a dozen products.
RELATIVE = 1e-12


def turns(rng: np.random.Generator) -> np.ndarray:
    R = np.linalg.qr(rng.normal(size=(N, 3, 3)))[0]
    return np.asarray(R * np.linalg.det(R)[:, None, None])


def random_chain(rng: np.random.Generator, n: int) -> tuple[Chain, list[External]]:
    """A tree of n segments, distal first, with a wrench on each of two, one of them in axes of its own."""
    segments, motions = [], []
    for i in range(n):
        box, turn = rng.uniform(0.01, 0.1, 3), turns(rng)[0]
        tensor = turn @ np.diag([box[1] + box[2], box[0] + box[2], box[0] + box[1]]) @ turn.T
        segments.append(Segment(f"s{i}", rng.uniform(0.5, 8.0), rng.normal(0, 0.1, 3), (tensor + tensor.T) / 2))
        motions.append(Motion(Frames(turns(rng), rng.normal(size=(N, 3))), *rng.normal(0, 3, (5, N, 3))))
    parents = tuple(int(rng.integers(i + 1, n)) if i < n - 1 else BASE for i in range(n))
    chain = Chain(segments, motions, list(rng.normal(size=(n, N, 3))), parents)
    forces, moments, points = rng.normal(0, 200, (3, 2, N, 3))
    wrenches = [Wrench(forces[0], moments[0], points[0] / 200), Wrench(forces[1], moments[1], points[1] / 200, "own", turns(rng))]
    return chain, [External(f"s{k}", wrench) for k, wrench in zip((0, n // 2), wrenches, strict=True)]


def by_hand(chain: Chain, external: list[External], frame: int) -> dict[str, np.ndarray]:
    """The document's block rows for one frame, each written out with cross products."""
    n = chain.n_segments
    out = {"M": np.zeros((6 * n, 6 * n)), "F": np.zeros((6 * n, 6 * n))} | {k: np.zeros(6 * n) for k in ("a", "C", "G", "E")}
    for i in range(n):
        f, m = slice(6 * i, 6 * i + 3), slice(6 * i + 3, 6 * i + 6)
        R, com, mass, tensor = chain.R_lab_seg[frame, i].T, chain.com_lab_m[frame, i], chain.mass_kg[i], chain.inertia_kgm2[i]
        omega = R @ chain.omega_lab_rad_s[frame, i]
        out["M"][f, f], out["M"][m, m] = mass * np.eye(3), tensor
        out["a"][f], out["a"][m] = chain.com_acceleration_lab_m_s2[frame, i], R @ chain.alpha_lab_rad_s2[frame, i]
        out["C"][m] = -np.cross(omega, tensor @ omega)
        out["G"][f] = mass * GRAVITY
        for sign, k in [(1.0, i), *((-1.0, k) for k in range(n) if chain.parents[k] == i)]:
            arm, theirs = chain.joint_lab_m[frame, k] - com, chain.R_lab_seg[frame, k].T
            for column, unit in enumerate(np.eye(3)):
                out["F"][f, 6 * k + column] = sign * unit
                out["F"][m, 6 * k + column] = sign * (R @ np.cross(arm, unit))
                out["F"][m, 6 * k + 3 + column] = sign * (R @ np.linalg.inv(theirs) @ unit)
        for load in external:
            if load.segment == f"s{i}":
                axes = load.wrench.R_lab_frame
                own = np.eye(3) if axes is None else axes[frame]
                force, moment = own @ load.wrench.force_N[frame], own @ load.wrench.moment_Nm[frame]
                out["E"][f] += force
                out["E"][m] += R @ (moment + np.cross(load.wrench.point_lab_m[frame] - com, force))
    return out


def balance(system: BlockSystem) -> np.ndarray:
    """M a - (C + G + F x + E)."""
    times = lambda A, v: (A @ v[..., None])[..., 0]  # noqa: E731
    return np.asarray(times(system.M, system.a) - (system.C + system.G + times(system.F, system.x) + system.E))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("seed", range(4))
def test_every_letter_is_the_one_assembled_by_hand(n: int, seed: int) -> None:
    chain, external = random_chain(np.random.default_rng([n, seed]), n)
    system = block_system(chain, external, gravity_lab_m_s2=GRAVITY)
    for frame in range(N):
        for letter, expected in by_hand(chain, external, frame).items():
            scale = max(np.abs(expected).max(), 1e-300)
            np.testing.assert_allclose(getattr(system, letter)[frame], expected, rtol=0, atol=RELATIVE * scale, err_msg=letter)
    largest = np.abs(system.F).max() * np.abs(system.x).max()
    assert np.abs(balance(system)).max() < RELATIVE * largest


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("frame", [0, 100, 237])
def test_the_letters_of_foot_shank_and_thigh_are_the_stored_system(ideal_leg: Any, chain3d_file: Any, n: int, frame: int) -> None:
    """M a - C - G - E is the stored right side and F the stored matrix, 12 by 12 and 18 by 18."""
    stored, whole = chain3d_file["block_system"][f"frame{frame}_{6 * n}x{6 * n}"], ideal_leg.chain
    system = block_system(Chain(whole.segments[:n], whole.motions[:n], whole.joints_lab_m[:n]), ideal_leg.external)
    right = np.einsum("ij,j->i", system.M[frame], system.a[frame]) - system.C[frame] - system.G[frame] - system.E[frame]
    np.testing.assert_allclose(right, np.ravel(stored["b"]), rtol=0, atol=1e-9)  # N and N m, of up to 800
    np.testing.assert_allclose(system.F[frame], stored["A"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(system.F[frame] @ system.x[frame], right, rtol=0, atol=1e-9)


def test_the_rows_have_names_and_the_unknowns_are_the_joints_wrenches() -> None:
    chain, external = random_chain(np.random.default_rng(5), 3)
    system = block_system(chain, external, gravity_lab_m_s2=GRAVITY)
    assert system.rows[:7] == ("s0 force x", "s0 force y", "s0 force z", "s0 moment x", "s0 moment y", "s0 moment z", "s1 force x")
    loads = solve(chain, external, gravity_lab_m_s2=GRAVITY)
    force, moment = system.wrenches_of(system.x)
    for i, name in enumerate(chain.names):
        np.testing.assert_allclose(force[:, i], loads[name].force_N, rtol=0, atol=1e-9)
        np.testing.assert_allclose(moment[:, i], loads[name].moment_Nm, rtol=0, atol=1e-9)


def test_some_frames_and_gravity_that_turns() -> None:
    """The letters of chosen frames are those rows of all; gravity and tensors may be one for each frame."""
    still, external = random_chain(np.random.default_rng(6), 3)
    growing = np.arange(1.0, N + 1)[:, None, None]
    segments = [replace(segment, inertia_kgm2=segment.inertia_kgm2 * growing) for segment in still.segments]
    chain = Chain(segments, still.motions, list(np.moveaxis(still.joint_lab_m, 1, 0)), still.parents)
    np.testing.assert_array_equal(block_system(chain, external).M[2, 3:6, 3:6], 3 * still.inertia_kgm2[0])
    gravity = np.random.default_rng(7).normal(0, 9, (N, 3))
    whole, part = (block_system(chain, external, gravity_lab_m_s2=gravity, frames=frames) for frames in (slice(None), slice(1, 3)))
    for letter in (*LETTERS, "x"):
        np.testing.assert_array_equal(getattr(part, letter), getattr(whole, letter)[1:3])
    assert np.abs(balance(part)).max() < RELATIVE * np.abs(whole.F).max() * np.abs(whole.x).max()
