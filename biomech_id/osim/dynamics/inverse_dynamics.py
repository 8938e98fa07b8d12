"""Inverse dynamics of a musculoskeletal model: the generalised forces that a motion takes, and the reactions in its joints.

By d'Alembert, body by body: force and moment of inertia, less weight and loads from outside, summed from the tips inwards, and each
sum projected on what its coordinate moves. The sign is OpenSim's: what has to act on the coordinate. Of the joint that carries the
root it is what recording and model leave unexplained.

OpenSim's speeds of ball, free and ellipsoid joints are an angular velocity in the parent's joint frame, and its generalised forces
there the components of a moment; here too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.vectors import cross
from biomech_id.arguments import a, an_array, takes
from biomech_id.errors import InvalidValueError
from biomech_id.multibody.musculoskeletal import ANGULAR_SPEED_KINDS, SURROUNDINGS, ModelJoint
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.osim.skeleton.slip import with_slip
from biomech_id.osim.skeleton.tree_motion import TreePlaces, TreeRates, carried, cross_last
from biomech_id.values import dataclass

#: Below this cosine of the second angle, three angles do not determine an angular velocity any more.
_LOCK = 1e-9


class LoadOnBody(Protocol):
    """A wrench on a body: `biomech_id.dynamics.external.External`, or what OpenSim's documents describe."""

    @property
    def segment(self) -> str:
        """Body that it acts ON."""
        ...

    def at_origin(self) -> tuple[FloatArray, FloatArray]:
        """Force and moment about the origin of the surroundings.

        Returns
        -------
        tuple[FloatArray, FloatArray]
            Force (N, 3), N, and moment (N, 3), N m, in the axes of the surroundings.
        """
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
        (N, J, 3), on the child.
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


@takes(skeleton=a(Skeleton), q=an_array(), u=an_array(), udot=an_array())
def generalized_forces(
    skeleton: Skeleton, q: ArrayLike, u: ArrayLike, udot: ArrayLike, loads: Iterable[LoadOnBody] = (), *, compat: bool = False
) -> GeneralizedForces:
    """Compute the generalised forces that a motion takes.

    Parameters
    ----------
    skeleton : Skeleton
        Tree of the scaled model.
    q : ArrayLike
        (N, nq), coordinates, rad or m.
    u : ArrayLike
        (N, nq), OpenSim's speeds; those of a joint with angular velocities are such (see `speeds_of`).
    udot : ArrayLike
        (N, nq), their rates.
    loads : Iterable[LoadOnBody], optional
        Wrenches on bodies, by name, axes of the surroundings.
    compat : bool, optional
        Whether OpenSim's slip in the velocity terms of custom joints is made too (see `biomech_id.osim.skeleton.slip`).

    Returns
    -------
    GeneralizedForces
        What has to act on each coordinate (N, nq), N m or N, beside weight and loads; and the reactions in the joints.

    Raises
    ------
    ShapeError
        Arrays that do not fit.
    UnknownNameError
        A load on a body that the model does not have.
    InvalidValueError
        A ball joint in gimbal lock, whose angular velocity no rates of angles give.
    """
    return forces_in(skeleton, skeleton_motion(skeleton, q, u, udot, compat=compat), loads)


@dataclass(frozen=True, eq=False)
class SkeletonMotion:
    """A skeleton in motion.

    Attributes
    ----------
    places : TreePlaces
        Where its joints' child frames are.
    rates : TreeRates
        How those frames turn and accelerate.
    """

    places: TreePlaces
    rates: TreeRates


def skeleton_motion(skeleton: Skeleton, q: ArrayLike, u: ArrayLike, udot: ArrayLike, *, compat: bool = False) -> SkeletonMotion:
    """Place all frames of a skeleton and find how they move.

    Parameters
    ----------
    skeleton : Skeleton
        Tree of the scaled model.
    q, u, udot : ArrayLike
        (N, nq), as for `generalized_forces`.
    compat : bool, optional
        Whether with OpenSim's slip.

    Returns
    -------
    SkeletonMotion
        Of the joints' child frames, in N states.
    """
    q, u, udot = (skeleton.checked(np.asarray(values, dtype=np.float64)) for values in (q, u, udot))
    rate, second = _rates(skeleton, q, u, udot)
    places = skeleton.tree.places(q)
    rates = skeleton.tree.rates(places, q, rate, second)
    return SkeletonMotion(places, with_slip(skeleton, places, rates) if compat else rates)


def forces_in(skeleton: Skeleton, motion: SkeletonMotion, loads: Iterable[LoadOnBody] = ()) -> GeneralizedForces:
    """Compute generalised forces of a motion of frames that is known already.

    Parameters
    ----------
    skeleton : Skeleton
        Tree of the scaled model.
    motion : SkeletonMotion
        Motion of its frames, of `skeleton_motion`.
    loads : Iterable[LoadOnBody], optional
        Wrenches on bodies, by name, axes of the surroundings.

    Returns
    -------
    GeneralizedForces
        As `generalized_forces` returns them.
    """
    return _projected(skeleton, motion.places, *required_wrenches(skeleton, motion, loads))


def exerted_by(skeleton: Skeleton, places: TreePlaces, loads: Iterable[LoadOnBody]) -> FloatArray:
    """Compute what loads on bodies do to coordinates.

    Parameters
    ----------
    skeleton : Skeleton
        Tree of the scaled model.
    places : TreePlaces
        Where its frames are, in N states.
    loads : Iterable[LoadOnBody]
        Wrenches on bodies, by name, axes of the surroundings.

    Returns
    -------
    FloatArray
        (N, nq), the generalised forces that the loads exert, N m or N.
    """
    force, moment = np.zeros((2, len(skeleton.joints), 3, places.origin.shape[-1]))
    _take_off(skeleton, loads, force, moment)
    return -_projected(skeleton, places, force, moment).tau


def _projected(skeleton: Skeleton, places: TreePlaces, force: FloatArray, moment: FloatArray) -> GeneralizedForces:
    """What joints and coordinates have to do so that bodies get these wrenches (B, 3, N), about the surroundings' origin."""
    layout = skeleton.layout
    beyond = skeleton.bodies_beyond.astype(float)
    total, about_origin = (_summed(beyond, values) for values in (force, moment))
    # What lies beyond a row is what lies beyond its joint.
    joint = skeleton.tree.body - 1
    along = np.where(layout.turning[:, None, None], about_origin[joint] - cross_last(places.at, total[joint]), total[joint])
    per_row = (places.axis * along).sum(axis=1) * places.slope
    tau = per_row.T @ layout.of_speed
    point = places.origin[1:]
    names = tuple(joint.name for joint in skeleton.joints)
    first = [values.transpose(2, 0, 1) for values in (total, about_origin - cross_last(point, total), point)]
    reactions = JointReaction(names, first[0], first[1], first[2])
    for number, each in enumerate(skeleton.joints):
        if each.kind in ANGULAR_SPEED_KINDS:
            columns = [skeleton.model.index(name) for name in each.coordinates[:3]]
            tau[:, columns] = _moment_in_parent(skeleton, places, reactions, number)
    return GeneralizedForces(tau, reactions)


def _summed(beyond: FloatArray, values: FloatArray) -> FloatArray:
    return (beyond @ values.reshape(len(values), -1)).reshape(values.shape)


def required_wrenches(skeleton: Skeleton, motion: SkeletonMotion, loads: Iterable[LoadOnBody]) -> tuple[FloatArray, FloatArray]:
    """What each body needs beyond weight and loads.

    Parameters
    ----------
    skeleton : Skeleton
        Tree of the scaled model.
    motion : SkeletonMotion
        Motion of its frames.
    loads : Iterable[LoadOnBody]
        Wrenches on bodies, by name, axes of the surroundings.

    Returns
    -------
    tuple[FloatArray, FloatArray]
        Force (B, 3, N), N, and moment (B, 3, N) about the origin of the surroundings, N m; bodies in the order of the joints.
    """
    mass, com_m, tensor = skeleton.inertia_in_frames
    C, B = motion.places.columns[1:], len(mass)
    omega, alpha = motion.rates.omega[1:], motion.rates.alpha[1:]
    arm = (com_m[:, None] @ C.reshape(B, 3, -1)).reshape(B, 3, -1)
    acceleration = motion.rates.acceleration[1:] + carried(omega, alpha, arm)
    force = mass[:, None, None] * (acceleration - np.asarray(skeleton.model.gravity_m_s2)[:, None])
    spin, change = (_turned_by(C, tensor @ (C * values[:, None]).sum(axis=2)) for values in (omega, alpha))
    moment = change + cross_last(omega, spin) + cross_last(motion.places.origin[1:] + arm, force)
    _take_off(skeleton, loads, force, moment)
    return force, moment


def _take_off(skeleton: Skeleton, loads: Iterable[LoadOnBody], force: FloatArray, moment: FloatArray) -> None:
    """Take what loads do off what bodies need, in place."""
    for load in loads:
        # A load on what stands still moves nothing.
        if load.segment != SURROUNDINGS:
            body = skeleton.layout.bodies.index(skeleton.body_names[skeleton.body_index(load.segment)])
            outer_force, outer_moment = load.at_origin()
            force[body] -= outer_force.T
            moment[body] -= outer_moment.T


def _turned_by(columns: FloatArray, vectors: FloatArray) -> FloatArray:
    """Vectors (B, 3, N) of frames in the axes of the surroundings."""
    return np.asarray((columns * vectors[:, :, None]).sum(axis=1))


def _moment_in_parent(skeleton: Skeleton, places: TreePlaces, reactions: JointReaction, number: int) -> FloatArray:
    """Moment (N, 3) in the axes of the parent's joint frame, with what the way of an ellipsoid's origin adds."""
    joint, parent = skeleton.joints[number], skeleton.layout.parents[number]
    R_lab_parent = places.columns[parent].transpose(2, 1, 0) @ skeleton.layout.R_parent_joint[number]
    turned = np.swapaxes(R_lab_parent, -1, -2)
    moment = (turned @ reactions.moment_Nm[:, number, :, None])[..., 0]
    if joint.radii_m:
        force = (turned @ reactions.force_N[:, number, :, None])[..., 0]
        normal = (turned @ places.columns[number + 1, 2].T[..., None])[..., 0]
        moment = moment + cross(normal, np.asarray(joint.radii_m) * force)
    return np.asarray(moment)


def speeds_of(skeleton: Skeleton, q: ArrayLike, rate: ArrayLike, second: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Turn derivatives of coordinates into OpenSim's speeds.

    They are the same but in ball, free and ellipsoid joints, whose speeds are the angular velocity in the parent's joint frame.

    Parameters
    ----------
    skeleton : Skeleton
        Tree of the scaled model.
    q : ArrayLike
        (N, nq), coordinates, rad or m.
    rate : ArrayLike
        (N, nq), first derivatives of the coordinates in time.
    second : ArrayLike
        (N, nq), their second derivatives.

    Returns
    -------
    tuple[FloatArray, FloatArray]
        Speeds and their rates, (N, nq) each, rad/s or m/s and rad/s2 or m/s2.
    """
    q = np.asarray(q, dtype=np.float64)
    u, udot = np.array(rate, dtype=np.float64), np.array(second, dtype=np.float64)
    for columns in _angle_columns(skeleton):
        E, E_rate = angular_velocity_matrix(q[:, columns], u[:, columns])
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
        E, _ = angular_velocity_matrix(q[:, columns], u[:, columns])
        rate[:, columns] = np.linalg.solve(E, u[:, columns, None])[..., 0]
        _, E_rate = angular_velocity_matrix(q[:, columns], rate[:, columns])
        left = udot[:, columns, None] - E_rate @ rate[:, columns, None]
        second[:, columns] = np.linalg.solve(E, left)[..., 0]
    return rate, second


def by_speeds(skeleton: Skeleton, q: FloatArray, jacobian: FloatArray) -> FloatArray:
    """Turn derivatives by the rates of coordinates into derivatives by OpenSim's speeds.

    Parameters
    ----------
    skeleton : Skeleton
        Tree of the scaled model.
    q : FloatArray
        (N, nq), coordinates off gimbal lock, rad or m.
    jacobian : FloatArray
        (N, k, nq), by the rates of the coordinates.

    Returns
    -------
    FloatArray
        (N, k, nq), by the speeds; its transpose turns multipliers into generalised forces.
    """
    jacobian = jacobian.copy()
    for columns in _angle_columns(skeleton):
        E, _ = angular_velocity_matrix(q[:, columns], np.zeros_like(q[:, columns]))
        jacobian[:, :, columns] = jacobian[:, :, columns] @ np.linalg.inv(E)
    return jacobian


def force_labels(skeleton: Skeleton) -> list[str]:
    """Name the columns of generalised forces as OpenSim does.

    Parameters
    ----------
    skeleton : Skeleton
        Tree of a model.

    Returns
    -------
    list[str]
        (nq,), "coordinate_moment" for one that turns, else "coordinate_force".
    """
    return [f"{each.name}_{'moment' if each.motion == 'rotational' else 'force'}" for each in skeleton.model.coordinates]


def _angle_columns(skeleton: Skeleton) -> list[list[int]]:
    joints: list[ModelJoint] = [joint for joint in skeleton.joints if joint.kind in ANGULAR_SPEED_KINDS]
    return [[skeleton.model.index(name) for name in joint.coordinates[:3]] for joint in joints]


def angular_velocity_matrix(angles: FloatArray, rate: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Matrix E that turns rates of three angles into an angular velocity, and its own rate.

    Parameters
    ----------
    angles : FloatArray
        (N, 3), turns about x, y and z that follow each other, rad.
    rate : FloatArray
        (N, 3), their rates, rad/s.

    Returns
    -------
    tuple[FloatArray, FloatArray]
        (N, 3, 3) each: E, with omega = E rate in the axes before the turns, and dE/dt, 1/s.
    """
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
