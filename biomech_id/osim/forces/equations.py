"""What a recorded motion asks of a model's actuators, row by row: moments, how each actuator makes them, and how bodies move.

Free coordinates are those that are neither locked nor follow another. With V the way a free coordinate moves a body (turn, and
shift of the point at the origin of the surroundings) and w the moment about that origin and the force that a body needs ::

    tau = sum V^T w,   mass matrix M = sum V^T I V,   G_ji = R_ji s_i

over all bodies; I is a body's inertia about that origin. A muscle's R_ji is its moment arm, another actuator's is V^T times its own
wrench, or 1 by the coordinate that it drives.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray, IntArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.vectors import cross
from biomech_id.errors import ShapeError
from biomech_id.multibody.musculoskeletal import SURROUNDINGS
from biomech_id.osim.dynamics.external_loads import BodyLoad, OuterForce, loads_in_pose
from biomech_id.osim.dynamics.inverse_dynamics import SkeletonMotion, required_wrenches, skeleton_motion, speeds_of
from biomech_id.osim.dynamics.recorded_motion import RecordedMotion
from biomech_id.osim.forces.actuators import ActuatedModel, Actuator, held_coordinates
from biomech_id.osim.forces.muscle_curves import strengths
from biomech_id.osim.forces.passive_forces import PassiveEffect, PassiveState
from biomech_id.osim.muscles.muscle_paths import PathTensions
from biomech_id.osim.skeleton.skeleton import Skeleton, SkeletonPose
from biomech_id.osim.skeleton.tree import Tree, TreePose
from biomech_id.values import dataclass


@compact_repr
@dataclass(frozen=True, eq=False)
class ForceEquations:
    """Balance of a motion in N rows, for m free coordinates and n actuators.

    Attributes
    ----------
    actuated : ActuatedModel
        The model and its actuators.
    motion : RecordedMotion
        All coordinates (N, nq) with both derivatives, those that follow others following.
    coordinates : tuple[str, ...]
        (m,), the free ones.
    tau : FloatArray
        (N, m), N m or N, what has to act on each free coordinate beside weight, loads and passive forces.
    arms : FloatArray
        (N, m, n), of each actuator by each free coordinate for 1 N (1 N m): m, or without unit.
    strength : FloatArray
        (N, n), N or N m at a control of 1.
    twists : FloatArray
        (N, B, 6, m), turn and shift of each body by each free coordinate, bodies in the order of the skeleton's joints.
    needed : FloatArray
        (N, B, 6), moment about the origin of the surroundings, N m, and force, N, that each body needs beside weight, loads and
        what passive forces do to it.
    paths : PathTensions
        Of the muscles.
    skeleton : Skeleton
        Tree of the model.
    moving : SkeletonMotion
        Its frames.
    loads : tuple[BodyLoad, ...]
        From outside.
    passive : PassiveEffect
        What acts without being driven.
    """

    actuated: ActuatedModel
    motion: RecordedMotion
    coordinates: tuple[str, ...]
    tau: FloatArray
    arms: FloatArray
    strength: FloatArray
    twists: FloatArray
    needed: FloatArray
    paths: PathTensions
    skeleton: Skeleton
    moving: SkeletonMotion
    loads: tuple[BodyLoad, ...]
    passive: PassiveEffect

    @property
    def pose(self) -> SkeletonPose:
        """Places of all bodies."""
        return self.skeleton.pose_in(self.moving.places)

    def inertia_times(self, twists: FloatArray) -> FloatArray:
        """Moments and forces that accelerations of bodies take.

        Parameters
        ----------
        twists : FloatArray
            (N, B, 6, k), angular accelerations, and those of the points at the origin of the surroundings.

        Returns
        -------
        FloatArray
            (N, B, 6, k), moment about that origin, N m, and force, N.
        """
        mass, com_m, tensor = self.skeleton.inertia_in_frames
        R = self.moving.places.columns[1:].transpose(3, 0, 2, 1)
        com = self.moving.places.origin[1:].transpose(2, 0, 1) + (R @ com_m[..., None])[..., 0]
        turn, shift = twists[:, :, :3], twists[:, :, 3:]
        arm = com[..., None]
        force = mass[:, None, None] * (shift + np.cross(turn, arm, axis=2))
        spin = R @ (tensor @ (R.swapaxes(2, 3) @ turn))
        return np.concatenate([spin + np.cross(arm, force, axis=2), force], axis=2)

    def mass_matrix(self) -> FloatArray:
        """Mass matrix of the free coordinates.

        Returns
        -------
        FloatArray
            (N, m, m), kg m2, kg m or kg.
        """
        N, B, _, m = self.twists.shape
        flat = self.twists.reshape(N, 6 * B, m)
        return np.asarray(flat.swapaxes(1, 2) @ self.inertia_times(self.twists).reshape(N, 6 * B, m))


def force_equations(
    actuated: ActuatedModel, motion: RecordedMotion, loads: Sequence[OuterForce] = (), *, curves: bool = True, compat: bool = False
) -> ForceEquations:
    """Set up what a motion asks of actuators.

    Parameters
    ----------
    actuated : ActuatedModel
        The scaled model and its actuators.
    motion : RecordedMotion
        Coordinates of the model with two derivatives; what stands in coordinates that are locked or follow others is not looked at.
    loads : Sequence[OuterForce], optional
        What acts from outside, sampled over the motion's time.
    curves : bool, optional
        Whether muscles follow their curves; else each has its largest isometric force everywhere.
    compat : bool, optional
        Whether OpenSim's slips are made: in joints, in pennation and on cylinders.

    Returns
    -------
    ForceEquations
        Of every row of the motion.

    Raises
    ------
    InvalidValueError
        A muscle over a surface that is not supported, or a ball joint in gimbal lock.
    ShapeError
        A motion of another model.
    UnknownNameError
        A load on a body that the model does not have.
    """
    model, nq = actuated.model, len(actuated.model.coordinates)
    if motion.q.shape[1:] != (nq,):
        raise ShapeError(
            f"The motion is of another model: it has {motion.q.shape[1]} coordinates, and {model.name} has {nq}.",
            value=motion.q.shape, expected=f"(N, {nq})", where="motion",
        )  # fmt: skip
    paths = actuated.paths()
    tree = Tree(model, sorted(held_coordinates(model)))
    skeleton = tree.skeleton
    motion = _following(tree, motion)
    u, udot = (motion.rate, motion.second) if compat else speeds_of(skeleton, motion.q, motion.rate, motion.second)
    moving = skeleton_motion(skeleton, motion.q, u, udot, compat=compat)
    pose = skeleton.pose_in(moving.places)
    outer = loads_in_pose(loads, pose, motion.time_s)
    passive = actuated.passive.exert(PassiveState(skeleton, motion.q, u, moving, compat))
    force, moment = required_wrenches(skeleton, moving, (*outer, *passive.loads))
    needed = np.concatenate([moment, force], axis=1).transpose(2, 0, 1)
    bodies = np.array([skeleton.body_index(joint.child.body) for joint in skeleton.joints])
    posture = tree.posture(motion.q)
    twists = _twists(tree, posture, bodies)
    tensions = paths.tensions(motion.q, wrapping="opensim" if compat else "drawn")
    arms = _arms(actuated, tree, motion.q, twists, tensions, pose)
    strength = _strength(actuated, tensions, motion.rate[:, tree.free], arms, curves=curves, compat=compat)
    N, B, _, m = twists.shape
    tau = (twists.reshape(N, 6 * B, m).swapaxes(1, 2) @ needed.reshape(N, 6 * B, 1))[..., 0]
    tau -= (passive.on_coordinates[:, None] @ skeleton.coupling_jacobian(motion.q, tree.free.tolist()))[:, 0]
    names = tuple(model.coordinate_names[k] for k in tree.free)
    return ForceEquations(actuated, motion, names, tau, arms, strength, twists, needed, tensions, skeleton, moving, outer, passive)


def _following(tree: Tree, motion: RecordedMotion) -> RecordedMotion:
    """The motion with held coordinates where they are held, and with those that follow others where these lead them."""
    model = tree.model
    q, rate, second = motion.q.copy(), motion.rate.copy(), motion.second.copy()
    for k, each in enumerate(model.coordinates):
        if each.prescribed is not None:
            f, t = each.prescribed, motion.time_s
            q[:, k], rate[:, k], second[:, k] = f.value(t), f.slope(t), f.curvature(t)
        elif each.locked:
            q[:, k], rate[:, k], second[:, k] = each.default, 0.0, 0.0
    q = tree.skeleton.completed(q)
    slope, curvature = tree.coupled(q)
    for k, _, _ in tree.couplings:
        root = tree.root_column(k)
        second[:, k] = slope[:, k] * second[:, root] + curvature[:, k] * rate[:, root] ** 2
        rate[:, k] = slope[:, k] * rate[:, root]
    return RecordedMotion(motion.time_s, q, rate, second)


def _twists(tree: Tree, posture: TreePose, bodies: IntArray) -> FloatArray:
    rows = np.concatenate([posture.turn, posture.shift], axis=2) * posture.slope[..., None]
    by_coordinate = tree.by_coordinate
    which = tree.beyond[:, bodies].T[:, None, :, None] * by_coordinate
    N, S, _ = rows.shape
    B, m = len(bodies), by_coordinate.shape[1]
    spread = rows.swapaxes(1, 2).reshape(6 * N, S) @ which[:, 0].transpose(1, 0, 2).reshape(S, B * m)
    return np.ascontiguousarray(spread.reshape(N, 6, B, m).swapaxes(1, 2))


def _arms(
    actuated: ActuatedModel, tree: Tree, q: FloatArray, twists: FloatArray, tensions: PathTensions, pose: SkeletonPose
) -> FloatArray:
    """(N, m, n), of each actuator by each free coordinate."""
    arms, skeleton = np.zeros((len(q), len(tree.free), len(actuated.actuators))), pose.skeleton
    arms[:, :, actuated.muscles] = tensions.arms_m[:, :, tree.free].swapaxes(1, 2)
    follow = skeleton.coupling_jacobian(q, tree.free.tolist())
    number = {joint.child.body: k for k, joint in enumerate(skeleton.joints)}
    for k, each in enumerate(actuated.actuators):
        if each.kind == "coordinate":
            arms[:, :, k] = follow[:, actuated.model.index(each.coordinate)]
        for body, wrench in motor_wrenches(each, pose):
            if body != SURROUNDINGS:
                arms[:, :, k] += (twists[:, number[body]] * wrench[..., None]).sum(axis=1)
    return arms


def motor_wrenches(actuator: Actuator, pose: SkeletonPose) -> list[tuple[str, FloatArray]]:
    """What an actuator at a point or between bodies does to bodies, for a force or moment of 1.

    Parameters
    ----------
    actuator : Actuator
        Of any kind; a muscle and a motor of a coordinate have none.
    pose : SkeletonPose
        The bodies in N states.

    Returns
    -------
    list[tuple[str, FloatArray]]
        Body, and (N, 6) moment about the origin of the surroundings and force on it, in the axes of the surroundings.
    """
    if actuator.kind not in ("point", "torque"):
        return []
    body = pose.skeleton.body_index(actuator.body or SURROUNDINGS)
    R, origin = pose.R_ground_body[:, body], pose.origin_m[:, body]
    direction = np.broadcast_to(np.asarray(actuator.direction), origin.shape)
    along = direction if actuator.direction_in_ground else (R @ direction[..., None])[..., 0]
    if actuator.kind == "torque":
        turn = np.concatenate([along, np.zeros_like(along)], axis=1)
        return [(actuator.body or SURROUNDINGS, turn), (actuator.against or SURROUNDINGS, -turn)]
    point = np.broadcast_to(np.asarray(actuator.point_m), origin.shape)
    at = point if actuator.point_in_ground else origin + (R @ point[..., None])[..., 0]
    return [(actuator.body or SURROUNDINGS, np.concatenate([cross(at, along), along], axis=1))]


def _strength(
    actuated: ActuatedModel, tensions: PathTensions, rates: FloatArray, arms: FloatArray, *, curves: bool, compat: bool
) -> FloatArray:
    strength = np.tile([each.strength for each in actuated.actuators], (len(rates), 1))
    if curves:
        muscles = [actuated.actuators[k] for k in actuated.muscles]
        lengthening = -(arms[:, :, actuated.muscles] * rates[..., None]).sum(axis=1)
        kinds, numbers = [each.muscle_kind for each in muscles], [each.numbers for each in muscles]
        strength[:, actuated.muscles] = strengths(kinds, numbers, tensions.length_m, lengthening, compat=compat)
    return strength
