"""Muscle and contact forces of a session's trial: the subject's scaled model under the trial's own ground reactions, leg by leg.

A leg is solved in frames in which all of its joint loads are known. Where the other leg's are not, its equations are left out of
the row: a foot without a plate would put the body's weight on reserves. Muscles do not act on the root: residuals change no force.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.dynamics.external import External
from biomech_id.dynamics.leg_forces import Banded, ForceOptions, LegForces
from biomech_id.dynamics.loads import JointLoads
from biomech_id.errors import Finding
from biomech_id.movement.movement import Movement
from biomech_id.multibody.musculoskeletal import SURROUNDINGS, MusculoskeletalModel
from biomech_id.osim.dynamics.external_loads import OuterForce
from biomech_id.osim.dynamics.recorded_motion import RecordedMotion
from biomech_id.osim.forces.actuators import ActuatedModel, Actuator, read_actuated
from biomech_id.osim.forces.contact_cost import with_contact_cost
from biomech_id.osim.forces.equations import ForceEquations, force_equations
from biomech_id.osim.forces.force_bands import force_bands
from biomech_id.osim.forces.joint_reactions import joint_reactions, reactions_under
from biomech_id.osim.forces.static_optimisation import MuscleForces, least_forces
from biomech_id.osim.run import with_muscle_lengths
from biomech_id.osim.skeletal_model import R_LAB_SURROUNDINGS, SkeletalModel, joint_body
from biomech_id.osim.skeleton.tree import Tree
from biomech_id.signal.derivatives import quintic_derivatives
from biomech_id.values import dataclass, replace

#: Joints that are shown, and the segment below each.
_JOINTS: Mapping[str, str] = {"hip": "thigh", "knee": "shank", "ankle": "foot"}
#: Largest contact forces in walking, body weights: above all that implants measured (4.8 in the hip) and models gave.
MOST_BODY_WEIGHTS: Mapping[str, float] = {"hip": 6.0, "knee": 5.0, "ankle": 7.0}
#: A joint of the one leg that carries the body is pressed by more than this, body weights.
LEAST_BODY_WEIGHTS = 1.0
#: N of a residual at a control of 1. Nothing competes with residuals: any number gives the same muscle forces.
_RESIDUAL_N = 100.0


def scaled_actuators(model: MusculoskeletalModel, strength: str = "mass-length") -> ActuatedModel:
    """Read the actuators of a scaled model from its file, and scale the muscles with it.

    Fibre and tendon lengths go with the paths. By "mass-length" the largest force goes with the body's mass over the muscle's
    length, for volumes of muscles go with the mass (Correa and Pandy, J Biomech 44:2782, 2011, in ten children of 7 to 13 years);
    that of the subject's own model stays as it is.

    Parameters
    ----------
    model : MusculoskeletalModel
        Read from its ``source``, scaled or not.
    strength : str, optional
        "mass-length", or "model" for the file's strengths.

    Returns
    -------
    ActuatedModel
        The scaled model with its actuators.

    Raises
    ------
    FileRefusedError, MissingInputError, InvalidValueError
        As of `read_actuated`: an actuator that is not supported, no muscles.
    """
    generic = read_actuated(model.source)
    scaled, _ = with_muscle_lengths(generic.model, model)
    before = {each.name: each for each in generic.model.muscles}
    ratio = {each.name: each.optimal_fibre_length_m / before[each.name].optimal_fibre_length_m for each in scaled.muscles}
    heavier = model.mass_kg / generic.model.mass_kg if strength == "mass-length" else None
    actuators = (
        _scaled(each, ratio[each.name], heavier) if each.kind == "muscle" else each for each in generic.actuators
    )  # fmt: skip
    return ActuatedModel(model, tuple(actuators))


def _scaled(muscle: Actuator, longer: float, heavier: float | None) -> Actuator:
    stronger = 1.0 if heavier is None else heavier / longer
    factors = {"optimal_fiber_length": longer, "tendon_slack_length": longer, "max_isometric_force": stronger}
    numbers = {name: value * factors.get(name, 1.0) for name, value in muscle.numbers.items()}
    return replace(muscle, numbers=numbers, strength=muscle.strength * stronger)


def leg_forces(
    model: SkeletalModel,
    movement: Movement,
    loads: JointLoads,
    options: ForceOptions | None = None,
    *,
    extra: Sequence[External] = (),
) -> tuple[dict[str, LegForces], tuple[Finding, ...]]:
    """Find the muscle forces and contact forces of a trial.

    Parameters
    ----------
    model : SkeletalModel
        The subject's.
    movement : Movement
        The model placed in the trial, with feet on plates.
    loads : JointLoads
        Of the legs: where they are known, a leg is solved.
    options : ForceOptions | None, optional
        How; least squares with reserves of 1 N m unless given.
    extra : Sequence[External], optional
        Further wrenches on segments of the legs.

    Returns
    -------
    tuple[dict[str, LegForces], tuple[Finding, ...]]
        Side -> forces of a leg that some frame is known of; and what should be known of them.

    Raises
    ------
    FileRefusedError, MissingInputError, InvalidValueError
        A model whose muscles cannot be computed; the message names what is missing.
    """
    options = options or ForceOptions()
    actuated = _with_reserves(scaled_actuators(model.osim, options.strength), options.reserve_Nm)
    q = model.coordinates(movement.trial).q
    rate, second = quintic_derivatives(q, movement.rate_hz)
    posed = np.isfinite(np.concatenate([q, rate, second], axis=1)).all(axis=1)
    sides = dict.fromkeys(side for side, _ in loads)
    known = {side: posed & np.all([loads[side, joint].known for joint in _JOINTS], axis=0) for side in sides}
    rows = np.flatnonzero(np.any(list(known.values()), axis=0))
    missing = [side for side, seen in known.items() if not seen.any()]
    none = (Finding("muscle-forces-no-plate", {"sides": missing}, movement.name),) if missing else ()
    if not len(rows):
        return {}, none
    motion = RecordedMotion(movement.time_s[rows], q[rows], rate[rows], second[rows])
    eq = force_equations(actuated, motion, list(_outer(model, movement, extra, known, rows)))
    legs = {side: _Leg.of(model, eq, side) for side in sides}
    for side, leg in legs.items():
        off = ~known[side][rows][:, None] & np.isin(np.arange(len(eq.coordinates)), leg.coordinates)
        eq = replace(eq, tau=np.where(off, 0.0, eq.tau), arms=np.where(off[..., None], 0.0, eq.arms))
    forces = least_forces(eq, options.exponent)
    if options.knee_cost:
        forces = with_contact_cost(forces, joints=[leg.joints[1] for leg in legs.values()], weight=options.knee_cost)
    shown = [eq.coordinates[k] for leg in legs.values() for of_joint in leg.of_joint for k in of_joint]
    both = np.all([known[side][rows] for side in sides], axis=0)
    residual = np.where(both, np.linalg.norm(reactions_under(eq, None, joints=[_root(eq)]).force_N[:, 0], axis=1), np.nan)
    solved = {
        side: legs[side].solved(forces, known[side], rows, residual) for side in sides if known[side].any()
    }  # fmt: skip
    return solved, (*none, *forces.findings(movement.name, shown))


def implausible(legs: Mapping[str, LegForces], alone: Mapping[str, BoolArray], where: str) -> Iterator[Finding]:
    """Name contact forces that walking cannot have: blunders, not fine errors.

    Parameters
    ----------
    legs : Mapping[str, LegForces]
        Side -> forces of that leg in a walk.
    alone : Mapping[str, BoolArray]
        Side -> (n,), frames in which that foot alone is on the floor.
    where : str
        Name of the trial.

    Yields
    ------
    Finding
        One for each joint whose largest force is above `MOST_BODY_WEIGHTS`, or in single support below `LEAST_BODY_WEIGHTS`.
    """
    for side, leg in legs.items():
        peaks = np.nanmax(leg.contact.value, axis=0, initial=0.0) / leg.weight_N
        for joint, peak in zip(leg.joints, peaks.tolist(), strict=True):
            if peak > MOST_BODY_WEIGHTS[joint]:
                values = {"side": side, "joint": joint, "peak": peak, "limit": MOST_BODY_WEIGHTS[joint]}
                yield Finding("contact-implausible", values, where)
        carrying = leg.contact.value[alone[side]] / leg.weight_N
        for joint, forces in zip(leg.joints, carrying.T, strict=True):
            if np.isfinite(forces).any() and (largest := float(np.nanmax(forces))) < LEAST_BODY_WEIGHTS:
                values = {"side": side, "joint": joint, "peak": largest, "limit": LEAST_BODY_WEIGHTS}
                yield Finding("contact-too-small", values, where)


def _with_reserves(actuated: ActuatedModel, reserve_Nm: float) -> ActuatedModel:
    if reserve_Nm > 0:
        return actuated.with_reserves(reserve_Nm, _RESIDUAL_N)
    # Without reserves what no muscle moves (toes, trunk) needs a motor all the same.
    arms = np.abs(actuated.paths().moment_arms(Tree(actuated.model).skeleton.default_q()[None])[0])
    moved = {each.name for each, arm in zip(actuated.model.coordinates, arms.T, strict=True) if np.nanmax(arm, initial=0.0) > 1e-6}
    driven = actuated.with_reserves(1.0, _RESIDUAL_N)
    kept = (each for each in driven.actuators if each in actuated.actuators or each.coordinate not in moved)
    return ActuatedModel(actuated.model, tuple(kept))


def _outer(
    model: SkeletalModel, movement: Movement, extra: Sequence[External], known: Mapping[str, BoolArray], rows: IntArray
) -> Iterator[OuterForce]:
    """What acts on the legs' bodies, about the origin and in the axes of the surroundings; nothing on a leg that is not known."""
    body = {f"{side} {name}": names[0] for (side, name), names in model.calibration.bodies.items() if side}
    contacts = {} if movement.assignment is None else movement.assignment.contacts
    acting = [(f"{side} foot", contact.force_lab_N, contact.moment_lab_Nm) for side, contact in contacts.items()]
    acting += [(load.segment, *load.at_origin()) for load in extra if load.segment in body]
    time_s, origin = movement.time_s[rows], np.zeros((len(rows), 3))
    for segment, force, moment in acting:
        there = known[segment[0]][rows, None]
        on_body, about_origin = (np.where(there, each[rows], 0.0) @ R_LAB_SURROUNDINGS for each in (force, moment))
        yield OuterForce(body[segment], time_s, on_body, about_origin, origin)


def _root(eq: ForceEquations) -> str:
    return next(joint.name for joint in eq.actuated.model.joints if joint.parent.body == SURROUNDINGS)


@dataclass(frozen=True)
class _Leg:
    """What of the equations belongs to a leg: names of its joints, columns of coordinates and of muscles."""

    joints: tuple[str, ...]
    of_joint: tuple[IntArray, ...]
    coordinates: IntArray
    muscles: IntArray

    @staticmethod
    def of(model: SkeletalModel, eq: ForceEquations, side: str) -> _Leg:
        osim, bodies, tree = model.osim, model.calibration.bodies, Tree(model.osim)
        below = {tree.skeleton.body_names[joint_body(tree, bodies[side, segment], segment)] for segment in _JOINTS.values()}
        own = {name for (of, _), names in bodies.items() if of == side for name in names}
        by_child = {joint.child.body: joint.name for joint in osim.joints}
        joints = tuple(
            by_child[tree.skeleton.body_names[joint_body(tree, bodies[side, segment], segment)]] for segment in _JOINTS.values()
        )

        def columns(names: Sequence[str]) -> IntArray:
            return np.array([k for k, each in enumerate(eq.coordinates) if osim.coordinates[osim.index(each)].joint in names], int)

        coordinates = columns([name for body, name in by_child.items() if body in own | below])
        acting = np.abs(eq.arms[:, coordinates]).max(axis=(0, 1), initial=0.0) > 0
        muscles = np.array([k for k in eq.actuated.muscles if acting[k]], dtype=int)
        return _Leg(joints, tuple(columns([name]) for name in joints), coordinates, muscles)

    def solved(self, forces: MuscleForces, known: BoolArray, rows: IntArray, residual: FloatArray) -> LegForces:
        eq, actuated = forces.equations, forces.equations.actuated
        there = np.flatnonzero(known[rows] & ~forces.infeasible)

        def everywhere(values: FloatArray) -> FloatArray:
            filled = np.full((len(known), *values.shape[1:]), np.nan)
            filled[rows[there]] = values
            return filled

        contact = joint_reactions(forces, joints=self.joints, frame="child")
        plain = reactions_under(eq, None, joints=self.joints)
        peak = np.maximum(np.abs(eq.tau[there]).max(axis=0, initial=0.0), np.finfo(float).tiny)
        share, names = np.abs(forces.reserve) / peak, tuple(actuated.names[k] for k in self.muscles)
        nothing = np.full(len(eq.tau), np.nan)
        force, size = (
            Banded(value, *(np.broadcast_to(nothing[:, None], value.shape),) * 3)
            for value in (forces.force[:, self.muscles], contact.size_N)
        )
        if forces.has_bands:
            own = replace(forces, infeasible=~np.isin(np.arange(len(eq.tau)), there))
            bands = force_bands(own, joints=self.joints, muscles=names)
            force, size = bands.force, bands.contact
        at_limit = np.zeros((len(known), len(names)), dtype=bool)
        at_limit[rows[there]] = forces.at_limit[there][:, self.muscles]
        force, size = (
            Banded(*(everywhere(band[there]) for band in (one.value, one.sd, one.least, one.most))) for one in (force, size)
        )
        return LegForces(
            names, everywhere(forces.activation[there][:, self.muscles]), at_limit, force, tuple(_JOINTS),
            everywhere(contact.force_N[there]), size, everywhere(plain.size_N[there]),
            everywhere(np.stack([share[there][:, of].max(axis=1, initial=0.0) for of in self.of_joint], axis=1)),
            everywhere(residual[there]), contact.weight_N,
        )  # fmt: skip
