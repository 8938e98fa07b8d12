"""Scaling a model to a subject: factors of bodies from distances of markers or by hand, what they change, and placed markers.

The rules are those of OpenSim's scale tool. Geometry is multiplied by the factors of the body it lives on, element by element.
Masses keep their proportions, or follow the volume; then they are made to add up to the subject's mass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray
from biomech_id.arguments import a, a_quantity, a_switch, or_none, takes
from biomech_id.errors import InvalidValueError, UnknownNameError
from biomech_id.multibody.functions import ScaledFunction
from biomech_id.multibody.joints import AxisFunction, PolynomialFunction
from biomech_id.multibody.musculoskeletal import (
    SURROUNDINGS,
    BodyConstraint,
    Measurement,
    ModelBody,
    ModelJoint,
    ModelMarker,
    MovingPoint,
    MuscleModel,
    MusculoskeletalModel,
    OffsetFrame,
    PathPoint,
    TransformAxis,
    WrapObject,
)
from biomech_id.osim.skeleton.skeleton import Skeleton

#: Factors that differ by less are equal.
_EQUAL = float(np.finfo(np.float64).eps)
Factors = Mapping[str, ArrayLike]
_MODEL = a(MusculoskeletalModel, "read one with read_osim")


def measured_factors(
    model: MusculoskeletalModel, measurements: Sequence[Measurement], distance_m: Mapping[tuple[str, str], float]
) -> tuple[dict[str, FloatArray], tuple[str, ...]]:
    """Compute scale factors of bodies from distances between markers.

    The model is measured in its default pose. A measurement with a pair that recording or model do not have is left out as a whole;
    of two that set the same axis of a body the later one counts.

    Parameters
    ----------
    model : MusculoskeletalModel
        The generic model with its markers.
    measurements : Sequence[Measurement]
        Pairs of markers, and the bodies and axes that each scales.
    distance_m : Mapping[tuple[str, str], float]
        Pair of markers -> mean distance in the recording, m.

    Returns
    -------
    tuple[dict[str, FloatArray], tuple[str, ...]]
        Factors (3,) along the axes of each body that a measurement scales, and the names of measurements that could not be taken.
    """
    skeleton = Skeleton(model)
    names = [marker.name for marker in model.markers]
    place = dict(zip(names, skeleton.markers(skeleton.default_q()[None])[0], strict=True))
    factors: dict[str, FloatArray] = {}
    left_out = []
    bodies = {body.name for body in model.bodies}
    for measurement in measurements:
        pairs = measurement.pairs
        if not pairs or any(not np.isfinite(distance_m.get(pair, np.nan)) or not set(pair) <= set(place) for pair in pairs):
            left_out.append(measurement.name)
            continue
        ratios = [distance_m[pair] / float(np.linalg.norm(place[pair[0]] - place[pair[1]])) for pair in pairs]
        for body, axes in measurement.bodies:
            if body in bodies:
                own = factors.setdefault(body, np.ones(3))
                own[["XYZ".index(axis) for axis in axes]] = sum(ratios) / len(ratios)
    return factors, tuple(left_out)


@takes(model=_MODEL, mass_kg=or_none(a_quantity(0.1, 1000, "kg")), keep_mass_shares=a_switch())
def scaled_model(
    model: MusculoskeletalModel, factors: Factors, *, mass_kg: float | None = None, keep_mass_shares: bool = True
) -> MusculoskeletalModel:
    """Scale a model body by body.

    Its muscles' fibre and tendon lengths are still those of before (see `with_lengths`).

    Parameters
    ----------
    model : MusculoskeletalModel
        The generic model, with everything that hangs on its bodies.
    factors : Factors
        Body -> one number or three, along its axes; bodies that are not named stay as they are.
    mass_kg : float | None, optional
        Of the whole body; None leaves what the bodies' masses add up to.
    keep_mass_shares : bool, optional
        Whether each body keeps its share of the mass; otherwise masses first follow the volumes.

    Returns
    -------
    MusculoskeletalModel
        Joints, markers, path points and wrap objects moved with their bodies; masses, centres and tensors changed with them.

    Raises
    ------
    UnknownNameError
        A body that the model does not have.
    InvalidValueError
        A factor that is not positive.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.osim.scaling import scaled_model
    >>> from biomech_id.multibody.musculoskeletal import ModelBody, ModelJoint, MusculoskeletalModel, OffsetFrame
    >>> shank = ModelBody("shank", 3.0, np.array([0.0, -0.18, 0.0]), np.diag([0.05, 0.006, 0.05]))
    >>> joint = ModelJoint("fixed", "weld", OffsetFrame("ground"), OffsetFrame("shank"), ())
    >>> long = scaled_model(MusculoskeletalModel("leg", (shank,), (joint,), ()), {"shank": 1.1}, mass_kg=4.0)
    >>> long.bodies[0].com_m.round(3).tolist(), long.mass_kg
    ([0.0, -0.198, 0.0], 4.0)
    """
    all_factors = _checked(model, factors)

    def of(body: str) -> FloatArray:
        return all_factors.get(body, np.ones(3))

    bodies = _scaled_bodies(model, of_bodies=[of(body.name) for body in model.bodies], mass_kg=mass_kg, keep=keep_mass_shares)
    return replace(
        model,
        bodies=bodies,
        joints=tuple(_joint(joint, of(joint.parent.body), of(joint.child.body)) for joint in model.joints),
        constraints=tuple(
            _tie(c, of(c.first.body), of(c.second.body)) if isinstance(c, BodyConstraint) else c for c in model.constraints
        ),
        markers=tuple(replace(marker, place_m=np.asarray(marker.place_m) * of(marker.body)) for marker in model.markers),
        muscles=tuple(replace(m, points=tuple(_point(point, of(point.body)) for point in m.points)) for m in model.muscles),
        wrap_objects=tuple(_wrap(wrap, of(wrap.frame.body)) for wrap in model.wrap_objects),
    )


def _checked(model: MusculoskeletalModel, factors: Factors) -> dict[str, FloatArray]:
    known = {SURROUNDINGS, *(body.name for body in model.bodies)}
    unknown = sorted(set(factors) - known)
    if unknown:
        raise UnknownNameError(
            f"The model {model.name} has no body {unknown[0]!r} to scale.",
            value=unknown, expected=", ".join(sorted(known)), where=model.name,
        )  # fmt: skip
    checked = {}
    for body, values in factors.items():
        checked[body] = np.broadcast_to(np.asarray(values, dtype=np.float64), (3,)).copy()
        if not (np.isfinite(checked[body]).all() and (checked[body] > 0).all()):
            raise InvalidValueError(
                f"The body {body} was to be scaled by {checked[body].tolist()}.",
                value=checked[body].tolist(), expected="positive factors", where=model.name,
            )  # fmt: skip
    return checked


def _scaled_bodies(
    model: MusculoskeletalModel, *, of_bodies: Sequence[FloatArray], mass_kg: float | None, keep: bool
) -> tuple[ModelBody, ...]:
    volumes = [1.0 if keep else float(np.prod(s)) for s in of_bodies]
    masses = [body.mass_kg * volume for body, volume in zip(model.bodies, volumes, strict=True)]
    share = 1.0 if mass_kg is None else mass_kg / sum(masses)
    scaled = []
    for body, s, mass, volume in zip(model.bodies, of_bodies, masses, volumes, strict=True):
        tensor = scaled_inertia(body, s) * volume * share
        scaled.append(ModelBody(body.name, mass * share, body.com_m * s, tensor))
    return tuple(scaled)


def scaled_inertia(body: ModelBody, s: FloatArray) -> FloatArray:
    """Inertia of a body of the same mass that is scaled.

    Equal factors scale it with their square. For others the body counts as a cylinder about the axis of its smallest moment, whose
    length goes with that axis and whose cross-section with the two others; products of inertia go with the factors of their axes.

    Parameters
    ----------
    body : ModelBody
        The body before scaling.
    s : FloatArray
        (3,), factors along its axes.

    Returns
    -------
    FloatArray
        (3, 3), about the centre of mass, axes of the body, kg m2; zero for a body without mass.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.osim.scaling import scaled_inertia
    >>> from biomech_id.multibody.musculoskeletal import ModelBody
    >>> rod = ModelBody("rod", 12.0, np.zeros(3), np.diag([1.0, 0.0, 1.0]))
    >>> np.diag(scaled_inertia(rod, np.array([1.0, 2.0, 3.0]))).tolist()
    [4.0, 0.0, 4.0]
    """
    tensor, mass = body.inertia_kgm2, body.mass_kg
    if mass <= _EQUAL:
        return np.zeros((3, 3))
    if np.ptp(s) <= _EQUAL:
        return np.asarray(tensor * s[0] ** 2)
    moments = np.diag(tensor)
    along = int(np.argmin(moments))
    first, second = (axis for axis in range(3) if axis != along)
    radius_2 = 2.0 * moments[along] / mass
    length_2 = 12.0 * (moments[first] / mass - radius_2 / 4.0)
    radius_2, length_2 = radius_2 * s[first] * s[second], length_2 * s[along] ** 2
    scaled = tensor * np.outer(s, s)
    np.fill_diagonal(scaled, mass * (length_2 / 12.0 + radius_2 / 4.0))
    scaled[along, along] = mass * radius_2 / 2.0
    return scaled


def _frame(frame: OffsetFrame, s: FloatArray) -> OffsetFrame:
    return replace(frame, place_m=np.asarray(frame.place_m) * s)


def _tie(tie: BodyConstraint, *factors: FloatArray) -> BodyConstraint:
    """A tie whose frames grow with their bodies, as far as OpenSim lets them."""
    parts_m = [np.asarray(part) for part in tie.scaled_m]
    more_m = [part * (s - 1.0) for part, s in zip(parts_m, factors, strict=True)]
    first, second = (
        replace(frame, place_m=np.asarray(frame.place_m) + more)
        for frame, more in zip((tie.first, tie.second), more_m, strict=True)
    )
    return replace(tie, first=first, second=second, scaled_m=(parts_m[0] + more_m[0], parts_m[1] + more_m[1]))


def _joint(joint: ModelJoint, parent: FloatArray, child: FloatArray) -> ModelJoint:
    translations = joint.translations if joint.kind != "custom" else tuple(_slide(axis, parent) for axis in joint.translations)
    radii = tuple(float(r) for r in np.asarray(joint.radii_m) * parent) if joint.radii_m else ()
    frames = _frame(joint.parent, parent), _frame(joint.child, child)
    return replace(joint, parent=frames[0], child=frames[1], translations=translations, radii_m=radii)


def slide_factor(axis: TransformAxis, s: FloatArray) -> float | None:
    """By how much a custom joint's slide is scaled.

    Parameters
    ----------
    axis : TransformAxis
        One of the joint's translations.
    s : FloatArray
        (3,), factors of the parent.

    Returns
    -------
    float | None
        Factor along the slide's axis; None for a slide that is its coordinate, which stays in m.
    """
    f = axis.function
    if isinstance(f, PolynomialFunction) and f.coefficients == (0.0, 1.0):
        return None
    return float(np.abs(axis.axis) @ s)


def _slide(axis: TransformAxis, s: FloatArray) -> TransformAxis:
    factor = slide_factor(axis, s)
    return axis if factor is None else replace(axis, function=_times(axis.function, factor))


def _times(function: AxisFunction, factor: float) -> AxisFunction:
    if isinstance(function, ScaledFunction):
        return ScaledFunction(function.factor * factor, function.inner)
    return ScaledFunction(factor, function)


def _point(point: PathPoint | MovingPoint, s: FloatArray) -> PathPoint | MovingPoint:
    if isinstance(point, PathPoint):
        return replace(point, place_m=np.asarray(point.place_m) * s)
    x, y, z = (_times(function, float(factor)) for function, factor in zip(point.functions, s, strict=True))
    return replace(point, functions=(x, y, z))


def _wrap(wrap: WrapObject, s: FloatArray) -> WrapObject:
    """The size along each of the surface's own axes goes with how long that axis, scaled, becomes."""
    along = np.linalg.norm(np.asarray(wrap.frame.R_body_frame) * s[:, None], axis=0)
    across = float(along[:2].mean())
    factors = {
        "cylinder": (across, float(along[2])),
        "sphere": (float(along.mean()),),
        "ellipsoid": tuple(float(x) for x in along),
        "torus": (across, across),
    }[wrap.kind]
    size = tuple(x * factor for x, factor in zip(wrap.size_m, factors, strict=True))
    return replace(wrap, frame=_frame(wrap.frame, s), size_m=size)


def with_lengths(muscles: Sequence[MuscleModel], before_m: FloatArray, after_m: FloatArray) -> tuple[MuscleModel, ...]:
    """Lengthen fibres and tendons of muscles by as much as their paths.

    Parameters
    ----------
    muscles : Sequence[MuscleModel]
        The scaled model's muscles, K of them.
    before_m : FloatArray
        (K,), lengths of their paths in the default pose before scaling, m.
    after_m : FloatArray
        (K,), the same after scaling.

    Returns
    -------
    tuple[MuscleModel, ...]
        In the order given; optimal fibre and tendon slack lengths in m.
    """
    ratios = (after_m / before_m).tolist()
    return tuple(
        replace(m, optimal_fibre_length_m=m.optimal_fibre_length_m * r, tendon_slack_length_m=m.tendon_slack_length_m * r)
        for m, r in zip(muscles, ratios, strict=True)
    )


def with_model_markers(model: MusculoskeletalModel, markers: Sequence[ModelMarker]) -> MusculoskeletalModel:
    """Replace a model's markers of given names, and add the others given.

    Parameters
    ----------
    model : MusculoskeletalModel
        Any model, with or without markers.
    markers : Sequence[ModelMarker]
        On bodies of the model.

    Returns
    -------
    MusculoskeletalModel
        The same model with those markers.
    """
    return replace(model, markers=tuple({m.name: m for m in (*model.markers, *markers)}.values()))


def with_placed_markers(model: MusculoskeletalModel, q: FloatArray, measured_m: Mapping[str, FloatArray]) -> MusculoskeletalModel:
    """Move a model's markers to where they were measured in a pose.

    Markers that were not recorded are left out. Fixed ones, and those without a finite measurement, stay where they are.

    Parameters
    ----------
    model : MusculoskeletalModel
        The scaled model with its markers.
    q : FloatArray
        (nq,), coordinates of the pose, rad or m.
    measured_m : Mapping[str, FloatArray]
        Marker -> (3,), m, axes of the surroundings.

    Returns
    -------
    MusculoskeletalModel
        The same model with the markers that were recorded.
    """
    skeleton = Skeleton(model)
    pose = skeleton.pose(q[None])
    placed = []
    for marker in model.markers:
        at = measured_m.get(marker.name)
        if at is None:
            continue
        if not marker.fixed and np.isfinite(at).all():
            body = skeleton.body_index(marker.body)
            marker = replace(marker, place_m=pose.R_ground_body[0, body].T @ (at - pose.origin_m[0, body]))
        placed.append(marker)
    return replace(model, markers=tuple(placed))
