"""OpenSim's setup files of its scale, inverse kinematics, inverse dynamics and analysis tools, as values.

Names of files are relative to the setup's folder, as the tools take them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from biomech_id.errors import FileRefusedError
from biomech_id.multibody.musculoskeletal import Measurement
from biomech_id.readers.opensim.document import (
    described,
    element_number,
    element_numbers,
    element_text,
    is_true,
    objects_in,
    read_document,
)
from biomech_id.values import dataclass

#: All of a recording.
EVERYTHING = (-np.inf, np.inf)


@dataclass(frozen=True)
class PoseTask:
    """A marker or coordinate that a pose is to follow.

    Attributes
    ----------
    name : str
        Of the marker or coordinate.
    weight : float
        How much it counts.
    value_type : str, optional
        Of a coordinate: "default_value", "manual_value" or "from_file"; "" for a marker.
    value : float, optional
        Of a coordinate with a manual value, rad or m.
    """

    name: str
    weight: float
    value_type: str = ""
    value: float = 0.0


@dataclass(frozen=True)
class PoseSetup:
    """What inverse kinematics and marker placement have in common.

    Attributes
    ----------
    tasks : tuple[PoseTask, ...]
        Those that are applied.
    marker_file : Path
        The recording whose markers are followed, ``.trc``.
    coordinate_file : Path | None
        Values of coordinates whose task takes them from a file.
    time_range_s : tuple[float, float]
        From when to when.
    """

    tasks: tuple[PoseTask, ...]
    marker_file: Path
    coordinate_file: Path | None
    time_range_s: tuple[float, float]


@dataclass(frozen=True)
class InverseKinematicsSetup:
    """An InverseKinematicsTool.

    Attributes
    ----------
    name : str
        Name of the tool; the files of marker errors and places begin with it.
    model_file : Path
        The scaled model, ``.osim``.
    pose : PoseSetup
        Tasks, recording and time range.
    output_motion : str
        Name of the motion it writes; "" for none.
    results : str
        Folder for what it writes.
    report_errors, report_marker_locations : bool
        Whether it writes errors, or places, of the markers too.
    """

    name: str
    model_file: Path
    pose: PoseSetup
    output_motion: str
    results: str
    report_errors: bool
    report_marker_locations: bool


@dataclass(frozen=True)
class InverseDynamicsSetup:
    """An InverseDynamicsTool.

    Attributes
    ----------
    name : str
        Name of the tool; not used for any file.
    model_file : Path
        The scaled model, ``.osim``.
    coordinates_file : Path
        Its coordinates over time, ``.mot`` or ``.sto``.
    external_loads_file : Path | None
        What acts from outside.
    cutoff_hz : float
        Of the filter; negative for none.
    time_range_s : tuple[float, float]
        From when to when.
    excluded : tuple[str, ...]
        Forces, or groups of them, that do not act.
    output_forces, output_body_forces, results : str
        Names of what it writes, and their folder.
    joints : tuple[str, ...]
        Joints whose forces are to be written.
    in_degrees : bool | None
        What the setup says of the angles in ``coordinates_file``; None for nothing.
    """

    name: str
    model_file: Path
    coordinates_file: Path
    external_loads_file: Path | None
    cutoff_hz: float
    time_range_s: tuple[float, float]
    excluded: tuple[str, ...]
    output_forces: str
    output_body_forces: str
    results: str
    joints: tuple[str, ...]
    in_degrees: bool | None


@dataclass(frozen=True)
class ScalerSetup:
    """A ModelScaler.

    Attributes
    ----------
    order : tuple[str, ...]
        "measurements" and "manualScale", as they are done.
    measurements : tuple[Measurement, ...]
        Those that are applied.
    manual : tuple[tuple[str, tuple[float, float, float]], ...]
        Body and factors, those that are applied.
    marker_file : Path | None
        The recording that is measured.
    time_range_s : tuple[float, float]
        Part of the recording over which distances are averaged, s.
    keep_mass_shares : bool
        Whether bodies keep their shares of the mass.
    output_model, output_scales : str
        Names of what it writes; "" for nothing.
    """

    order: tuple[str, ...]
    measurements: tuple[Measurement, ...]
    manual: tuple[tuple[str, tuple[float, float, float]], ...]
    marker_file: Path | None
    time_range_s: tuple[float, float]
    keep_mass_shares: bool
    output_model: str
    output_scales: str


@dataclass(frozen=True)
class PlacerSetup:
    """A MarkerPlacer.

    Attributes
    ----------
    pose : PoseSetup
        Tasks, recording and time range of the static pose.
    output_model, output_motion, output_markers : str
        Names of what it writes; "" for nothing.
    """

    pose: PoseSetup
    output_model: str
    output_motion: str
    output_markers: str


@dataclass(frozen=True)
class ScaleSetup:
    """A ScaleTool.

    Attributes
    ----------
    name : str
        Of the tool, which the scaled model is called after.
    mass_kg : float
        Of the subject; not positive where the model's own is kept.
    model_file : Path
        The generic model, ``.osim``, that is scaled.
    marker_set_file : Path | None
        Markers that replace the model's.
    scaler : ScalerSetup | None
        None where it is not applied.
    placer : PlacerSetup | None
        None where it is not applied.
    """

    name: str
    mass_kg: float
    model_file: Path
    marker_set_file: Path | None
    scaler: ScalerSetup | None
    placer: PlacerSetup | None


@dataclass(frozen=True)
class OptimizationSetup:
    """A StaticOptimization of an AnalyzeTool.

    Attributes
    ----------
    name : str
        Of the analysis; its files are called after it.
    interval : int
        Every which row is given.
    model_forces : bool
        Whether the model's own actuators are used.
    exponent : float
        Of the activations in the effort.
    curves : bool
        Whether muscles follow their curves.
    """

    name: str
    interval: int
    model_forces: bool
    exponent: float
    curves: bool


@dataclass(frozen=True)
class ReactionSetup:
    """A JointReaction of an AnalyzeTool.

    Attributes
    ----------
    name : str
        Of the analysis; its file is called after it.
    interval : int
        Every which row is given.
    forces_file : Path | None
        Forces of all actuators over time; None for those of the setup's own StaticOptimization.
    joints, on, frames : tuple[str, ...]
        Joints, "ALL" for all; the body of each that is acted on, and the one whose axes are used: one entry, or one for each.
    """

    name: str
    interval: int
    forces_file: Path | None
    joints: tuple[str, ...]
    on: tuple[str, ...]
    frames: tuple[str, ...]


@dataclass(frozen=True)
class AnalyzeSetup:
    """An AnalyzeTool.

    Attributes
    ----------
    name : str
        Name of the tool; all its files begin with it.
    model_file : Path
        The scaled model, ``.osim``.
    force_sets : tuple[Path, ...]
        Documents of further forces.
    replaces_forces : bool
        Whether they stand for the model's own.
    coordinates_file : Path
        Coordinates over time, ``.mot`` or ``.sto``.
    external_loads_file : Path | None
        What acts from outside.
    cutoff_hz : float
        Of the filter; negative for none.
    time_range_s : tuple[float, float]
        From when to when.
    results : str
        Folder for what it writes.
    optimizations : tuple[OptimizationSetup, ...]
        Static optimisations that are on.
    reactions : tuple[ReactionSetup, ...]
        Joint reactions that are on.
    """

    name: str
    model_file: Path
    force_sets: tuple[Path, ...]
    replaces_forces: bool
    coordinates_file: Path
    external_loads_file: Path | None
    cutoff_hz: float
    time_range_s: tuple[float, float]
    results: str
    optimizations: tuple[OptimizationSetup, ...]
    reactions: tuple[ReactionSetup, ...]


ToolSetup = InverseKinematicsSetup | InverseDynamicsSetup | ScaleSetup | AnalyzeSetup


def read_setup(path: str | Path) -> ToolSetup:
    """Read a setup file.

    Parameters
    ----------
    path : str | Path
        The XML file, alone or within an ``OpenSimDocument``.

    Returns
    -------
    ToolSetup
        What the setup asks for, by its tool; paths joined to the setup's folder, defaults of OpenSim's filled in.

    Raises
    ------
    FileRefusedError
        Not a setup file, or that of another tool, which the message names.
    InvalidValueError
        Numbers that are none.
    """
    path = Path(path)
    root = read_document(path)
    tools_here = [root] if root.tag in _READERS else [child for child in root if child.tag in _READERS]
    if not tools_here:
        kinds = [root.tag, *(child.tag for child in root)]
        tools = [tag for tag in kinds if tag.endswith("Tool")]
        reason = f"is the setup of a {tools[0]}, which is not supported" if tools else "is no setup file of a tool"
        raise FileRefusedError(f"{path.name} {reason}.", value=kinds[-1], expected=" or ".join(_READERS), where=str(path))
    return _READERS[tools_here[0].tag](tools_here[0], path)


def _file(element: Element, tag: str, path: Path) -> Path | None:
    name = element_text(element, tag).replace("\\", "/")
    return path.parent / name if name else None


def _needed(element: Element, tag: str, path: Path) -> Path:
    file = _file(element, tag, path)
    if file is None:
        raise FileRefusedError(f"{path.name} names no {tag}.", value="", expected="the name of a file", where=str(path))
    return file


def _range(element: Element, path: Path) -> tuple[float, float]:
    if not element_text(element, "time_range"):
        return EVERYTHING
    start, end = element_numbers(element, "time_range", 2, str(path))
    if start > end:
        raise FileRefusedError.at(path, f"The time_range of {path.name} ends before it begins.", "the earlier time first")
    # Some setups write -1 -1 where nothing is meant.
    return (float(start), float(end)) if (start, end) != (-1.0, -1.0) else EVERYTHING


def _dynamics(tool: Element, path: Path) -> InverseDynamicsSetup:
    return InverseDynamicsSetup(
        tool.get("name", ""), _needed(tool, "model_file", path), _needed(tool, "coordinates_file", path),
        _file(tool, "external_loads_file", path),
        element_number(tool, "lowpass_cutoff_frequency_for_coordinates", -1.0, str(path)), _range(tool, path),
        tuple(element_text(tool, "forces_to_exclude").split()),
        element_text(tool, "output_gen_force_file") or "inverse_dynamics.sto",
        element_text(tool, "output_body_forces_file") or "body_forces_at_joints.sto", element_text(tool, "results_directory"),
        tuple(element_text(tool, "joints_to_report_body_forces").split()),
        is_true(tool, "coordinates_in_degrees") if element_text(tool, "coordinates_in_degrees") else None,
    )  # fmt: skip


def _pose(holder: Element, path: Path) -> PoseSetup:
    tasks = tuple(task for element in objects_in(holder, "IKTaskSet") if (task := _task(element, path)) is not None)
    marker_file = _needed(holder, "marker_file", path)
    return PoseSetup(tasks, marker_file, _file(holder, "coordinate_file", path), _range(holder, path))


def _task(element: Element, path: Path) -> PoseTask | None:
    if element.tag not in ("IKMarkerTask", "IKCoordinateTask"):
        raise FileRefusedError(
            f"The task {described(element)} in {path.name} is not supported.",
            value=element.tag, expected="IKMarkerTask or IKCoordinateTask", where=str(path),
        )  # fmt: skip
    if not is_true(element, "apply", default=True):
        return None
    weight = element_number(element, "weight", 1.0, str(path))
    kind = (element_text(element, "value_type") or "default_value") if element.tag == "IKCoordinateTask" else ""
    return PoseTask(element.get("name", ""), weight, kind, element_number(element, "value", 0.0, str(path)) if kind else 0.0)


def _kinematics(tool: Element, path: Path) -> InverseKinematicsSetup:
    return InverseKinematicsSetup(
        tool.get("name", ""), _needed(tool, "model_file", path), _pose(tool, path),
        element_text(tool, "output_motion_file"), element_text(tool, "results_directory"),
        is_true(tool, "report_errors", default=True), is_true(tool, "report_marker_locations"),
    )  # fmt: skip


def _scale(tool: Element, path: Path) -> ScaleSetup:
    maker, scaler, placer = (tool.find(tag) for tag in ("GenericModelMaker", "ModelScaler", "MarkerPlacer"))
    if maker is None:
        raise FileRefusedError(
            f"{path.name} has no GenericModelMaker.", value="", expected="one that names a model", where=str(path)
        )
    return ScaleSetup(
        tool.get("name", ""), element_number(tool, "mass", -1.0, str(path)), _needed(maker, "model_file", path),
        _file(maker, "marker_set_file", path),
        _scaler(scaler, path) if scaler is not None and is_true(scaler, "apply", default=True) else None,
        _placer(placer, path) if placer is not None and is_true(placer, "apply", default=True) else None,
    )  # fmt: skip


def _scaler(element: Element, path: Path) -> ScalerSetup:
    manual = []
    for scale in objects_in(element, "ScaleSet"):
        if is_true(scale, "apply", default=True):
            x, y, z = element_numbers(scale, "scales", 3, str(path))
            manual.append((element_text(scale, "segment"), (float(x), float(y), float(z))))
    measured = tuple(
        Measurement(each.get("name", ""), tuple(_pairs(each, path)), tuple(_axes(each)))
        for each in objects_in(element, "MeasurementSet")
        if is_true(each, "apply", default=True)
    )
    return ScalerSetup(
        tuple(element_text(element, "scaling_order").split()), measured, tuple(manual), _file(element, "marker_file", path),
        _range(element, path), is_true(element, "preserve_mass_distribution"),
        element_text(element, "output_model_file"), element_text(element, "output_scale_file"),
    )  # fmt: skip


def _pairs(element: Element, path: Path) -> Iterator[tuple[str, str]]:
    for pair in objects_in(element, "MarkerPairSet"):
        names = element_text(pair, "markers").split()
        if len(names) != 2 or names[0] == names[1]:
            raise FileRefusedError(
                f"A pair of the measurement {element.get('name', '')} in {path.name} names {' '.join(names)}.",
                value=names, expected="two markers", where=str(path),
            )  # fmt: skip
        yield names[0], names[1]


def _axes(element: Element) -> Iterator[tuple[str, str]]:
    for scale in objects_in(element, "BodyScaleSet"):
        yield scale.get("name", ""), "".join(axis for axis in element_text(scale, "axes").upper() if axis in "XYZ")


def _placer(element: Element, path: Path) -> PlacerSetup:
    return PlacerSetup(
        _pose(element, path), element_text(element, "output_model_file"), element_text(element, "output_motion_file"),
        element_text(element, "output_marker_file"),
    )  # fmt: skip


def _analyze(tool: Element, path: Path) -> AnalyzeSetup:
    where = str(path)
    optimisations, reactions = list[OptimizationSetup](), list[ReactionSetup]()
    for each in objects_in(tool, "AnalysisSet"):
        name, interval = each.get("name") or each.tag, int(element_number(each, "step_interval", 1, where))
        if not is_true(each, "on", default=True):
            continue
        if each.tag == "StaticOptimization":
            use, physiology = (is_true(each, tag, default=True) for tag in ("use_model_force_set", "use_muscle_physiology"))
            exponent = element_number(each, "activation_exponent", 2.0, where)
            optimisations.append(OptimizationSetup(name, interval, use, exponent, physiology))
        elif each.tag == "JointReaction":
            words = [tuple(element_text(each, tag).split()) for tag in ("joint_names", "apply_on_bodies", "express_in_frame")]
            reactions.append(ReactionSetup(name, interval, _file(each, "forces_file", path), words[0], words[1], words[2]))
        else:
            raise FileRefusedError(
                f"The analysis {described(each)} in {path.name} is not supported; switch it off.",
                value=each.tag, expected="StaticOptimization or JointReaction", where=where,
            )  # fmt: skip
    if not (optimisations or reactions):
        raise FileRefusedError(
            f"{path.name} has no analysis that is on.", value="", expected="a StaticOptimization or a JointReaction", where=where
        )
    start, end = (
        float(element_text(tool, tag)) if "inf" in element_text(tool, tag).lower() else element_number(tool, tag, otherwise, where)
        for tag, otherwise in (("initial_time", -np.inf), ("final_time", np.inf))
    )
    sets = tuple(path.parent / name.replace("\\", "/") for name in element_text(tool, "force_set_files").split())
    return AnalyzeSetup(
        tool.get("name", ""), _needed(tool, "model_file", path), sets, is_true(tool, "replace_force_set"),
        _needed(tool, "coordinates_file", path), _file(tool, "external_loads_file", path),
        element_number(tool, "lowpass_cutoff_frequency_for_coordinates", -1.0, where), (start, end),
        element_text(tool, "results_directory"), tuple(optimisations), tuple(reactions),
    )  # fmt: skip


_READERS: dict[str, Callable[[Element, Path], ToolSetup]] = {
    "AnalyzeTool": _analyze,
    "InverseDynamicsTool": _dynamics,
    "InverseKinematicsTool": _kinematics,
    "ScaleTool": _scale,
}
#: Tools whose setups are run.
TOOLS = tuple(_READERS)
