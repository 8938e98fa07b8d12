"""Systems beside pinocchio: random trees of every joint that both have, half of them closed by loops.

Inverse dynamics to 1e-9, forward dynamics to 1e-8, relative to the largest value. pinocchio's mass matrix is built
from columns of its rnea: its crba is wrong where joints are not numbered depth first. Its quaternions end in w, and a free joint's
speeds are in body axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from biomech_id.dynamics.body import Segment
from biomech_id.multibody import joints
from biomech_id.multibody.closures import LoopClosure, on_plane, spherical
from biomech_id.multibody.kinematics import GROUND
from biomech_id.multibody.parts import Body
from biomech_id.multibody.reduction import constrained_accelerations, forward_dynamics, inverse_dynamics, projection
from biomech_id.multibody.system import System

pin = pytest.importorskip("pinocchio")

GRAVITY = np.array([0.4, -0.2, -9.81])
KINDS = ("revolute", "prismatic", "ball", "universal", "cylindrical", "cardan", "free")
N_STATES = 2


def random_segment(name: str, rng: np.random.Generator) -> Segment:
    box, turn = rng.uniform(0.01, 0.1, 3), np.linalg.qr(rng.normal(size=(3, 3)))[0]
    tensor = turn @ np.diag([box[1] + box[2], box[0] + box[2], box[0] + box[1]]) @ turn.T
    return Segment(name, rng.uniform(0.5, 3), rng.normal(0, 0.2, 3), (tensor + tensor.T) / 2)


def made(kind: str, name: str) -> tuple[joints.JointSteps, list[Any]]:
    """A joint of ours, and pinocchio's joints that do the same one after the other."""
    first, second, third = (f"{name}{k}" for k in "abc")
    return {
        "revolute": (joints.revolute(first), [pin.JointModelRZ()]),
        "prismatic": (joints.prismatic(first), [pin.JointModelPZ()]),
        "ball": (joints.ball(first), [pin.JointModelSpherical()]),
        "universal": (joints.universal(first, second), [pin.JointModelRX(), pin.JointModelRY()]),
        "cylindrical": (joints.cylindrical(first, second), [pin.JointModelPZ(), pin.JointModelRZ()]),
        "cardan": (joints.cardan((first, second, third), "zxy"), [pin.JointModelRZ(), pin.JointModelRX(), pin.JointModelRY()]),
        "free": (joints.free(first), [pin.JointModelPX(), pin.JointModelPY(), pin.JointModelPZ(), pin.JointModelSpherical()]),
    }[kind]


def random_system(rng: np.random.Generator, kinds: tuple[str, ...] = KINDS) -> tuple[System, Any]:
    """The same tree twice, 1 to 12 bodies, branches anywhere."""
    model, bodies, last = pin.Model(), [], {GROUND: 0}
    model.gravity.linear = GRAVITY
    for j in range(int(rng.integers(1, 13))):
        kind = kinds[int(rng.integers(len(kinds)))]
        parent = list(last)[int(rng.integers(len(last)))]
        kind = "ball" if kind == "free" and parent != GROUND else kind
        joint, theirs = made(kind, f"q{j}")
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        turn *= np.linalg.det(turn)
        place, segment = rng.normal(0, 0.3, 3), random_segment(f"b{j}", rng)
        bodies.append(Body(segment, joint, parent, place, turn))
        at, index = pin.SE3(turn, place), last[parent]
        for k, part in enumerate(theirs):
            index = model.addJoint(index, part, at, f"j{j}{k}")
            at = pin.SE3.Identity()
        inertia = pin.Inertia(segment.mass_kg, np.array(segment.com_m), np.array(segment.inertia_kgm2))
        model.appendBodyToJoint(index, inertia, pin.SE3.Identity())
        last[segment.name] = index
    return System(bodies, GRAVITY), model


def random_states(system: System, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q = rng.normal(0, 0.7, (N_STATES, len(system.coordinates)))
    for four, _ in system.layout.quaternions:
        q[:, four] /= np.linalg.norm(q[:, four], axis=1, keepdims=True)
    u, a = rng.normal(size=(2, N_STATES, len(system.speeds)))
    return q, u, a


def theirs(system: System, q: np.ndarray) -> np.ndarray:
    """A state as pinocchio writes it: w last."""
    out = q.copy()
    for four, _ in system.layout.quaternions:
        out[four] = q[[*four[1:], four[0]]]
    return out


def loops_for(system: System, q: np.ndarray, rng: np.random.Generator) -> list[LoopClosure]:
    """A closure, closed in one state, between the last body and the base."""
    body, place = system.bodies[-1].name, (0.1, -0.05, 0.2)
    there = tuple(system.kinematics(q[None]).point(len(system.bodies), place)[0][0])
    normal = rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    return [on_plane(body, place, GROUND, there, tuple(normal))] if rng.uniform() < 0.5 else [spherical(body, place, GROUND, there)]


@pytest.mark.parametrize("seed", range(200))
def test_random_systems(seed: int) -> None:
    """Trees against pinocchio; every second one closed too, the constrained motion by pinocchio's M and bias."""
    rng = np.random.default_rng(seed)
    system, model = random_system(rng)
    q, u, a = random_states(system, rng)
    tau, data, n = system.inverse(q, u, a), model.createData(), len(system.speeds)
    M = system.masses.mass_matrix(system.kinematics(q))
    for f in range(N_STATES):
        at = theirs(system, q[f])
        expected = np.asarray(pin.rnea(model, data, at, u[f], a[f]))
        np.testing.assert_allclose(tau[f], expected, rtol=0, atol=1e-9 * max(1.0, np.abs(expected).max()))
        still = np.asarray(pin.rnea(model, data, at, np.zeros(n), np.zeros(n)))
        columns = np.stack([np.asarray(pin.rnea(model, data, at, np.zeros(n), e)) - still for e in np.eye(n)], axis=1)
        np.testing.assert_allclose(M[f], columns, rtol=0, atol=1e-9 * np.abs(columns).max())
        aba = np.asarray(pin.aba(model, data, at, u[f], tau[f]))
        np.testing.assert_allclose(
            system.forward(q[[f]], u[[f]], tau[[f]])[0], aba, rtol=0, atol=1e-8 * max(1.0, np.abs(aba).max())
        )
    if seed % 2:
        # Balls and hinges near the base alone cannot be closed by plain coordinates: drawn again, none goes uncompared.
        while not closed(system, model, q[0], rng):
            system, model = random_system(rng)
            q = random_states(system, rng)[0]


def closed(system: System, model: Any, q: np.ndarray, rng: np.random.Generator) -> bool:
    """The loop's Jacobian against pinocchio's, motion and forces from ours against its rnea; False where no loop can be closed."""
    closures = loops_for(system, q, rng)
    size = sum(closure.size for closure in closures)
    names = [name for name in system.coordinates if name in system.speeds]
    moving = system.kinematics(q[None])
    J = np.concatenate([c.jacobian(q[None], moving) for c in closures], axis=1)[0]
    columns = [system.speed(name) for name in names]
    # Dependent are those that the loop determines best: pivots of its Jacobian.
    chosen: list[int] = []
    rest = J[:, columns].copy()
    for _ in range(size):
        k = int(np.argmax(np.linalg.norm(rest, axis=0))) if rest.size else 0
        if not rest.size or np.linalg.norm(rest[:, k]) < 0.02:
            return False
        way = rest[:, k] / np.linalg.norm(rest[:, k])
        rest -= np.outer(way, way @ rest)
        chosen.append(k)
    dependent = {names[k] for k in chosen}
    loop = System(system.bodies, GRAVITY, closures, [name for name in system.coordinates if name not in dependent])
    u1, tau = rng.normal(size=(1, len(loop.free_speeds))), rng.normal(size=(1, len(loop.speeds)))
    W, w = projection(loop, q[None], u1)
    u = (W @ u1[..., None])[..., 0]
    a1 = forward_dynamics(loop, q[None], u1, tau)
    a, forces = constrained_accelerations(loop, q[None], u, tau)
    scale = max(1.0, np.abs(a).max())
    np.testing.assert_allclose((W @ a1[..., None])[..., 0] + w, a, rtol=0, atol=1e-8 * scale)
    back = inverse_dynamics(loop, q[None], u1, a1)
    np.testing.assert_allclose(back, np.einsum("nji,nj->ni", W, tau), rtol=0, atol=1e-9 * max(1.0, np.abs(forces).max()))
    data, at = model.createData(), theirs(system, q)
    (closure,) = closures
    in_body = np.reshape(pin.computeJointJacobian(model, data, at, model.njoints - 1), (6, -1))
    pin.forwardKinematics(model, data, at)
    point = data.oMi[model.njoints - 1].rotation @ (in_body[:3] - np.cross(closure.place_m, in_body[3:], axisb=0, axisc=0))
    np.testing.assert_allclose(J, np.array(closure.rows) @ point, rtol=0, atol=1e-12 * max(1.0, np.abs(point).max()))
    needed = np.asarray(pin.rnea(model, data, at, u[0], a[0]))
    np.testing.assert_allclose(needed, tau[0] + J.T @ forces[0], rtol=0, atol=1e-8 * max(1.0, np.abs(needed).max()))
    return True


def redundant_system(rng: np.random.Generator) -> tuple[System, Any, list[tuple[int, np.ndarray]], np.ndarray]:
    """Two to four parallel cranks and their plate, in a plane anywhere in space: balls give 3 to 9 equations of 2 to 4 angles."""
    number, R = int(rng.integers(2, 5)), np.linalg.qr(rng.normal(size=(3, 3)))[0]
    R *= np.linalg.det(R)
    pivots = rng.normal(0, 0.4, (number, 3)) * (1.0, 1.0, 0.0)
    pivots -= pivots[0]
    tip, angle = np.array([rng.uniform(0.1, 0.4), 0.0, 0.0]), rng.uniform(-3.0, 3.0)
    model, bodies, ids = pin.Model(), [], {GROUND: 0}
    model.gravity.linear = GRAVITY
    cranks = [(f"crank{k}", GROUND, R @ pivots[k], R) for k in range(number)]
    for name, parent, place, turn in [cranks[0], ("plate", "crank0", tip, np.eye(3)), *cranks[1:]]:
        segment = random_segment(name, rng)
        bodies.append(Body(segment, joints.revolute(f"q_{name}"), parent, place, turn))
        ids[name] = model.addJoint(ids[parent], pin.JointModelRZ(), pin.SE3(turn, place), name)
        inertia = pin.Inertia(segment.mass_kg, np.array(segment.com_m), np.array(segment.inertia_kgm2))
        model.appendBodyToJoint(ids[name], inertia, pin.SE3.Identity())
    closures = [spherical(f"crank{k}", tuple(tip), "plate", tuple(pivots[k])) for k in range(1, number)]
    ends = [end for k in range(1, number) for end in ((ids[f"crank{k}"], tip), (ids["plate"], pivots[k]))]
    system = System(bodies, GRAVITY, closures, ("q_crank0",))
    return system, model, ends, np.array([[angle, -angle, *[angle] * (number - 1)]])


@pytest.mark.parametrize("seed", range(200))
def test_loops_that_say_one_motion_twice(seed: int) -> None:
    """Accelerations by pinocchio's contact dynamics, made proximal: equations need not be independent for it."""
    rng = np.random.default_rng(seed)
    system, model, ends, q = redundant_system(rng)
    u1, tau = rng.normal(size=(1, 1)), rng.normal(size=(1, len(system.speeds)))
    W, w = projection(system, q, u1)
    u = (W @ u1[..., None])[..., 0]
    a = (W @ forward_dynamics(system, q, u1, tau)[..., None])[..., 0] + w
    scale = max(1.0, np.abs(a).max())
    np.testing.assert_allclose(constrained_accelerations(system, q, u, tau)[0], a, rtol=0, atol=1e-8 * scale)
    data = model.createData()
    J, drift = zip(*(of_point(model, data, q[0], u[0], *end) for end in ends), strict=True)
    both = [np.concatenate([x - y for x, y in zip(each[::2], each[1::2], strict=True)]) for each in (J, drift)]
    pushed = tau[0].copy()
    for _ in range(5):  # proximal: what damping has kept back of the forces is given in the next time
        theirs_a = np.asarray(pin.forwardDynamics(model, data, q[0], u[0], pushed, *both, 1e-9)).copy()
        pushed += both[0].T @ data.lambda_c
    np.testing.assert_allclose(a[0], theirs_a, rtol=0, atol=1e-8 * scale)


def of_point(model: Any, data: Any, q: np.ndarray, u: np.ndarray, joint: int, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How speeds move a point, and its acceleration when they stay, laboratory axes."""
    pin.computeJointJacobians(model, data, q)
    pin.forwardKinematics(model, data, q, u, np.zeros_like(u))
    R = data.oMi[joint].rotation
    at_joint = np.asarray(pin.getJointJacobian(model, data, joint, pin.ReferenceFrame.LOCAL))
    velocity, rate = data.v[joint], data.a[joint]
    omega = velocity.angular
    v = velocity.linear + np.cross(omega, place)
    acceleration = rate.linear + np.cross(rate.angular, place) + np.cross(omega, v)
    return R @ (at_joint[:3] - np.cross(place, at_joint[3:], axisb=0, axisc=0)), R @ acceleration
