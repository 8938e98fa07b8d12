"""Paths of muscles in OpenSim's models."""

from __future__ import annotations

from xml.etree.ElementTree import Element

import numpy as np

from biomech_id.errors import FileRefusedError
from biomech_id.multibody.joints import AxisFunction
from biomech_id.multibody.musculoskeletal import MovingPoint, MuscleModel, PathPoint, PathWrap
from biomech_id.osim.document.functions import function_in
from biomech_id.osim.document.joints import Finder
from biomech_id.readers.opensim.document import described, element_number, element_numbers, element_text, objects_in, socket

#: What a muscle says of its size; the last is the pennation's name in version 2.
_NUMBERS = (
    "max_isometric_force", "optimal_fiber_length", "tendon_slack_length", "pennation_angle_at_optimal", "pennation_angle",
)  # fmt: skip


def muscle_of(element: Element, default: Element | None, find: Finder, where: str) -> MuscleModel | None:
    """Read a muscle: its path, what it wraps over, and its properties.

    Parameters
    ----------
    element : Element
        Element of the force, of any version.
    default : Element | None
        What the model says of this kind of force where the force itself says nothing.
    find : Finder
        Resolves the name of a frame to a body, an origin (m) and axes; its second argument names who asks.
    where : str
        The document's file, named in messages.

    Returns
    -------
    MuscleModel | None
        Force in N, lengths in m, pennation in rad, NaN for what neither force nor default say; without points where its path is a
        function or of version 1; None for a force that is no muscle.

    Raises
    ------
    FileRefusedError
        A point or function of its path that is not supported; the message names the muscle.
    """
    if not ("Muscle" in element.tag or element_text(element, "max_isometric_force")):
        return None
    return path_of(element, default, find, where)


def path_of(element: Element, default: Element | None, find: Finder, where: str) -> MuscleModel:
    """Read what pulls along a path: a muscle, or a ligament or spring, whose numbers are then NaN.

    Parameters
    ----------
    element : Element
        Element of the force, of any version.
    default : Element | None
        What the model says of this kind of force where the force itself says nothing.
    find : Finder
        Resolves the name of a frame to a body, an origin (m) and axes.
    where : str
        The document's file, named in messages.

    Returns
    -------
    MuscleModel
        As of `muscle_of`; without points where the path is not made of points that are read.
    """
    name, path = element.get("name", ""), element.find("GeometryPath")
    points = tuple(_point(point, name, find, where) for point in objects_in(path, "PathPointSet"))
    wraps = tuple(_wrap(wrap, where) for wrap in objects_in(path, "PathWrapSet"))
    force, fibre, tendon, angle, old_angle = (_number(element, default, tag, where) for tag in _NUMBERS)
    return MuscleModel(name, points, wraps, force, fibre, tendon, old_angle if np.isnan(angle) else angle, element.tag)


def _number(element: Element, default: Element | None, tag: str, where: str) -> float:
    fallback = element_number(default, tag, np.nan, where) if default is not None else np.nan
    return element_number(element, tag, fallback, where)


def _point(element: Element, muscle: str, find: Finder, where: str) -> PathPoint | MovingPoint:
    of = f"the path point {element.get('name', '')} of {muscle}"
    frame = find(socket(element, "parent_frame", "body"), of)
    R, origin = np.asarray(frame.R_body_frame), np.asarray(frame.place_m)
    if element.tag == "MovingPathPoint":
        if origin.any() or (np.eye(3) != R).any():
            raise FileRefusedError(
                f"A moving point, {of}, is on an offset frame, which is not supported.",
                value=frame.body,
                expected="a body",
                where=where,
            )
        x, y, z = (_coordinate_function(element, axis, of, where) for axis in "xyz")
        return MovingPoint(element.get("name", ""), frame.body, (x[0], y[0], z[0]), (x[1], y[1], z[1]))
    if element.tag not in ("PathPoint", "ConditionalPathPoint"):
        raise FileRefusedError(
            f"{described(element)} of {muscle} is not supported.", value=element.tag, expected="PathPoint", where=where
        )
    place = origin + R @ element_numbers(element, "location", 3, where)
    if element.tag == "PathPoint":
        return PathPoint(element.get("name", ""), frame.body, place)
    low, high = element_numbers(element, "range", 2, where)
    coordinate = (socket(element, "coordinate", "coordinate") or element_text(element, "coordinates")).rpartition("/")[2]
    if not coordinate:
        raise FileRefusedError(f"{of} goes by no coordinate.", value="", expected="a coordinate", where=where)
    return PathPoint(element.get("name", ""), frame.body, place, coordinate, (float(low), float(high)))


def _coordinate_function(element: Element, axis: str, of: str, where: str) -> tuple[str, AxisFunction]:
    holder = element.find(f"{axis}_location")
    holder = element.find(f"{axis.upper()}Attachment") if holder is None else holder
    coordinate = socket(element, f"{axis}_coordinate", f"{axis}_coordinate").rpartition("/")[2]
    return coordinate, function_in(holder, of, where)


def _wrap(element: Element, where: str) -> PathWrap:
    numbers = element_numbers(element, "range", 2, where) if element_text(element, "range") else np.array([-1.0, -1.0])
    return PathWrap(
        element_text(element, "wrap_object"), element_text(element, "method") or "hybrid", int(numbers[0]), int(numbers[1])
    )
