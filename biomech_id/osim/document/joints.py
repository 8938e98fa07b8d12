"""Joints and coordinates in OpenSim's models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from xml.etree.ElementTree import Element

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import FileRefusedError
from biomech_id.multibody.functions import ConstantFunction
from biomech_id.multibody.joints import Axis, AxisFunction, PolynomialFunction, X, Y, Z
from biomech_id.multibody.musculoskeletal import (
    ANGULAR_SPEED_KINDS,
    SURROUNDINGS,
    ModelCoordinate,
    ModelJoint,
    MotionKind,
    OffsetFrame,
    TransformAxis,
)
from biomech_id.osim.document.functions import function_in
from biomech_id.readers.opensim.document import (
    body_fixed,
    described,
    element_number,
    element_numbers,
    element_text,
    is_true,
    socket,
)

#: Frame of a name, with who asks.
Finder = Callable[..., OffsetFrame]
_ITSELF = PolynomialFunction((0.0, 1.0))
_XYZ = ((0, X), (1, Y), (2, Z))
#: Kind -> axes of the turns and of the slides, each with the number of its coordinate.
_FIXED_KINDS: dict[str, tuple[tuple[tuple[int, Axis], ...], tuple[tuple[int, Axis], ...]]] = {
    "weld": ((), ()),
    "pin": (((0, Z),), ()),
    "slider": ((), ((0, X),)),
    "universal": (((0, X), (1, Y)), ()),
    "gimbal": (_XYZ, ()),
    "planar": (((0, Z),), ((1, X), (2, Y))),
    "ball": (_XYZ, ()),
    "free": (_XYZ, ((3, X), (4, Y), (5, Z))),
    "ellipsoid": (_XYZ, ()),
}
_SLOTS = ("rotation1", "rotation2", "rotation3", "translation1", "translation2", "translation3")
#: Range that OpenSim gives a coordinate which says none.
_DEFAULT_RANGE = (-10.0, 10.0)


def joint_of(element: Element, hangs_in: str, find: Finder, where: str) -> tuple[ModelJoint, Element]:
    """Read a joint: its kind, its two frames, its coordinates and the axes that they turn about or slide along.

    Parameters
    ----------
    element : Element
        Element of the joint, of any version.
    hangs_in : str
        Name of the child body where the joint stands in it (versions before 4), else "".
    find : Finder
        Resolves the name of a frame to a body, an origin (m) and axes; its second argument names who asks.
    where : str
        The document's file, named in messages.

    Returns
    -------
    tuple[ModelJoint, Element]
        The joint, its frames resolved to bodies, and ``element`` itself, which holds its coordinates' numbers.

    Raises
    ------
    FileRefusedError
        A kind of joint that is not supported, or one without its coordinates.
    """
    # OpenSim calls a joint without a name after its kind.
    kind, name = element.tag.removesuffix("Joint").lower(), element.get("name", "") or element.tag.lower()
    if kind not in (*_FIXED_KINDS, "custom"):
        raise FileRefusedError(
            f"The joint {described(element)} is not supported.",
            value=element.tag, expected=", ".join(("custom", *_FIXED_KINDS)), where=where,
        )  # fmt: skip
    if hangs_in:
        parent = _placed(element, element_text(element, "parent_body"), ("location_in_parent", "orientation_in_parent"), where)
        child = _placed(element, hangs_in, ("location", "orientation"), where)
        if is_true(element, "reverse"):
            parent, child = child, parent
    else:
        own = {offset.get("name", ""): offset for offset in element.iterfind("frames/*")}
        parent, child = (
            find(socket(element, side, side), f"The joint {name}", own) for side in ("parent_frame", "child_frame")
        )  # fmt: skip
    if kind == "custom":
        rotations, translations, coordinates = _custom(element, where)
    else:
        coordinates = tuple(c.get("name", "") for c in coordinate_elements(element))
        turns, slides = _FIXED_KINDS[kind]
        if not coordinates:
            coordinates = tuple(f"_coord_{k}" for k in range(len(turns) + len(slides)))
        if len(coordinates) != len(turns) + len(slides):
            raise FileRefusedError(
                f"The joint {described(element)} has {len(coordinates)} coordinates.",
                value=coordinates, expected=f"{len(turns) + len(slides)} coordinates", where=where,
            )  # fmt: skip
        rotations, translations = (
            tuple(TransformAxis(coordinates[k], axis, _ITSELF) for k, axis in axes) for axes in (turns, slides)
        )
    radii = tuple(float(r) for r in element_numbers(element, "radii_x_y_z", 3, where)) if kind == "ellipsoid" else ()
    return ModelJoint(name, kind, parent, child, coordinates, rotations, translations, radii), element


def from_the_ground(joints: Sequence[ModelJoint], where: str) -> tuple[ModelJoint, ...]:
    """Turn round joints whose child is nearer to the surroundings than their parent, as OpenSim does.

    Parameters
    ----------
    joints : Sequence[ModelJoint]
        As the document has them.
    where : str
        The document's file, named in messages.

    Returns
    -------
    tuple[ModelJoint, ...]
        In the same order; what the surroundings do not reach stays as it is.

    Raises
    ------
    FileRefusedError
        A joint to be turned round that turns and slides, or whose speeds are not the rates of its coordinates.
    """
    result, reached, left = list(joints), {SURROUNDINGS}, dict(enumerate(joints))
    while True:
        ends = {k: (j.parent.body in reached, j.child.body in reached) for k, j in left.items()}
        next_ones = {k: end for k, end in ends.items() if end[0] != end[1]}
        if not next_ones:
            return tuple(result)
        k = next((k for k, end in next_ones.items() if end[0]), min(next_ones))
        joint = left.pop(k)
        if not next_ones[k][0]:
            result[k] = _turned_round(joint, where)
        reached |= {joint.parent.body, joint.child.body}


def _turned_round(joint: ModelJoint, where: str) -> ModelJoint:
    slides = tuple(axis for axis in joint.translations if axis.function != ConstantFunction(0.0))
    if joint.kind in ANGULAR_SPEED_KINDS or (slides and joint.rotations):
        raise FileRefusedError(
            f"The joint {joint.name} leads from a body towards {SURROUNDINGS}, which is not supported for its kind.",
            value=joint.kind, expected="a joint that only turns or only slides, or leads away from it", where=where,
        )  # fmt: skip
    back = [
        tuple(replace(axis, axis=(-axis.axis[0], -axis.axis[1], -axis.axis[2])) for axis in reversed(axes))
        for axes in (joint.rotations, slides)
    ]
    return replace(joint, parent=joint.child, child=joint.parent, rotations=back[0], translations=back[1])


def _placed(element: Element, body: str, tags: tuple[str, str], where: str) -> OffsetFrame:
    place, angles = (three_or_zeros(element, tag, where) for tag in tags)
    return OffsetFrame(body, place, body_fixed(angles))


def three_or_zeros(element: Element, tag: str, where: str) -> FloatArray:
    """Read three numbers that a document may leave out.

    Parameters
    ----------
    element : Element
        The element that may have the child.
    tag : str
        Name of the child with the numbers.
    where : str
        The document's file, named in messages.

    Returns
    -------
    FloatArray
        (3,), zeros where there is no such child or nothing in it.
    """
    return element_numbers(element, tag, 3, where) if element_text(element, tag) else np.zeros(3)


def coordinate_elements(joint: Element) -> Iterator[Element]:
    """Yield a joint's coordinates, in the file's order.

    Parameters
    ----------
    joint : Element
        Element of the joint, of any version.

    Yields
    ------
    Element
        ``Coordinate``; nothing for a joint without any, as a weld.
    """
    for path in ("coordinates/Coordinate", "CoordinateSet/objects/Coordinate", "CoordinateSet/Coordinate"):
        yield from joint.iterfind(path)


def _custom(element: Element, where: str) -> tuple[tuple[TransformAxis, ...], tuple[TransformAxis, ...], tuple[str, ...]]:
    """Turns, slides, and the coordinates in the order in which these name them first."""
    slots = {axis.get("name", ""): axis for axis in element.iterfind("SpatialTransform/TransformAxis")}
    axes = {slot: _axis(slots[slot], element, where) for slot in _SLOTS if slot in slots}
    declared = [c.get("name", "") for c in coordinate_elements(element)]
    named = dict.fromkeys(axis.coordinate for axis in axes.values() if axis.coordinate)
    missing = sorted(set(named) - set(declared))
    if missing:
        raise FileRefusedError(
            f"The joint {described(element)} moves by {', '.join(missing)}, which is none of its coordinates.",
            value=missing, expected=", ".join(declared) or "a coordinate", where=where,
        )  # fmt: skip
    coordinates = tuple(dict.fromkeys([*named, *declared]))
    rotations, translations = (tuple(axes[s] for s in _SLOTS if s.startswith(what) and s in axes) for what in ("rot", "trans"))
    return rotations, translations, coordinates


def _axis(element: Element, joint: Element, where: str) -> TransformAxis:
    of = f"{element.get('name')} of the joint {joint.get('name', '')}"
    coordinates = (element_text(element, "coordinates") or element_text(element, "coordinate")).split()
    if len(coordinates) > 1:
        raise FileRefusedError(
            f"The {of} is a function of {len(coordinates)} coordinates, which is not supported.",
            value=coordinates, expected="functions of one coordinate", where=where,
        )  # fmt: skip
    vector = element_numbers(element, "axis", 3, where)
    length = float(np.sqrt(vector @ vector))
    if not length > 0:
        raise FileRefusedError(f"The {of} has an axis of no length.", value=vector.tolist(), expected="a direction", where=where)
    vector = vector if length == 1.0 else vector / length
    coordinate = coordinates[0] if coordinates else ""
    return TransformAxis(
        coordinate, (float(vector[0]), float(vector[1]), float(vector[2])), _function(element, coordinate, of, where)
    )


def _function(element: Element, coordinate: str, of: str, where: str) -> AxisFunction:
    """The function of an axis; of none at all OpenSim makes the coordinate itself, or zero."""
    wrapped = element.find("function")
    holder = wrapped if wrapped is not None and len(wrapped) else element
    plain = {"coordinates", "coordinate", "axis", "function"}
    if all(child.tag in plain for child in holder):
        return _ITSELF if coordinate else ConstantFunction(0.0)
    if holder is element:
        holder = Element("function")
        holder.extend(child for child in element if child.tag not in plain)
    function = function_in(holder, of, where)
    # What takes no coordinate is taken at zero.
    return function if coordinate or isinstance(function, ConstantFunction) else ConstantFunction(float(function.value(0.0)))


def coordinates_of(joint: ModelJoint, element: Element, where: str) -> Iterator[ModelCoordinate]:
    """Yield the coordinates of a joint, in its order.

    Parameters
    ----------
    joint : ModelJoint
        The joint as `joint_of` returned it.
    element : Element
        It was read from.
    where : str
        The document's file, named in messages.

    Yields
    ------
    ModelCoordinate
        Name, kind of motion, default, range (rad or m), whether it is clamped or locked, and a prescribed function if there is one.
    """
    elements = {c.get("name", ""): c for c in coordinate_elements(element)}
    for name in joint.coordinates:
        # OpenSim makes the coordinates of a joint that writes none.
        entry = elements.get(name, Element("Coordinate"))
        limits = element_numbers(entry, "range", 2, where) if element_text(entry, "range") else np.array(_DEFAULT_RANGE)
        prescribed = None
        if is_true(entry, "prescribed"):
            prescribed = function_in(entry.find("prescribed_function"), f"the coordinate {name}", where)
        yield ModelCoordinate(
            name, joint.name, _motion(joint, name), element_number(entry, "default_value", 0.0, where),
            (float(limits[0]), float(limits[1])), is_true(entry, "clamped"), is_true(entry, "locked"), prescribed,
        )  # fmt: skip


def by_joint_path(
    joints: tuple[ModelJoint, ...], coordinates: tuple[ModelCoordinate, ...]
) -> tuple[tuple[ModelJoint, ...], tuple[ModelCoordinate, ...]]:
    """Give joints of one name a number, and put the joint before coordinates whose name stands in several joints.

    Parameters
    ----------
    joints : tuple[ModelJoint, ...]
        In the document's order.
    coordinates : tuple[ModelCoordinate, ...]
        In the joints' order.

    Returns
    -------
    tuple[tuple[ModelJoint, ...], tuple[ModelCoordinate, ...]]
        Coordinates of one name are called "joint/coordinate"; all others, and their joints, as they were.
    """
    names, taken = Counter(c.name for c in coordinates), Counter[str]()
    kinds, renamed = Counter(joint.name for joint in joints), list[ModelJoint]()
    for joint in joints:
        taken[joint.name] += 1
        unnamed = kinds[joint.name] > 1 and joint.name == f"{joint.kind}joint" and taken[joint.name] > 1
        own = f"{joint.name}_{taken[joint.name] - 2}" if unnamed else joint.name
        new = {name: f"{own}/{name}" for name in joint.coordinates if names[name] > 1}
        turns, slides = (
            tuple(replace(axis, coordinate=new.get(axis.coordinate, axis.coordinate)) for axis in axes)
            for axes in (joint.rotations, joint.translations)
        )
        called = tuple(new.get(name, name) for name in joint.coordinates)
        renamed.append(replace(joint, name=own, coordinates=called, rotations=turns, translations=slides))
    called_in = [(joint.name, name) for joint in renamed for name in joint.coordinates]
    pairs = zip(coordinates, called_in, strict=True)
    return tuple(renamed), tuple(replace(c, name=name, joint=joint) for c, (joint, name) in pairs)


def _motion(joint: ModelJoint, name: str) -> MotionKind:
    """What OpenSim calls a coordinate: by the first axis that it drives one to one."""
    for axes, word in ((joint.rotations, "rotational"), (joint.translations, "translational")):
        for axis in axes:
            if axis.coordinate == name and _one_to_one(axis.function):
                return word  # type: ignore[return-value]
    return "coupled"


def _one_to_one(function: AxisFunction) -> bool:
    coefficients = function.coefficients if isinstance(function, PolynomialFunction) else ()
    return len(coefficients) == 2 and abs(coefficients[1]) == 1.0
