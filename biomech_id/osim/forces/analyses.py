"""OpenSim's analyses of a motion: static optimisation and joint reactions, with the files that its tool writes.

One setup may ask for both: reactions without a file of forces take those that its own optimisation gives.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.errors import FileRefusedError, MissingInputError, OptionError
from biomech_id.multibody.musculoskeletal import SURROUNDINGS
from biomech_id.osim.document.setups import AnalyzeSetup, ReactionSetup
from biomech_id.osim.dynamics.external_loads import OuterForce
from biomech_id.osim.dynamics.recorded_motion import RecordedMotion
from biomech_id.osim.forces.actuators import ActuatedModel
from biomech_id.osim.forces.equations import ForceEquations, force_equations
from biomech_id.osim.forces.joint_reactions import reactions_under
from biomech_id.osim.forces.static_optimisation import MuscleForces, least_forces
from biomech_id.osim.outputs import ToolOutputs
from biomech_id.readers.opensim.storage import read_storage
from biomech_id.values import dataclass
from biomech_id.writers.opensim_text import write_tool_table

_FORCE_NOTES = (
    "", "This file contains the forces exerted on a model during a simulation.", "",
    "A force is a generalized force, meaning that it can be either a force (N) or a torque (Nm).", "",
    "Units are S.I. units (second, meters, Newtons, ...)",
    "If the header above contains a line with 'inDegrees', this indicates whether rotational values are in degrees (yes) or "
    "radians (no).",
    "",
)  # fmt: skip
_REACTION_NOTES = (
    "", "This file contains the reaction forces and moments",
    "applied to the specified body of a joint pair and expressed  in the specified reference frame.", "",
    "Units are S.I. units (seconds, meters, Newtons, ...)",
)  # fmt: skip
_ACTIVATION_NOTES = ("This file contains static optimization results.", "")


@dataclass(frozen=True, eq=False)
class RecordedLoads:
    """Loads from outside with their names.

    Attributes
    ----------
    forces : tuple[OuterForce, ...]
        Samples.
    names : tuple[str, ...]
        What the document calls them.
    """

    forces: tuple[OuterForce, ...]
    names: tuple[str, ...]


def run_analyses(
    setup: AnalyzeSetup, place: ToolOutputs, actuated: ActuatedModel, motion: RecordedMotion, loads: RecordedLoads, *, compat: bool
) -> list[str]:
    """Do what an AnalyzeTool's setup asks for.

    Parameters
    ----------
    setup : AnalyzeSetup
        Which analyses.
    place : ToolOutputs
        Takes the files.
    actuated : ActuatedModel
        The model with all actuators.
    motion : RecordedMotion
        Rows that are analysed.
    loads : RecordedLoads
        From outside.
    compat : bool
        Whether OpenSim's slips are made.

    Returns
    -------
    list[str]
        One sentence for each thing that somebody should know.

    Raises
    ------
    FileRefusedError
        Reactions without forces.
    MissingInputError
        A file of forces that lacks an actuator.
    OptionError
        An analysis without the model's own forces, or an exponent below 2.
    """
    stem = f"{setup.name}_"
    activations = [f"{stem}{each.name}_{word}.sto" for each in setup.optimizations for word in ("activation", "force")]
    place.expect(*activations, *(f"{stem}{each.name}_ReactionLoads.sto" for each in setup.reactions))
    wanted = {each.curves for each in setup.optimizations} or {True}
    equations = {curves: force_equations(actuated, motion, loads.forces, curves=curves, compat=compat) for curves in wanted}
    remarks, answers = list(actuated.passive.remarks), list[MuscleForces]()
    first = next(iter(equations.values()))
    if setup.external_loads_file is not None:
        remarks += first.passive.counted_twice(first.loads, setup.external_loads_file.name)
    for each in setup.optimizations:
        if not each.model_forces:
            raise OptionError(
                f"The analysis {each.name} leaves out the model's own actuators; what is left is inverse dynamics: run its tool.",
                value=False, expected="use_model_force_set true", where=str(place.setup),
            )  # fmt: skip
        answers.append(least_forces(equations[each.curves], each.exponent))
        remarks += answers[-1].remarks()
    loaded = []
    for reaction in setup.reactions:
        force = _forces_for(reaction, actuated, motion, answers, str(place.setup))
        joints = () if {word.lower() for word in reaction.joints} <= {"all"} else reaction.joints
        on, frames = reaction.on or ("child",), reaction.frames or (SURROUNDINGS,)
        rows = np.isfinite(force).all(axis=1) & _shown(motion, reaction.interval)
        loaded.append((rows, reactions_under(first, force, joints=joints, on=on, frame=frames)))
    # Whatever is refused has been by now: nothing is written by halves.
    for each, answer in zip(setup.optimizations, answers, strict=True):
        _write_forces(place, stem + each.name, answer, loads, ~answer.infeasible & _shown(motion, each.interval))
    for reaction, (rows, carried) in zip(setup.reactions, loaded, strict=True):
        place.write(
            f"{stem}{reaction.name}_ReactionLoads.sto", write_tool_table, "Joint Reaction Loads", carried.columns(),
            motion.time_s[rows], carried.table()[rows], notes=_REACTION_NOTES,
        )  # fmt: skip
    return remarks


def _shown(motion: RecordedMotion, interval: int) -> BoolArray:
    """Every which row, the first and the last among them."""
    number = np.arange(len(motion.time_s))
    return np.asarray((number % max(interval, 1) == 0) | (number == number[-1]))


def _forces_for(
    reaction: ReactionSetup, actuated: ActuatedModel, motion: RecordedMotion, answers: Sequence[MuscleForces], where: str
) -> FloatArray:
    if reaction.forces_file is None:
        if not answers:
            raise FileRefusedError(
                f"The joint reaction {reaction.name} names no forces_file, and there is no static optimisation beside it.",
                value="", expected="a forces_file, or a StaticOptimization in the same setup", where=where,
            )  # fmt: skip
        return answers[-1].force
    table = read_storage(reaction.forces_file)
    missing = [name for name in actuated.names if name not in table]
    if missing:
        raise MissingInputError(
            f"{reaction.forces_file.name} lacks {len(missing)} of {len(actuated.names)} actuators, {missing[0]} among them, and "
            "what joints carry cannot be computed without: take the forces of this model and these force sets.",
            value=missing, expected="a column for every actuator", where=str(reaction.forces_file),
        )  # fmt: skip
    first, last = table.time_s[0], table.time_s[-1]
    if motion.time_s[0] < first - 1e-6 or motion.time_s[-1] > last + 1e-6:
        raise MissingInputError(
            f"{reaction.forces_file.name} holds forces from {first:g} to {last:g} s, and those from {motion.time_s[0]:g} to "
            f"{motion.time_s[-1]:g} s are asked for.",
            value=(float(first), float(last)), expected="forces over the whole motion", where=str(reaction.forces_file),
        )  # fmt: skip
    return np.column_stack([np.interp(motion.time_s, table.time_s, table[name]) for name in actuated.names])


def _write_forces(place: ToolOutputs, stem: str, answer: MuscleForces, loads: RecordedLoads, rows: BoolArray) -> None:
    time_s = answer.time_s[rows]
    names, values = _loads_table(answer.equations, loads.names)
    table = np.column_stack([answer.force, values])[rows]
    activation = answer.activation[rows]
    place.write(
        f"{stem}_activation.sto", write_tool_table, "Static Optimization", answer.names, time_s, activation, notes=_ACTIVATION_NOTES
    )
    place.write(f"{stem}_force.sto", write_tool_table, "ModelForces", [*answer.names, *names], time_s, table, notes=_FORCE_NOTES)


def _loads_table(equations: ForceEquations, names: Sequence[str]) -> tuple[list[str], FloatArray]:
    """Each load's force, the point in its body's axes, and free moment."""
    pose, columns, values = equations.pose, list[str](), [np.empty((len(equations.tau), 0))]
    for name, load in zip(names, equations.loads, strict=True):
        body = equations.skeleton.body_index(load.segment)
        assert load.point_m is not None
        place = ((load.point_m - pose.origin_m[:, body])[:, None] @ pose.R_ground_body[:, body])[:, 0]
        values += [load.force_N, place, load.moment_Nm - np.cross(load.point_m, load.force_N)]
        columns += [f"{load.segment}_{name}_{word}{axis}" for word in "FpT" for axis in ("xyz")]
    return columns, np.concatenate(values, axis=1)
