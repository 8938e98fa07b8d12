"""Joints of a model as the elementary steps that `biomech_id.multibody` knows."""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.multibody.functions import ConstantFunction, ScaledFunction, SineFunction
from biomech_id.multibody.joints import Axis, AxisFunction, JointStep, JointSteps, PolynomialFunction, Slide, Turn, X, Z
from biomech_id.multibody.kinematics import axis_rotation
from biomech_id.multibody.musculoskeletal import ModelJoint, TransformAxis

_ITSELF = (0.0, 1.0)
_QUARTER_RAD = np.pi / 2


def joint_steps(joint: ModelJoint) -> tuple[FloatArray, FloatArray, JointSteps]:
    """Take a joint apart into constants and elementary turns and slides.

    Slides come first, along axes of the parent's frame, then turns. Constant slides, and turns before any that moves, are
    taken into the constants.

    Parameters
    ----------
    joint : ModelJoint
        A joint of any kind.

    Returns
    -------
    tuple[FloatArray, FloatArray, JointSteps]
        A constant turn (3, 3) and a constant place (3,), m, both in the parent's joint frame, and the steps that follow them.
    """
    R, place = np.eye(3), np.zeros(3)
    turns: list[JointStep] = []
    for axis in joint.rotations:
        angle = _constant(axis)
        if angle is not None and not turns:
            R = R @ axis_rotation(axis.axis, np.array([angle]))[0]
        elif angle is None:
            turns.append(Turn(axis.coordinate, axis.axis, _plain(axis.function)))
        elif angle:
            # A turn between moving ones has to be a step of its own; any coordinate will do, as it does not depend on it.
            turns.append(Turn(turns[-1].coordinate, axis.axis, ConstantFunction(angle)))  # type: ignore[union-attr]
    slides: list[JointStep] = []
    for axis in joint.translations:
        length = _constant(axis)
        if length is not None:
            place = place + length * np.asarray(axis.axis)
        else:
            slides.append(Slide(axis.coordinate, _turned_back(R, axis.axis), _plain(axis.function)))
    if joint.radii_m:
        slides += _on_ellipsoid(joint)
    return R, place, (*slides, *turns)


def constant_value(function: AxisFunction) -> float | None:
    """The value of a function that is the same everywhere.

    Parameters
    ----------
    function : AxisFunction
        Function of one coordinate.

    Returns
    -------
    float | None
        Rad or m; None for a function that changes with its coordinate.
    """
    if isinstance(function, ConstantFunction):
        return function.constant
    if isinstance(function, ScaledFunction):
        inner = constant_value(function.inner)
        return None if inner is None else function.factor * inner
    return None


def _constant(axis: TransformAxis) -> float | None:
    return constant_value(axis.function)


def _plain(function: AxisFunction) -> AxisFunction | None:
    """None for the coordinate itself, which costs nothing."""
    return None if isinstance(function, PolynomialFunction) and function.coefficients == _ITSELF else function


def _turned_back(R: FloatArray, axis: Axis) -> Axis:
    if (np.eye(3) == R).all():
        return axis
    x, y, z = R.T @ np.asarray(axis)
    return float(x), float(y), float(z)


def _on_ellipsoid(joint: ModelJoint) -> list[JointStep]:
    """Steps of an origin on an ellipsoid: (a sin y, -b sin x cos y, c cos x cos y) for the angles x, y.

    The second and third are the sum of a vector of length (b + c)/2 cos y turned by x, and of one of length (c - b)/2 cos y
    turned by -x, so that turns and slides by one coordinate each make up the whole.
    """
    x, y = joint.coordinates[:2]
    a, b, c = joint.radii_m
    return [
        Turn(x, X), Slide(y, Z, SineFunction((b + c) / 2, _QUARTER_RAD)), Turn(x, X, PolynomialFunction((0.0, -2.0))),
        Slide(y, Z, SineFunction((c - b) / 2, _QUARTER_RAD)), Turn(x, X), Slide(y, X, SineFunction(a)),
    ]  # fmt: skip
