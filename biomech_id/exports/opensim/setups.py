"""Setup files with which OpenSim's own programs run unedited: inverse kinematics, inverse dynamics, scaling.

Paths in them are relative to the folder they lie in. The inverse kinematics hold a joint's translations near where the
reference has them if the segment below it wears fewer than three markers, which leave it free to turn about the line between them.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

from biomech_id.exports.opensim.model import SubjectModel
from biomech_id.osim.document.writing import element, object_set, properties, write_document

RESULTS = "opensim_results"
#: Weight of a joint's translation against a marker's: enough to decide what the markers leave open, and no more.
TRANSLATION_WEIGHT = 0.01
#: Markers that fix a segment by themselves.
LEAST_MARKERS = 3
IK_ACCURACY = 1e-7

#: First and last time, s.
Range = tuple[float, float]


def write_ik_setup(path: Path, model: SubjectModel, model_file: str, trc: Path, seconds: Range, markers: tuple[str, ...]) -> Path:
    """Write the setup of the inverse kinematics of one trial.

    Parameters
    ----------
    path : Path
        The file; its folder must be there.
    model : SubjectModel
        Joints and markers of the subject.
    model_file : str
        Name of the ``.osim`` beside the setup.
    trc : Path
        The markers of the trial.
    seconds : Range
        First and last time, seconds.
    markers : tuple[str, ...]
        Those that the ``.trc`` holds.

    Returns
    -------
    Path
        ``path``.
    """
    tool = element(
        "InverseKinematicsTool",
        *properties(
            results_directory=RESULTS, model_file=model_file, constraint_weight="Inf", accuracy=IK_ACCURACY,
            marker_file=trc.name, time_range=seconds, report_errors=True, report_marker_locations=True,
            output_motion_file=f"{trc.stem}_ik.mot",
        ),
        _tasks(model, markers),
        name=trc.stem,
    )  # fmt: skip
    return write_document(path, tool)


def write_id_setup(path: Path, model_file: str, trial: str, coordinates: str, external_loads: str, seconds: Range) -> Path:
    """Write the setup of the inverse dynamics of one trial, from our coordinates, without a filter of OpenSim's.

    Parameters
    ----------
    path : Path
        The file; its folder must be there.
    model_file : str
        Name of the ``.osim`` beside the setup.
    trial : str
        Name of the trial.
    coordinates : str
        Name of the ``.mot`` with the coordinates.
    external_loads : str
        Name of the ``ExternalLoads`` file.
    seconds : Range
        First and last time, seconds.

    Returns
    -------
    Path
        ``path``.
    """
    loads = properties(external_loads_file=external_loads) if external_loads else ()
    tool = element(
        "InverseDynamicsTool",
        *properties(results_directory=RESULTS, model_file=model_file, time_range=seconds, forces_to_exclude="Muscles"),
        *loads,
        *properties(
            coordinates_file=coordinates, lowpass_cutoff_frequency_for_coordinates=-1.0,
            output_gen_force_file=f"{trial}_inverse_dynamics.sto",
        ),
        name=trial,
    )  # fmt: skip
    return write_document(path, tool)


def write_scale_setup(
    path: Path, model: SubjectModel, model_file: str, trc: Path, seconds: Range, *, mass_kg: float, markers: tuple[str, ...]
) -> Path:
    """Write the setup of the Scale tool: sizes and masses are the subject's already, markers are placed on the static trial.

    Parameters
    ----------
    path : Path
        The file; its folder must be there.
    model : SubjectModel
        Joints and markers of the subject.
    model_file : str
        Name of the ``.osim`` beside the setup.
    trc : Path
        The markers of the trial.
    seconds : Range
        First and last time, seconds.
    mass_kg : float
        Mass of the subject; not positive keeps the model's.
    markers : tuple[str, ...]
        Those that the ``.trc`` holds.

    Returns
    -------
    Path
        ``path``.
    """
    maker = element("GenericModelMaker", *properties(model_file=model_file, marker_set_file="Unassigned"))
    trial = {"marker_file": trc.name, "time_range": seconds}
    scaler = element("ModelScaler", *properties(apply=False, **trial, preserve_mass_distribution=True))
    placer = element(
        "MarkerPlacer",
        *properties(apply=True, **trial, max_marker_movement=-1.0,
                output_model_file=f"{Path(model_file).stem}_scaled.osim"),
        _tasks(model, markers),
    )  # fmt: skip
    tool = element("ScaleTool", *properties(mass=mass_kg, height=-1.0, age=-1.0), maker, scaler, placer, name="scale")
    return write_document(path, tool)


def _tasks(model: SubjectModel, markers: tuple[str, ...]) -> ElementTree.Element:
    """Markers that are followed, and translations that are held where a segment wears too few of them."""
    tasks = [element("IKMarkerTask", *properties(apply=True, weight=1.0), name=name) for name in model.markers_m if name in markers]
    segments = [key for key, _ in model.markers_m.values()]
    settings = {"apply": True, "weight": TRANSLATION_WEIGHT, "value_type": "default_value", "value": 0.0}
    for joint in model.joints:
        if joint.parent is not None and segments.count(joint.child) < LEAST_MARKERS:
            tasks += [element("IKCoordinateTask", *properties(**settings), name=name) for name in joint.translations]
    return object_set("IKTaskSet", tasks)
