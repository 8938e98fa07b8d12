"""The virtual subject's joint loads, computed once more: in 50-digit arithmetic, by another law, without Taylor series.

The closed-form poses are evaluated at 50 digits at t - h, t and t + h; central differences (error h^2 = 1e-30) give accelerations
and angular velocities, and a Newton-Euler recursion from foot to hip gives forces and moments. The library computes the same from
the rate of change of momentum, by Taylor series in double precision.
"""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from biomech_id.sample import virtual_subject
from biomech_id.sample.jets import time_jet
from biomech_id.sample.mechanics import segment_poses
from biomech_id.sample.recording import SampleTrial, Walking

#: Body-mass-normalised: N/kg, N m/kg and W/kg. Double precision carries terms of about 100 N and 1 m through some 200 operations.
TOLERANCE = 1e-12
CHAIN = (("ankle", "foot", "shank"), ("knee", "shank", "thigh"), ("hip", "thigh", "pelvis"))
INSTANTS = 6


def _cross(a: Any, b: Any) -> Any:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _poses(mover: Walking, t: Any, side: str) -> tuple[dict[str, tuple[Any, Any]], dict[str, Any], tuple[Any, Any]]:
    """Segment rotations and origins, joint centres, ground wrench about the origin, all at one instant."""
    time = time_jet(np.array([t], dtype=object), order=0)
    pose = mover.pose(time)
    segments = {name: (R.value[0], p.value[0]) for name, (R, p) in segment_poses(pose, side).items()}
    segments["pelvis"] = (pose.pelvis.R_lab_pelvis.value[0], pose.pelvis.origin_m.value[0])
    leg = pose.legs[side]
    centres = {"ankle": leg.ankle_m.value[0], "knee": leg.knee_m.value[0], "hip": leg.hip_m.value[0]}
    ground = mover.ground(pose, time, side)
    force, cop = ground.force_N.value[0], ground.cop_m.value[0]
    moment = _cross(cop, force) + ground.normal * ground.free_moment_Nm.value[0]
    return segments, centres, (force, moment)


def _recursion(mover: Walking, t: Any, side: str) -> dict[str, tuple[Any, Any, Any]]:
    """Joint -> force, moment about the joint centre, rotational power; by Newton-Euler, segment by segment."""
    h = mpmath.mpf(10) ** -15
    before, now, after = (_poses(mover, t + k * h, side) for k in (-1, 0, 1))
    omega, alpha_term = {}, {}
    for name in now[0]:
        Rb, R, Ra = before[0][name][0], now[0][name][0], after[0][name][0]
        spin = ((Ra - Rb) / (2 * h)) @ R.T
        omega[name] = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        second = ((Ra - 2 * R + Rb) / h**2) @ R.T  # = S(alpha) + S(omega)^2; its antisymmetric part is S(alpha)
        skew = (second - second.T) / 2
        alpha_term[name] = np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
    force, moment = -now[2][0], -now[2][1]
    loads = {}
    for joint, distal, proximal in CHAIN:
        inertia = mover.body.inertia(side, distal)
        com = [pose[0][distal][1] + pose[0][distal][0] @ inertia.com_m for pose in (before, now, after)]
        acceleration = (com[2] - 2 * com[1] + com[0]) / h**2
        inertial = inertia.mass_kg * (acceleration - np.array([0, 0, mpmath.mpf("-9.81")]))
        R = now[0][distal][0]
        tensor = R @ inertia.tensor_kgm2 @ R.T
        spin_rate = tensor @ alpha_term[distal] + _cross(omega[distal], tensor @ omega[distal])
        force = force + inertial
        moment = moment + spin_rate + _cross(com[1], inertial)
        at_joint = moment - _cross(now[1][joint], force)
        loads[joint] = (force, at_joint, at_joint @ (omega[distal] - omega[proximal]))
    return loads


def _mover_of(options: dict[str, Any]) -> tuple[Walking, SampleTrial, float]:
    person = virtual_subject(**options)
    walk = person.walk()
    return person.mover(), walk, person.true_body.mass_kg


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"body": "child", "direction": "turn"},
        {"variant": "violating", "belt": True},
        {"floor": "stairs down"},
        {"floor": "ramp up"},
    ],
    ids=str,
)
def test_joint_loads_equal_a_newton_euler_recursion_in_fifty_digits(options: dict[str, Any]) -> None:
    mover, walk, mass = _mover_of(options)
    truth = walk.truth
    zero = walk.clock_zero_s
    frames = np.linspace(0, len(truth.time_s) - 1, INSTANTS).astype(int)
    worst = 0.0
    with mpmath.workdps(50):
        for side in "LR":
            for frame in frames:
                # The same instant as the library's: the double-precision difference, read exactly.
                loads = _recursion(mover, mpmath.mpf(float(truth.time_s[frame] - zero)), side)
                for joint, (force, moment, power) in loads.items():
                    key = (side, joint)
                    got = np.concatenate([
                        truth.joint_force_lab_N[key][frame], truth.joint_moment_lab_Nm[key][frame],
                        [truth.power_rotational_W[key][frame]],
                    ])  # fmt: skip
                    want = np.concatenate([force, moment, [power]])
                    worst = max(worst, float(max(abs(mpmath.mpf(float(g)) - w) for g, w in zip(got, want, strict=True))) / mass)
    assert worst < TOLERANCE
