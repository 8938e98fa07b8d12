"""The subject's joints as OpenSim describes joints: six named coordinates each, with exact speeds and accelerations.

Ground is X forward along the trial's progression, Y up, Z to the right. Bodies have the same axes in the anatomical position,
which are ISB's, and each leg body's origin is the joint centre proximal to it. A joint turns its child about the z, x and y axes,
in this order (intrinsic), and moves the child's origin along the parent's axes::

    R_parent_child = R(a1 q1) R(a2 q2) R(a3 q3),      o_child = place + (q4, q5, q6)      in the parent's axes.

With e_i the direction of axis i in the parent, A = [e1 e2 e3] and omega the child's angular velocity relative to the parent, ::

    omega = A u,        d(omega)/dt = A du/dt + (u1 e1) x (u2 e2) + (u1 e1 + u2 e2) x (u3 e3),

both solved for u and du/dt: no angle is differentiated. The generalised force of a rotation is e_i . M with M the moment of the
parent on the child about the child's origin, that of a translation the component of the force along the parent's axis.

Signs of the coordinates are those of OpenSim's models gait2392 and Rajagopal et al. 2016 (IEEE Trans Biomed Eng 63:2068):
flexion, adduction, internal rotation, dorsiflexion, inversion positive on both sides; the knee's first is an option, for these two
differ in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.algebra.rotation import cardan_angles, rotation_about
from biomech_id.algebra.vectors import cross, matvec, matvec_transposed
from biomech_id.algebra.wrench import Wrench
from biomech_id.anatomy import DISTAL_SEGMENT, JOINTS, LEG_SEGMENTS, PELVIS, Part, proximal_part
from biomech_id.dynamics.body import BodyMotion, Motion
from biomech_id.values import dataclass

#: What is positive in the coordinate of the knee.
KneeSign = Literal["flexion", "extension"]
#: Order of the rotations, and the number of each one's axis.
SEQUENCE = "zxy"
AXIS_NUMBERS = (2, 0, 1)
BODY_WORDS = {"pelvis": "pelvis", "thigh": "femur", "shank": "tibia", "foot": "calcn"}


def R_ground_lab(motion: BodyMotion) -> FloatArray:
    """Rotation into OpenSim's ground: X along this trial's progression, Y up, Z to the right.

    Parameters
    ----------
    motion : BodyMotion
        Motion of pelvis and legs in the trial.

    Returns
    -------
    FloatArray
        (3, 3), laboratory to ground components.
    """
    forward, left, up = motion.progression_R_lab
    return np.stack([forward, up, -left])


def body_name(key: Part) -> str:
    """OpenSim's name of a segment.

    Parameters
    ----------
    key : Part
        (side, segment), the side "" for the pelvis.

    Returns
    -------
    str
        ("R", "shank") is ``tibia_r``.
    """
    side, segment = key
    return f"{BODY_WORDS[segment]}_{side.lower()}" if side else BODY_WORDS[segment]


@dataclass(frozen=True)
class Joint:
    """One joint.

    Attributes
    ----------
    name : str
        As OpenSim's models call it.
    parent : Part | None
        (side, segment) that carries the joint; None for ground.
    child : Part
        (side, segment) that the joint moves.
    rotations : tuple[str, str, str]
        Names of the coordinates that turn, in order.
    translations : tuple[str, str, str]
        Names of the coordinates that slide, along the parent's axes.
    signs : tuple[float, float, float]
        (3,), +1 or -1 for the axes z, x, y.
    """

    name: str
    parent: Part | None
    child: Part
    rotations: tuple[str, str, str]
    translations: tuple[str, str, str]
    signs: tuple[float, float, float]

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The six names, rotations first."""
        return self.rotations + self.translations


def joints_of(sides: tuple[str, ...], knee: KneeSign = "flexion") -> tuple[Joint, ...]:
    """The joints of a body.

    Parameters
    ----------
    sides : tuple[str, ...]
        Those that the recording shows, "L" and "R".
    knee : KneeSign, optional
        Which way the knee's first coordinate counts.

    Returns
    -------
    tuple[Joint, ...]
        Pelvis first, then down each leg.
    """
    pelvis = Joint(
        "ground_pelvis", None, PELVIS, ("pelvis_tilt", "pelvis_list", "pelvis_rotation"),
        ("pelvis_tx", "pelvis_ty", "pelvis_tz"), (1.0, 1.0, 1.0),
    )  # fmt: skip
    words = {
        "hip": ("hip_flexion", "hip_adduction", "hip_rotation"),
        "knee": ("knee_angle", "knee_adduction", "knee_rotation"),
        "ankle": ("ankle_angle", "ankle_inversion", "ankle_rotation"),
    }
    joints = [pelvis]
    for side in sides:
        end, mirrored = f"_{side.lower()}", 1.0 if side == "R" else -1.0
        for joint in reversed(JOINTS):
            first, second, third = (word + end for word in words[joint])
            parent = proximal_part(side, joint)
            bend = -1.0 if (joint, knee) == ("knee", "flexion") else 1.0
            joints.append(
                Joint(
                    joint + end, parent, (side, DISTAL_SEGMENT[joint]), (first, second, third),
                    (f"{joint}_tx{end}", f"{joint}_ty{end}", f"{joint}_tz{end}"), (bend, mirrored, mirrored),
                )
            )  # fmt: skip
    return tuple(joints)


@dataclass(frozen=True, eq=False)
class BodyState:
    """Pose, velocity and acceleration of one OpenSim body's axes and origin; laboratory components, SI, n frames.

    Attributes
    ----------
    R_lab_body : FloatArray
        (n, 3, 3), maps body components to laboratory components.
    origin_m : FloatArray
        (n, 3), laboratory axes, m.
    velocity_m_s : FloatArray
        (n, 3), of the origin, m/s.
    acceleration_m_s2 : FloatArray
        (n, 3), of the origin, m/s2.
    omega_rad_s : FloatArray
        (n, 3), angular velocity, rad/s.
    alpha_rad_s2 : FloatArray
        (n, 3), angular acceleration, rad/s2.
    """

    R_lab_body: FloatArray
    origin_m: FloatArray
    velocity_m_s: FloatArray
    acceleration_m_s2: FloatArray
    omega_rad_s: FloatArray
    alpha_rad_s2: FloatArray


def body_state(motion: Motion, R_seg_body: FloatArray) -> BodyState:
    """State of the body that a segment is, its origin being the segment's.

    The origin moves as the material point of the rigid body whose centre of mass and axes were differentiated: so OpenSim, which
    knows the origin, finds the very acceleration of the centre of mass.

    Parameters
    ----------
    motion : Motion
        Motion of the segment, derivatives in it.
    R_seg_body : FloatArray
        (3, 3), maps components in OpenSim's body to components in our segment axes.

    Returns
    -------
    BodyState
        In OpenSim's body axes.
    """
    omega, alpha = motion.omega_lab_rad_s, motion.alpha_lab_rad_s2
    arm = motion.frames.origin_lab_m - motion.com_lab_m
    swing = cross(omega, arm)
    return BodyState(
        motion.frames.R_lab_seg @ R_seg_body, motion.frames.origin_lab_m, motion.com_velocity_lab_m_s + swing,
        motion.com_acceleration_lab_m_s2 + cross(alpha, arm) + cross(omega, swing), omega, alpha,
    )  # fmt: skip


def body_states(motion: BodyMotion) -> dict[Part, BodyState]:
    """States of the pelvis, and of foot, shank and thigh of both legs.

    Parameters
    ----------
    motion : BodyMotion
        Motion of pelvis and legs in the trial.

    Returns
    -------
    dict[Part, BodyState]
        By (side, segment), in OpenSim's body axes.
    """
    keys = (PELVIS, *((side, segment) for side in motion.sides for segment in LEG_SEGMENTS))
    return {key: body_state(motion.motions[key], motion.model_axes.R_seg_isb[key[1]]) for key in keys}


def ground_state(R_ground_lab: FloatArray, n_frames: int) -> BodyState:
    """State of the ground, which rests at the laboratory's origin.

    Parameters
    ----------
    R_ground_lab : FloatArray
        (3, 3), maps laboratory components to OpenSim's ground.
    n_frames : int
        How many frames it rests for.

    Returns
    -------
    BodyState
        Zero velocities and accelerations.
    """
    still = np.zeros((n_frames, 3))
    return BodyState(np.broadcast_to(R_ground_lab.T, (n_frames, 3, 3)), still, still, still, still, still)


@dataclass(frozen=True, eq=False)
class JointState:
    """Six coordinates of a joint, (n, 6) each: rad and m, per second, per second squared.

    ``axes_parent`` (n, 3, 3) has the axes of the rotations as columns, in the parent's components.

    Attributes
    ----------
    q : FloatArray
        (n, 6), three rotations (rad), three translations (m).
    u : FloatArray
        (n, 6), per second.
    du : FloatArray
        (n, 6), per second squared.
    axes_parent : FloatArray
        (n, 3, 3), axes of the rotations as columns, in the parent's components.
    """

    q: FloatArray
    u: FloatArray
    du: FloatArray
    axes_parent: FloatArray


def joint_state(joint: Joint, parent: BodyState, child: BodyState, place_parent_m: FloatArray) -> JointState:
    """Coordinates, speeds and accelerations of a joint (see the module).

    Parameters
    ----------
    joint : Joint
        Its names, parent, child and signs.
    parent, child : BodyState
        The bodies on either side.
    place_parent_m : FloatArray
        (3,), in the parent's axes, from its origin, metres.

    Returns
    -------
    JointState
        Angles in rad without jumps by a turn, translations in m; NaN where a body is missing.
    """
    R = np.swapaxes(parent.R_lab_body, -1, -2) @ child.R_lab_body
    turned = cardan_angles(R, SEQUENCE)
    signs = np.array(joint.signs)
    axes = _axes(turned, signs)
    angles = signs * _unwrapped(turned)
    omega = matvec_transposed(parent.R_lab_body, child.omega_rad_s - parent.omega_rad_s)
    # d/dt in the parent's axes of the relative angular velocity
    alpha = matvec_transposed(
        parent.R_lab_body, child.alpha_rad_s2 - parent.alpha_rad_s2 - cross(parent.omega_rad_s, child.omega_rad_s)
    )
    speed = np.linalg.solve(axes, omega[..., None])[..., 0]
    first, second, third = (speed[:, k, None] * axes[:, :, k] for k in range(3))
    bias = cross(first, second) + cross(first + second, third)
    turning = np.linalg.solve(axes, (alpha - bias)[..., None])[..., 0]
    arm = child.origin_m - parent.origin_m
    swing = cross(parent.omega_rad_s, arm)
    drift_lab = child.velocity_m_s - parent.velocity_m_s - swing
    rush_lab = (
        child.acceleration_m_s2 - parent.acceleration_m_s2 - cross(parent.alpha_rad_s2, arm)
        - cross(parent.omega_rad_s, swing) - 2.0 * cross(parent.omega_rad_s, drift_lab)
    )  # fmt: skip
    return JointState(
        np.hstack([angles, matvec_transposed(parent.R_lab_body, arm) - place_parent_m]),
        np.hstack([speed, matvec_transposed(parent.R_lab_body, drift_lab)]),
        np.hstack([turning, matvec_transposed(parent.R_lab_body, rush_lab)]),
        axes,
    )


def generalised_forces(state: JointState, parent: BodyState, child: BodyState, wrench: Wrench) -> FloatArray:
    """The generalised forces that a joint's wrench is.

    Parameters
    ----------
    state : JointState
        Coordinates of the joint in the same frames.
    parent : BodyState
        Body on the proximal side.
    child : BodyState
        Body on the distal side.
    wrench : Wrench
        Action of the parent on the child, laboratory axes, about any point.

    Returns
    -------
    FloatArray
        (n, 6), three moments, N m, then three forces, N.
    """
    here = wrench.about(child.origin_m)
    moment = matvec_transposed(parent.R_lab_body, here.moment_Nm)
    force = matvec_transposed(parent.R_lab_body, here.force_N)
    return np.hstack([matvec_transposed(state.axes_parent, moment), force])


def joint_places(states: Mapping[Part, BodyState], joints: tuple[Joint, ...]) -> dict[str, FloatArray]:
    """Where joints sit on their parents: the median over the frames.

    Parameters
    ----------
    states : Mapping[Part, BodyState]
        (side, segment) -> state; ground has its own.
    joints : tuple[Joint, ...]
        Pelvis first, then down each leg.

    Returns
    -------
    dict[str, FloatArray]
        By the joint's name, (3,), the child's origin in the parent's axes, m; zeros for ground's.
    """
    places = {}
    for joint in joints:
        if joint.parent is None:
            places[joint.name] = np.zeros(3)
            continue
        parent, child = states[joint.parent], states[joint.child]
        arm = matvec_transposed(parent.R_lab_body, child.origin_m - parent.origin_m)
        places[joint.name] = over_seen(np.nanmedian, arm, axis=0)
    return places


def into_body(state: BodyState, point_lab_m: FloatArray) -> FloatArray:
    """Express a path in a body's axes.

    Parameters
    ----------
    state : BodyState
        Pose of the body in the same frames.
    point_lab_m : FloatArray
        (n, 3), laboratory axes, metres.

    Returns
    -------
    FloatArray
        (n, 3), from the body's origin, m.
    """
    return matvec_transposed(state.R_lab_body, point_lab_m - state.origin_m)


def _axes(turned_rad: FloatArray, signs: FloatArray) -> FloatArray:
    """Axes of the three rotations, as columns, in the parent's components, for Cardan angles (n, 3) about z, x and y."""
    z, x, y = (np.eye(3)[k] for k in AXIS_NUMBERS)
    first = rotation_about(2, turned_rad[:, 0])
    second = first @ rotation_about(0, turned_rad[:, 1])
    columns = (np.broadcast_to(z, (len(turned_rad), 3)), matvec(first, x), matvec(second, y))
    return np.stack([sign * column for sign, column in zip(signs, columns, strict=True)], axis=-1)


def _unwrapped(angles_rad: FloatArray) -> FloatArray:
    """The same angles (n, 3) without jumps by a turn; missing frames stay missing."""
    out = np.array(angles_rad)
    seen = np.isfinite(out).all(axis=1)
    out[seen] = np.unwrap(out[seen], axis=0)
    return out
