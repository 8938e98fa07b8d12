"""The subject as an OpenSim model: our segments, joint centres and markers.

Everything above the legs is one body, the pelvis. Our inverse dynamics need nothing of it; OpenSim needs a mass there for whoever
moves the model forward in time. It gets what the legs leave of the body's mass, as a homogeneous ball about the middle of the hip
centres: a placeholder, which no joint load depends on and which makes the pelvis' residuals meaningless.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.anatomy import LEG_SEGMENTS, Part
from biomech_id.conventions import GRAVITY_M_S2
from biomech_id.dynamics.body import BodyMotion, Segment
from biomech_id.dynamics.joint_axes import ModelAxes
from biomech_id.errors import OptionError
from biomech_id.exports.opensim.joints import (
    Joint,
    KneeSign,
    R_ground_lab,
    body_name,
    body_states,
    ground_state,
    into_body,
    joint_places,
    joint_state,
    joints_of,
)
from biomech_id.osim.document.writing import element, object_set, properties, write_document
from biomech_id.trial import Markers
from biomech_id.values import dataclass

#: Density of the ball that stands for trunk, arms and head, kg/m3.
BALL_DENSITY_KG_M3 = 1000.0


@dataclass(frozen=True, eq=False)
class SubjectModel:
    """What a subject's ``.osim`` file says.

    Attributes
    ----------
    name : str
        Name of the model in the file.
    axes : ModelAxes
        Of the body model, for those of its segments.
    joints : tuple[Joint, ...]
        Pelvis first, then down each leg.
    places_m : Mapping[str, FloatArray]
        Joint name -> (3,), where the child's origin rests in the parent's body axes.
    defaults : Mapping[str, FloatArray]
        Joint name -> (6,), rad and m: the coordinates in the reference.
    segments : Mapping[Part, Segment]
        (side, segment) -> inertial parameters, constant.
    markers_m : Mapping[str, tuple[Part, FloatArray]]
        Name -> (segment, (3,) in its body axes).
    rest_mass_kg : float, optional
        Mass of everything above the legs.
    """

    name: str
    axes: ModelAxes
    joints: tuple[Joint, ...]
    places_m: Mapping[str, FloatArray]
    defaults: Mapping[str, FloatArray]
    segments: Mapping[Part, Segment]
    markers_m: Mapping[str, tuple[Part, FloatArray]]
    rest_mass_kg: float = 0.0


def subject_model(
    name: str,
    reference: BodyMotion,
    markers: Markers,
    groups: Mapping[Part, tuple[str, ...]],
    *,
    mass_kg: float | None = None,
    knee: KneeSign = "flexion",
) -> SubjectModel:
    """Make a subject's model from a tracked recording.

    Parameters
    ----------
    name : str
        Name of the model in the file.
    reference : BodyMotion
        The tracked static trial (a walk will do): it places joints and markers.
    markers : Markers
        Of the same recording.
    groups : Mapping[Part, tuple[str, ...]]
        Segment -> names of its markers; a marker of several segments goes with the first of them.
    mass_kg : float | None, optional
        Of the whole body, or None if it is not known.
    knee : KneeSign, optional
        Which way the knee's angle counts.

    Returns
    -------
    SubjectModel
        Segments, joints and markers, in OpenSim's body axes.

    Raises
    ------
    OptionError
        Segments whose length or inertia changes from frame to frame ("vicon" kinetics).
    """
    # What is above the legs is part of the pelvis.
    legs = {part: segment for part, segment in reference.segments.items() if part[1] in LEG_SEGMENTS}
    changing = [f"{side} {segment}" for (side, segment), s in legs.items() if s.com_m.ndim > 1 or s.inertia_kgm2.ndim > 2]
    if changing:
        raise OptionError(
            f"The {changing[0]} changes from frame to frame, which no OpenSim body can; use textbook kinetics.",
            value=reference.kinetics, expected="kinetics = textbook", where=reference.name,
        )  # fmt: skip
    states, joints = body_states(reference), joints_of(reference.sides, knee)
    places = joint_places(states, joints)
    ground = ground_state(R_ground_lab(reference), reference.n_frames)
    defaults = {
        joint.name: over_seen(
            np.nanmedian,
            joint_state(joint, ground if joint.parent is None else states[joint.parent], states[joint.child], places[joint.name]).q,
            axis=0,
        )
        for joint in joints
    }
    placed: dict[str, tuple[Part, FloatArray]] = {}
    for key, names in groups.items():
        for marker in names:
            if marker in placed or key not in states or not markers.present(marker):
                continue
            place = over_seen(np.nanmean, into_body(states[key], markers[marker]), axis=0)
            if np.isfinite(place).all():
                placed[marker] = (key, place)
    rest_kg = max(0.0, (mass_kg or 0.0) - sum(segment.mass_kg for segment in legs.values()))
    return SubjectModel(name, reference.model_axes, joints, places, defaults, legs, placed, rest_kg)


def write_model(path: Path, model: SubjectModel) -> Path:
    """Write a model as ``.osim``.

    Parameters
    ----------
    path : Path
        The file; its folder must be there.
    model : SubjectModel
        Segments, joints and markers of the subject.

    Returns
    -------
    Path
        ``path``.
    """
    bodies = [_pelvis(model), *(_body(model, joint.child) for joint in model.joints if joint.parent is not None)]
    content = element(
        "Model",
        *properties(
            length_units="meters", force_units="N", gravity=(0.0, -GRAVITY_M_S2, 0.0),
            credits="Written by biomech-id; the axes and signs of the coordinates are described in the folder's README.",
        ),
        object_set("BodySet", bodies, name="bodyset"),
        object_set("JointSet", [_joint(model, joint) for joint in model.joints], name="jointset"),
        marker_set(model),
        name=model.name,
    )  # fmt: skip
    return write_document(path, content)


def marker_set(model: SubjectModel) -> ElementTree.Element:
    """The model's markers as a marker set of its own, for the Scale tool.

    Parameters
    ----------
    model : SubjectModel
        Segments, joints and markers of the subject.

    Returns
    -------
    ElementTree.Element
        Not yet part of a document.
    """
    return object_set("MarkerSet", [_marker(name, *place) for name, place in model.markers_m.items()], name="markerset")


def _pelvis(model: SubjectModel) -> ElementTree.Element:
    hips = [place for name, place in model.places_m.items() if name.startswith("hip_")]
    mass = model.rest_mass_kg
    radius_m = (3.0 * mass / (4.0 * np.pi * BALL_DENSITY_KG_M3)) ** (1.0 / 3.0)
    return _inertial("pelvis", mass, np.mean(hips, axis=0), 0.4 * mass * radius_m**2 * np.eye(3))


def _body(model: SubjectModel, key: Part) -> ElementTree.Element:
    segment, R = model.segments[key], model.axes.R_seg_isb[key[1]]
    return _inertial(body_name(key), segment.mass_kg, R.T @ segment.com_m, R.T @ segment.inertia_kgm2 @ R)


def _inertial(name: str, mass_kg: float, com_m: FloatArray, tensor_kgm2: FloatArray) -> ElementTree.Element:
    """A body; OpenSim's order of the tensor about the centre of mass is xx, yy, zz, xy, xz, yz, matrix entries."""
    entries = [float(tensor_kgm2[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    return element("Body", *properties(mass=mass_kg, mass_center=com_m.tolist(), inertia=entries), name=name)


def _joint(model: SubjectModel, joint: Joint) -> ElementTree.Element:
    parent = "/ground" if joint.parent is None else f"/bodyset/{body_name(joint.parent)}"
    frame = f"{parent.rpartition('/')[2]}_offset"
    offset = element(
        "PhysicalOffsetFrame",
        *properties(socket_parent=parent, translation=model.places_m[joint.name].tolist(), orientation=(0.0, 0.0, 0.0)),
        name=frame,
    )
    defaults = zip(joint.coordinates, model.defaults[joint.name].tolist(), strict=True)
    return element(
        "CustomJoint",
        *properties(socket_parent_frame=frame, socket_child_frame=f"/bodyset/{body_name(joint.child)}"),
        element("coordinates", *(_coordinate(name, value) for name, value in defaults)),
        element("frames", offset),
        _spatial_transform(joint),
        name=joint.name,
    )


def _coordinate(name: str, default: float) -> ElementTree.Element:
    return element("Coordinate", *properties(default_value=default, clamped=False, locked=False), name=name)


def _spatial_transform(joint: Joint) -> ElementTree.Element:
    axes = [sign * np.eye(3)[k] for sign, k in zip(joint.signs, (2, 0, 1), strict=True)]
    rotations = zip(joint.rotations, axes, strict=True)
    translations = zip(joint.translations, np.eye(3), strict=True)
    return element(
        "SpatialTransform",
        *(_axis(f"rotation{k}", name, axis) for k, (name, axis) in enumerate(rotations, start=1)),
        *(_axis(f"translation{k}", name, axis) for k, (name, axis) in enumerate(translations, start=1)),
    )


def _axis(slot: str, coordinate: str, axis: FloatArray) -> ElementTree.Element:
    function = element("LinearFunction", *properties(coefficients=(1.0, 0.0)), name="function")
    return element("TransformAxis", *properties(coordinates=coordinate, axis=axis.tolist()), function, name=slot)


def _marker(name: str, key: Part, place_m: FloatArray) -> ElementTree.Element:
    frame = f"/bodyset/{body_name(key)}"
    return element("Marker", *properties(socket_parent_frame=frame, location=place_m.tolist(), fixed=True), name=name)
