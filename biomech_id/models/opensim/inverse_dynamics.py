"""Inverse dynamics of a musculoskeletal model: the generalised forces that a motion takes, and the reactions in its joints.

By d'Alembert, body by body: force and moment of inertia, less weight and loads from outside, summed from the tips inwards, and each
sum projected on what its coordinate moves. The sign is OpenSim's: what has to act on the coordinate. Of the joint that carries the
root it is what recording and model leave unexplained.

OpenSim's speeds of ball, free and ellipsoid joints are an angular velocity in the parent's joint frame, and its generalised forces
there the components of a moment; here too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.vectors import cross, dot
from biomech_id.errors import InvalidValueError
from biomech_id.models.opensim.skeleton import Skeleton
from biomech_id.models.opensim.slip import with_slip
from biomech_id.multibody.kinematics import Kinematics
from biomech_id.multibody.musculoskeletal import ANGULAR_SPEED_KINDS, SURROUNDINGS, ModelJoint

#: Below this cosine of the second angle, three angles do not determine an angular velocity any more.
_LOCK = 1e-9


class LoadOnBody(Protocol):
    """A wrench on a body: `biomech_id.dynamics.external.External`, or what OpenSim's documents describe."""

    @property
    def segment(self) -> str:
        """Body that it acts ON."""
        ...

    def at_origin(self) -> tuple[FloatArray, FloatArray]:
        """Force (N, 3) and moment (N, 3) about the origin, both in the axes of the surroundings."""
        ...


@compact_repr
@dataclass(frozen=True, eq=False)
class JointReaction:
    """What the parent does to the child in every joint, axes of the surroundings.

    Attributes
    ----------
    joints : tuple[str, ...]
        Names, in the order of `Skeleton.joints`.
    force_N : FloatArray
        (N, J, 3).
    moment_Nm : FloatArray
        (N, J, 3), about the origin of the joint's child frame.
    point_m : FloatArray
        (N, J, 3), those origins.
    """

    joints: tuple[str, ...]
    force_N: FloatArray
    moment_Nm: FloatArray
    point_m: FloatArray


@compact_repr
@dataclass(frozen=True, eq=False)
class GeneralizedForces:
    """What a motion takes.

    Attributes
    ----------
    tau : FloatArray
        (N, nq), N m or N, in the order of the skeleton's coordinates.
    reactions : JointReaction
        Forces and moments in the joints.
    """

    tau: FloatArray
    reactions: JointReaction


def generalized_forces(
    skeleton: Skeleton, q: ArrayLike, u: ArrayLike, udot: ArrayLike, loads: Iterable[LoadOnBody] = (), *, compat: bool = False
) -> GeneralizedForces:
    """Return the generalised forces of a motion.

    Parameters
    ----------
    skeleton : Skeleton
        The model.
    q : ArrayLike
        (N, nq), coordinates, rad or m.
    u, udot : ArrayLike
        (N, nq), OpenSim's speeds and their rates; those of a joint with angular velocities are such (see `speeds_of`).
    loads : Iterable[LoadOnBody], optional
        Wrenches on bodies, by name, axes of the surroundings.
    compat : bool, optional
        Whether OpenSim's slip in the velocity terms of custom joints is made too (see `biomech_id.models.opensim.slip`).

    Raises
    ------
    ShapeError
        Arrays that do not fit.
    UnknownNameError
        A load on a body that the model does not have.
    InvalidValueError
        A ball joint in gimbal lock, whose angular velocity no rates of angles give.
    """
    q, u, udot = (np.asarray(values, dtype=np.float64) for values in (q, u, udot))
    rate, second = _rates(skeleton, q, u, udot)
    moving = skeleton.kinematics(q, rate, second)
    if compat:
        moving = with_slip(skeleton, moving)
    force, moment = _required(skeleton, moving, loads)
    layout = skeleton.layout
    on_row = layout.beyond[1:].T.astype(np.float64)
    F, M = on_row @ force, on_row @ moment
    about = M - cross(moving.at_m, F)
    per_row = np.where(layout.turning, dot(moving.axis, about), dot(moving.axis, F)) * moving.slope
    tau = per_row @ layout.of_speed
    reactions = _reactions(skeleton, moving, force, moment)
    for number, joint in enumerate(skeleton.joints):
        if joint.kind in ANGULAR_SPEED_KINDS:
            tau[:, [skeleton.model.index(name) for name in joint.coordinates[:3]]] = _moment_in_parent(
                skeleton, moving, reactions, number
            )
    return GeneralizedForces(tau, reactions)


def _required(skeleton: Skeleton, moving: Kinematics, loads: Iterable[LoadOnBody]) -> tuple[FloatArray, FloatArray]:
    """Force (N, B, 3) and moment (N, B, 3) about the origin that each body needs beyond weight and loads."""
    mass, com_m, tensor = skeleton.inertia_in_frames
    R = moving.R_lab_body[:, 1:]
    omega, alpha = moving.omega_rad_s[:, 1:], moving.alpha_rad_s2[:, 1:]
    arm = (R @ com_m[..., None])[..., 0]
    acceleration = moving.acceleration_m_s2[:, 1:] + cross(alpha, arm) + cross(omega, cross(omega, arm))
    force = mass[:, None] * (acceleration - np.asarray(skeleton.model.gravity_m_s2))
    turned = np.swapaxes(R, -1, -2)
    spin, change = ((R @ (tensor @ (turned @ w[..., None])))[..., 0] for w in (omega, alpha))
    moment = change + cross(omega, spin) + cross(moving.origin_m[:, 1:] + arm, force)
    for load in loads:
        # A load on what stands still moves nothing.
        if load.segment != SURROUNDINGS:
            body = skeleton.layout.bodies.index(skeleton.body_names[skeleton.body_index(load.segment)])
            outer_force, outer_moment = load.at_origin()
            force[:, body] -= outer_force
            moment[:, body] -= outer_moment
    return force, moment


def _reactions(skeleton: Skeleton, moving: Kinematics, force: FloatArray, moment: FloatArray) -> JointReaction:
    beyond = skeleton.bodies_beyond.astype(np.float64)
    total, about_origin = beyond @ force, beyond @ moment
    point = moving.origin_m[:, 1:]
    names = tuple(joint.name for joint in skeleton.joints)
    return JointReaction(names, total, about_origin - cross(point, total), point)


def _moment_in_parent(skeleton: Skeleton, moving: Kinematics, reactions: JointReaction, number: int) -> FloatArray:
    """Moment (N, 3) in the axes of the parent's joint frame, with what the way of an ellipsoid's origin adds."""
    joint = skeleton.joints[number]
    parent = skeleton.layout.parents[number]
    R_lab_parent = moving.R_lab_body[:, parent] @ skeleton.layout.R_parent_joint[number]
    turned = np.swapaxes(R_lab_parent, -1, -2)
    moment = (turned @ reactions.moment_Nm[:, number, :, None])[..., 0]
    if joint.radii_m:
        force = (turned @ reactions.force_N[:, number, :, None])[..., 0]
        normal = (turned @ moving.R_lab_body[:, number + 1])[..., 2]
        moment = moment + cross(normal, np.asarray(joint.radii_m) * force)
    return np.asarray(moment)


def speeds_of(skeleton: Skeleton, q: ArrayLike, rate: ArrayLike, second: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """OpenSim's speeds and their rates, both (N, nq), from the derivatives of coordinates in time.

    They are the same but in ball, free and ellipsoid joints, whose speeds are the angular velocity in the parent's joint frame.

    Parameters
    ----------
    skeleton : Skeleton
        The model.
    q : ArrayLike
        (N, nq), coordinates.
    rate, second : ArrayLike
        (N, nq), their first and second derivatives.
    """
    q = np.asarray(q, dtype=np.float64)
    u, udot = np.array(rate, dtype=np.float64), np.array(second, dtype=np.float64)
    for columns in _angle_columns(skeleton):
        E, E_rate = _angular_velocity_matrix(q[:, columns], u[:, columns])
        udot[:, columns] = (E @ udot[:, columns, None] + E_rate @ u[:, columns, None])[..., 0]
        u[:, columns] = (E @ u[:, columns, None])[..., 0]
    return u, udot


def _rates(skeleton: Skeleton, q: FloatArray, u: FloatArray, udot: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Derivatives of coordinates from OpenSim's speeds: the inverse of `speeds_of`."""
    columns_of_all = _angle_columns(skeleton)
    if not columns_of_all:
        return u, udot
    rate, second = u.copy(), udot.copy()
    for columns in columns_of_all:
        locked = np.abs(np.cos(q[:, columns[1]])) < _LOCK
        if locked.any():
            name = skeleton.coordinates[columns[1]]
            raise InvalidValueError(
                f"The coordinate {name} is at a quarter turn in frame {int(np.argmax(locked))}, where its joint's angles do not "
                "determine an angular velocity.",
                value=float(q[int(np.argmax(locked)), columns[1]]), expected="an angle off 90 degrees", where=name,
            )  # fmt: skip
        E, _ = _angular_velocity_matrix(q[:, columns], u[:, columns])
        rate[:, columns] = np.linalg.solve(E, u[:, columns, None])[..., 0]
        _, E_rate = _angular_velocity_matrix(q[:, columns], rate[:, columns])
        left = udot[:, columns, None] - E_rate @ rate[:, columns, None]
        second[:, columns] = np.linalg.solve(E, left)[..., 0]
    return rate, second


def _angle_columns(skeleton: Skeleton) -> list[list[int]]:
    joints: list[ModelJoint] = [joint for joint in skeleton.joints if joint.kind in ANGULAR_SPEED_KINDS]
    return [[skeleton.model.index(name) for name in joint.coordinates[:3]] for joint in joints]


def _angular_velocity_matrix(angles: FloatArray, rate: FloatArray) -> tuple[FloatArray, FloatArray]:
    """E (N, 3, 3) with omega = E angles', of turns about x, y, z that follow, in the axes before them; and its rate."""
    sx, sy = np.sin(angles[:, 0]), np.sin(angles[:, 1])
    cx, cy = np.cos(angles[:, 0]), np.cos(angles[:, 1])
    x, y = rate[:, 0], rate[:, 1]
    zero, one = np.zeros_like(x), np.ones_like(x)
    E = [[one, zero, sy], [zero, cx, -sx * cy], [zero, sx, cx * cy]]
    E_rate = [
        [zero, zero, cy * y],
        [zero, -sx * x, -cx * cy * x + sx * sy * y],
        [zero, cx * x, -sx * cy * x - cx * sy * y],
    ]
    return tuple(np.moveaxis(np.array(rows), -1, 0) for rows in (E, E_rate))  # type: ignore[return-value]
