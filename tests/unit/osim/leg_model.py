"""A small model with everything that inverse kinematics and muscle paths have to do with: written down, no file."""

from __future__ import annotations

import numpy as np

from biomech_id.multibody.functions import ConstantFunction, ScaledFunction, simm_spline
from biomech_id.multibody.joints import AxisFunction, PolynomialFunction
from biomech_id.multibody.musculoskeletal import (
    CoordinateCoupling,
    ModelBody,
    ModelCoordinate,
    ModelJoint,
    ModelMarker,
    MusculoskeletalModel,
    OffsetFrame,
    TransformAxis,
)

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
LINE, NOTHING = PolynomialFunction((0.0, 1.0)), ConstantFunction(0.0)


def turned(angle: float) -> np.ndarray:
    """Turn about an odd axis."""
    a = np.array([2.0, -1.0, 2.0]) / 3.0
    K = np.cross(np.eye(3), a)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def step(coordinate: str, axis: tuple[float, float, float], function: AxisFunction = LINE) -> TransformAxis:
    return TransformAxis(coordinate, axis, function)


def body(name: str) -> ModelBody:
    return ModelBody(name, 2.0, np.array([0.0, -0.1, 0.0]), np.diag([0.02, 0.01, 0.02]))


def marker(name: str, where: str, *place: float) -> ModelMarker:
    return ModelMarker(name, where, np.array(place))


PELVIS = ModelJoint(
    "root", "custom", OffsetFrame("ground"), OffsetFrame("pelvis", (0.0, 0.02, 0.0)), ("tilt", "list", "spin", "tx", "ty", "tz"),
    (step("tilt", Z), step("list", X), step("spin", Y)), (step("tx", X), step("ty", Y), step("tz", Z)),
)  # fmt: skip
HIP = ModelJoint(
    "hip", "custom", OffsetFrame("pelvis", (-0.07, -0.06, 0.08), turned(0.3)), OffsetFrame("thigh", (0.0, 0.01, 0.0), turned(-0.2)),
    ("flexion", "adduction"), (step("flexion", Z), step("adduction", X), step("", Y, ConstantFunction(0.1))),
    (step("", X, NOTHING), step("", Y, NOTHING), step("", Z, NOTHING)),
)  # fmt: skip
ROLL = simm_spline([-2.0, -1.0, 0.0, 0.5], [0.004, 0.001, -0.005, -0.007])
KNEE = ModelJoint(
    "knee", "custom", OffsetFrame("thigh", (0.0, -0.4, 0.0)), OffsetFrame("shank"), ("knee",),
    (step("knee", Z), step("knee", X, simm_spline([-2.0, -1.0, 0.0], [0.1, 0.02, 0.0])), step("", Y, NOTHING)),
    (step("knee", X, ROLL), step("knee", Y, ScaledFunction(0.9, ROLL)), step("", Z, NOTHING)),
)  # fmt: skip
CAP = ModelJoint("cap", "pin", OffsetFrame("thigh", (0.04, -0.4, 0.0)), OffsetFrame("cap"), ("cap_turn",), (step("cap_turn", Z),))
MODEL = MusculoskeletalModel(
    name="leg",
    bodies=(body("pelvis"), body("thigh"), body("shank"), body("cap")),
    joints=(PELVIS, HIP, KNEE, CAP),
    coordinates=(
        *(ModelCoordinate(name, "root", "rotational") for name in ("tilt", "list", "spin")),
        *(ModelCoordinate(name, "root", "translational", default) for name, default in (("tx", 0.0), ("ty", 0.9), ("tz", 0.0))),
        ModelCoordinate("flexion", "hip", "rotational", range=(-2.0, 2.0)),
        ModelCoordinate("adduction", "hip", "rotational", range=(-1.0, 1.0)),
        ModelCoordinate("knee", "knee", "rotational", -0.2, range=(-2.0, 0.1), clamped=True),
        ModelCoordinate("cap_turn", "cap", "rotational"),
    ),
    couplings=(CoordinateCoupling("follow", "cap_turn", "knee", simm_spline([-2.0, -1.0, 0.0, 1.0], [-1.2, -0.8, 0.0, 0.3])),),
    markers=(
        marker("P1", "pelvis", 0.1, 0.05, 0.1), marker("P2", "pelvis", 0.1, 0.05, -0.1), marker("P3", "pelvis", -0.15, 0.06, 0.0),
        marker("T1", "thigh", 0.06, -0.2, 0.05), marker("T2", "thigh", 0.0, -0.38, 0.06), marker("T3", "thigh", 0.05, -0.3, 0.0),
        marker("S1", "shank", 0.05, -0.1, 0.03), marker("S2", "shank", 0.0, -0.4, 0.05), marker("C1", "cap", 0.03, 0.02, 0.01),
    ),
)  # fmt: skip
NAMES = tuple(m.name for m in MODEL.markers)
EVEN = dict.fromkeys(NAMES, 1.0)


def walk(n: int = 40, rate_hz: float = 50.0) -> np.ndarray:
    """Coordinates (n, 10) of something like walking, away from all bounds."""
    t = np.arange(n) / rate_hz
    one = np.sin(2 * np.pi * t)
    root = [0.1 * one, 0.05 * one, 0.3 + 0.1 * one, 1.2 * t, 0.9 + 0.02 * one, 0.05 * one]
    return np.stack([*root, 0.5 * one, 0.1 * one, -0.8 + 0.6 * one, 0 * t], axis=1)
