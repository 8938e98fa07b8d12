"""Forces that nobody drives, read from a model's document."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from xml.etree.ElementTree import Element

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import FileRefusedError, some_of
from biomech_id.multibody.functions import ConstantFunction, simm_spline
from biomech_id.multibody.joints import AxisFunction
from biomech_id.multibody.musculoskeletal import MovingPoint, MuscleModel, MusculoskeletalModel, OffsetFrame
from biomech_id.osim.document.functions import function_in
from biomech_id.osim.document.joints import three_or_zeros
from biomech_id.osim.document.model import FrameFinder
from biomech_id.osim.document.muscles import path_of
from biomech_id.osim.forces.passive_forces import (
    Bushing,
    ContactSurface,
    CoordinateLimit,
    CoordinateSpring,
    HuntCrossley,
    PassiveForce,
    PassiveForces,
    PassivePaths,
    PointSpring,
    TensionLaw,
)
from biomech_id.readers.opensim.document import (
    PASSIVE_KINDS,
    body_fixed,
    described,
    element_number,
    element_text,
    is_true,
    objects_in,
    socket,
)

_TURNS = tuple(f"m_{axis}_theta_{axis}_function" for axis in "xyz")
_SLIDES = tuple(f"f_{axis}_delta_{axis}_function" for axis in "xyz")
#: What expressions of a bushing are made of; longer ones are not read.
_VARIABLES = {name: k for k, name in enumerate(("theta_x", "theta_y", "theta_z", "delta_x", "delta_y", "delta_z"))}
_OPERATIONS: dict[str, np.ufunc] = {
    "Add": np.add, "Sub": np.subtract, "Mult": np.multiply, "Div": np.divide, "Pow": np.power,
    "USub": np.negative,
}  # fmt: skip
_FUNCTIONS: dict[str, np.ufunc] = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "abs": np.abs,
}  # fmt: skip
_LONGEST = 1000
#: Names, and numbers, which may begin with noughts.
_WORDS = re.compile(r"([A-Za-z_]\w*)|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
#: Relative length -> tension of a ligament that says nothing, for a pcsa_force of 1 N: OpenSim's.
_LIGAMENT = (
    (-5.0, 0.998, 0.999, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.601, 1.602, 5.0),
    (0.0, 0.0, 0.0, 0.0, 0.035, 0.12, 0.26, 0.55, 1.17, 2.0, 2.0, 2.0, 2.0),
)
#: Surfaces whose contacts are computed.
_SURFACES = ("ContactSphere", "ContactHalfSpace")
_CONTACT = ("stiffness", "dissipation", "static_friction", "dynamic_friction", "viscous_friction")


def passive_forces_in(
    root: Element, model: MusculoskeletalModel, excluded: Sequence[str] = (), *, compat: bool = False
) -> PassiveForces:
    """Read what acts in a model without being driven.

    Parameters
    ----------
    root : Element
        Root of the document, or its ``Model``.
    model : MusculoskeletalModel
        The model of that document, with its wrap objects.
    excluded : Sequence[str], optional
        Forces that do not act, as OpenSim's ``forces_to_exclude``: names, groups of the ForceSet, or "all" for every one.
    compat : bool, optional
        Whether names of single forces are passed over, as OpenSim 4.6 does.

    Returns
    -------
    PassiveForces
        Those that act and are computed, in the document's order, paths last; and one sentence for those that are not.

    Raises
    ------
    InvalidValueError
        Something else than numbers.
    UnknownNameError
        A coordinate or body that the model does not have.
    """
    holder = root if root.tag == "Model" else root.find("Model")
    if holder is None:
        return PassiveForces()
    blocks = _Blocks(holder, model)
    acting, by_name = _acting(holder, blocks, excluded, compat=compat)
    forces, paths, left_out = list[PassiveForce](), list[tuple[MuscleModel, TensionLaw]](), list[str]()
    for element in acting:
        force = None
        try:
            if element.tag in _PATHS:
                paths.append((path_of(element, None, blocks.frames.find, blocks.where), _PATHS[element.tag](blocks, element)))
                continue
            force = _KINDS[element.tag](blocks, element) if element.tag in _KINDS else None
        except FileRefusedError:
            # A function of another kind, say: the other forces act all the same.
            pass
        if force is None:
            left_out.append(described(element))
        else:
            forces.append(force)
    along, remarks = _along_paths(model, paths)
    if left_out:
        remarks.insert(0, f"The model's {some_of(left_out, 3)} would act in OpenSim, or stop it, and are not computed here.")
    if by_name:
        remarks.append(
            f"The setup excludes {', '.join(by_name)} by name, or beyond the ForceSet; OpenSim 4.6 heeds only groups and ALL, and "
            "these of the ForceSet alone: it would let them act."
        )
    return PassiveForces((*forces, *along), tuple(remarks))


def _acting(holder: Element, blocks: _Blocks, excluded: Sequence[str], *, compat: bool) -> tuple[list[Element], list[str]]:
    """Forces that act, and the names of those that are excluded though OpenSim would let them act."""
    acting, by_name = list[Element](), list[str]()
    inside = list(objects_in(holder, "ForceSet"))
    groups = {group.get("name", ""): element_text(group, "members").split() for group in holder.iterfind("ForceSet/groups/*")}
    in_groups = {name for word in excluded for name in groups.get(word, ())}
    everything = "all" in map(str.lower, excluded)
    outside = (*objects_in(holder, "ComponentSet"), *holder.iterfind(".//components/*"))
    for k, element in enumerate((*inside, *outside)):
        name = element.get("name", "")
        heeded = k < len(inside) and (everything or name in in_groups)
        if heeded or not element.tag.endswith(PASSIVE_KINDS) or not blocks.acts(element):
            continue
        if not compat and (everything or (name in excluded and name.lower() not in ("muscles", "actuators"))):
            by_name.append(name)
        else:
            acting.append(element)
    return acting, by_name


def _along_paths(
    model: MusculoskeletalModel, pairs: Sequence[tuple[MuscleModel, TensionLaw]]
) -> tuple[list[PassiveForce], list[str]]:
    """Forces along paths, and a sentence for each path that is not computed."""
    named = dict[str, tuple[MuscleModel, TensionLaw]]()
    for path, law in pairs:
        name = path.name
        while name in named:
            name += "_"
        named[name] = (replace(path, name=name), law)
    moving = [name for name, (path, _) in named.items() if any(isinstance(point, MovingPoint) for point in path.points)]
    remarks = [f"The path of {name} has points that move within their bodies: it would act in OpenSim." for name in moving]
    still = tuple(path for name, (path, _) in named.items() if name not in moving)
    if not still:
        return [], remarks
    # OpenSim's dynamics tool takes coordinates as they are, those that follow others too.
    from biomech_id.osim.muscles.muscle_paths import MusclePaths

    paths = MusclePaths(replace(model, muscles=still, couplings=(), constraints=()))
    remarks += [f"{why} It would act in OpenSim." for why in paths.left_out.values()]
    return [PassivePaths(paths, tuple(named[name][1] for name in paths.names))] if paths.names else [], remarks


class _Blocks:
    """A document's blocks, with what they refer to."""

    def __init__(self, holder: Element, model: MusculoskeletalModel) -> None:
        self.model, self.where, self.frames = model, model.source, FrameFinder(holder, model.source)
        self.defaults = {element.tag: element for element in holder.iterfind("defaults/*")}
        self.surfaces = {each.get("name", ""): each for each in objects_in(holder, "ContactGeometrySet")}

    def holder(self, element: Element, tag: str) -> Element:
        """What says a property: the block itself, or the model's default of its kind."""
        default = self.defaults.get(element.tag)
        return element if default is None or element.find(tag) is not None else default

    def acts(self, element: Element) -> bool:
        on, off = (self.holder(element, tag) for tag in ("appliesForce", "isDisabled"))
        return is_true(on, "appliesForce", default=True) and not is_true(off, "isDisabled")

    def number(self, element: Element, tag: str, otherwise: float) -> float:
        return element_number(self.holder(element, tag), tag, otherwise, self.where)

    def three(self, element: Element, *tags: str) -> FloatArray:
        """Numbers of several children in a row."""
        return np.concatenate([three_or_zeros(self.holder(element, tag), tag, self.where) for tag in tags])

    def function(self, element: Element, tag: str, otherwise: AxisFunction) -> AxisFunction:
        """A function, in an element of this tag or with this tag for its name, as OpenSim itself writes some."""
        for child in (*element, *self.defaults.get(element.tag, ())):
            if tag in (child.tag, child.get("name")):
                holder = child
                if child.tag != tag:
                    holder = Element(tag)
                    holder.append(child)
                return function_in(holder, described(element), self.where)
        return otherwise

    def coordinate(self, element: Element) -> str:
        name = socket(element, "coordinate", "coordinate").rpartition("/")[2]
        self.model.index(name)
        return name

    def frame(self, element: Element, path: str, place_m: FloatArray, angles_rad: FloatArray) -> OffsetFrame:
        """A place and turn in the frame of a path, on a body."""
        own = {each.get("name", ""): each for each in element.iter("PhysicalOffsetFrame")}
        base = self.frames.find(path, described(element), own)
        R = np.asarray(base.R_body_frame)
        return OffsetFrame(base.body, np.asarray(base.place_m) + R @ place_m, R @ body_fixed(angles_rad))

    def ends(self, element: Element) -> tuple[OffsetFrame, OffsetFrame]:
        """Both frames of a bushing; versions before 4 say places in bodies."""
        first, second = (
            self.frame(
                element, socket(element, f"frame{k}", f"body_{k}"), self.three(element, f"location_body_{k}"),
                self.three(element, f"orientation_body_{k}"),
            )
            for k in (1, 2)
        )  # fmt: skip
        return first, second


def _limit(blocks: _Blocks, element: Element) -> PassiveForce | None:
    """None where the stiffness rises over no way, which OpenSim refuses."""
    name = blocks.coordinate(element)
    unit = np.pi / 180.0 if blocks.model.coordinates[blocks.model.index(name)].motion == "rotational" else 1.0
    lower, upper = (
        (blocks.number(element, f"{side}_limit", 0.0) * unit, blocks.number(element, f"{side}_stiffness", 1.0) / unit)
        for side in ("lower", "upper")
    )
    damping, transition = blocks.number(element, "damping", 0.001) / unit, blocks.number(element, "transition", 0.1) * unit
    return CoordinateLimit(element.get("name", ""), name, lower, upper, damping, transition) if transition else None


def _spring(blocks: _Blocks, element: Element) -> PassiveForce:
    numbers = (blocks.number(element, tag, 0.0) for tag in ("stiffness", "rest_length", "viscosity"))
    return CoordinateSpring(element.get("name", ""), blocks.coordinate(element), *numbers)


def _bushing(blocks: _Blocks, element: Element) -> PassiveForce:
    stiffness = blocks.three(element, "rotational_stiffness", "translational_stiffness")
    return _held(blocks, element, lambda way: way * stiffness)


def _function_bushing(blocks: _Blocks, element: Element) -> PassiveForce:
    laws = [blocks.function(element, tag, ConstantFunction(0.0)) for tag in (*_TURNS, *_SLIDES)]
    return _held(blocks, element, lambda way: np.column_stack([law.value(x) for law, x in zip(laws, way.T, strict=True)]))


def _expression_bushing(blocks: _Blocks, element: Element) -> PassiveForce | None:
    """None where an expression is of another kind."""
    try:
        tags = [f"{word}_expression" for word in ("Mx", "My", "Mz", "Fx", "Fy", "Fz")]
        laws = [_expression(element_text(blocks.holder(element, tag), tag) or "0") for tag in tags]
    except (SyntaxError, KeyError, ValueError, OverflowError, RecursionError):
        return None
    return _held(blocks, element, lambda way: np.column_stack([law(way) + np.zeros(len(way)) for law in laws]))


def _expression(text: str) -> Callable[[FloatArray], FloatArray]:
    """A function of turns and slides (N, 6), as a document writes it."""
    text = "".join(text.split()).rstrip(";")
    if len(text) > _LONGEST or "**" in text or "#" in text:
        raise KeyError(text)
    apart = _WORDS.sub(lambda word: f" {word[1] or float(word[0])!s} ", text)
    return _term(ast.parse(apart.replace("^", "**").strip(), mode="eval").body)


def _term(node: ast.expr) -> Callable[[FloatArray], FloatArray]:
    if isinstance(node, ast.Constant) and isinstance(node.value, float):
        value = np.full(1, node.value)
        return lambda way: value
    if isinstance(node, ast.Name):
        column = _VARIABLES[node.id]
        return lambda way: way[:, column]
    parts = [
        _term(child)
        for child in ast.iter_child_nodes(node)
        if isinstance(child, ast.expr) and child is not getattr(node, "func", None)
    ]
    if isinstance(node, ast.Call):
        operation = _FUNCTIONS[getattr(node.func, "id", "")]
    else:
        operation = _OPERATIONS[type(getattr(node, "op", node)).__name__]
    if len(parts) != operation.nin:
        raise KeyError(ast.unparse(node))
    return lambda way: operation(*(part(way) for part in parts))


def _held(blocks: _Blocks, element: Element, law: Callable[[FloatArray], FloatArray]) -> PassiveForce:
    damping = blocks.three(element, "rotational_damping", "translational_damping")
    return Bushing(element.get("name", ""), *blocks.ends(element), law, damping)


def _points(blocks: _Blocks, element: Element) -> PassiveForce:
    first, second = (
        blocks.frame(element, socket(element, f"body{k}", f"body{k}"), blocks.three(element, f"point{k}"), np.zeros(3))
        for k in (1, 2)
    )
    stiffness, rest = blocks.number(element, "stiffness", 1.0), blocks.number(element, "rest_length", 0.0)
    return PointSpring(element.get("name", ""), first, second, stiffness, rest)


def _contact(blocks: _Blocks, element: Element) -> PassiveForce | None:
    """None where a surface is of another kind, or two that may touch have no stiffness, of which OpenSim makes NaN."""
    surfaces = []
    for group in element.iter("HuntCrossleyForce..ContactParameters"):
        numbers = [element_number(group, tag, 0.0, blocks.where) for tag in _CONTACT]
        for name in element_text(group, "geometry").split():
            shape = blocks.surfaces.get(name.rpartition("/")[2])
            if shape is None or shape.tag not in _SURFACES:
                return None
            places = blocks.three(shape, "location"), blocks.three(shape, "orientation")
            frame = blocks.frame(shape, socket(shape, "frame", "body_name"), *places)
            radius = blocks.number(shape, "radius", 0.0) if shape.tag == "ContactSphere" else np.inf
            surfaces.append(ContactSurface(frame, radius, numbers[0], numbers[1], (numbers[2], numbers[3], numbers[4])))
    stiff = [surface.stiffness for surface in surfaces]
    if min(stiff, default=0.0) < 0.0 or stiff.count(0.0) > 1:
        return None
    return HuntCrossley(element.get("name", ""), tuple(surfaces), blocks.number(element, "transition_velocity", 0.01))


def _path_spring(blocks: _Blocks, element: Element) -> TensionLaw:
    rest, stiffness, dissipation = (blocks.number(element, tag, 0.0) for tag in ("resting_length", "stiffness", "dissipation"))
    return lambda length, rate: stiffness * np.maximum(length - rest, 0.0) * (1.0 + dissipation * rate)


def _ligament(blocks: _Blocks, element: Element) -> TensionLaw:
    rest, size = blocks.number(element, "resting_length", 0.0), blocks.number(element, "pcsa_force", 0.0)
    curve = blocks.function(element, "force_length_curve", simm_spline(*map(np.array, _LIGAMENT)))
    return lambda length, rate: np.where(length > rest, size * curve.value(length / rest), 0.0)


def _blankevoort(blocks: _Blocks, element: Element) -> TensionLaw:
    stiffness, slack = blocks.number(element, "linear_stiffness", 1.0), blocks.number(element, "slack_length", 0.0)
    toe, damping = blocks.number(element, "transition_strain", 0.06), blocks.number(element, "damping_coefficient", 0.003)

    def tension(length: FloatArray, rate: FloatArray) -> FloatArray:
        strain = np.maximum(length / slack - 1.0, 0.0)
        held = stiffness * np.where(strain < toe, 0.5 * strain**2 / toe, strain - 0.5 * toe)
        return np.asarray(held + np.where(strain > 0.0, damping * np.maximum(rate / slack, 0.0), 0.0))

    return tension


_KINDS: dict[str, Callable[[_Blocks, Element], PassiveForce | None]] = {
    "CoordinateLimitForce": _limit,
    "SpringGeneralizedForce": _spring,
    "BushingForce": _bushing,
    "FunctionBasedBushingForce": _function_bushing,
    "ExpressionBasedBushingForce": _expression_bushing,
    "PointToPointSpring": _points,
    "HuntCrossleyForce": _contact,
}
_PATHS: dict[str, Callable[[_Blocks, Element], TensionLaw]] = {
    "PathSpring": _path_spring,
    "Ligament": _ligament,
    "Blankevoort1991Ligament": _blankevoort,
}
