"""A measured walk as a planar leg: where the joints go, what the plane's moments are worth, and the leg inside a mechanism."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.dynamics.body import BodyMotion, FootContact, Frames, Motion
from biomech_id.errors import MissingInputError
from biomech_id.multibody.examples.mechanisms import ExoskeletonLeg, planar_segment, sliding_segment
from biomech_id.multibody.examples.sagittal_leg import SagittalLeg, sagittal_leg
from biomech_id.multibody.reduction import configuration, inverse_dynamics
from biomech_id.multibody.system import System

DATA = Path(__file__).resolve().parents[2] / "data"
GRAVITY = (0.0, -9.81, 0.0)
JOINTS = ("hip", "knee", "ankle")
WALKS = [("walk01", "R"), ("walk01", "L"), ("walk02", "R"), ("walk03", "L")]


@pytest.fixture(scope="module")
def tracked() -> Callable[[str], tuple[BodyMotion, Any]]:
    model = bid.conventional_model(bid.read_c3d(DATA / "static.c3d"))

    def track(name: str) -> tuple[BodyMotion, Any]:
        trial = bid.read_c3d(DATA / f"{name}.c3d")
        movement = bid.assign_plates(model.track(trial))
        return movement, movement.assignment

    return track


def stride(contact: FootContact) -> slice:
    """From the first frame on the plate to the next step."""
    first = int(np.argmax(contact.force_lab_N[:, 2] > 0))
    return slice(first, first + int(np.argmin(contact.known[first:])))


def planar_moments(leg: SagittalLeg, contact: FootContact) -> np.ndarray:
    return leg.system(GRAVITY).inverse(leg.q1, leg.u1, leg.a1, [leg.ground(contact)], base=leg.hip)


def nodes(motion: BodyMotion, leg: SagittalLeg, side: str) -> np.ndarray:
    measured = [*(motion.joint_centres_lab_m[side, joint] for joint in JOINTS), motion.motions[side, "foot"].com_lab_m]
    return np.stack(measured, axis=1)[leg.frames] @ leg.R_plane_lab.T


@pytest.mark.parametrize(("walk", "side"), WALKS)
def test_planar_joints_lie_where_the_measured_ones_project(tracked: Any, walk: str, side: str) -> None:
    """Within z^2 / 2L of each link above, z the distance it tilts out of the plane: rigid links cannot follow more closely.

    On these walks that allows 7 mm at the foot, of which up to 3.9 mm are used.
    """
    motion, plates = tracked(walk)
    leg = sagittal_leg(motion, side, stride(plates.contacts[side]))
    measured = nodes(motion, leg, side)
    off = np.linalg.norm(leg.joint_centres_m() - measured[..., :2], axis=2).max(axis=0)
    tilt = np.abs(np.diff(measured[..., 2], axis=1)).max(axis=0)
    allowed = np.cumsum(tilt**2 / (2 * np.array([leg.thigh_m, leg.shank_m, leg.foot_m])))
    assert allowed[-1] < 0.008
    assert off[0] < 1e-15
    assert (off[1:] <= allowed * 1.02).all()  # 1.02: the next term of the root, (z/L)^2 / 4, with z/L at most 0.15
    assert np.ptp(measured[:, 1, 0]) > 1.0  # m; the knee does travel, forward
    assert np.degrees(np.ptp(leg.q1[:, 1])) > 50


@pytest.mark.parametrize(("walk", "side"), WALKS)
def test_planar_moments_are_the_sagittal_ones(tracked: Any, walk: str, side: str) -> None:
    """Against the 3-D solver's moments about the plane's normal: 1.5 % of the range.

    Measured: knee 0.63 N m of 67, hip 0.85 of 141, ankle 0.17 of 117. What is left is the ground's 800 N on joints up to 4 mm
    away, and spin that the plane cannot hold.
    """
    motion, plates = tracked(walk)
    contact = plates.contacts[side]
    leg = sagittal_leg(motion, side, stride(contact))
    planar, loads = planar_moments(leg, contact), bid.solve(motion, plates.contacts)
    for i, joint in enumerate(JOINTS):
        spatial = loads[side, joint].wrench.moment_Nm[leg.frames] @ leg.R_plane_lab[2]
        assert np.ptp(spatial) > 50
        assert np.abs(planar[:, i] - spatial).max() < 0.015 * np.ptp(spatial)


def flattened(motion: BodyMotion) -> BodyMotion:
    """A motion that is planar: two links swing in the x-z plane of the laboratory about a hip that travels."""
    n, rate = 200, 200.0
    t = np.arange(n) / rate
    zero = np.zeros(n)
    hip = np.stack([1.2 * t, zero + 0.1, 0.9 + 0.02 * np.sin(9 * t)], axis=1)
    lean = [0.4 * np.cos(6 * t), 0.4 * np.cos(6 * t) - 0.5 + 0.4 * np.sin(7 * t), 1.4 + 0.3 * np.sin(6 * t)]
    d_lean = [-2.4 * np.sin(6 * t), -2.4 * np.sin(6 * t) + 2.8 * np.cos(7 * t), 1.8 * np.cos(6 * t)]
    dd_lean = [-14.4 * np.cos(6 * t), -14.4 * np.cos(6 * t) - 19.6 * np.sin(7 * t), -10.8 * np.sin(6 * t)]
    origin = [hip, np.stack([zero + 1.2, zero, 0.18 * np.cos(9 * t)], 1), np.stack([zero, zero, -1.62 * np.sin(9 * t)], 1)]
    motions, centres = dict(motion.motions), {}
    for joint, name, length, a, w, al in zip(
        JOINTS, ("thigh", "shank", "foot"), (0.42, 0.4, 0.1), lean, d_lean, dd_lean, strict=True
    ):
        centres["R", joint] = origin[0]
        out, along = np.stack([np.sin(a), zero, -np.cos(a)], 1), np.stack([np.cos(a), zero, np.sin(a)], 1)
        turn = np.stack([along, np.tile([0.0, 1, 0], (n, 1)), -out], axis=2)
        moved = [
            lambda r, o=origin, out=out: o[0] + r * out,
            lambda r, o=origin, along=along, w=w: o[1] + r * w[:, None] * along,
            lambda r, o=origin, out=out, along=along, w=w, al=al: o[2] + r * (al[:, None] * along - (w**2)[:, None] * out),
        ]
        spin = [np.stack([zero, -x, zero], axis=1) for x in (w, al)]
        com = -motion.segments["R", name].com_m[2]
        motions["R", name] = Motion(Frames(turn, origin[0]), *spin, *(place(com) for place in moved))
        origin = [place(length) for place in moved]
    kept = {key: value for key, value in motions.items() if key[0] == "R"}
    still = np.zeros((n, 3))
    kept["", "pelvis"] = Motion(Frames(np.tile(np.eye(3), (n, 1, 1)), hip), still, still, hip, still, still)
    return replace(motion, rate_hz=rate, motions=kept, joint_centres_lab_m=centres, joint_angles_rad={}, foot_outline_lab_m={})


def test_a_planar_walk_loses_nothing(tracked: Any) -> None:
    """Without tilt both solvers have one answer; in mid-trial the spline's second derivatives put 6e-8 N m between them."""
    walk, _ = tracked("walk01")
    motion = flattened(walk)
    n = motion.n_frames
    force, place = np.tile([80.0, 0.0, 600.0], (n, 1)), motion.motions["R", "foot"].com_lab_m + [0.03, 0.0, -0.05]
    contact = FootContact("R", force, np.cross(place, force), np.ones(n, bool))
    leg = sagittal_leg(motion, "R", slice(30, n - 30))
    np.testing.assert_allclose(leg.joint_centres_m(), nodes(motion, leg, "R")[..., :2], rtol=0, atol=1e-12)
    planar, loads = planar_moments(leg, contact), bid.solve(motion, {"R": contact})
    for i, joint in enumerate(JOINTS):
        spatial = loads["R", joint].wrench.moment_Nm[leg.frames] @ leg.R_plane_lab[2]
        assert np.abs(spatial).max() > 10
        np.testing.assert_allclose(planar[:, i], spatial, rtol=0, atol=1e-6)


def weightless(leg: SagittalLeg) -> System:
    """The mechanism on the leg, its own parts without mass, spring or damper."""
    parts = {name: planar_segment(name, 0.0, (0.0, 0.0), 0.0) for name in ("crank", "coupler", "cylinder")}
    segments = {**leg.segments, **parts, "rod": sliding_segment("rod", 0.0, 0.0, 0.0)}
    return ExoskeletonLeg(
        leg.thigh_m, leg.shank_m, 0.08, 0.15, (0.3, 0.05), (0.04, 0.07), (0.28, -0.06), (-0.06, 0.01), segments, 0.0, 0.0, 0.0
    ).mechanism(GRAVITY)


def test_a_weightless_mechanism_changes_nothing(tracked: Any) -> None:
    motion, plates = tracked("walk01")
    contact = plates.contacts["R"]
    leg = sagittal_leg(motion, "R", stride(contact))
    loop = weightless(leg)
    q = configuration(loop, leg.q1)
    tau1 = inverse_dynamics(loop, q, leg.u1, leg.a1, [leg.ground(contact)], base=leg.hip)
    np.testing.assert_allclose(tau1, planar_moments(leg, contact), rtol=0, atol=1e-10)  # N m, of 140


def test_gaps_and_sides_that_are_missing_are_said(tracked: Any) -> None:
    motion, plates = tracked("walk01")
    with pytest.raises(MissingInputError, match="no M leg"):
        sagittal_leg(motion, "M")
    leg = sagittal_leg(motion, "R")
    with pytest.raises(MissingInputError, match="not known"):
        leg.ground(plates.contacts["R"])
    centres = {key: value.copy() for key, value in motion.joint_centres_lab_m.items()}
    centres["R", "knee"][100:103] = np.nan
    holed = replace(motion, joint_centres_lab_m=centres)
    with pytest.raises(MissingInputError, match="missing in 3 of"):
        sagittal_leg(holed, "R")
    assert np.isfinite(sagittal_leg(holed, "R", slice(110, 200)).a1).all()
