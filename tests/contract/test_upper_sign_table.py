"""Every row of the upper body's sign table against the code: move a part of a figure in the named direction, look at the sign.

The figure stands upright, faces forward, palms forward, elbows a little bent. Movements are written from anatomy alone: which point
of which part goes which way. None of the model's formulas is used, so a wrong word in the table and a wrong sign in the code both
show.
"""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.algebra.wrench import Wrench
from biomech_id.conventions import SIDE_SIGN, SIDES, UPPER_BODY_TABLE, SignRow
from biomech_id.dynamics.body import Frames, Motion
from biomech_id.dynamics.loads import JointLoad
from biomech_id.dynamics.upper_loads import MIDDLE_JOINTS
from biomech_id.markersets.marker_set import default_roles
from biomech_id.models.conventional.upper_body.angles import upper_angles_rad, upper_force, upper_moment
from biomech_id.models.conventional.upper_body.placement import ArmMeasures, place_upper_body
from biomech_id.trial import Markers

FORWARD, LEFT, UP = np.eye(3)
TURN_RAD = np.deg2rad(12.0)
RADIUS_M = 0.007
ARM = ArmMeasures(0.04, 0.04, 0.02, 0.02)
#: Part that moves -> what moves with it, and the point it turns about.
HEAD = ("FHD", "BHD")
ARMS = {"shoulder": ("ELB", "WRA", "WRB", "FIN"), "elbow": ("WRA", "WRB", "FIN"), "wrist": ("WRA", "WRB", "FIN")}


def figure() -> dict[str, np.ndarray]:
    points: dict[str, tuple[float, float, float]] = {
        "CLAV": (0.1, 0, 1.4),
        "STRN": (0.1, 0, 1.25),
        "C7": (-0.1, 0, 1.45),
        "T10": (-0.1, 0, 1.2),
    }
    for side, s in SIDE_SIGN.items():
        points |= {f"{side}FHD": (0.09, 0.07 * s, 1.65), f"{side}BHD": (-0.09, 0.07 * s, 1.65), f"{side}SHO": (0, 0.19 * s, 1.42)}
        points |= {f"{side}ELB": (0, 0.19 * s, 1.10), f"{side}FIN": (0.13, 0.19 * s, 0.75)}
        points |= {f"{side}WRA": (0.09, 0.22 * s, 0.85), f"{side}WRB": (0.09, 0.16 * s, 0.85)}
    return {name: np.array(place, dtype=float) for name, place in points.items()}


def turned(points: dict[str, np.ndarray], names: set[str], about: np.ndarray, axis: np.ndarray) -> dict[str, np.ndarray]:
    k = axis / np.linalg.norm(axis)
    K = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    R = np.eye(3) + np.sin(TURN_RAD) * K + (1 - np.cos(TURN_RAD)) * K @ K
    return {name: about + R @ (place - about) if name in names else place for name, place in points.items()}


def angles(points: dict[str, np.ndarray]) -> dict[tuple[str, str], np.ndarray]:
    markers = Markers(tuple(points), np.stack(list(points.values()))[None], 100.0).with_roles(default_roles())
    upper = place_upper_body(markers, dict.fromkeys(SIDES, ARM), RADIUS_M)
    pelvis = Frames(np.eye(3)[None], np.array([[0.0, 0.0, 0.95]]))
    return {key: value[0] for key, value in upper_angles_rad(upper.frames, pelvis, np.eye(3)).items()}


def axis_of(joint: str, word: str, side: str) -> np.ndarray:
    """Axis about which a part turns in the sense of a word."""
    outward, down = SIDE_SIGN[side] * LEFT, -UP
    up_here = {"head", "thorax", "neck", "spine", "waist"}
    moves = {
        "forward": (UP, FORWARD), "flexion": (UP, FORWARD) if joint in up_here else (down, FORWARD), "backward": (UP, -FORWARD),
        "away": (UP, -outward), "to this side": (UP, outward), "abduction": (down, outward), "radial": (down, outward),
        # The side itself, or a kneecap of the arm: what looks forward turns towards the middle.
        "internal": (outward, FORWARD) if joint in up_here else (FORWARD, -outward), "pronation": (outward, FORWARD),
    }  # fmt: skip
    landmark, towards = moves[word]
    return np.cross(landmark, towards)


ANGLES = [row for row in UPPER_BODY_TABLE if row.quantity == "angle"]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("row", ANGLES, ids=lambda row: f"{row.variable}.{row.component}")
def test_a_movement_in_the_named_direction_is_positive(row: SignRow, side: str) -> None:
    still = figure()
    if row.joint in ("head", "neck"):
        names, about = {s + each for s in SIDES for each in HEAD}, np.array([0, 0, 1.5])
    elif row.joint in ("thorax", "spine"):
        names, about = set(still), np.array([0, 0, 1.0])
    else:
        names = {side + each for each in ARMS[row.joint]}
        about = {"shoulder": still[side + "SHO"] - [0, 0, 0.04], "elbow": still[side + "ELB"], "wrist": still[side + "WRA"]}[
            row.joint
        ]
        if row.joint == "wrist":
            about = 0.5 * (still[side + "WRA"] + still[side + "WRB"])
            names = {side + "FIN"} if row.component == "X" else names
    axis = axis_of(row.joint, row.positive.lower(), side)
    # Neck and spine are turns of the upper part against the lower one: rotation towards a side is a turn of the face.
    if row.joint in ("neck", "spine") and row.component == "Z":
        axis = np.cross(FORWARD, SIDE_SIGN[side] * LEFT)
    before, after = (angles(points)[side, row.joint] for points in (still, turned(still, names, about, axis)))
    change = (after - before + np.pi) % (2 * np.pi) - np.pi
    component = "XYZ".index(row.component)
    # The forearm is not plumb, so a turn about a laboratory axis shows in more than one of the wrist's angles.
    least = 0.7 if row.joint == "wrist" else 0.8
    assert change[component] > least * TURN_RAD, f"{row.title}: {np.rad2deg(change)}"
    if row.joint != "wrist":
        assert np.abs(np.delete(change, component)).max() < 0.45 * TURN_RAD


def upright(name: str) -> Motion:
    """Axes of a segment of somebody who stands with the palms forward: of the arms x points backward and y to the right."""
    R = np.diag([-1.0, -1.0, 1.0]) if name in ("humerus", "radius", "hand") else np.eye(3)
    return Motion(Frames(R[None], np.zeros((1, 3))), *[np.zeros((1, 3))] * 5)


def load(joint: str, side: str, force: np.ndarray, moment: np.ndarray) -> JointLoad:
    arms = {"shoulder": ("humerus", "thorax"), "elbow": ("radius", "humerus"), "wrist": ("hand", "radius")}
    distal, proximal = {**arms, **MIDDLE_JOINTS}[joint]
    motions = {name: upright(name) for name in (distal, proximal)}
    return JointLoad(
        "" if joint in MIDDLE_JOINTS else side, joint, Wrench(force[None], moment[None], np.zeros(3)), distal, proximal, motions
    )


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("row", [row for row in UPPER_BODY_TABLE if row.quantity == "moment"], ids=lambda row: row.column(""))
def test_a_moment_that_drives_the_named_movement_is_positive(row: SignRow, side: str) -> None:
    outward, down = SIDE_SIGN[side] * LEFT, -UP
    middle = row.joint in MIDDLE_JOINTS
    moves = {
        "extensor": (UP, -FORWARD) if middle else (down, -FORWARD), "abductor": (down, outward), "valgus": (down, outward),
        "radial": (down, outward), "internal rotator": (FORWARD, -outward), "pronator": (outward, FORWARD),
        "to this side": (UP, outward) if row.component == "Y" else (FORWARD, outward),
    }  # fmt: skip
    drive = np.cross(*moves[row.positive.lower()])
    # What drives the upper part of the trunk acts the other way on the lower one, and that is the load in the table.
    found = upper_moment(load(row.joint, side, np.zeros(3), -drive if middle else drive), side)[0]
    assert found["XYZ".index(row.component)] == pytest.approx(1.0)
    assert np.abs(found).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("row", [row for row in UPPER_BODY_TABLE if row.quantity == "force"], ids=lambda row: row.column(""))
def test_a_force_in_the_named_direction_is_positive(row: SignRow) -> None:
    words = {"posterior": -FORWARD, "anterior": FORWARD, "to the right": -LEFT, "to the left": LEFT, "proximal": UP, "upwards": UP}
    found = upper_force(load(row.joint, "L", words[row.positive.lower()], np.zeros(3)))[0]
    assert found["XYZ".index(row.component)] == pytest.approx(1.0)
