"""Clinical components from ISB axes: the words of the sign table, and the conventional model where both define the same."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomech_id.conventions import SIDE_SIGN
from biomech_id.models.conventional.axes import CONVENTIONAL_AXES as CONVENTIONAL
from biomech_id.models.six_dof.axes import SIX_DOF_AXES


def joint_angles(joint: str, side: str, proximal: np.ndarray, distal: np.ndarray) -> np.ndarray:
    return SIX_DOF_AXES.angle(joint, side, np.swapaxes(proximal, -1, -2), distal)


def from_progression(name: str, side: str, lab: np.ndarray, segment: np.ndarray) -> np.ndarray:
    return SIX_DOF_AXES.angle(name, side, SIX_DOF_AXES.standing(lab), segment)


TEN = np.deg2rad(10.0)
#: Columns: ISB axes (X forward, Y up, Z right) of a person who stands facing laboratory x, Z up.
STANDING = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
#: Columns: ISB axes in conventional axes, for long bones (x anterior, y left, z proximal) and for the foot (x up, y left, z back).
ISB_IN_LONG = STANDING
ISB_IN_FOOT = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]])
FORWARD, UP, RIGHT = np.eye(3)[0], np.eye(3)[2], -np.eye(3)[1]


def turned(axis: np.ndarray, angle: float = TEN) -> np.ndarray:
    """ISB axes (1, 3, 3) of a segment turned from standing by a right-handed angle about a laboratory axis."""
    return (Rotation.from_rotvec(angle * axis).as_matrix() @ STANDING)[None]


#: Movement of the distal segment: (joint, component, axis) that makes the component positive; sides mirror "outward" ones.
#: A thigh swung forward turns right-handed about the axis to the right; so does a foot whose toes rise; a shank bent back does not.
MOVEMENTS = [
    ("hip", 0, RIGHT, "Flexion"), ("knee", 0, -RIGHT, "Flexion"), ("ankle", 0, RIGHT, "Dorsiflexion"),
    ("hip", 1, "inward", "Adduction"), ("knee", 1, "inward", "Varus"), ("ankle", 1, "outward", "Eversion"),
    ("hip", 2, "internal", "Internal"), ("knee", 2, "internal", "Internal"), ("ankle", 2, "internal", "Internal"),
]  # fmt: skip


def movement_axis(axis: object, side: str) -> np.ndarray:
    s = SIDE_SIGN[side]
    # The foot end of a left limb goes inward (to the right) when it turns left-handed about the forward axis.
    named = {"inward": -s * FORWARD, "outward": s * FORWARD, "internal": -s * UP}
    return named[axis] if isinstance(axis, str) else np.asarray(axis)


@pytest.mark.parametrize("side", "LR")
@pytest.mark.parametrize(("joint", "component", "axis", "word"), MOVEMENTS)
def test_a_movement_in_the_named_direction_is_positive(side: str, joint: str, component: int, axis: object, word: str) -> None:
    angles = joint_angles(joint, side, STANDING[None], turned(movement_axis(axis, side)))[0]
    expected = np.zeros(3)
    expected[component] = TEN
    np.testing.assert_allclose(angles, expected, atol=1e-12, err_msg=word)


@pytest.mark.parametrize("side", "LR")
def test_pelvis_and_foot_progress_follow_the_words(side: str) -> None:
    s, level = SIDE_SIGN[side], -np.pi / 2
    for name, neutral, movements in (
        # Anterior tilt, this side up, this side forward.
        ("pelvis", 0.0, (-RIGHT, s * FORWARD, -s * UP)),
        # Toes down, inversion, toes inward.
        ("foot_progress", level, (-RIGHT, -s * FORWARD, -s * UP)),
    ):
        for component, axis in enumerate(movements):
            expected = np.array([neutral, 0.0, 0.0])
            expected[component] += TEN
            np.testing.assert_allclose(from_progression(name, side, np.eye(3), turned(axis))[0], expected, atol=1e-12)


@pytest.mark.parametrize("side", "LR")
def test_hip_knee_and_foot_progress_equal_the_conventional_angles_of_the_same_pose(side: str) -> None:
    rng = np.random.default_rng(0)
    proximal = Rotation.random(200, rng).as_matrix()
    distal = proximal @ Rotation.from_rotvec(rng.uniform(-0.6, 0.6, (200, 3))).as_matrix()
    for joint in ("hip", "knee"):
        conventional = CONVENTIONAL.angle(joint, side, np.swapaxes(proximal, 1, 2), distal)
        np.testing.assert_allclose(
            joint_angles(joint, side, proximal @ ISB_IN_LONG, distal @ ISB_IN_LONG), conventional, atol=1e-12
        )
    level = np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]])  # conventional foot axes of a level foot
    foot = Rotation.from_rotvec(rng.uniform(-0.6, 0.6, (200, 3))).as_matrix() @ level
    conventional = CONVENTIONAL.angle("foot_progress", side, np.eye(3), foot)
    np.testing.assert_allclose(from_progression("foot_progress", side, np.eye(3), foot @ ISB_IN_FOOT), conventional, atol=1e-12)


@pytest.mark.parametrize("side", "LR")
@pytest.mark.parametrize("joint", ["hip", "knee", "ankle"])
def test_moments_and_forces_equal_the_conventional_ones_at_neutral(joint: str, side: str) -> None:
    rng = np.random.default_rng(1)
    load = rng.normal(size=(20, 3))
    conventional_axes = np.eye(3) if joint != "ankle" else np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]])
    in_distal = load @ conventional_axes
    isb = np.broadcast_to(STANDING, (20, 3, 3))
    found_and_rules = (
        (SIX_DOF_AXES.moment(joint, side, load, isb, isb), CONVENTIONAL.moments),
        (SIX_DOF_AXES.force(joint, side, load, isb), CONVENTIONAL.forces),
    )
    for found, rules in found_and_rules:
        expected = [in_distal[:, axis] * factor * (SIDE_SIGN[side] if mirrored else 1) for axis, factor, mirrored in rules[joint]]
        np.testing.assert_allclose(found, np.stack(expected, axis=1), atol=1e-12)


@pytest.mark.parametrize("side", "LR")
@pytest.mark.parametrize("joint", ["hip", "knee", "ankle"])
def test_moments_are_conjugate_to_the_angles(joint: str, side: str) -> None:
    """Sum of moment times angle rate is the joint's power, up to the opposite senses of clinical moments and angles."""
    rng = np.random.default_rng(2)
    proximal = Rotation.random(50, rng).as_matrix()
    relative = Rotation.from_euler("ZXY", rng.uniform(-0.5, 0.5, (50, 3)))
    distal = proximal @ relative.as_matrix()
    omega, moment, step = rng.normal(size=(50, 3)), rng.normal(size=(50, 3)), 1e-6
    before, after = (Rotation.from_rotvec(h * omega).as_matrix() @ distal for h in (-step, step))
    rate = (joint_angles(joint, side, proximal, after) - joint_angles(joint, side, proximal, before)) / (2 * step)
    clinical = SIX_DOF_AXES.moment(joint, side, moment, proximal, distal)
    # An extensor (positive) moment works against flexion (positive); only the ankle's evertor works with eversion.
    senses = {"hip": (-1, -1, -1), "knee": (-1, -1, -1), "ankle": (-1, 1, -1)}[joint]
    power = (clinical * rate * senses).sum(axis=1)
    np.testing.assert_allclose(power, (moment * omega).sum(axis=1), rtol=1e-6, atol=1e-8)  # central difference of 1e-6 rad


def test_a_missing_frame_stays_missing() -> None:
    frames = np.broadcast_to(STANDING, (3, 3, 3)).copy()
    frames[1] = np.nan
    angles = joint_angles("knee", "L", frames, np.broadcast_to(STANDING, (3, 3, 3)))
    assert np.isnan(angles[1]).all()
    assert np.isfinite(angles[[0, 2]]).all()
