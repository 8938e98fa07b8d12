"""What OpenSim's tools pass over in a setup or in external loads: elements they do not know, or that stand there twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from biomech_id.errors import some_of
from biomech_id.osim.document.joints import three_or_zeros
from biomech_id.readers.opensim.document import described, element_text, objects_in, read_document

#: Elements and what they may hold, by OpenSim 4.6 and by the setups of older versions.
KNOWN = {
    "InverseDynamicsTool": "results_directory input_directory model_file time_range forces_to_exclude external_loads_file "
    "coordinates_file coordinates_in_degrees lowpass_cutoff_frequency_for_coordinates output_gen_force_file "
    "joints_to_report_body_forces output_body_forces_file",
    "InverseKinematicsTool": "results_directory input_directory model_file constraint_weight accuracy IKTaskSet marker_file "
    "coordinate_file time_range report_errors output_motion_file report_marker_locations",
    "AnalyzeTool": "model_file replace_force_set force_set_files results_directory output_precision initial_time final_time "
    "solve_for_equilibrium_for_auxiliary_states maximum_number_of_integrator_steps maximum_integrator_step_size "
    "minimum_integrator_step_size integrator_error_tolerance AnalysisSet ControllerSet external_loads_file states_file "
    "coordinates_file speeds_file lowpass_cutoff_frequency_for_coordinates external_loads_model_kinematics_file "
    "lowpass_cutoff_frequency_for_load_kinematics",
    "ScaleTool": "mass height age notes GenericModelMaker ModelScaler MarkerPlacer",
    "GenericModelMaker": "model_file marker_set_file",
    "ModelScaler": "apply scaling_order MeasurementSet ScaleSet marker_file time_range preserve_mass_distribution "
    "output_joint_file output_muscle_file output_model_file output_scale_file",
    "MarkerPlacer": "apply optimizer_algorithm IKTaskSet marker_file coordinate_file time_range output_joint_file "
    "output_muscle_file output_motion_file output_model_file output_marker_file max_marker_movement",
    "Measurement": "apply MarkerPairSet BodyScaleSet", "MarkerPair": "markers", "BodyScale": "axes",
    "Scale": "apply scales segment",
    "IKMarkerTask": "apply weight", "IKCoordinateTask": "apply weight value_type value",
    "ExternalLoads": "objects groups datafile external_loads_model_kinematics_file lowpass_cutoff_frequency_for_load_kinematics",
    "ExternalForce": "isDisabled appliesForce applied_to_body force_expressed_in_body point_expressed_in_body force_identifier "
    "point_identifier torque_identifier data_source_name",
}  # fmt: skip
#: Of these the word is true or false.
SWITCHES = (
    "apply", "preserve_mass_distribution", "report_errors", "report_marker_locations", "isDisabled", "appliesForce",
    "replace_force_set",
)  # fmt: skip
#: Objects of sets that have a name each, and which of several with one name counts.
OF_SEVERAL = {
    "IKMarkerTask": "the first counts", "IKCoordinateTask": "the last counts, where OpenSim follows all",
    "Measurement": "the last counts",
}  # fmt: skip


def document_remarks(path: Path) -> Iterator[str]:
    """Describe what is passed over in a document.

    Parameters
    ----------
    path : Path
        A setup, or external loads.

    Yields
    ------
    Iterator[str]
        A sentence for each element that is not known, not what it may be, or there twice.
    """
    for element in read_document(path).iter():
        if element.tag in KNOWN:
            yield from _of_element(element, path.name)
        for group in ("IKTaskSet", "MeasurementSet"):
            named = Counter((described(each), each.tag) for each in objects_in(element, group) if each.get("name"))
            for (name, tag), count in named.items():
                if count > 1 and tag in OF_SEVERAL:
                    yield f"{path.name} has {name} {count} times in one {group}: {OF_SEVERAL[tag]}."


def turned_remarks(model: Element, file: str) -> Iterator[str]:
    """Name frames of a model whose turns are no radians.

    Parameters
    ----------
    model : Element
        Root of its document.
    file : str
        Its name, for the sentence.

    Yields
    ------
    Iterator[str]
        One sentence for all that are turned by more than a whole turn about an axis, or none.
    """
    frames = [frame for joints in model.iter("JointSet") for frame in joints.iter("PhysicalOffsetFrame")]
    odd = [described(frame) for frame in frames if np.abs(three_or_zeros(frame, "orientation", file)).max() > 2.0 * np.pi]
    if odd:
        yield f"{file} turns {some_of(odd, 3)} by more than a whole turn: degrees are taken for radians here."


def _of_element(element: Element, file: str) -> Iterator[str]:
    for tag, count in Counter(child.tag for child in element).items():
        if tag not in KNOWN[element.tag].split():
            yield f"{file} has {tag} in {described(element)}, which does not know it: it is passed over."
        elif count > 1:
            yield f"{file} has {tag} {count} times in {described(element)}: the first counts."
        elif tag in SWITCHES and element_text(element, tag).lower() not in ("", "true", "false", "0", "1"):
            yield f"{file} has {element_text(element, tag)!r} for {tag} in {described(element)}: it is taken for false."
    axes = element_text(element, "axes").upper().split()
    if element.tag == "BodyScale" and (not axes or not {*"".join(axes)} <= {*"XYZ"}):
        yield f"{file} has {' '.join(axes)!r} for the axes of {described(element)}, of which only X, Y and Z count."
