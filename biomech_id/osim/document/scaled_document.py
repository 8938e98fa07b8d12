"""Writing a scaled model: the generic model's own document, with the numbers that scaling changes.

Everything else of the document stays: geometry, actuators, contacts, what no part of this library reads. What lives on a body is
multiplied by the body's factors; masses, tensors, markers, sizes of surfaces and lengths of muscles are those of the scaled model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import FileRefusedError
from biomech_id.multibody.musculoskeletal import SURROUNDINGS, ModelMarker, MuscleModel, MusculoskeletalModel
from biomech_id.osim.document.model import FrameFinder
from biomech_id.osim.document.muscles import path_of
from biomech_id.osim.document.writing import element, object_set, properties, write_document
from biomech_id.readers.opensim.document import (
    described,
    element_number,
    element_numbers,
    element_text,
    objects_in,
    read_document,
    socket,
    with_colons,
)
from biomech_id.writers.opensim_text import number

_SIZES = {"WrapCylinder": ("radius", "length"), "WrapSphere": ("radius",), "WrapTorus": ("inner_radius", "outer_radius")}
_SLIDES = ("translation1", "translation2", "translation3")
_LENGTHS = ("optimal_fiber_length", "tendon_slack_length")
#: Length of a ligament or path spring that goes with its path.
RESTING = "resting_length"
#: What marks objects whose places OpenSim's scaling leaves where they are.
_KEPT = (
    "FunctionBasedPath", "MusclePointSet", "point", "point1", "point2", "pointA", "pointB", "location_body_1", "location_body_2",
    "constant_distance", "point_on_line",
)  # fmt: skip


def write_scaled_model(
    path: Path,
    generic: Path,
    scaled: MusculoskeletalModel,
    factors: Mapping[str, FloatArray],
    resting: Sequence[MuscleModel] = (),
) -> Path:
    """Write a scaled model as ``.osim``.

    Parameters
    ----------
    path : Path
        The ``.osim`` file; its folder must be there.
    generic : Path
        The file that the model was read from before it was scaled.
    scaled : MusculoskeletalModel
        The model as it is to be.
    factors : Mapping[str, FloatArray]
        Body -> (3,) factors; bodies that are not named are not scaled.
    resting : Sequence[MuscleModel], optional
        Ligaments and path springs, with their resting lengths as they are to be (m).

    Returns
    -------
    Path
        ``path``.

    Raises
    ------
    FileRefusedError
        ``generic`` holds no model.
    """
    root = read_document(generic)
    model = root if root.tag == "Model" else root.find("Model")
    if model is None:
        raise FileRefusedError(f"{generic} holds no Model.", value=root.tag, expected="an OpenSim model", where=str(generic))
    document = _Document(model, scaled, factors, str(generic))
    model.set("name", scaled.name)
    document.bodies()
    document.joints()
    document.offset_frames()
    document.paths()
    document.stations({part.name: part.tendon_slack_length_m for part in resting})
    joints_in_bodies = any(body.find("Joint") is not None for body in objects_in(model, "BodySet"))
    markers = [_marker(marker, new_form=not joints_in_bodies) for marker in scaled.markers]
    _replace(model, object_set("MarkerSet", markers, name="markerset"))
    ElementTree.indent(root, "\t")
    text = with_colons(ElementTree.tostring(root, encoding="unicode"))
    path.write_text(f'<?xml version="1.0" encoding="UTF-8" ?>\n{text}\n', encoding="utf-8", newline="\n")
    return path


def unscaled_parts(generic: Path, factors: Mapping[str, FloatArray]) -> tuple[str, ...]:
    """Name what hangs on scaled bodies and keeps its size and place, as in OpenSim's scale tool.

    Parameters
    ----------
    generic : Path
        The file of the model before it is scaled.
    factors : Mapping[str, FloatArray]
        Body -> (3,) factors.

    Returns
    -------
    tuple[str, ...]
        Kind and name of contact geometry, of springs and actuators at points, of constraints with places, and of paths that are
        not made of points; empty where no factor differs from 1.
    """
    if all((np.asarray(values) == 1.0).all() for values in factors.values()):
        return ()
    root = read_document(generic)
    model = root if root.tag == "Model" else root.find("Model")
    forces = [force for force in objects_in(model, "ForceSet") if "Bushing" not in force.tag]
    parts = [*(each for each in objects_in(model, "ConstraintSet") if each.tag != "WeldConstraint"), *forces]
    placed = [part for part in parts if any(part.find(tag) is not None for tag in _KEPT)]
    return tuple(described(part) for part in (*objects_in(model, "ContactGeometrySet"), *placed))


def scaled_paths(generic: Path, before: MusculoskeletalModel) -> tuple[MuscleModel, ...]:
    """Read the paths of a document's ligaments and path springs.

    Parameters
    ----------
    generic : Path
        The file of the model before it is scaled.
    before : MusculoskeletalModel
        The model of that file.

    Returns
    -------
    tuple[MuscleModel, ...]
        Their points and wraps, with the resting length (m) as tendon slack length.
    """
    root = read_document(generic)
    model = root if root.tag == "Model" else root.find("Model")
    if model is None:
        return ()
    frames, paths = FrameFinder(model, str(generic)), []
    muscles = {muscle.name for muscle in before.muscles}
    for force in objects_in(model, "ForceSet"):
        if element_text(force, RESTING) and force.find("GeometryPath") is not None and force.get("name", "") not in muscles:
            resting_m = element_number(force, RESTING, np.nan, str(generic))
            paths.append(replace(path_of(force, None, frames.find, str(generic)), tendon_slack_length_m=resting_m))
    return tuple(paths)


def write_scale_factors(path: Path, model: MusculoskeletalModel, factors: Mapping[str, FloatArray]) -> Path:
    """Write the factors of all bodies as OpenSim's ScaleSet.

    Parameters
    ----------
    path : Path
        The XML file; its folder must be there.
    model : MusculoskeletalModel
        Whose bodies they are.
    factors : Mapping[str, FloatArray]
        Body -> (3,); 1 where a body is not named.

    Returns
    -------
    Path
        ``path``.
    """
    scales = [
        element("Scale", *properties(scales=factors.get(name, np.ones(3)), segment=name, apply=True))
        for name in (SURROUNDINGS, *(body.name for body in model.bodies))
    ]
    return write_document(path, object_set("ScaleSet", scales, name="ScaleSet"))


def write_marker_set(path: Path, markers: Iterable[ModelMarker]) -> Path:
    """Write markers as OpenSim's MarkerSet.

    Parameters
    ----------
    path : Path
        The XML file; its folder must be there.
    markers : Iterable[ModelMarker]
        Each with its body, and its place (m) in the body's axes.

    Returns
    -------
    Path
        ``path``.
    """
    return write_document(path, object_set("MarkerSet", [_marker(marker, new_form=True) for marker in markers], name="markerset"))


def _replace(model: Element, group: Element) -> None:
    """Put a set in the place of the one of its kind, or last."""
    at = next((k for k, child in enumerate(model) if child.tag == group.tag), None)
    if at is None:
        model.append(group)
    else:
        model[at] = group


def _words(values: Iterable[float]) -> str:
    return " ".join(number(value) for value in values)


def _set(holder: Element, tag: str, text: str) -> None:
    child = holder.find(tag)
    child = SubElement(holder, tag) if child is None else child
    child.text = text


def _marker(marker: ModelMarker, *, new_form: bool) -> Element:
    path = f"/{marker.body}" if marker.body == SURROUNDINGS else f"/bodyset/{marker.body}"
    on = properties(socket_parent_frame=path) if new_form else properties(body=marker.body)
    return element("Marker", *on, *properties(location=np.asarray(marker.place_m), fixed=marker.fixed), name=marker.name)


class _Document:
    """A model's document, whose numbers are changed in place."""

    def __init__(self, model: Element, scaled: MusculoskeletalModel, factors: Mapping[str, FloatArray], where: str) -> None:
        self.model, self.scaled, self.factors, self.where = model, scaled, factors, where
        self.frames = FrameFinder(model, where)

    def factor(self, body: str) -> FloatArray:
        return self.factors.get(body, np.ones(3))

    def of_frame(self, name: str, own: dict[str, Element] | None = None) -> FloatArray:
        """Factors of the body that a frame stands on."""
        return self.factor(self.frames.find(name, "the document", own).body)

    def times(self, holder: Element, tag: str, s: FloatArray) -> None:
        """Multiply the three numbers of a child, if it has them and they change."""
        if element_text(holder, tag) and (s != 1.0).any():
            _set(holder, tag, _words(element_numbers(holder, tag, 3, self.where) * s))

    def bodies(self) -> None:
        by_name = {body.name: body for body in self.scaled.bodies}
        wraps = {(wrap.frame.body, wrap.name): wrap for wrap in self.scaled.wrap_objects}
        grounds = [(SURROUNDINGS, ground) for ground in self.model.iterfind("Ground")]
        for name, on in [*grounds, *((body.get("name", ""), body) for body in objects_in(self.model, "BodySet"))]:
            s = self.factor(name)
            for wrap in objects_in(on, "WrapObjectSet"):
                self.times(wrap, "translation", s)
                size = wraps[name, wrap.get("name", "")].size_m
                if wrap.tag == "WrapEllipsoid":
                    _set(wrap, "dimensions", _words(size))
                for tag, value in zip(_SIZES.get(wrap.tag, ()), size, strict=False):
                    _set(wrap, tag, number(value))
            if name not in by_name:
                continue
            for drawn in (*on.iter("Mesh"), *on.iter("VisibleObject")):
                self.times(drawn, "scale_factors", s)
            body = by_name[name]
            _set(on, "mass", number(body.mass_kg))
            _set(on, "mass_center", _words(body.com_m))
            xx, xy, xz, _, yy, yz, _, _, zz = body.inertia_kgm2.ravel().tolist()
            if element_text(on, "inertia"):
                _set(on, "inertia", _words((xx, yy, zz, xy, xz, yz)))
            else:
                for axes, value in zip(("xx", "yy", "zz", "xy", "xz", "yz"), (xx, yy, zz, xy, xz, yz), strict=True):
                    _set(on, f"inertia_{axes}", number(value))

    def joints(self) -> None:
        for body in objects_in(self.model, "BodySet"):
            holder = body.find("Joint")
            for joint in holder if holder is not None else ():
                parent, child = self.factor(element_text(joint, "parent_body")), self.factor(body.get("name", ""))
                self.times(joint, "location_in_parent", parent)
                self.times(joint, "location", child)
                self.joint(joint, parent)
        for joint in objects_in(self.model, "JointSet"):
            own = {offset.get("name", ""): offset for offset in joint.iterfind("frames/*")}
            self.joint(joint, self.of_frame(socket(joint, "parent_frame", "parent_frame"), own))

    def joint(self, joint: Element, parent: FloatArray) -> None:
        self.times(joint, "radii_x_y_z", parent)
        for axis in joint.iterfind("SpatialTransform/TransformAxis"):
            if axis.get("name") in _SLIDES:
                vector = element_numbers(axis, "axis", 3, self.where)
                self.function(axis, float(np.abs(vector / np.sqrt(vector @ vector)) @ parent))

    def function(self, axis: Element, factor: float) -> None:
        """Multiply the function of a slide, unless it is the coordinate itself."""
        wrapped = axis.find("function")
        holder = wrapped if wrapped is not None and len(wrapped) else axis
        for k, child in enumerate(holder):
            if child.tag in ("coordinates", "coordinate", "axis", "function"):
                continue
            itself = child.tag == "LinearFunction" and element_numbers(child, "coefficients", 2, self.where).tolist() == [1.0, 0.0]
            if not itself:
                holder[k] = self.multiplied(child, factor)
            return

    def multiplied(self, function: Element, factor: float) -> Element:
        if function.tag == "MultiplierFunction":
            _set(function, "scale", number(element_number(function, "scale", 1.0, self.where) * factor))
            return function
        name = function.get("name")
        outer = Element("MultiplierFunction", {"name": name} if name else {})
        SubElement(outer, "function").append(function)
        SubElement(outer, "scale").text = number(factor)
        return outer

    def offset_frames(self) -> None:
        for offset in self.model.iter("PhysicalOffsetFrame"):
            owner = {o.get("name", ""): o for o in self.model.iter("PhysicalOffsetFrame")} if "/" not in _parent(offset) else None
            self.times(offset, "translation", self.of_frame(_parent(offset), owner))

    def paths(self) -> None:
        muscles = {muscle.name: muscle for muscle in self.scaled.muscles}
        for force in objects_in(self.model, "ForceSet"):
            path = force.find("GeometryPath")
            if path is None:
                continue
            for point in objects_in(path, "PathPointSet"):
                s = self.of_frame(socket(point, "parent_frame", "body"))
                self.times(point, "location", s)
                for axis, factor in zip("xyz", s.tolist(), strict=True):
                    for tag in (f"{axis}_location", f"{axis.upper()}Attachment"):
                        for holder in point.iterfind(tag):
                            holder[:] = [self.multiplied(child, factor) for child in holder]
            self.lengths(force, muscles.get(force.get("name", "")))

    def stations(self, resting_m: Mapping[str, float]) -> None:
        """Places that stand alone, bushings and welds of versions before 4, and lengths at rest."""
        for station in self.model.iter("Station"):
            self.times(station, "location", self.of_frame(socket(station, "parent_frame", "body")))
        for part in (*objects_in(self.model, "ConstraintSet"), *objects_in(self.model, "ForceSet")):
            for side in ("1", "2") if "Bushing" in part.tag or part.tag == "WeldConstraint" else ():
                self.times(part, f"location_body_{side}", self.of_frame(element_text(part, f"body_{side}")))
        for force in objects_in(self.model, "ForceSet"):
            if force.get("name", "") in resting_m:
                _set(force, RESTING, number(resting_m[force.get("name", "")]))

    def lengths(self, force: Element, muscle: MuscleModel | None) -> None:
        if muscle is not None:
            for tag, value in zip(_LENGTHS, (muscle.optimal_fibre_length_m, muscle.tendon_slack_length_m), strict=True):
                if np.isfinite(value):
                    _set(force, tag, number(value))


def _parent(offset: Element) -> str:
    return socket(offset, "parent", "parent")
