"""Running setup files of OpenSim's scale, inverse kinematics and dynamics, and analysis tools with this library's own engine."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.arguments import a_path, a_str, each, or_none, takes
from biomech_id.errors import FileRefusedError, InvalidValueError, MissingInputError, some_of
from biomech_id.files.output_names import last_part
from biomech_id.multibody.musculoskeletal import SURROUNDINGS, Measurement, MuscleModel, MusculoskeletalModel
from biomech_id.osim.document.document_remarks import document_remarks, turned_remarks
from biomech_id.osim.document.model import model_in, read_marker_set, read_osim
from biomech_id.osim.document.scaled_document import (
    scaled_paths,
    unscaled_parts,
    write_marker_set,
    write_scale_factors,
    write_scaled_model,
)
from biomech_id.osim.document.setups import (
    AnalyzeSetup,
    InverseDynamicsSetup,
    InverseKinematicsSetup,
    PlacerSetup,
    PoseSetup,
    ScalerSetup,
    ScaleSetup,
    ToolSetup,
    read_setup,
)
from biomech_id.osim.dynamics.constraint_forces import ConstraintForces, constraint_forces
from biomech_id.osim.dynamics.external_loads import BodyLoad, OuterForce, loads_in_pose
from biomech_id.osim.dynamics.inverse_dynamics import force_labels, forces_in, skeleton_motion, speeds_of
from biomech_id.osim.dynamics.recorded_motion import recorded_motion, row_before
from biomech_id.osim.input_remarks import filter_remarks, load_remarks, motion_remarks, range_remarks, table_remarks
from biomech_id.osim.kinematics.inverse_kinematics import TrackedPose, TrackingTasks, track_markers
from biomech_id.osim.kinematics.pose_remarks import (
    constraint_remarks,
    lying_remarks,
    marker_remarks,
    pose_remarks,
    recording_remarks,
    shaking_remarks,
    together_remarks,
    uneven_remarks,
)
from biomech_id.osim.model_remarks import model_remarks
from biomech_id.osim.outputs import ToolOutputs
from biomech_id.osim.scale_remarks import scaler_remarks, size_remarks
from biomech_id.osim.scaling import (
    measured_factors,
    scaled_model,
    with_lengths,
    with_model_markers,
    with_placed_markers,
)
from biomech_id.osim.skeleton.closing import Closing
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.readers.opensim.document import read_document
from biomech_id.readers.opensim.loads import ExternalForceColumns, read_external_loads
from biomech_id.readers.opensim.storage import StorageTable, read_storage
from biomech_id.readers.opensim.trc import MarkerTable, read_trc
from biomech_id.signal.natural_spline import NaturalSpline
from biomech_id.values import dataclass, replace
from biomech_id.writers.opensim_text import KINEMATICS_NOTES, write_tool_table

#: Angles beyond it (rad) are degrees that nobody called so, as a rule: a knee of 60 would have gone round nine times.
WHOLE_TURN = 2.0 * np.pi
#: A marker that weighs less than this share of what half of them do has no say: the least in the examples is a tenth.
AS_GOOD_AS_NONE = 1e-3
#: A marker is placed no farther than so from where the model had it, m: generic places of clusters are 0.19 off in the examples.
PLACED_FAR_M = 0.3


@dataclass(frozen=True)
class ToolOutcome:
    """What running a setup came to.

    Attributes
    ----------
    written : tuple[Path, ...]
        Files, in the order written.
    remarks : tuple[str, ...]
        One sentence for each thing that somebody should know.
    """

    written: tuple[Path, ...]
    remarks: tuple[str, ...] = ()


@takes(path=a_path("give the name of a setup file"), out=or_none(a_path("give the name of a folder")), undriven=each(a_str()))
def run_setup(
    path: str | Path, out: str | Path | None = None, *, compat: bool = False, undriven: Collection[str] = ()
) -> ToolOutcome:
    """Do what one of OpenSim's setup files asks for, and write what its tool would write.

    Parameters
    ----------
    path : str | Path
        Setup of a ScaleTool, an InverseKinematicsTool, an InverseDynamicsTool, or of an AnalyzeTool with static optimisation or
        joint reactions.
    out : str | Path | None, optional
        Folder for the outputs; where the setup says, as far as that is below its own folder, if None.
    compat : bool, optional
        Whether OpenSim's slips are made too, so that the very numbers of its tools come out.
    undriven : Collection[str], optional
        Coordinates that nothing drives, of an InverseDynamicsTool: what they need the model's constraints carry. Dependent ones of
        couplers are never driven.

    Returns
    -------
    ToolOutcome
        The files written, and what a user should know of them.

    Raises
    ------
    FileRefusedError
        A setup of another tool, or a file that it names and that cannot be read.
    OutputError
        An output that would be written over a file that is not of an earlier run of this setup, or whose name is none.
    BiomechError
        Whatever model or recordings are refused for; nothing is written then.
    """
    return run_tool(read_setup(path), Path(path), out, compat=compat, undriven=undriven)


def run_tool(
    setup: ToolSetup, path: Path, out: str | Path | None = None, *, compat: bool = False, undriven: Collection[str] = ()
) -> ToolOutcome:
    """Do what a setup asks for that was read before, and may have been changed since; for the rest as `run_setup`.

    Parameters
    ----------
    setup : ToolSetup
        What is asked for.
    path : Path
        The file that the setup is from.
    out : str | Path | None, optional
        Folder for the outputs; None for where the setup says.
    compat : bool, optional
        Whether OpenSim's slips are made too.
    undriven : Collection[str], optional
        Coordinates that nothing drives, of an InverseDynamicsTool.

    Returns
    -------
    ToolOutcome
        The files written, and what a user should know of them.

    Raises
    ------
    OutputError
        As for `run_setup`.
    BiomechError
        Whatever model or recordings are refused for; nothing is written then.
    """
    if undriven and not isinstance(setup, InverseDynamicsSetup):
        raise InvalidValueError(
            f"{path.name} computes no moments that constraints could carry.", value=list(undriven),
            expected="coordinates without a drive for an InverseDynamicsTool alone", where=str(path),
        )  # fmt: skip
    odd = tuple(document_remarks(path))
    if isinstance(setup, ScaleSetup):
        outcome = _scale(setup, ToolOutputs(path, out), compat=compat)
    elif isinstance(setup, InverseKinematicsSetup):
        outcome = _inverse_kinematics(setup, ToolOutputs(path, out, setup.results, beside=setup.output_motion), compat=compat)
    elif isinstance(setup, InverseDynamicsSetup):
        outcome = _inverse_dynamics(setup, ToolOutputs(path, out, setup.results), undriven, compat=compat)
    else:
        outcome = _analyze(setup, ToolOutputs(path, out, setup.results), compat=compat)
    if not isinstance(setup, ScaleSetup | InverseKinematicsSetup) and setup.external_loads_file is not None:
        odd += tuple(document_remarks(setup.external_loads_file))
    return replace(outcome, remarks=(*odd, *outcome.remarks))


def coordinates_in(table: StorageTable, model: MusculoskeletalModel) -> dict[str, FloatArray]:
    """Coordinates in a table, whether it calls them by their names or by the paths of a states file.

    Parameters
    ----------
    table : StorageTable
        A motion or states file.
    model : MusculoskeletalModel
        Whose coordinates they are.

    Returns
    -------
    dict[str, FloatArray]
        Coordinate -> (n,), in the file's units.

    Raises
    ------
    MissingInputError
        Not one column is a coordinate of the model.
    """
    values = {}
    for name in table.columns:
        parts = name.split("/")
        coordinate = parts[-2] if parts[-1] == "value" and len(parts) > 1 else name
        if coordinate not in model.coordinate_names:
            coordinate = "/".join(parts[-3:-1])
        if coordinate in model.coordinate_names:
            values[coordinate] = table[name]
    if not values:
        raise MissingInputError(
            f"{table.name} has no column for any coordinate of {model.name}.",
            value=list(table.columns[:10]), expected=", ".join(model.coordinate_names[:10]), where=table.name,
        )  # fmt: skip
    return values


def angles_in_degrees(
    table: StorageTable,
    columns: Mapping[str, FloatArray],
    model: MusculoskeletalModel,
    file: Path,
    *,
    asked: bool | None = None,
) -> bool:
    """Whether rotational coordinates in a table are in degrees.

    As the table's header says, else as the setup does, else as OpenSim has it.

    Parameters
    ----------
    table : StorageTable
        A motion or states file.
    columns : Mapping[str, FloatArray]
        Coordinate -> (n,), those that are wanted of it.
    model : MusculoskeletalModel
        Whose coordinates they are.
    file : Path
        Where the table is from.
    asked : bool | None, optional
        What a setup says; None for nothing.

    Returns
    -------
    bool
        False for radians.

    Raises
    ------
    InvalidValueError
        They are radians by that, and one is beyond a whole turn.
    """
    in_degrees = table.in_degrees if table.unit_stated or asked is None else asked
    turning = [name for name in columns if model.coordinates[model.index(name)].motion == "rotational"]
    for name in () if in_degrees else turning:
        # Other than numbers are refused by whoever takes the column.
        size = np.abs(np.nan_to_num(columns[name], posinf=0.0, neginf=0.0))
        if size.max(initial=0.0) > WHOLE_TURN:
            row = int(np.argmax(size))
            value = float(columns[name][row])
            raise InvalidValueError(
                f"{file.name} holds {value:.6g} for {name} at {table.time_s[row]:g} s, and is taken for radians, of which a turn "
                "has 6.28: if its angles are degrees, write inDegrees=yes into its header; if they are radians of several turns, "
                "write them in degrees with inDegrees=yes, or without the whole turns.",
                value=value, expected="radians within -2 pi and 2 pi, or inDegrees=yes in the header", where=str(file),
            )  # fmt: skip
    return in_degrees


def _inverse_dynamics(setup: InverseDynamicsSetup, place: ToolOutputs, undriven: Collection[str], *, compat: bool) -> ToolOutcome:
    from biomech_id.osim.forces.passive_documents import passive_forces_in
    from biomech_id.osim.forces.passive_forces import PassiveState

    root = read_document(setup.model_file, actuators=False)
    along_paths = root.find(".//GeometryPath") is not None
    model = model_in(root, str(setup.model_file), muscles=along_paths, markers=False, compat=compat)
    passive = passive_forces_in(root, model, setup.excluded, compat=compat)
    of_passive = f"{Path(setup.output_forces).stem}_passive_forces.sto" if setup.output_forces and passive.forces else ""
    constrained = setup.output_forces and (model.constraints or undriven)
    of_constraints = f"{Path(setup.output_forces).stem}_constraint_forces.sto" if constrained else ""
    place.expect(setup.output_forces, of_passive, of_constraints, setup.output_body_forces if setup.joints else "")
    skeleton = Skeleton(model)
    table = read_storage(setup.coordinates_file)
    columns = coordinates_in(table, model)
    in_degrees = angles_in_degrees(table, columns, model, setup.coordinates_file, asked=setup.in_degrees)
    motion = recorded_motion(
        model, table.time_s, columns, in_degrees=in_degrees, cutoff_hz=setup.cutoff_hz, time_range_s=setup.time_range_s
    )
    u, udot = (motion.rate, motion.second) if compat else speeds_of(skeleton, motion.q, motion.rate, motion.second)
    moving = skeleton_motion(skeleton, motion.q, u, udot, compat=compat)
    model_file = setup.model_file.name
    remarks = [*passive.remarks, *turned_remarks(root, model_file), *model_remarks(skeleton, model_file)]
    # Tables of states and of forces beside the motion have columns of paths, and of axes.
    strange = [name for name in table.columns if "/" not in name and name[-1:] not in "xyz" and name not in columns]
    if strange:
        remarks.append(f"{model_file} has no coordinate for columns of {setup.coordinates_file.name}: {some_of(strange, 3)}.")
    if not {"all", "muscles"} & {word.lower() for word in setup.excluded}:
        remarks.insert(0, "The setup lets muscles act; they are left out, as their forces are not computed here.")
    turning = {name: values for name, values in columns.items() if model.coordinates[model.index(name)].motion == "rotational"}
    files = place.setup.name, setup.coordinates_file.name
    remarks += filter_remarks(model, table.time_s, turning, setup.cutoff_hz, files, in_degrees=in_degrees)
    remarks += motion_remarks(model, table.time_s, columns, setup.time_range_s, setup.coordinates_file.name)
    if model.constraints:
        closing = Closing(skeleton, skeleton.independent)
        remarks += constraint_remarks(closing, motion.q, setup.coordinates_file.name)
    loads: tuple[BodyLoad, ...] = ()
    outer: tuple[OuterForce, ...] = ()
    pose = None
    if setup.external_loads_file is not None and "all" not in map(str.lower, setup.excluded):
        outer, more = _recorded_forces(setup.external_loads_file, motion.time_s)
        remarks += more
        pose = skeleton.pose_in(moving.places)
        loads = loads_in_pose(outer, pose, motion.time_s)
    effect = passive.exert(PassiveState(skeleton, motion.q, u, moving, compat))
    forces = forces_in(skeleton, moving, (*loads, *effect.loads))
    tau = forces.tau - effect.on_coordinates
    if pose is not None and setup.external_loads_file is not None:
        beyond = [*range_remarks(table.time_s, setup.time_range_s, "")]
        beyond += [line for each in outer for line in range_remarks(each.time_s, motion.time_s, "")]
        loads_file = setup.external_loads_file.name
        remarks += load_remarks(pose, motion.time_s, loads, forces.reactions, loads_file, covered=not beyond)
        remarks += effect.counted_twice(loads, setup.external_loads_file.name)
    order, labels = list(skeleton.tree_order), force_labels(skeleton)
    place.write(
        setup.output_forces,
        write_tool_table,
        "Inverse Dynamics Generalized Forces",
        [labels[k] for k in order],
        motion.time_s,
        tau[:, order],
    )
    if of_passive:
        names, values = effect.table(labels)
        place.write(of_passive, write_tool_table, "Passive Generalized Forces", names, motion.time_s, values)
    if constrained:
        shared = constraint_forces(skeleton, motion.q, tau, undriven)
        remarks += _write_constraint_forces(of_constraints, place, labels, motion.time_s, shared)
    if setup.joints:
        remarks.append(
            f"{last_part(setup.output_body_forces)} holds the whole reactions in the joints, constraint forces included; "
            "OpenSim's file holds only what the generalised forces are worth."
        )
        wanted = [k for k, j in enumerate(skeleton.joints) if {"all", j.name.lower()} & {name.lower() for name in setup.joints}]
        columns_of_joints = [f"{skeleton.joints[k].name}_{word}{axis}" for k in wanted for word in "FM" for axis in "XYZ"]
        reactions = forces.reactions
        values = np.concatenate([reactions.force_N[:, wanted], reactions.moment_Nm[:, wanted]], axis=2)
        place.write(
            setup.output_body_forces,
            write_tool_table,
            "Joint Reactions",
            columns_of_joints,
            motion.time_s,
            values.reshape(len(values), -1),
        )
    return ToolOutcome(tuple(place.written), (*place.remarks, *remarks))


def _write_constraint_forces(
    name: str, place: ToolOutputs, labels: list[str], time_s: FloatArray, shared: ConstraintForces
) -> list[str]:
    """Write what constraints carry of moments, if that is determined; what is to be said of it."""
    tree = "Moments are those of the open tree, as OpenSim's tool has them"
    ties = ", ".join(shared.undetermined)
    drives, n, left_out = shared.drives[shared.closed], len(shared.closed), int((~shared.closed).sum())
    empty = [f"In {left_out} of {n} frames no pose keeps the constraints: their rows are empty."] if left_out else []
    if left_out == n:
        return [f"{tree}: in none of {n} frames a pose keeps the constraints, and what they carry is not known."]
    unknown = [label.rpartition("_")[0] for label, column in zip(labels, drives.T, strict=True) if np.isnan(column).any()]
    if unknown:
        return [
            f"{tree}: what the constraints {ties} carry of them depends on which coordinates are driven; --undriven names those "
            f"that are not, of {', '.join(unknown)}."
        ]
    values = np.concatenate([shared.drives, shared.values], axis=1)
    place.write(name, write_tool_table, "Constraint Forces", [*labels, *shared.columns], time_s, values)
    remarks = [f"{tree}: {name} holds what the constraints carry of them, and what is left for drives."]
    return remarks + ([f"In {name} forces of {ties} that other constraints can take over are NaN."] if ties else []) + empty


def _analyze(setup: AnalyzeSetup, place: ToolOutputs, *, compat: bool) -> ToolOutcome:
    from biomech_id.osim.forces.actuators import read_actuated
    from biomech_id.osim.forces.analysed_motion import analysed_motion
    from biomech_id.osim.forces.analyses import RecordedLoads, run_analyses

    actuated = read_actuated(setup.model_file, setup.force_sets, replace=setup.replaces_forces, compat=compat)
    table = read_storage(setup.coordinates_file)
    columns = coordinates_in(table, actuated.model)
    in_degrees = angles_in_degrees(table, columns, actuated.model, setup.coordinates_file)
    motion = analysed_motion(
        actuated.model, table.time_s, columns, in_degrees=in_degrees, cutoff_hz=setup.cutoff_hz, time_range_s=setup.time_range_s,
        mirrored_rows=compat,
    )  # fmt: skip
    remarks = list(model_remarks(Skeleton(actuated.model), setup.model_file.name))
    if not compat and -np.inf < setup.time_range_s[0] < table.time_s[0]:
        remarks.append(f"{setup.coordinates_file.name} begins at {table.time_s[0]:g} s: nothing is computed before that.")
    loads: tuple[OuterForce, ...] = ()
    names: tuple[str, ...] = ()
    if setup.external_loads_file is not None:
        loads, more = _recorded_forces(setup.external_loads_file, motion.time_s)
        names = tuple(each.name for each in read_external_loads(setup.external_loads_file, one_for_each_body=False).forces)
        remarks += more
    remarks += run_analyses(setup, place, actuated, motion, RecordedLoads(loads, names), compat=compat)
    return ToolOutcome(tuple(place.written), (*place.remarks, *remarks))


def outer_forces(path: Path) -> tuple[OuterForce, ...]:
    """Read an ``ExternalLoads`` document with the table it names.

    Parameters
    ----------
    path : Path
        The document; the table is looked for beside it.

    Returns
    -------
    tuple[OuterForce, ...]
        One for each force of the document, in its order; N, N m and m, at the table's times.

    Raises
    ------
    FileRefusedError
        Not such a document, or no table.
    MissingInputError
        A column that the table does not have.
    InvalidValueError
        A column with a gap.
    """
    return _forces_of(path)[0]


def _recorded_forces(path: Path, time_s: FloatArray) -> tuple[tuple[OuterForce, ...], list[str]]:
    """An ``ExternalLoads`` document's forces, and what is odd about their table for a motion at these times."""
    forces, table, taken = _forces_of(path)
    sizes = {
        f"force {number} on {force.segment}": np.linalg.norm(force.force_N, axis=1)
        for number, force in enumerate(forces, start=1)
        if force.force_N is not None
    }
    data = f"The table of {path.name}"
    remarks = [*range_remarks(table.time_s, time_s, path.name), *table_remarks(table.time_s, sizes, data, spikes_only=True)]
    used = tuple(stem for load in taken for stem in (load.force, load.point, load.torque) if stem)
    idle = [
        name for name, column in zip(table.columns, table.values.T, strict=True)
        if name[-1:] in "xyz" and not name.startswith(used) and np.nan_to_num(column).any()
    ]  # fmt: skip
    for force in forces:
        frames = {force.force_frame, force.point_frame} - {SURROUNDINGS, force.segment}
        if frames:
            remarks.append(
                f"{path.name} has axes of {', '.join(sorted(frames))} for a force on {force.segment}, which are neither its own "
                f"nor those of {SURROUNDINGS}: compare force_expressed_in_body and point_expressed_in_body."
            )
    if idle:
        remarks.append(f"{data} has numbers that no force takes: {some_of(idle, 3)}.")
    return forces, remarks


def _forces_of(path: Path) -> tuple[tuple[OuterForce, ...], StorageTable, tuple[ExternalForceColumns, ...]]:
    """Forces of a document, the table they are from, and which of its columns they take."""
    loads = read_external_loads(path, one_for_each_body=False)
    if not loads.data_file:
        raise FileRefusedError(f"{path.name} names no datafile.", value="", expected="the table of the forces", where=str(path))
    table = read_storage(path.parent / loads.data_file.replace("\\", "/"))

    def vector(stem: str) -> FloatArray | None:
        if not stem:
            return None
        values = table.vector(stem)
        if not (np.isfinite(values).all() and np.isfinite(table.time_s).all()):
            bad = float(table.time_s[int(np.argmin(np.isfinite(values).all(axis=1)))])
            raise InvalidValueError(
                f"The columns {stem}x, y, z of {loads.data_file} hold something else than numbers at {bad:g} s.",
                value=stem, expected="a number in every row", where=str(path),
            )  # fmt: skip
        return values

    forces = tuple(
        OuterForce(f.body, table.time_s, vector(f.force), vector(f.torque), vector(f.point), f.force_frame, f.point_frame)
        for f in loads.forces
    )
    return forces, table, loads.forces


def _tracked(
    model: MusculoskeletalModel, setup: PoseSetup, table: MarkerTable, time_s: FloatArray, position_m: FloatArray
) -> TrackedPose:
    """A model's pose in frames of a recording, by a setup's tasks."""
    tasks = [task for task in setup.tasks if task.value_type and task.weight > 0]
    targets: dict[str, float | FloatArray] = {}
    for task in tasks:
        if task.value_type == "manual_value":
            targets[task.name] = task.value
        elif task.value_type == "from_file":
            targets[task.name] = _from_file(model, setup, task.name, time_s)
    markers = dict[str, float]()
    for task in setup.tasks:
        if not task.value_type:
            markers.setdefault(task.name, task.weight)  # of two the first, as in OpenSim
    known = {name: weight for name, weight in markers.items() if name in table.names}
    locked = {c.name for c in model.coordinates if c.locked}
    coordinates = {task.name: task.weight for task in tasks if task.name not in locked}
    wanted = TrackingTasks(known or markers, coordinates, targets)
    return track_markers(model, table.names, position_m, wanted, rate_hz=table.rate_hz)


def _from_file(model: MusculoskeletalModel, setup: PoseSetup, name: str, time_s: FloatArray) -> FloatArray:
    if setup.coordinate_file is None:
        raise MissingInputError(
            f"The task of {name} takes its values from a file, but the setup names no coordinate_file.",
            value=name, expected="coordinate_file", where=str(setup.marker_file),
        )  # fmt: skip
    table = read_storage(setup.coordinate_file)
    columns = coordinates_in(table, model)
    if name not in columns:
        raise MissingInputError(
            f"{setup.coordinate_file.name} has no column {name}.", value=name, expected=", ".join(columns), where=table.name
        )
    first, last = table.time_s[0], table.time_s[-1]
    reach = 0.5 * (last - first) / max(1, len(table.time_s) - 1)
    if time_s[0] < first - reach or time_s[-1] > last + reach:
        raise MissingInputError(
            f"{setup.coordinate_file.name} holds {name} from {first:g} to {last:g} s, and frames from {time_s[0]:g} to "
            f"{time_s[-1]:g} s ask for it: what it was before and after nobody knows.",
            value=(float(time_s[0]), float(time_s[-1])), expected=f"a time_range within {first:g} to {last:g} s", where=table.name,
        )  # fmt: skip
    values = columns[name]
    in_degrees = angles_in_degrees(table, {name: values}, model, setup.coordinate_file)
    if in_degrees and model.coordinates[model.index(name)].motion == "rotational":
        values = np.deg2rad(values)
    return NaturalSpline(table.time_s, values[:, None])(time_s)[:, 0]


def _inverse_kinematics(setup: InverseKinematicsSetup, place: ToolOutputs, *, compat: bool) -> ToolOutcome:
    errors = f"{setup.name}_ik_marker_errors.sto" if setup.report_errors else ""
    locations = f"{setup.name}_ik_model_marker_locations.sto" if setup.report_marker_locations else ""
    place.expect(setup.output_motion, errors, locations)
    model = read_osim(setup.model_file, muscles=False, compat=compat)
    table = read_trc(setup.pose.marker_file)
    start, end = setup.pose.time_range_s
    rows = np.flatnonzero((table.time_s >= start) & (table.time_s <= end))
    if not len(rows):
        raise MissingInputError(
            f"{setup.pose.marker_file.name} has no frame from {start:g} to {end:g} s.", value=setup.pose.time_range_s,
            expected=f"times within {table.time_s[0]:g} to {table.time_s[-1]:g} s", where=str(setup.pose.marker_file),
        )  # fmt: skip
    time_s = table.time_s[rows]
    pose = _tracked(model, setup.pose, table, time_s, table.position_m[rows])
    rotational = np.array([c.motion == "rotational" for c in model.coordinates])
    values = np.where(rotational, np.rad2deg(pose.q), pose.q)
    place.write(
        setup.output_motion,
        write_tool_table,
        "Coordinates",
        model.coordinate_names,
        time_s,
        values,
        in_degrees=True,
        notes=KINEMATICS_NOTES,
    )
    place.write(errors, _write_errors, time_s, pose)
    if locations:
        names = [f"{name}_{axis}" for name in pose.markers for axis in ("tx", "ty", "tz")]
        places = Skeleton(model).markers(pose.q, pose.markers).reshape(len(time_s), -1)
        place.write(locations, write_tool_table, "Model Marker Locations from IK", names, time_s, places)
    unnamed = f"{place.setup.name} names no output_motion_file: its motion is not written."
    remarks = [] if setup.output_motion else [unnamed]
    remarks += [*_not_followed(setup.pose, pose), *lying_remarks(model, pose), *pose_remarks(model, pose)]
    remarks += model_remarks(Skeleton(model), setup.model_file.name)
    remarks += range_remarks(table.time_s, setup.pose.time_range_s, setup.pose.marker_file.name)
    remarks += [
        *together_remarks(table.position_m, table.time_s, setup.pose.marker_file.name),
        *table_remarks(table.time_s, {}, setup.pose.marker_file.name),
        *recording_remarks(pose, setup.pose.marker_file.name),
        *shaking_remarks(table.names, table.position_m[rows], time_s, setup.pose.marker_file.name),
    ]
    remarks += [f"{int((~pose.converged).sum())} frames did not converge."] if not pose.converged.all() else []
    return ToolOutcome(tuple(place.written), (*place.remarks, *remarks))


def _not_followed(setup: PoseSetup, pose: TrackedPose) -> list[str]:
    """Which markers of a setup's tasks no pose follows, as model or recording lack them, or only from afar."""
    wanted = [task.name for task in setup.tasks if not task.value_type and task.weight > 0]
    absent = [name for name in wanted if name not in pose.markers]
    remarks = [f"Model or {setup.marker_file.name} lack markers of the setup's tasks: {', '.join(absent)}."] if absent else []
    usual = np.median([task.weight for task in setup.tasks if task.name in pose.markers])
    light = [task.name for task in setup.tasks if task.name in pose.markers and 0.0 < task.weight < AS_GOOD_AS_NONE * usual]
    if light:
        remarks.append(
            f"Of the setup's tasks these weigh next to nothing: {', '.join(light)}. A weight of 0 says that it is meant."
        )
    return [*remarks, *marker_remarks(pose, setup.marker_file.name), *uneven_remarks(pose, setup.marker_file.name)]


def _write_errors(path: Path, time_s: FloatArray, pose: TrackedPose) -> Path:
    distance = np.linalg.norm(pose.residual_m, axis=2)
    there = np.isfinite(distance)
    distance = np.where(there, distance, 0.0)
    total = (distance**2).sum(axis=1)
    table = np.column_stack([total, np.sqrt(total / np.maximum(there.sum(axis=1), 1)), distance.max(axis=1)])
    columns = ("total_squared_error", "marker_error_RMS", "marker_error_max")
    return write_tool_table(path, "Model Marker Errors from IK", columns, time_s, table)


def _scale(setup: ScaleSetup, place: ToolOutputs, *, compat: bool) -> ToolOutcome:
    scaler, placer = setup.scaler, setup.placer
    place.expect(
        *((scaler.output_scales, scaler.output_model) if scaler else ()),
        *((placer.output_motion, placer.output_markers, placer.output_model) if placer else ()),
    )
    generic = read_osim(setup.model_file, compat=compat)
    model = generic
    if setup.marker_set_file is not None:
        model = with_model_markers(model, read_marker_set(setup.marker_set_file))
    model = replace(model, name=setup.name or model.name)
    factors: dict[str, FloatArray] = {}
    resting: tuple[MuscleModel, ...] = ()
    remarks: list[str] = []
    if setup.scaler is not None:
        factors, remarks = _factors(model, setup.scaler)
        mass = setup.mass_kg if setup.mass_kg > 0 else None
        remarks += size_remarks(model, factors, mass)
        if mass is None and factors:
            remarks.append(
                f"{place.setup.name} has no mass of the subject: the scaled model has the {model.mass_kg:.4g} kg of before."
            )
        # Ligaments and path springs grow with their paths, as fibres and tendons do.
        whole = replace(model, muscles=(*model.muscles, *scaled_paths(setup.model_file, model)))
        scaled = scaled_model(whole, factors, mass_kg=mass, keep_mass_shares=setup.scaler.keep_mass_shares)
        scaled, more = with_muscle_lengths(whole, scaled)
        remarks += more
        resting, scaled = scaled.muscles[len(model.muscles) :], replace(scaled, muscles=scaled.muscles[: len(model.muscles)])
        if kept := unscaled_parts(setup.model_file, factors):
            remarks.append(f"Scaling leaves these as they are, as OpenSim does: {', '.join(kept)}.")
        model = scaled
        place.write(setup.scaler.output_scales, write_scale_factors, scaled, factors)
        place.write(setup.scaler.output_model, write_scaled_model, setup.model_file, scaled, factors, resting)
    if setup.placer is not None:
        placed, q, more = _placed(model, setup.placer)
        remarks += more
        place.write(setup.placer.output_motion, _write_pose, placed, q, setup)
        place.write(setup.placer.output_markers, write_marker_set, placed.markers)
        place.write(setup.placer.output_model, write_scaled_model, setup.model_file, placed, factors, resting)
    return ToolOutcome(tuple(place.written), (*place.remarks, *remarks))


def _factors(model: MusculoskeletalModel, setup: ScalerSetup) -> tuple[dict[str, FloatArray], list[str]]:
    factors: dict[str, FloatArray] = {}
    remarks = list(scaler_remarks(model, setup))
    bodies = {body.name for body in model.bodies}
    for step in setup.order:
        if step == "measurements" and setup.measurements:
            if setup.marker_file is None:
                raise MissingInputError(
                    "The ModelScaler measures, but names no marker_file.", value="", expected="marker_file", where=model.name
                )
            table = read_trc(setup.marker_file)
            remarks += range_remarks(table.time_s, setup.time_range_s, setup.marker_file.name)
            distances = measured_distances(table, setup.measurements, setup.time_range_s)
            measured, left_out = measured_factors(model, setup.measurements, distances)
            factors |= measured
            remarks += [f"The measurement {name} has a marker that model or recording lack; it was left out." for name in left_out]
        elif step == "manualScale":
            factors |= {body: np.array(values) for body, values in setup.manual if body in bodies}
    return factors, remarks


def measured_distances(
    table: MarkerTable, measurements: tuple[Measurement, ...], time_range_s: tuple[float, float]
) -> dict[tuple[str, str], float]:
    """Mean distance of each pair of markers that the recording has.

    Parameters
    ----------
    table : MarkerTable
        The static recording, positions in m.
    measurements : tuple[Measurement, ...]
        Whose pairs are asked for.
    time_range_s : tuple[float, float]
        First and last time, s; the whole recording for infinite ones.

    Returns
    -------
    dict[tuple[str, str], float]
        Distance of each pair, m; pairs with a marker that the recording lacks are left out. The frames around the range's ends
        count too.
    """
    first, last = row_before(table.time_s, time_range_s[0]), _row_after(table.time_s, time_range_s[1])
    column = {name: k for k, name in enumerate(table.names)}
    pairs = {pair for measurement in measurements for pair in measurement.pairs if set(pair) <= set(column)}
    rows = table.position_m[first : last + 1]
    return {
        (a, b): float(np.linalg.norm(rows[:, column[a]] - rows[:, column[b]], axis=1).mean()) for a, b in pairs
    }  # fmt: skip


def _row_after(time_s: FloatArray, at_s: float) -> int:
    return min(int(np.searchsorted(time_s, at_s)), len(time_s) - 1)


def with_muscle_lengths(before: MusculoskeletalModel, after: MusculoskeletalModel) -> tuple[MusculoskeletalModel, list[str]]:
    """Lengthen fibres and tendons of a scaled model by as much as their paths.

    Parameters
    ----------
    before : MusculoskeletalModel
        The generic model with its muscles.
    after : MusculoskeletalModel
        The same model scaled.

    Returns
    -------
    tuple[MusculoskeletalModel, list[str]]
        The scaled model, lengths in m, and one sentence for each muscle whose lengths are those of before.
    """
    if not after.muscles:
        return after, []
    from biomech_id.osim.muscles.muscle_paths import MusclePaths

    paths = MusclePaths(before)
    q = Skeleton(before).default_q()[None]
    lengths = [MusclePaths(model).lengths(q, wrapping="opensim")[0] for model in (before, after)]
    chosen = [muscle for muscle in after.muscles if muscle.name in paths.names]
    changed = {muscle.name: muscle for muscle in with_lengths(chosen, *lengths)}
    muscles = tuple(changed.get(muscle.name, muscle) for muscle in after.muscles)
    left_out = paths.left_out.values()
    return replace(after, muscles=muscles), [f"{why} Its fibre and tendon lengths are not scaled." for why in left_out]


def _placed(model: MusculoskeletalModel, setup: PlacerSetup) -> tuple[MusculoskeletalModel, FloatArray, list[str]]:
    """The model with its markers where they stood in a static recording, the pose, and what is to be said of it."""
    table = read_trc(setup.pose.marker_file)
    start, end = np.clip(setup.pose.time_range_s, table.time_s[0], table.time_s[-1]).tolist()
    within = (table.time_s >= start) & (table.time_s <= end)
    places = standing_places(table, (start, end))
    # The pose is of the mean of the frames within the range that show a marker; where none is within, of those around it.
    around = np.array([places[name] for name in table.names])
    mean = np.asarray(over_seen(np.nanmean, table.position_m[within], axis=0)) if within.any() else around
    pose = _tracked(model, setup.pose, table, np.array([start]), mean[None])
    remarks = [*range_remarks(table.time_s, setup.pose.time_range_s, setup.pose.marker_file.name), *lying_remarks(model, pose)]
    remarks += shaking_remarks(table.names, table.position_m[within], table.time_s[within], setup.pose.marker_file.name)
    placed = with_placed_markers(model, pose.q[0], places)
    before_m = {marker.name: np.asarray(marker.place_m) for marker in model.markers}
    far = [each.name for each in placed.markers if np.linalg.norm(each.place_m - before_m[each.name]) > PLACED_FAR_M]
    if far:
        remarks.append(
            f"{setup.pose.marker_file.name} places more than {PLACED_FAR_M:g} m from where the model has them: {some_of(far, 6)}. "
            "Compare names and sides."
        )
    return placed, pose.q[0], [*_not_followed(setup.pose, pose), *remarks]


def standing_places(table: MarkerTable, time_range_s: tuple[float, float]) -> dict[str, FloatArray]:
    """Mean place of each marker of a static recording.

    Parameters
    ----------
    table : MarkerTable
        A recording of somebody who stands.
    time_range_s : tuple[float, float]
        First and last time, s.

    Returns
    -------
    dict[str, FloatArray]
        (3,) of each marker, m, over the frames that have it, NaN for one that is never there; the frames around the range's ends
        count too.
    """
    first, last = row_before(table.time_s, time_range_s[0]), _row_after(table.time_s, time_range_s[1])
    return {
        name: np.asarray(over_seen(np.nanmean, table.position_m[first : last + 1, k], axis=0)) for k, name in enumerate(table.names)
    }


def _write_pose(path: Path, model: MusculoskeletalModel, q: FloatArray, setup: ScaleSetup) -> Path:
    paths = [f"/jointset/{c.joint}/{c.name}" for c in model.coordinates]
    columns = [f"{path}/{word}" for path in paths for word in ("value", "speed")]
    values = np.stack([q, np.zeros_like(q)], axis=1).reshape(1, -1)
    start = setup.placer.pose.time_range_s[0] if setup.placer is not None else 0.0
    return write_tool_table(path, "static pose", columns, np.array([start if np.isfinite(start) else 0.0]), values)
