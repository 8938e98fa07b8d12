"""Children's walks as planar legs: where the joints go, what the plane's moments are worth, and turns, which are refused."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.dynamics.loads import JointLoads
from biomech_id.errors import InvalidValueError
from biomech_id.feet.feet import classify
from biomech_id.feet.movements import TrialKind
from biomech_id.multibody.examples.mechanisms import ExoskeletonLeg, assist_knee, planar_segment, sliding_segment
from biomech_id.multibody.examples.sagittal_leg import SagittalLeg, sagittal_leg
from biomech_id.multibody.reduction import configuration, inverse_dynamics

#: Without the recordings beside the project every test here is skipped, or fails where nothing may be skipped.
pytestmark = pytest.mark.usefixtures("shared_dir")

SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", Path(__file__).resolve().parents[3] / "shared"))
CHILDREN = sorted(folder for folder in (SHARED / "c3d" / "children").glob("*") if folder.is_dir())
each_child = pytest.mark.parametrize("folder", CHILDREN, ids=[folder.name for folder in CHILDREN])
#: As the coordinates go.
JOINTS = ("hip", "knee", "ankle")
GRAVITY = (0.0, -9.81, 0.0)


@lru_cache(maxsize=6)
def walks(folder: Path) -> list[tuple[TrialKind, BodyMotion, dict[str, FootContact], JointLoads]]:
    """Every walk of a child, tracked and solved in three dimensions."""
    trials = [bid.read_c3d(path) for path in sorted(folder.glob("*.c3d"))]
    static = next(trial for trial in trials if classify(trial) is TrialKind.STATIC)
    model = bid.conventional_model(static)
    out = []
    for trial in trials:
        if trial is not static:
            movement = bid.assign_plates(model.track(trial))
            out.append((classify(trial, movement), movement, movement.contacts, bid.solve(movement)))
    return out


def stretches(folder: Path, *kinds: TrialKind) -> Iterator[tuple[str, slice, BodyMotion, FootContact, JointLoads]]:
    """Every side's frames around a step on a plate, as long as leg and ground are known."""
    for kind, motion, contacts, loads in walks(folder):
        for side in SIDES if kind in kinds else ():
            contact = contacts[side]
            known = contact.known & np.isfinite(loads[side, "hip"].wrench.moment_Nm).all(axis=1)
            edges = np.flatnonzero(np.diff(np.concatenate([[0], known.astype(int), [0]])))
            for start, stop in zip(edges[::2], edges[1::2], strict=True):
                if (contact.force_lab_N[start:stop, 2] > 20.0).sum() > 30:  # N, frames: a whole stance
                    yield side, slice(start, stop), motion, contact, loads


def planar_moments(leg: SagittalLeg, contact: FootContact) -> np.ndarray:
    return leg.system(GRAVITY).inverse(leg.q1, leg.u1, leg.a1, [leg.ground(contact)], base=leg.hip)


@each_child
def test_straight_walks_fit_the_plane(folder: Path) -> None:
    """Joints are off by no more than the projected lengths vary, and moments by at most 8 % of their range (1 to 6 % measured)."""
    found = 0
    for side, frames, motion, contact, loads in stretches(folder, TrialKind.STRAIGHT):
        leg = sagittal_leg(motion, side, frames)
        measured = [*(motion.joint_centres_lab_m[side, joint] for joint in JOINTS), motion.motions[side, "foot"].com_lab_m]
        nodes = (np.stack(measured, axis=1)[frames] @ leg.R_plane_lab.T)[..., :2]
        lengths = np.linalg.norm(np.diff(nodes, axis=1), axis=2)
        allowed = np.cumsum(np.abs(lengths - [leg.thigh_m, leg.shank_m, leg.foot_m]).max(axis=0))
        off = np.linalg.norm(leg.joint_centres_m() - nodes, axis=2).max(axis=0)
        assert off[0] < 1e-12
        assert (off[1:] <= allowed + 1e-12).all()
        assert off[-1] < 0.05  # m; 0.03 measured: lengths of projected links vary by their tilt and by skin motion
        planar = planar_moments(leg, contact)
        for i, joint in enumerate(JOINTS):
            spatial = loads[side, joint].wrench.moment_Nm[frames] @ leg.R_plane_lab[2]
            assert np.abs(planar[:, i] - spatial).max() < 0.08 * np.ptp(spatial), (motion.name, side, joint)
        found += 1
    assert found


@each_child
def test_turns_are_refused(folder: Path) -> None:
    turning = list(stretches(folder, TrialKind.TURN))
    for side, frames, motion, _, _ in turning:
        with pytest.raises(InvalidValueError, match=rf"The {side} \w+ of {motion.name} leaves the plane"):
            sagittal_leg(motion, side, frames)
    assert turning


@each_child
def test_a_child_wears_the_exoskeleton(folder: Path) -> None:
    """The mechanism assembles over the whole stretch; motor and wearer share what the knee needs."""
    for side, frames, motion, contact, _ in stretches(folder, TrialKind.STRAIGHT):
        leg = sagittal_leg(motion, side, frames)
        size = leg.thigh_m / 0.42  # the recipe's mechanism is made for an adult
        flat = {
            "crank": (0.35, (0.035, 0.004), 3e-4),
            "coupler": (0.3, (0.075, -0.006), 7e-4),
            "cylinder": (0.25, (0.03, 0.0), 1e-4),
        }
        parts = {name: planar_segment(name, *numbers) for name, numbers in flat.items()}
        adult = ExoskeletonLeg(
            0.42, 0.4, 0.08, 0.15, (0.3, 0.05), (0.04, 0.07), (0.28, -0.06), (-0.06, 0.01),
            {**parts, "rod": sliding_segment("rod", 0.12, -0.04, 5e-5)}, 8000, 120, 0.11,
        )  # fmt: skip
        worn = adult.scaled(size, thigh_m=leg.thigh_m, shank_m=leg.shank_m, segments=leg.segments).mechanism(GRAVITY)
        q = configuration(worn, leg.q1)
        tau1 = inverse_dynamics(worn, q, leg.u1, leg.a1, [leg.ground(contact)], base=leg.hip)
        half = assist_knee(worn, q, tau1, 0.5)
        assert np.isfinite(half.actuator_torque_Nm).all()
        np.testing.assert_allclose(half.wearer_moment_Nm, 0.5 * half.knee_moment_Nm, rtol=0, atol=1e-9)  # N m
        # The mechanism weighs a kilogram at a thigh: what it adds to the knee is small beside the walk's own moment.
        added = np.abs(half.knee_moment_Nm - planar_moments(leg, contact)[:, 1]).max()
        assert 0.0 < added < 0.5 * np.ptp(half.knee_moment_Nm)
