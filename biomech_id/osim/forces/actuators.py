"""A model's actuators: muscles, motors of coordinates, forces at points and moments of bodies, with bounds of their controls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.arguments import a_path, takes
from biomech_id.errors import FileRefusedError, InvalidValueError, MissingInputError
from biomech_id.multibody.musculoskeletal import SURROUNDINGS, MusculoskeletalModel
from biomech_id.osim.document.model import model_in
from biomech_id.osim.forces.muscle_curves import COMMON, MUSCLE_KINDS
from biomech_id.osim.forces.passive_documents import passive_forces_in
from biomech_id.osim.forces.passive_forces import PassiveForces
from biomech_id.osim.muscles.muscle_paths import MusclePaths
from biomech_id.osim.skeleton.closing import refuse_constraints
from biomech_id.readers.opensim.document import (
    described,
    element_number,
    element_numbers,
    element_text,
    is_true,
    objects_in,
    read_document,
    socket,
)
from biomech_id.values import dataclass, field

#: Tags of actuators that are no muscles -> what they are called here.
MOTORS: Mapping[str, str] = {"CoordinateActuator": "coordinate", "PointActuator": "point", "TorqueActuator": "torque"}
#: Endings of forces that somebody drives; what else is in a set acts by itself.
_DRIVEN = ("Muscle", "Actuator")
#: First version whose controls of 0 and 1 are meant.
_CONTROLS_MEANT = 30513
#: Least activation of a muscle that says nothing: OpenSim's.
LEAST_ACTIVATION = 0.01
#: Names of version 2 -> later ones.
_OLDER = {"pennation_angle_at_optimal": "pennation_angle", "max_contraction_velocity": "Vmax"}


@compact_repr
@dataclass(frozen=True, eq=False)
class Actuator:
    """What pulls, pushes or turns by a control.

    Attributes
    ----------
    name : str
        As the document calls it.
    kind : str
        "muscle", "coordinate", "point" or "torque".
    bounds : tuple[float, float]
        Least and largest control, without unit; infinite where there is none.
    strength : float
        Force, N, or moment, N m, at a control of 1; of a muscle its largest isometric force.
    muscle_kind : str, optional
        Of a muscle, one of `muscle_curves.MUSCLE_KINDS`.
    numbers : Mapping[str, float], optional
        Of a muscle, what its curves go by.
    coordinate : str, optional
        Of a motor, which it drives.
    body, against : str, optional
        What a force or a moment acts on; "" for none. ``against`` takes the opposite moment.
    point_m : tuple[float, float, float], optional
        Where a force acts, in the body's axes, or the surroundings' if ``point_in_ground``.
    direction : tuple[float, float, float], optional
        Unit vector of force or moment, in the body's axes, or the surroundings' if ``direction_in_ground``.
    point_in_ground, direction_in_ground : bool, optional
        Whether those are the surroundings'.
    """

    name: str
    kind: str
    bounds: tuple[float, float]
    strength: float
    muscle_kind: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)
    coordinate: str = ""
    body: str = ""
    against: str = ""
    point_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    direction: tuple[float, float, float] = (1.0, 0.0, 0.0)
    point_in_ground: bool = False
    direction_in_ground: bool = False


@compact_repr
@dataclass(frozen=True, eq=False)
class ActuatedModel:
    """A model with what drives it.

    Attributes
    ----------
    model : MusculoskeletalModel
        Bodies, joints and the muscles' paths.
    actuators : tuple[Actuator, ...]
        In the document's order, those of further files behind; columns of every result.
    passive : PassiveForces, optional
        What acts without being driven.
    """

    model: MusculoskeletalModel
    actuators: tuple[Actuator, ...]
    passive: PassiveForces = field(default_factory=PassiveForces)

    def __post_init__(self) -> None:
        names, where = self.names, self.model.source or self.model.name
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise InvalidValueError(
                f"{self.model.name} has more than one actuator called {', '.join(twice)}; give them other names.",
                value=twice, expected="names that differ", where=where,
            )  # fmt: skip
        if not self.muscles:
            raise MissingInputError(
                f"{where} has no muscle that could be given a force.",
                value=names,
                expected="a model with muscles",
                where=where,
            )

    @property
    def names(self) -> list[str]:
        """Names of the actuators."""
        return [each.name for each in self.actuators]

    @property
    def muscles(self) -> list[int]:
        """Columns of the muscles."""
        return [k for k, each in enumerate(self.actuators) if each.kind == "muscle"]

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Least and largest control (n,) of each actuator."""
        both = np.array([each.bounds for each in self.actuators])
        return both[:, 0], both[:, 1]

    def paths(self) -> MusclePaths:
        """The muscles' paths, compiled.

        Returns
        -------
        MusclePaths
            Of the muscles among the actuators, in their order.

        Raises
        ------
        InvalidValueError
            A muscle over a surface that is not supported.
        """
        return MusclePaths(self.model, [self.actuators[k].name for k in self.muscles])

    def with_reserves(self, strength_Nm: float, residual_N: float) -> ActuatedModel:
        """Add a motor to every free coordinate that no motor drives yet.

        Parameters
        ----------
        strength_Nm : float
            Moment (N m; force, N, of one that slides) at a control of 1; the smaller it is, the dearer a reserve.
        residual_N : float
            The same of the coordinates that carry the root: what the model and the recording leave unexplained.

        Returns
        -------
        ActuatedModel
            A copy; names are the coordinate's with "_reserve", those of the root with "_residual".
        """
        driven = held_coordinates(self.model) | {each.coordinate for each in self.actuators}
        roots = {joint.name for joint in self.model.joints if joint.parent.body == SURROUNDINGS}
        added = []
        for each in self.model.coordinates:
            if each.name in driven:
                continue
            word, size = ("residual", residual_N) if each.joint in roots else ("reserve", strength_Nm)
            added.append(Actuator(f"{each.name}_{word}", "coordinate", (-np.inf, np.inf), size, coordinate=each.name))
        return ActuatedModel(self.model, (*self.actuators, *added), self.passive)


def held_coordinates(model: MusculoskeletalModel) -> set[str]:
    """Coordinates that nothing has to drive: locked ones, those of a prescribed function, and those that follow others.

    Parameters
    ----------
    model : MusculoskeletalModel
        Any model.

    Returns
    -------
    set[str]
        Their names.
    """
    held = {each.name for each in model.coordinates if each.locked or each.prescribed is not None}
    return held | {each.dependent for each in model.couplings}


@takes(path=a_path("give the name of an OpenSim model"))
def read_actuated(
    path: str | Path, force_sets: Sequence[Path] = (), *, replace: bool = False, compat: bool = False
) -> ActuatedModel:
    """Read a model with its actuators.

    Parameters
    ----------
    path : str | Path
        The ``.osim`` file, of any version.
    force_sets : Sequence[Path], optional
        Documents of further forces, such as reserves.
    replace : bool, optional
        Whether those stand for the model's own forces instead of behind them.
    compat : bool, optional
        Whether numbers of old files are rounded as OpenSim does.

    Returns
    -------
    ActuatedModel
        Without what is switched off; what acts without being driven is in ``passive``.

    Raises
    ------
    FileRefusedError
        Not a model, or an actuator of a kind that is not supported; the message names it.
    MissingInputError
        A model without muscles.
    InvalidValueError
        Numbers that are none, or two actuators of one name.
    UnknownNameError
        A coordinate or body that the model does not have.
    """
    path = Path(path)
    root = read_document(path)
    holder = root if root.tag == "Model" else root.find("Model")
    if holder is not None:
        _join(holder, [_force_set(Path(file)) for file in force_sets], replace=replace)
    model = model_in(root, str(path), compat=compat)
    refuse_constraints(model, "An analysis of muscles and joint reactions")
    assert holder is not None
    version = int(root.get("Version", "40000") or 40000)
    defaults = {element.tag: element for group in holder.iter("defaults") for element in group}
    actuators = [
        _actuator(element, defaults.get(element.tag), version, model)
        for element in objects_in(holder, "ForceSet")
        if element.tag.endswith(_DRIVEN) and not _switched_off(element)
    ]
    return ActuatedModel(model, tuple(actuators), passive_forces_in(root, model, compat=compat))


def _force_set(path: Path) -> Element:
    document = read_document(path)
    forces = document if document.tag == "ForceSet" else document.find("ForceSet")
    if forces is None:
        raise FileRefusedError(f"{path.name} holds no ForceSet.", value=document.tag, expected="a ForceSet", where=str(path))
    wrapped = Element("document")
    wrapped.append(forces)
    return wrapped


def _join(model: Element, further: Sequence[Element], *, replace: bool) -> None:
    """Put further forces behind a model's own, or for them."""
    forces = model.find("ForceSet")
    if replace and forces is not None:
        model.remove(forces)
        forces = None
    if forces is None:
        forces = SubElement(model, "ForceSet")
    objects = forces.find("objects")
    for holder in further:
        (forces if objects is None else objects).extend(objects_in(holder, "ForceSet"))


def _switched_off(element: Element) -> bool:
    return is_true(element, "isDisabled") or not is_true(element, "appliesForce", default=True)


def _actuator(element: Element, default: Element | None, version: int, model: MusculoskeletalModel) -> Actuator:
    where, name = model.source, element.get("name", "")
    if element.tag not in MUSCLE_KINDS and element.tag not in MOTORS:
        raise FileRefusedError(
            f"The actuator {described(element)} is of a kind that is not supported; switch it off, or give it another kind.",
            value=element.tag, expected=", ".join([*MUSCLE_KINDS, *MOTORS]), where=where,
        )  # fmt: skip

    def number(tag: str, otherwise: float) -> float:
        values = (
            _number(holder, name, where)
            for name in dict.fromkeys((tag, _OLDER.get(tag, tag))) for holder in (element, default) if holder is not None
        )  # fmt: skip
        return next((value for value in values if not np.isnan(value)), otherwise)

    if element.tag in MUSCLE_KINDS:
        numbers = {tag: number(tag, value) for tag, value in {**COMMON, **MUSCLE_KINDS[element.tag][0]}.items()}
        least = number("minimum_activation", LEAST_ACTIVATION)
        low, high = number("min_control", least), number("max_control", 1.0)
        if version < _CONTROLS_MEANT:
            low, high = low or least, 1.0 if high == 1.0 else high
        return Actuator(name, "muscle", (low, high), numbers["max_isometric_force"], element.tag, numbers)
    low, high = number("min_control", -np.inf), number("max_control", np.inf)
    bounds, strength, kind = (low, high), number("optimal_force", 1.0), MOTORS[element.tag]
    if kind == "coordinate":
        coordinate = socket(element, "coordinate", "coordinate").rpartition("/")[2]
        model.index(coordinate)
        return Actuator(name, kind, bounds, strength, coordinate=coordinate)
    bodies = ("body", "") if kind == "point" else ("bodyA", "bodyB")
    body, against = (element_text(element, tag).rpartition("/")[2] if tag else "" for tag in bodies)
    for each in (body, against):
        if each not in ("", SURROUNDINGS):
            model.body(each)
    axis, usual = ("direction", (1.0, 0.0, 0.0)) if kind == "point" else ("axis", (0.0, 0.0, 1.0))
    in_ground = is_true(element, "force_is_global" if kind == "point" else "torque_is_global", default=kind == "torque")
    direction = element_numbers(element, axis, 3, where) if element_text(element, axis) else np.array(usual)
    point = element_numbers(element, "point", 3, where) if element_text(element, "point") else np.zeros(3)
    return Actuator(
        name, kind, bounds, strength, body=body, against=against, point_m=_three(point),
        direction=_three(direction / np.linalg.norm(direction)), point_in_ground=is_true(element, "point_is_global"),
        direction_in_ground=in_ground,
    )  # fmt: skip


def _number(holder: Element, path: str, where: str) -> float:
    """A number of a child, or of a child's child; NaN where there is none."""
    *groups, tag = path.split("/")
    for group in groups:
        inner = holder.find(group)
        if inner is None:
            return np.nan
        holder = inner
    text = element_text(holder, tag)
    # Bounds may be infinite; numbers elsewhere may not.
    return float(text) if text.lower().lstrip("+-") in ("inf", "infinity") else element_number(holder, tag, np.nan, where)


def _three(values: FloatArray) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z
