"""Linear models and simulated motion of a `System`: the exoskeleton held in a pose, quaternions, torques there and motion back."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from biomech_id.algebra.wrench import Wrench
from biomech_id.dynamics.body import Segment
from biomech_id.dynamics.external import External
from biomech_id.multibody.examples.exoskeleton import arm_exoskeleton
from biomech_id.multibody.forward import simulate
from biomech_id.multibody.joints import ball, cardan, revolute
from biomech_id.multibody.linear import linearised
from biomech_id.multibody.parts import Body, Drive
from biomech_id.multibody.reduction import configuration
from biomech_id.multibody.springs import Spring
from biomech_id.multibody.system import System

DOWN = (0.0, -9.81, 0.0)


def test_the_held_exoskeletons_linear_model(reference: Any) -> None:
    """Ten states, against 50-digit differences; the issue allows 1e-7 of the largest entry."""
    held, system = reference("exo13")["linear_model"], arm_exoskeleton(DOWN)
    q = configuration(system, np.array([held["q1"]]))[0]
    tau = np.zeros(len(system.speeds))
    tau[[system.speed(name) for name in system.free_speeds]] = held["tau1"]
    found, A = linearised(system, q, np.zeros(5), tau), np.array(held["A"])
    assert np.abs(A).max() > 1000
    np.testing.assert_allclose(found.A, A, rtol=0, atol=1e-11 * np.abs(A).max())
    np.testing.assert_allclose(found.B, held["B"], rtol=0, atol=1e-11 * np.abs(held["B"]).max())
    np.testing.assert_allclose(found.residual, 0, atol=1e-11)
    theirs = np.array([complex(*pair) for pair in held["eigenvalues"]])
    near = [np.abs(np.linalg.eigvals(found.A) - value).min() for value in theirs if abs(value) > 1]
    assert max(near) < 1e-7
    # A drive by law counts: the same torques from springs of the drives themselves.
    law = Drive(system.free_speeds, lambda t, x, u: np.array(held["tau1"]) - 30.0 * (x[free] - q[free]))
    free = [system.coordinate(name) for name in system.free]
    stiffer = linearised(dataclasses.replace(system, drives=[law]), q, np.zeros(5), np.zeros(len(system.speeds)))
    np.testing.assert_allclose(stiffer.A[5:, :5], found.A[5:, :5] - 30.0 * found.B[5:], rtol=0, atol=1e-9)


def gyrating(joint: Any, **options: Any) -> System:
    tensor = np.array([[0.081, 0.004, -0.006], [0.004, 0.034, 0.003], [-0.006, 0.003, 0.092]])
    return System([Body(Segment("body", 3.2, np.array([0.03, -0.21, 0.05]), tensor), joint)], DOWN, **options)


def test_a_quaternion_is_linearised_in_small_rotations(reference: Any) -> None:
    """The reference's body by angles: dq = E^-1 times the small rotation in body axes; in a pose at rest, and while it turns."""
    model = reference("kinematic_rates")["rigid_body_body_fixed_speeds"]
    by_angles, by_ball = gyrating(cardan(("z", "x", "y"), "zxy")), gyrating(ball("r"))
    angles = np.array(model["equilibrium_q"])

    def turning(at: np.ndarray) -> np.ndarray:
        """E: omega in body axes = E q'."""
        moving = by_angles.kinematics(at[None])
        return np.asarray(moving.R_lab_body[0, 1].T @ by_angles.jacobian(at[None], "body", np.zeros(3))[1][0])

    def quaternion(at: np.ndarray) -> np.ndarray:
        R = by_angles.kinematics(at[None]).R_lab_body[0, 1]
        w = np.sqrt(1 + np.trace(R)) / 2
        return np.array([w, *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w))])

    E = turning(angles)
    found = linearised(by_ball, quaternion(angles), np.zeros(3), np.zeros(3))
    to_angles = np.block([[np.linalg.inv(E), np.zeros((3, 3))], [np.zeros((3, 3)), np.eye(3)]])
    np.testing.assert_allclose(to_angles @ found.A @ np.linalg.inv(to_angles), model["A_q_omega"], rtol=0, atol=1e-11)
    # While it turns: two neighbouring motions come apart as the model says.
    omega, at, h = np.array([1.0, -2.0, 0.5]), np.array([0.3, -0.4, 0.8]), 1e-6
    A = linearised(by_ball, quaternion(at), omega, np.zeros(3)).A
    t = np.array([0.0, 1e-4])
    start = [0.3, -0.2, 0.5, 0.1, 0.4, -0.3]
    runs = []
    for s in (h, -h):
        shift = s * np.array(start[:3]) / 2
        w, v = quaternion(at)[0], quaternion(at)[1:]
        near = np.array([w - v @ shift, *(v + w * shift + np.cross(v, shift))])
        runs.append(simulate(by_ball, near / np.linalg.norm(near), omega + s * np.array(start[3:]), t, language="python"))
    (p, m) = ((run.q[-1], run.u[-1]) for run in runs)
    apart = 2 * (m[0][0] * p[0][1:] - p[0][0] * m[0][1:] - np.cross(m[0][1:], p[0][1:])) / (2 * h)
    change = (np.concatenate([apart, (p[1] - m[1]) / (2 * h)]) - start) / 1e-4
    np.testing.assert_allclose(change, A @ start, rtol=0, atol=0.005)  # first order in the tenth of a millisecond
    assert np.abs(A @ start).max() > 5


def test_a_free_top_keeps_energy_and_momentum() -> None:
    system = dataclasses.replace(gyrating(ball("r")), gravity_lab_m_s2=(0.0, 0.0, 0.0))
    run = simulate(system, np.array([1.0, 0, 0, 0]), np.array([3.0, 0.2, -1.0]), np.linspace(0, 10, 21), language="python")
    moving = system.kinematics(run.q, run.u)
    spin = (np.swapaxes(system.jacobian(run.q, "body", np.zeros(3))[1], 1, 2) @ moving.omega_rad_s[:, 1, :, None])[..., 0]
    inertia = system.masses.mass_matrix(moving)
    R = moving.R_lab_body[:, 1]
    momentum = (R @ (inertia @ run.u[..., None]))[..., 0]
    assert np.ptp(run.u[:, 0]) > 1
    np.testing.assert_allclose(spin, run.u, rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(run.q, axis=1), 1, rtol=0, atol=1e-15)
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (21, 1)), rtol=0, atol=1e-9)
    assert run.energy_drift_J < 1e-9


def test_there_and_back_with_replayed_wrenches() -> None:
    """A prescribed motion becomes torques, and these, with the same force on the foot, the motion again."""
    rod = {n: Segment(n, m, np.array([0.2, 0.01, 0]), np.diag([0.01, m / 30, m / 30])) for n, m in (("thigh", 8.0), ("shank", 3.0))}
    leg = System(
        [Body(rod["thigh"], revolute("hip")), Body(rod["shank"], revolute("knee"), "thigh", (0.42, 0, 0))], DOWN,
        springs=[Spring("knee", 30.0, 2.0, -0.3)],
    )  # fmt: skip

    def prescribed(t: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        t = np.atleast_1d(t)
        q = np.stack([-1.5 + 0.4 * np.sin(5 * t), -0.5 + 0.5 * np.cos(4 * t)], axis=1)
        u = np.stack([2.0 * np.cos(5 * t), -2.0 * np.sin(4 * t)], axis=1)
        return q, u, np.stack([-10.0 * np.sin(5 * t), -8.0 * np.cos(4 * t)], axis=1)

    def ground(t: Any) -> list[External]:
        t = np.atleast_1d(t)
        force = np.stack([40 * np.sin(9 * t), 500 + 200 * np.sin(7 * t), 0 * t], axis=1)
        return [External("shank", Wrench(force, np.zeros((len(t), 3)), np.tile([0.1, -0.8, 0.0], (len(t), 1))))]

    law = Drive(leg.speeds, lambda t, q, u: leg.inverse(*prescribed(t), ground(t))[0])
    times = np.linspace(0, 0.6, 13)
    start, driven = prescribed(0.0), dataclasses.replace(leg, drives=[law])
    run = simulate(driven, start[0][0], start[1][0], times, external=ground, language="python", tolerance=1e-11)
    np.testing.assert_allclose(run.q, prescribed(times)[0], rtol=0, atol=1e-8)
    np.testing.assert_allclose(run.u, prescribed(times)[1], rtol=0, atol=1e-7)
    assert run.energy_drift_J < 1e-8
    alone = simulate(driven, start[0][0], start[1][0], times[:3], language="python", tolerance=1e-9)
    assert np.abs(alone.q - run.q[:3]).max() > 0.05


@pytest.mark.parametrize("closed_form", [True, False])
def test_events_of_a_mechanism_with_loops(closed_form: bool) -> None:
    """An event may ask for a coordinate that follows from the loops."""
    system = arm_exoskeleton(DOWN)
    system = system if closed_form else dataclasses.replace(system, closed_form=None)
    q, k = configuration(arm_exoskeleton(DOWN), np.array([[0.2, 0.6, 0.35, 0.6, 0.1]]))[0], system.coordinate("rho3")
    level = q[k] + 0.01
    run = simulate(
        system, q, np.array([0.0, 0, -2.0, 0, 0]), np.linspace(0, 0.02, 5), events={"flexed": lambda t, x, u: x[k] - level},
        stop_at="flexed", language="python", tolerance=1e-10,
    )  # fmt: skip
    (when,) = run.events_s["flexed"]
    assert 0 < when < 0.02
    assert run.t_s[-1] <= when
