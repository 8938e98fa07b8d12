"""Random trees of bodies: Jacobians against the Newton-Euler solver, and the identities every mechanism obeys."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.dynamics.body import Frames, Motion, Segment
from biomech_id.dynamics.chain import BASE
from biomech_id.errors import InvalidValueError, OptionError, ShapeError
from biomech_id.multibody.tree import TableBody, Tree

N_FRAMES = 3
GRAVITY = np.array([0.3, -9.81, 0.7])


def random_tree(rng: np.random.Generator) -> Tree:
    n = int(rng.integers(1, 8))
    bodies = []
    for j in range(n):
        box = rng.uniform(0.01, 0.1, 3)
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        tensor = turn @ np.diag([box[1] + box[2], box[0] + box[2], box[0] + box[1]]) @ turn.T
        segment = Segment(f"b{j}", rng.uniform(0.5, 3), rng.normal(0, 0.2, 3), (tensor + tensor.T) / 2)
        table = dict(zip(("gamma_rad", "b_m", "alpha_rad", "d_m", "theta_rad", "r_m"), rng.normal(0, 0.5, 6), strict=True))
        kind = "prismatic" if rng.uniform() < 0.3 else "revolute"
        bodies.append(TableBody(segment, int(rng.integers(BASE, j)) if j else BASE, kind, **table))  # type: ignore[arg-type]
    return Tree(bodies)


@pytest.mark.parametrize("seed", range(100))
def test_forward_and_inverse_dynamics_undo_each_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(rng)
    q, u, a = rng.normal(size=(3, N_FRAMES, len(tree)))
    tau = tree.inverse(q, u, a, gravity_lab_m_s2=GRAVITY)
    scale = max(1.0, np.abs(tau).max())
    back = tree.forward(q, u, tau, gravity_lab_m_s2=GRAVITY)
    np.testing.assert_allclose(back, a, rtol=0, atol=1e-9 * max(1.0, np.abs(a).max()))
    again = tree.inverse(q, u, tree.forward(q, u, tau / 2, gravity_lab_m_s2=GRAVITY), gravity_lab_m_s2=GRAVITY)
    np.testing.assert_allclose(again, tau / 2, rtol=0, atol=1e-9 * scale)
    M, C, g = tree.equations(q, u, gravity_lab_m_s2=GRAVITY)
    np.testing.assert_allclose(M, M.transpose(0, 2, 1), rtol=0, atol=1e-13 * np.abs(M).max())
    assert np.linalg.eigvalsh(M).min() > 0
    by_jacobians = (M @ a[..., None] + C @ u[..., None])[..., 0] + g
    np.testing.assert_allclose(by_jacobians, tau, rtol=0, atol=1e-12 * scale)


@pytest.mark.parametrize("seed", range(100))
def test_mass_matrix_rate_less_twice_coriolis_is_skew(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(rng)
    q, u = rng.normal(size=(2, N_FRAMES, len(tree)))
    h = 2e-3  # s: among 100 trees the sixth-order quotient is off by 3e-12 at most; half the step loses more to rounding

    def M(step: float) -> np.ndarray:
        return tree.equations(q + step * u, u)[0]

    weights = {1: 45, 2: -9, 3: 1}
    rate = sum(w * (M(k * h) - M(-k * h)) for k, w in weights.items()) / (60 * h)
    C = tree.equations(q, u)[1]
    S = rate - 2 * C
    scale = max(1.0, np.abs(C).max())
    np.testing.assert_allclose(S, -S.transpose(0, 2, 1), rtol=0, atol=1e-11 * scale)
    # C is there unless no body moves by two joints of which one turns: then M is constant.
    paths = [[tree.bodies[k].kind for k in tree.path(j)] for j in range(len(tree))]
    coupled = any(len(path) > 1 and "revolute" in path for path in paths)
    assert (np.abs(C).max() > 1e-3) == coupled


def test_energy_changes_by_the_power_of_the_joints() -> None:
    rng = np.random.default_rng(5)
    tree = random_tree(rng)
    q, u, a = rng.normal(size=(3, 1, len(tree)))
    h = 1e-3

    def energy(t: float) -> float:
        return float(tree.energy(q + u * t + a * t**2 / 2, u + a * t, gravity_lab_m_s2=GRAVITY)[0])

    slope = (45 * (energy(h) - energy(-h)) - 9 * (energy(2 * h) - energy(-2 * h)) + energy(3 * h) - energy(-3 * h)) / (60 * h)
    power = float((tree.inverse(q, u, a, gravity_lab_m_s2=GRAVITY) * u).sum())
    assert abs(power) > 0.1
    assert power == pytest.approx(slope, abs=1e-8)  # W


def test_a_falling_base_takes_gravity_away() -> None:
    """On a base that falls freely the joints carry what they would carry without gravity."""
    rng = np.random.default_rng(8)
    tree = random_tree(rng)
    q, u, a = rng.normal(size=(3, N_FRAMES, len(tree)))
    zero = np.zeros((N_FRAMES, 3))
    frames = Frames(np.tile(np.eye(3), (N_FRAMES, 1, 1)), rng.normal(size=(N_FRAMES, 3)))
    falling = Motion(frames, zero, zero, frames.origin_lab_m, zero + [1.0, 2, 3], zero + GRAVITY)
    tau = tree.inverse(q, u, a, gravity_lab_m_s2=GRAVITY, base=falling)
    np.testing.assert_allclose(tau, tree.inverse(q, u, a), rtol=0, atol=1e-11)


def test_refusals() -> None:
    segment = Segment("one", 1.0, np.zeros(3), np.eye(3))
    with pytest.raises(InvalidValueError, match="hangs on row 0"):
        Tree([TableBody(segment, 0)])
    with pytest.raises(InvalidValueError, match="share a name"):
        Tree([TableBody(segment), TableBody(segment, 0)])
    with pytest.raises(OptionError, match="ball"):
        Tree([TableBody(segment, kind="ball")])  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="1 joints"):
        Tree([TableBody(segment)]).motion(np.zeros((4, 2)))
