"""Constraints in OpenSim's documents: couplers of coordinates, and ties between bodies beside the joints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal
from xml.etree.ElementTree import Element

import numpy as np

from biomech_id.errors import FileRefusedError
from biomech_id.multibody.functions import ScaledFunction
from biomech_id.multibody.musculoskeletal import BodyConstraint, CoordinateCoupling, CoordinateRelation, OffsetFrame
from biomech_id.osim.document.functions import function_in, function_of_several
from biomech_id.osim.document.joints import Finder, three_or_zeros
from biomech_id.readers.opensim.document import (
    body_fixed,
    described,
    element_number,
    element_text,
    is_true,
    objects_in,
    socket,
)

Ends = tuple[tuple[str, str, str, str], tuple[str, str, str, str]]
_POINTS: Ends = (("body_1", "body_1", "location_body_1", ""), ("body_2", "body_2", "location_body_2", ""))
#: Tag -> kind, and of both frames the socket, its name before version 4, and what holds the place and the turns in it.
_TIES: dict[str, tuple[Literal["point", "line", "distance", "weld"], Ends]] = {
    "PointConstraint": ("point", _POINTS),
    "ConstantDistanceConstraint": ("distance", _POINTS),
    "PointOnLineConstraint": (
        "line",
        (("line_body", "line_body", "point_on_line", ""), ("follower_body", "follower_body", "point_on_follower", "")),
    ),
    "WeldConstraint": (
        "weld",
        (
            ("frame1", "body_1", "location_body_1", "orientation_body_1"),
            ("frame2", "body_2", "location_body_2", "orientation_body_2"),
        ),
    ),
}


def constraints_in(model: Element, find: Finder, where: str) -> Iterator[CoordinateCoupling | CoordinateRelation | BodyConstraint]:
    """Yield the constraints of a model that are not switched off.

    Parameters
    ----------
    model : Element
        ``Model`` element of the document.
    find : Finder
        Resolves the name of a frame to a body, an origin (m) and axes; its second argument names who asks.
    where : str
        The document's file, named in messages.

    Yields
    ------
    CoordinateCoupling | CoordinateRelation | BodyConstraint
        In the document's order; lengths in m, angles in rad.

    Raises
    ------
    FileRefusedError
        A kind that is not supported, or numbers that OpenSim does not take; the message names the object.
    """
    for element in objects_in(model, "ConstraintSet"):
        if is_true(element, "isDisabled") or not is_true(element, "isEnforced", default=True):
            continue
        if element.tag == "CoordinateCouplerConstraint":
            yield _coupler(element, where)
        elif element.tag in _TIES:
            yield _tie(element, find, where)
        else:
            raise FileRefusedError(
                f"The constraint {described(element)} is not supported.", value=element.tag,
                expected=", ".join(("CoordinateCouplerConstraint", *_TIES)), where=where,
            )  # fmt: skip


def _coupler(element: Element, where: str) -> CoordinateCoupling | CoordinateRelation:
    name, of, factor = element.get("name", ""), described(element), element_number(element, "scale_factor", 1.0, where)
    dependent = element_text(element, "dependent_coordinate_name")
    independent = tuple(element_text(element, "independent_coordinate_names").split())
    holder = element.find("coupled_coordinates_function")
    if len(independent) == 1:
        function = function_in(holder, of, where)
        return CoordinateCoupling(name, dependent, independent[0], function if factor == 1.0 else ScaledFunction(factor, function))
    if not independent:
        raise FileRefusedError(
            f"{of} has no independent coordinates.", value=0, expected="names in independent_coordinate_names", where=where
        )
    several = function_of_several(holder, len(independent), of, where)
    return CoordinateRelation(name, dependent, independent, replace(several, coefficients=factor * several.coefficients))


def _tie(element: Element, find: Finder, where: str) -> BodyConstraint:
    kind, ends = _TIES[element.tag]
    own = {offset.get("name", ""): offset for offset in element.iterfind("frames/*")}
    frames, scaled_m = [], []
    for new, old, place, turn in ends:
        base = find(socket(element, new, old), f"The constraint {described(element)}", own)
        R = np.asarray(base.R_body_frame)
        at_m = np.asarray(base.place_m) + R @ three_or_zeros(element, place, where)
        scaled_m.append(at_m if kind == "weld" else np.asarray(base.place_m))
        frames.append(OffsetFrame(base.body, at_m, R @ body_fixed(three_or_zeros(element, turn, where) if turn else np.zeros(3))))
    along, distance_m = np.array([1.0, 0.0, 0.0]), 0.0
    if kind == "line":
        along = np.asarray(frames[0].R_body_frame) @ three_or_zeros(element, "line_direction_vec", where)
        along = along / max(float(np.linalg.norm(along)), np.finfo(float).tiny)
    if kind == "distance":
        distance_m = element_number(element, "constant_distance", np.nan, where)
    if not along.any() or not (kind != "distance" or distance_m > 0):
        raise FileRefusedError(
            f"{described(element)} has a line without a direction, or a distance that is none.",
            value=distance_m, expected="line_direction_vec of some length, constant_distance above zero", where=where,
        )  # fmt: skip
    x, y, z = along.tolist()
    return BodyConstraint(element.get("name", ""), kind, frames[0], frames[1], (x, y, z), distance_m, (scaled_m[0], scaled_m[1]))
