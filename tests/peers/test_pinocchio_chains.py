"""Joint wrenches of random chains against pinocchio's recursive Newton-Euler algorithm.

200 serial chains of 1 to 8 segments with three revolute axes in every joint, smooth random motion of the joints and of a
free-flying base, full inertia tensors, a wrench on the tip and one on a random other segment. Compared are the full joint
wrenches and, through `jcs_projection`, the generalised forces. Tolerance 1e-9 N and N m.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomech_id.algebra.wrench import Wrench
from biomech_id.dynamics.body import Frames, Motion, Segment
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.expression import jcs_projection
from biomech_id.dynamics.external import External
from biomech_id.dynamics.newton_euler import solve

pin = pytest.importorskip("pinocchio")

TOLERANCE = 1e-9
N_FRAMES = 6
GRAVITY = np.array([0.0, 0.0, -9.81])


@dataclass
class PinChain:
    """A pinocchio model of a chain on a free-flying base, and the index of the joint that carries each segment."""

    model: object
    carriers: list[int]
    segments: list[Segment]


def random_chain(rng: np.random.Generator, n: int) -> PinChain:
    model = pin.Model()
    model.gravity.linear = GRAVITY
    parent = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    carriers, segments = [], []
    for i in range(n):
        placement = pin.SE3(np.eye(3), rng.normal(0, 0.3, 3))
        for axis, revolute in zip("zxy", (pin.JointModelRZ(), pin.JointModelRX(), pin.JointModelRY()), strict=True):
            parent = model.addJoint(parent, revolute, placement, f"{i}{axis}")
            placement = pin.SE3.Identity()
        axes, box = Rotation.random(rng=rng).as_matrix(), rng.uniform(0.001, 0.1, 3)
        tensor = axes @ np.diag([box[1] + box[2], box[0] + box[2], box[0] + box[1]]) @ axes.T
        tensor = (tensor + tensor.T) / 2
        segment = Segment(f"s{i}", rng.uniform(0.5, 10), rng.normal(0, 0.2, 3), tensor)
        model.appendBodyToJoint(parent, pin.Inertia(segment.mass_kg, np.array(segment.com_m), tensor), pin.SE3.Identity())
        carriers.append(parent)
        segments.append(segment)
    return PinChain(model, carriers, segments)


def smooth_motion(rng: np.random.Generator, model: object, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Generalised coordinates, velocities and accelerations: sums of sines; the base turns and shifts at will."""
    nv = model.nv  # type: ignore[attr-defined]
    amplitude, rate, phase = rng.uniform(0.1, 0.5, (2, nv)), rng.uniform(1, 6, (2, nv)), rng.uniform(0, 6, (2, nv))
    arguments = rate * t[:, None, None] + phase
    position = (amplitude * np.sin(arguments)).sum(axis=1)
    velocity = (amplitude * rate * np.cos(arguments)).sum(axis=1)
    acceleration = (-amplitude * rate**2 * np.sin(arguments)).sum(axis=1)
    quaternion = Rotation.from_rotvec(position[:, 3:6]).as_quat()
    # The base's velocity is given in its own axes, so any smooth function will do for it.
    return np.hstack([position[:, :3], quaternion, position[:, 6:]]), velocity, acceleration


def external_on(rng: np.random.Generator, n: int, n_frames: int) -> list[tuple[int, Wrench]]:
    targets = [n - 1, int(rng.integers(0, n))]
    return [
        (i, Wrench(rng.normal(0, 300, (n_frames, 3)), rng.normal(0, 20, (n_frames, 3)), rng.normal(0, 1, (n_frames, 3))))
        for i in targets
    ]


def world_wrench(wrench: Wrench, f: int) -> object:
    at_origin = wrench.about(np.zeros(3))
    return pin.Force(at_origin.force_N[f], at_origin.moment_Nm[f])


def play(chain: PinChain, q: np.ndarray, v: np.ndarray, a: np.ndarray, loads: list[tuple[int, Wrench]]) -> dict[str, np.ndarray]:
    """Kinematics of every segment, and pinocchio's joint wrenches and generalised forces, frame by frame."""
    model, data = chain.model, chain.model.createData()  # type: ignore[attr-defined]
    n, N = len(chain.segments), len(q)
    out = {key: np.empty((N, n, 3)) for key in ("origin", "w", "al", "c", "vc", "ac", "F", "M", "tau")}
    out["R"], out["R_base"] = np.empty((N, n, 3, 3)), np.empty((N, 3, 3))
    for f in range(N):
        pin.forwardKinematics(model, data, q[f], v[f], a[f])
        on_joint = pin.StdVec_Force()
        on_joint.extend([pin.Force.Zero()] * model.njoints)
        for i, wrench in loads:
            on_joint[chain.carriers[i]] = on_joint[chain.carriers[i]] + data.oMi[chain.carriers[i]].actInv(world_wrench(wrench, f))
        R_base = data.oMi[1].rotation.copy()
        kinematics = []
        for i, joint in enumerate(chain.carriers):
            place, twist = data.oMi[joint], data.v[joint]
            R = place.rotation.copy()
            rate = pin.getClassicalAcceleration(model, data, joint, pin.LOCAL_WORLD_ALIGNED)
            omega, alpha, arm = R @ twist.angular, rate.angular, R @ chain.segments[i].com_m
            out["R"][f, i], out["origin"][f, i], out["w"][f, i], out["al"][f, i] = R, place.translation, omega, alpha
            out["c"][f, i] = place.translation + arm
            out["vc"][f, i] = R @ twist.linear + np.cross(omega, arm)
            out["ac"][f, i] = rate.linear + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
            kinematics.append(R)
        tau = pin.rnea(model, data, q[f], v[f], a[f], on_joint)
        for i, joint in enumerate(chain.carriers):
            out["F"][f, i] = kinematics[i] @ data.f[joint].linear
            out["M"][f, i] = kinematics[i] @ data.f[joint].angular
        out["tau"][f], out["R_base"][f] = np.asarray(tau)[6:].reshape(n, 3), R_base
    return out


@pytest.mark.parametrize("seed", range(200))
def test_random_chain(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 1 + seed % 8
    theirs_model = random_chain(rng, n)
    q, v, a = smooth_motion(rng, theirs_model.model, np.linspace(0, 1, N_FRAMES))
    loads = external_on(rng, n, N_FRAMES)
    theirs = play(theirs_model, q, v, a, loads)
    motions = [
        Motion(Frames(theirs["R"][:, i], theirs["origin"][:, i]), *(theirs[key][:, i] for key in ("w", "al", "c", "vc", "ac")))
        for i in range(n)
    ]
    distal_first = range(n - 1, -1, -1)
    chain = Chain(
        [theirs_model.segments[i] for i in distal_first],
        [motions[i] for i in distal_first],
        [theirs["origin"][:, i] for i in distal_first],
    )
    ours = solve(chain, [External(f"s{i}", wrench) for i, wrench in loads], gravity_lab_m_s2=GRAVITY)
    for i in range(n):
        wrench = ours.wrench(f"s{i}")
        np.testing.assert_allclose(wrench.force_N, theirs["F"][:, i], rtol=0, atol=TOLERANCE)
        np.testing.assert_allclose(wrench.moment_Nm, theirs["M"][:, i], rtol=0, atol=TOLERANCE)
        R_parent = theirs["R"][:, i - 1] if i else theirs["R_base"]
        projections = jcs_projection(wrench.moment_Nm, R_parent, theirs["R"][:, i], "zxy")
        np.testing.assert_allclose(projections, theirs["tau"][:, i], rtol=0, atol=TOLERANCE)
