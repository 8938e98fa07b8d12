"""Random trees of bodies: Jacobians against the Newton-Euler solver, and the identities every mechanism obeys."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.dynamics.body import Frames, Motion, Segment
from biomech_id.dynamics.newton_euler import solve
from biomech_id.errors import InvalidValueError, ShapeError
from biomech_id.multibody.joints import UNIT, ball, prismatic, revolute
from biomech_id.multibody.kinematics import GROUND
from biomech_id.multibody.linear import coriolis_matrix
from biomech_id.multibody.parts import Body, denavit_hartenberg
from biomech_id.multibody.system import System

N_FRAMES = 3
GRAVITY = np.array([0.3, -9.81, 0.7])
TABLE = ("gamma_rad", "b_m", "alpha_rad", "d_m", "theta_rad", "r_m")


def random_tree(rng: np.random.Generator, gravity: np.ndarray = GRAVITY) -> System:
    bodies: list[Body] = []
    for j in range(int(rng.integers(1, 8))):
        box = rng.uniform(0.01, 0.1, 3)
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        tensor = turn @ np.diag([box[1] + box[2], box[0] + box[2], box[0] + box[1]]) @ turn.T
        segment = Segment(f"b{j}", rng.uniform(0.5, 3), rng.normal(0, 0.2, 3), (tensor + tensor.T) / 2)
        place = denavit_hartenberg(**dict(zip(TABLE, rng.normal(0, 0.5, 6), strict=True)))
        joint = prismatic(f"q{j}") if rng.uniform() < 0.3 else revolute(f"q{j}")
        parent = [GROUND, *(body.name for body in bodies)][int(rng.integers(0, j + 1))]
        bodies.append(Body(segment, joint, parent, **place))
    return System(bodies, gravity)


@pytest.mark.parametrize("seed", range(100))
def test_forward_and_inverse_dynamics_undo_each_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(rng)
    q, u, a = rng.normal(size=(3, N_FRAMES, len(tree.bodies)))
    tau = tree.inverse(q, u, a)
    scale = max(1.0, np.abs(tau).max())
    np.testing.assert_allclose(tree.forward(q, u, tau), a, rtol=0, atol=1e-9 * max(1.0, np.abs(a).max()))
    again = tree.inverse(q, u, tree.forward(q, u, tau / 2))
    np.testing.assert_allclose(again, tau / 2, rtol=0, atol=1e-9 * scale)
    terms = tree.terms(q, u)
    np.testing.assert_allclose(terms.M, terms.M.transpose(0, 2, 1), rtol=0, atol=1e-13 * np.abs(terms.M).max())
    assert np.linalg.eigvalsh(terms.M).min() > 0
    # The general solver knows no Jacobian: force or moment along each joint's axis.
    loads, moving = solve(tree.chain(q, u, a), gravity_lab_m_s2=GRAVITY), tree.kinematics(q)
    wrench = np.where(moving.layout.turning[:, None], loads.moment_lab_Nm[:, ::-1], loads.force_lab_N[:, ::-1])
    np.testing.assert_allclose((wrench * moving.axis).sum(axis=-1), tau, rtol=0, atol=1e-12 * scale)


@pytest.mark.parametrize("seed", range(50))
def test_mass_matrix_rate_less_twice_coriolis_is_skew(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(rng)
    q, u = rng.normal(size=(2, N_FRAMES, len(tree.bodies)))
    h = 1e-30
    rate = tree.masses.mass_matrix(tree.kinematics(q + 1j * h * u)).imag / h
    C = coriolis_matrix(tree, q, u)
    S = rate - 2 * C
    scale = max(1.0, np.abs(C).max())
    np.testing.assert_allclose(S, -S.transpose(0, 2, 1), rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose((C @ u[..., None])[..., 0], -tree.terms(q, u).C, rtol=0, atol=1e-12 * scale)
    # C is there unless no body moves by two joints of which one turns: then M is constant.
    beyond, turning = tree.layout.beyond, tree.layout.turning
    coupled = any(row.sum() > 1 and turning[row].any() for row in beyond)
    assert (np.abs(C).max() > 1e-3) == coupled


def test_energy_changes_by_the_power_of_the_joints() -> None:
    rng = np.random.default_rng(5)
    tree = random_tree(rng)
    q, u, a = rng.normal(size=(3, 1, len(tree.bodies)))
    h = 1e-3

    def energy(t: float) -> float:
        return float(tree.energy(q + u * t + a * t**2 / 2, u + a * t)[0])

    slope = (45 * (energy(h) - energy(-h)) - 9 * (energy(2 * h) - energy(-2 * h)) + energy(3 * h) - energy(-3 * h)) / (60 * h)
    power = float((tree.inverse(q, u, a) * u).sum())
    assert abs(power) > 0.1
    assert power == pytest.approx(slope, abs=1e-8)  # W


def test_a_falling_base_takes_gravity_away() -> None:
    """On a base that falls freely the joints carry what they would carry without gravity."""
    tree, weightless = random_tree(np.random.default_rng(8)), random_tree(np.random.default_rng(8), np.zeros(3))
    rng = np.random.default_rng(9)
    q, u, a = rng.normal(size=(3, N_FRAMES, len(tree.bodies)))
    zero = np.zeros((N_FRAMES, 3))
    frames = Frames(np.tile(np.eye(3), (N_FRAMES, 1, 1)), rng.normal(size=(N_FRAMES, 3)))
    falling = Motion(frames, zero, zero, frames.origin_lab_m, zero + [1.0, 2, 3], zero + GRAVITY)
    np.testing.assert_allclose(tree.inverse(q, u, a, base=falling), weightless.inverse(q, u, a), rtol=0, atol=1e-11)


def test_refusals() -> None:
    segment = Segment("one", 1.0, np.zeros(3), np.eye(3))
    with pytest.raises(InvalidValueError, match="hangs on 'two'"):
        System([Body(segment, revolute("q"), "two")], GRAVITY)
    with pytest.raises(InvalidValueError, match="Two bodies are called 'one'"):
        System([Body(segment, revolute("q")), Body(segment, revolute("r"), "one")], GRAVITY)
    with pytest.raises(InvalidValueError, match="no unit vector"):
        revolute("q", (1.0, 1.0, 0.0))
    assert revolute("q", (1.0 + 0.25 * UNIT, 0.0, 0.0))
    with pytest.raises(InvalidValueError, match="no unit vector"):
        revolute("q", (1.0 + 0.75 * UNIT, 0.0, 0.0))
    with pytest.raises(ShapeError, match="shape"):
        System([Body(segment, revolute("q"))], GRAVITY).kinematics(np.zeros((4, 2)))
    with pytest.raises(InvalidValueError, match="no right-handed axes"):
        Body(segment, revolute("q"), R_parent_joint=np.diag([1.0, 1.0, -1.0]))
    with pytest.raises(InvalidValueError, match="a quaternion's are not"):
        coriolis_matrix(System([Body(segment, ball("hip"))], GRAVITY), np.array([[1.0, 0, 0, 0]]), np.zeros((1, 3)))
