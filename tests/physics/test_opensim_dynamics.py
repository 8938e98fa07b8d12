"""Generalised forces of joints whose turns follow one coordinate, and of ball joints: their power is the rate of energy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.wrench import Wrench
from biomech_id.dynamics.external import External
from biomech_id.errors import InvalidValueError
from biomech_id.multibody.functions import ConstantFunction, simm_spline
from biomech_id.multibody.joints import PolynomialFunction, X, Y, Z
from biomech_id.multibody.musculoskeletal import (
    SURROUNDINGS,
    ModelBody,
    ModelCoordinate,
    ModelJoint,
    MusculoskeletalModel,
    OffsetFrame,
    TransformAxis,
)
from biomech_id.osim.dynamics.inverse_dynamics import generalized_forces, speeds_of
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.osim.skeleton.slip import slips

ITSELF = PolynomialFunction((0.0, 1.0))
ROLL = simm_spline([-1.0, 0.0, 1.0, 2.0], [0.1, 0.0, 0.3, 0.2])
STEP_S = 1e-4


def leg() -> Skeleton:
    """A thigh on a ball joint, and a shank whose knee turns about three axes and slides as it bends."""
    thigh = ModelBody("thigh", 7.0, np.array([0.01, -0.2, 0.0]), np.diag([0.12, 0.03, 0.13]))
    shank = ModelBody("shank", 3.0, np.array([0.0, -0.18, 0.01]), np.array([[0.05, 0.002, 0], [0.002, 0.006, 0], [0, 0, 0.051]]))
    turns = tuple(TransformAxis(f"hip_{name}", axis, ITSELF) for name, axis in zip("xyz", (X, Y, Z), strict=True))
    hip = ModelJoint(
        "hip", "ball", OffsetFrame(SURROUNDINGS, (0.1, 0.9, 0.0)), OffsetFrame("thigh"), ("hip_x", "hip_y", "hip_z"), turns
    )
    bends = (
        TransformAxis("bend", Z, ITSELF),
        TransformAxis("bend", Y, ROLL),
        TransformAxis("bend", X, simm_spline([0, 1], [0.2, 0.5])),
    )
    slides = (TransformAxis("bend", X, ROLL), TransformAxis("", Y, ConstantFunction(0.02)))
    place = OffsetFrame("thigh", (0.0, -0.4, 0.0), ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    knee = ModelJoint("knee", "custom", place, OffsetFrame("shank", (0.0, 0.01, 0.02)), ("bend",), bends, slides)
    coordinates = tuple(ModelCoordinate(name, "hip", "rotational") for name in ("hip_x", "hip_y", "hip_z"))
    return Skeleton(
        MusculoskeletalModel("leg", (thigh, shank), (hip, knee), (*coordinates, ModelCoordinate("bend", "knee", "rotational")))
    )


def motion(time_s: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Coordinates and two derivatives of a swing."""
    size, pace = np.array([0.5, 0.4, 0.6, 0.7]), np.array([2.0, 3.0, 2.5, 4.0])
    phase = time_s[:, None] * pace
    return size * np.sin(phase) + 0.3, size * pace * np.cos(phase), -size * pace**2 * np.sin(phase)


def energy(skeleton: Skeleton, time_s: FloatArray) -> FloatArray:
    """Kinetic and potential, J, with velocities from positions alone: complex steps in time."""
    q, rate, _ = motion(time_s)
    pose = skeleton.pose(q + 1e-20j * rate)
    total = np.zeros(len(time_s))
    for k, body in enumerate(skeleton.model.bodies, 1):
        place = pose.points([k], body.com_m[None])[:, 0]
        R, R_rate = pose.R_ground_body[:, k].real, pose.R_ground_body[:, k].imag / 1e-20
        velocity = place.imag / 1e-20
        spin = np.swapaxes(R, 1, 2) @ R_rate  # S(omega) in body axes
        # With the tensor's second moments E = (tr I)/2 - I: kinetic energy of turning is tr(S E S')/2.
        second = np.trace(body.inertia_kgm2) / 2 * np.eye(3) - body.inertia_kgm2
        turning = np.einsum("nij,jk,nik->n", spin, second, spin) / 2
        total += body.mass_kg * ((velocity**2).sum(axis=1) / 2 + 9.80665 * place.real[:, 1]) + turning
    return total


def test_power_of_the_forces_is_the_rate_of_energy() -> None:
    skeleton, time_s = leg(), np.linspace(0.0, 1.5, 31)
    q, rate, second = motion(time_s)
    u, udot = speeds_of(skeleton, q, rate, second)
    growth = (energy(skeleton, time_s + STEP_S) - energy(skeleton, time_s - STEP_S)) / (2 * STEP_S)
    power = (generalized_forces(skeleton, q, u, udot).tau * u).sum(axis=1)
    np.testing.assert_allclose(power, growth, atol=1e-5)
    # OpenSim's own terms make energy from nothing.
    odd = (generalized_forces(skeleton, q, u, udot, compat=True).tau * u).sum(axis=1)
    assert np.abs(odd - growth).max() > 0.5


def test_which_joints_slip() -> None:
    hip, knee = leg().model.joints
    assert not slips(hip)
    assert slips(knee)
    assert not slips(replace(knee, rotations=knee.rotations[:1]))
    # One coordinate for each rotation, in order, is free of it; out of order it is not.
    names = ("a", "b", "c")
    in_order = tuple(TransformAxis(name, axis, ITSELF) for name, axis in zip(names, (Z, X, Y), strict=True))
    assert not slips(replace(knee, coordinates=names, rotations=in_order))
    assert slips(replace(knee, coordinates=("b", "a", "c"), rotations=in_order))


def test_a_joint_carries_what_lies_beyond_it() -> None:
    skeleton = leg()
    still = np.zeros((1, 4))
    push = External("shank", Wrench(np.array([[30.0, 0.0, 0.0]]), np.zeros((1, 3)), np.array([0.1, 0.0, 0.0])))
    found = generalized_forces(skeleton, still, still, still, [push]).reactions
    assert found.joints == ("hip", "knee")
    np.testing.assert_allclose(found.force_N[0], [[-30.0, 10 * 9.80665, 0.0], [-30.0, 3 * 9.80665, 0.0]], atol=1e-12)
    pose = skeleton.pose(still)
    thigh, shank = pose.points([1, 2], np.array([body.com_m for body in skeleton.model.bodies]))[0]
    weight = np.array([0.0, -9.80665, 0.0])
    arms = [(7.0 * weight, thigh), (3.0 * weight, shank), (np.array([30.0, 0.0, 0.0]), np.array([0.1, 0.0, 0.0]))]
    about_hip = sum(np.cross(place - found.point_m[0, 0], force) for force, place in arms)
    np.testing.assert_allclose(found.moment_Nm[0, 0], -about_hip, atol=1e-12)


def test_a_ball_joint_at_a_quarter_turn_is_refused() -> None:
    skeleton = leg()
    q = np.array([[0.1, np.pi / 2, 0.0, 0.0]])
    with pytest.raises(InvalidValueError, match="hip_y is at a quarter turn in frame 0"):
        generalized_forces(skeleton, q, np.ones((1, 4)), np.zeros((1, 4)))
