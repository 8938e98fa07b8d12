"""What joints carry while muscles pull: forces and moments between the two bodies of each joint.

The reaction of a joint is all that passes it but muscles and other forces on bodies: structure, constraints, and the moments of
motors, couplers and locks. With the wrenches that bodies beyond it need ::

    reaction = sum (I acceleration - weight - loads - muscles and other actuators)

The accelerations are those that the forces give, not those of the motion: udot = udot_wanted + C Mff^-1 (R F - tau). For forces
that balance the motion both are the same; forces that are 20 % off change a reaction by hundreds of newtons.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.vectors import cross
from biomech_id.arguments import a, a_str, each, one_or_several, takes
from biomech_id.errors import OptionError, ShapeError, UnknownNameError
from biomech_id.multibody.musculoskeletal import SURROUNDINGS, ModelJoint
from biomech_id.osim.forces.equations import ForceEquations, motor_wrenches
from biomech_id.osim.forces.static_optimisation import MuscleForces
from biomech_id.values import dataclass

#: Standard weight of 1 kg, N.
WEIGHT_OF_KG = 9.80665


@compact_repr
@dataclass(frozen=True, eq=False)
class JointReactions:
    """Forces and moments in joints, N rows, J joints.

    Attributes
    ----------
    time_s : FloatArray
        (N,), s.
    joints : tuple[str, ...]
        Names.
    on : tuple[str, ...]
        Body of each that the reaction acts ON.
    frames : tuple[str, ...]
        Body in whose axes each is given.
    force_N : FloatArray
        (N, J, 3), N.
    moment_Nm : FloatArray
        (N, J, 3), N m, about ``point_m``.
    point_m : FloatArray
        (N, J, 3), m, origin of the joint's frame on that body, from the origin of ``frames`` and in its axes.
    weight_N : float
        Weight of all bodies of the model, N.
    """

    time_s: FloatArray
    joints: tuple[str, ...]
    on: tuple[str, ...]
    frames: tuple[str, ...]
    force_N: FloatArray
    moment_Nm: FloatArray
    point_m: FloatArray
    weight_N: float

    @property
    def size_N(self) -> FloatArray:
        """Size (N, J) of each force, N: the contact force of a joint, if muscles pull."""
        return np.asarray(np.linalg.norm(self.force_N, axis=2))

    @property
    def size_body_weights(self) -> FloatArray:
        """Size (N, J) of each force in weights of the body."""
        return self.size_N / self.weight_N

    def columns(self) -> list[str]:
        """Name what a table of these reactions holds.

        Returns
        -------
        list[str]
            OpenSim's nine names for each joint: force, moment and point.
        """
        named = zip(self.joints, self.on, self.frames, strict=True)
        stems = [f"{joint}_on_{body}_in_{frame}" for joint, body, frame in named]
        return [f"{stem}_{word}{axis}" for stem in stems for word in "fmp" for axis in "xyz"]

    def table(self) -> FloatArray:
        """The numbers of `columns`.

        Returns
        -------
        FloatArray
            (N, 9 J), N, N m and m.
        """
        return np.concatenate([self.force_N, self.moment_Nm, self.point_m], axis=2).reshape(len(self.time_s), -1)


@takes(
    muscle_forces=a(MuscleForces, "static_optimisation returns them"), joints=each(a_str()), on=one_or_several(a_str()),
    frame=one_or_several(a_str()),
)  # fmt: skip
def joint_reactions(
    muscle_forces: MuscleForces,
    *,
    joints: Sequence[str] = (),
    on: str | Sequence[str] = "child",
    frame: str | Sequence[str] = SURROUNDINGS,
) -> JointReactions:
    """Compute what joints carry under muscle forces: their contact forces.

    Parameters
    ----------
    muscle_forces : MuscleForces
        Of `biomech_id.osim.forces.static_optimisation.static_optimisation`.
    joints : Sequence[str], optional
        Names; all in the model's order if empty.
    on : str | Sequence[str], optional
        "child" or "parent", the body that they act on; one word for all joints or one for each.
    frame : str | Sequence[str], optional
        "child", "parent" or the name of a body, in whose axes they are given; one for all joints or one for each.

    Returns
    -------
    JointReactions
        N and N m; NaN in rows without muscle forces.

    Raises
    ------
    UnknownNameError
        A joint or body that the model does not have.
    OptionError
        Another word than child or parent.
    ShapeError
        As many words as neither one nor the joints.
    """
    return reactions_under(muscle_forces.equations, muscle_forces.force, joints=joints, on=on, frame=frame)


def reactions_under(
    equations: ForceEquations,
    force: FloatArray | None,
    *,
    joints: Sequence[str] = (),
    on: str | Sequence[str] = "child",
    frame: str | Sequence[str] = SURROUNDINGS,
) -> JointReactions:
    """Compute what joints carry under any forces of the actuators.

    Parameters
    ----------
    equations : ForceEquations
        Of the motion, of `biomech_id.osim.forces.equations.force_equations`.
    force : FloatArray | None
        (N, n), N or N m of each actuator; None for the intersegmental force of inverse dynamics, without muscles.
    joints, on, frame : optional
        As for `joint_reactions`.

    Returns
    -------
    JointReactions
        N and N m, as `joint_reactions` returns them.
    """
    eq, model = equations, equations.actuated.model
    known = {joint.name: joint for joint in model.joints}
    for name in joints:
        if name not in known:
            raise UnknownNameError(
                f"The model {model.name} has no joint {name!r}.", value=name, expected=f"one of {list(known)}",
                where=model.source or model.name,
            )  # fmt: skip
    chosen = [known[name] for name in joints] if joints else list(model.joints)
    words, frames = _one_each(on, chosen, "apply_on_bodies"), _one_each(frame, chosen, "express_in_frame")
    if not {"child", "parent"} >= set(words):
        raise OptionError(
            f"A reaction acts on the child or on the parent, not on {words}.",
            value=words,
            expected="child or parent",
            where="apply_on_bodies",
        )
    needed = eq.needed if force is None else _needed(eq, force)
    beyond = eq.skeleton.bodies_beyond.astype(float) @ needed
    pose, number = eq.pose, {joint.name: k for k, joint in enumerate(eq.skeleton.joints)}
    out = np.empty((len(needed), len(chosen), 3, 3))
    on_bodies, in_bodies = [], []
    for k, (joint, word, named) in enumerate(zip(chosen, words, frames, strict=True)):
        side, sign = (joint.child, 1.0) if word == "child" else (joint.parent, -1.0)
        wrench, body = sign * beyond[:, number[joint.name]], eq.skeleton.body_index(side.body)
        point = pose.points([body], np.asarray(side.place_m))[:, 0]
        axes = _body_of(joint, named)
        at = eq.skeleton.body_index(axes)
        vectors = np.stack([wrench[:, 3:], wrench[:, :3] - cross(point, wrench[:, 3:]), point - pose.origin_m[:, at]], axis=1)
        out[:, k] = vectors @ pose.R_ground_body[:, at]
        on_bodies.append(side.body)
        in_bodies.append(axes)
    return JointReactions(
        eq.motion.time_s, tuple(joint.name for joint in chosen), tuple(on_bodies), tuple(in_bodies), out[:, :, 0], out[:, :, 1],
        out[:, :, 2], WEIGHT_OF_KG * model.mass_kg,
    )  # fmt: skip


def size_gradient(muscle_forces: MuscleForces, joints: Sequence[str]) -> FloatArray:
    """Compute by how much each force presses joints together.

    Parameters
    ----------
    muscle_forces : MuscleForces
        Forces that balance the motion, so that other ones that do leave it as it is.
    joints : Sequence[str]
        Names of J joints.

    Returns
    -------
    FloatArray
        (N, J, n), change of each contact force along its own direction, N, for 1 N (1 N m) more of each actuator.
    """
    eq = muscle_forces.equations
    reaction = joint_reactions(muscle_forces, joints=joints)
    along = reaction.force_N / np.where(reaction.size_N > 0, reaction.size_N, 1.0)[..., None]
    bodies = np.array([eq.skeleton.body_index(joint.child.body) for joint in eq.skeleton.joints])
    number = {joint.name: k for k, joint in enumerate(eq.skeleton.joints)}
    gradient = np.zeros((len(along), len(joints), len(eq.actuated.actuators)))
    own = eq.paths.muscle[:, None] == np.arange(len(eq.actuated.muscles))
    for j, name in enumerate(joints):
        beyond = bodies[eq.skeleton.bodies_beyond[number[name]]]
        pulls = np.isin(eq.paths.body, beyond)
        gradient[:, j, eq.actuated.muscles] = -(eq.paths.force[:, pulls] @ along[:, j, :, None])[..., 0] @ own[pulls]
        for k, actuator in enumerate(eq.actuated.actuators):
            for body, wrench in motor_wrenches(actuator, eq.pose):
                if eq.skeleton.body_index(body) in beyond:
                    gradient[:, j, k] -= (wrench[:, 3:] * along[:, j]).sum(axis=1)
    return gradient


def _one_each(words: str | Sequence[str], joints: Sequence[ModelJoint], where: str) -> list[str]:
    listed = [words] if isinstance(words, str) else list(words)
    if len(listed) == 1:
        return listed * len(joints)
    if len(listed) != len(joints):
        raise ShapeError(
            f"{where} has {len(listed)} entries for {len(joints)} joints.",
            value=len(listed),
            expected=f"1 or {len(joints)}",
            where=where,
        )
    return listed


def _body_of(joint: ModelJoint, frame: str) -> str:
    return {"child": joint.child.body, "parent": joint.parent.body}.get(frame, frame.rpartition("/")[2])


def _needed(eq: ForceEquations, force: FloatArray) -> FloatArray:
    """Wrenches (N, B, 6) that joints have to bring to bodies, beside weight, loads and actuators, in the motion that these give."""
    rest = (eq.arms @ force[..., None])[..., 0] - eq.tau
    faster = np.linalg.solve(eq.mass_matrix(), rest[..., None])
    needed = eq.needed + eq.inertia_times(eq.twists @ faster[:, None])[..., 0]
    bodies = [eq.skeleton.body_index(joint.child.body) for joint in eq.skeleton.joints]
    actuated = eq.actuated
    needed = needed - eq.paths.on_bodies(force[:, actuated.muscles], len(eq.skeleton.body_names))[:, bodies]
    number = {joint.child.body: k for k, joint in enumerate(eq.skeleton.joints)}
    for k, actuator in enumerate(actuated.actuators):
        for body, wrench in motor_wrenches(actuator, eq.pose):
            if body != SURROUNDINGS:
                needed[:, number[body]] -= force[:, k, None] * wrench
    return np.asarray(needed)
