"""Every row of the sign table against the code: move a segment in the named direction, and look at the sign.

The movements below are written from anatomy alone: which landmark of which segment goes which way. None of the model's formulas is
used, so a wrong word in the table and a wrong sign in the code both show.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from biomech_id.algebra.wrench import Wrench
from biomech_id.anatomy import DISTAL_SEGMENT, PROXIMAL_SEGMENT
from biomech_id.conventions import (
    ANGLE_VARIABLE,
    FORCE_VARIABLE,
    MOMENT_VARIABLE,
    POWER_VARIABLE,
    SIDE_SIGN,
    SIDES,
    SIGN_TABLE,
    SignRow,
)
from biomech_id.dynamics.body import BodyMotion, FootContact, Frames, Motion
from biomech_id.dynamics.loads import JointLoad
from biomech_id.models.model import CalibratedModel, CalibrationInput
from biomech_id.models.registry import body_model, model_names
from biomech_id.models.segment_motion import differentiate
from biomech_id.session.tables.clinical import clinical_force, clinical_moment
from biomech_id.session.tables.frame_table import frame_table
from biomech_id.trial import Markers, Rotations, Subject, Trial

FORWARD, LEFT, UP = np.eye(3)
RATE_HZ = 100.0
N_FRAMES = 21
MIDDLE = N_FRAMES // 2
#: Range of every movement, far from any singular angle.
RANGE_RAD = np.deg2rad(12.0)
WIDTHS_M = {"knee": 0.10, "ankle": 0.07}
MARKER_RADIUS_M = 0.007


@dataclass(frozen=True)
class Movement:
    """A segment, and everything distal to it, turns so that ``landmark`` (from the joint) moves towards ``towards``."""

    segment: str
    landmark: np.ndarray
    towards: np.ndarray

    @property
    def axis(self) -> np.ndarray:
        return np.cross(self.landmark, self.towards)


def movement(joint: str, word: str, side: str) -> Movement:
    """The movement a word names, for a person standing upright and facing forward."""
    outward = SIDE_SIGN[side] * LEFT
    down = -UP
    segment = {"pelvis": "pelvis", "hip": "thigh", "knee": "shank", "ankle": "foot", "foot": "foot"}[joint]
    toes_or_kneecap_in = (FORWARD, -outward)
    lower_end_in = (down, -outward)
    table = {
        ("pelvis", "anterior"): (FORWARD, down),
        ("pelvis", "up"): (outward, UP),
        ("pelvis", "internal"): (outward, FORWARD),
        ("hip", "flexion"): (down, FORWARD),
        ("hip", "adduction"): lower_end_in,
        ("hip", "internal"): toes_or_kneecap_in,
        ("knee", "flexion"): (down, -FORWARD),
        ("knee", "varus"): lower_end_in,
        ("knee", "internal"): toes_or_kneecap_in,
        ("ankle", "dorsiflexion"): (FORWARD, UP),
        ("ankle", "eversion"): (outward, UP),
        ("ankle", "internal"): toes_or_kneecap_in,
        ("foot", "toes down"): (FORWARD, down),
        ("foot", "inversion"): (outward, down),
        ("foot", "internal"): toes_or_kneecap_in,
    }
    opposite = {
        "posterior": "anterior", "down": "up", "external": "internal", "extension": "flexion", "abduction": "adduction",
        "valgus": "varus", "plantarflexion": "dorsiflexion", "inversion": "eversion", "eversion": "inversion",
        "toes up": "toes down",
    }  # fmt: skip
    if (joint, word) in table:
        landmark, towards = table[joint, word]
        return Movement(segment, landmark, towards)
    landmark, towards = table[joint, opposite[word]]
    return Movement(segment, landmark, -towards)


#: What a muscle that is named after a movement does.
MOVEMENT_OF_MUSCLE = {
    "extensor": "extension", "flexor": "flexion", "abductor": "abduction", "adductor": "adduction",
    "external rotator": "external", "internal rotator": "internal", "plantarflexor": "plantarflexion",
    "dorsiflexor": "dorsiflexion", "evertor": "eversion", "invertor": "inversion", "varus": "varus", "valgus": "valgus",
}  # fmt: skip
#: Where a force points, for a person standing upright and facing forward.
DIRECTION_OF_FORCE = {
    "anterior": FORWARD, "posterior": -FORWARD, "to the left": LEFT, "to the right": -LEFT, "proximal": UP, "distal": -UP,
    "plantar": -UP, "dorsal": UP, "towards the toes": FORWARD, "towards the heel": -FORWARD,
    "+x": np.array([1.0, 0, 0]), "-x": np.array([-1.0, 0, 0]), "+y": np.array([0, 1.0, 0]), "-y": np.array([0, -1.0, 0]),
    "+z": np.array([0, 0, 1.0]), "-z": np.array([0, 0, -1.0]), "up": UP, "down": -UP,
}  # fmt: skip
#: Joints from the floor up do not move with a segment above them; these are what a segment carries along.
CARRIED = {"pelvis": ("pelvis",), "thigh": ("thigh", "shank", "foot"), "shank": ("shank", "foot"), "foot": ("foot",)}


class StickFigure:
    """Markers and poses of a person standing upright, facing x, y or against them, whose segments turn about their joints."""

    def __init__(self, hips: dict[str, np.ndarray]) -> None:
        self.joints: dict[tuple[str, str], np.ndarray] = {("", "pelvis"): np.array([0.0, 0.0, 0.95])}
        self.points: dict[str, tuple[str, str, np.ndarray]] = {
            "LASI": ("", "pelvis", np.array([0.08, 0.12, 0.95])),
            "RASI": ("", "pelvis", np.array([0.08, -0.12, 0.95])),
            "SACR": ("", "pelvis", np.array([-0.12, 0.0, 0.95])),
        }
        for side in SIDES:
            self._add_leg(side, hips[side])

    def _add_leg(self, side: str, hip: np.ndarray) -> None:
        outward = SIDE_SIGN[side] * LEFT
        knee, ankle = hip - 0.4 * UP, hip - 0.8 * UP
        self.joints |= {(side, "thigh"): hip, (side, "shank"): knee, (side, "foot"): ankle}
        knee_marker = knee + (WIDTHS_M["knee"] / 2 + MARKER_RADIUS_M) * outward
        ankle_marker = ankle + (WIDTHS_M["ankle"] / 2 + MARKER_RADIUS_M) * outward
        self.points |= {
            f"{side}THI": (side, "thigh", 0.5 * (hip + knee) + 0.12 * outward),
            f"{side}KNE": (side, "thigh", knee_marker),
            f"{side}TIB": (side, "shank", 0.5 * (knee + ankle) + 0.11 * outward),
            f"{side}ANK": (side, "shank", ankle_marker),
            f"{side}HEE": (side, "foot", ankle - 0.05 * FORWARD - 0.05 * UP),
            f"{side}TOE": (side, "foot", ankle + 0.13 * FORWARD - 0.05 * UP),
        }

    def turned(self, owner: str, segment: str, move: Movement | None, side: str) -> tuple[np.ndarray, np.ndarray]:
        """Rotations (n, 3, 3) of a segment about a point: the movement passes through the upright pose in the middle frame."""
        if move is None or segment not in CARRIED[move.segment] or owner not in ("", side):
            return np.tile(np.eye(3), (N_FRAMES, 1, 1)), np.zeros(3)
        turns = np.stack([turn(move.axis, angle) for angle in np.linspace(-RANGE_RAD / 2, RANGE_RAD / 2, N_FRAMES)])
        return turns, self.joints[owner if move.segment != "pelvis" else "", move.segment]

    def trial(self, name: str, move: Movement | None, side: str, heading: np.ndarray) -> Trial:
        """Markers, and poses in ISB's axes, over time; ``heading`` turns the laboratory."""
        paths = []
        for owner, segment, point in self.points.values():
            turns, centre = self.turned(owner, segment, move, side)
            paths.append((centre + turns @ (point - centre)) @ heading.T)
        axes, origins = [], []
        for (owner, segment), point in self.joints.items():
            turns, centre = self.turned(owner, segment, move, side)
            axes.append(heading @ turns @ np.column_stack([FORWARD, UP, -LEFT]))
            origins.append((centre + turns @ (point - centre)) @ heading.T)
        names = tuple(f"{owner} {segment}".strip() for owner, segment in self.joints)
        poses = Rotations(names, np.stack(axes, axis=1), np.stack(origins, axis=1), RATE_HZ)
        return Trial(name, Markers(tuple(self.points), np.stack(paths, axis=1), RATE_HZ), rotations=poses)


def turn(axis: np.ndarray, angle_rad: float) -> np.ndarray:
    """Rodrigues' rotation about a unit axis."""
    x, y, z = axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle_rad) * skew + (1 - np.cos(angle_rad)) * skew @ skew


HEADINGS = {"+X": 0.0, "+Y": np.pi / 2, "-X": np.pi, "-Y": -np.pi / 2}
#: Enough where the laboratory enters only through the segments' axes.
TWO_HEADINGS = ("+X", "-Y")


def subject() -> Subject:
    return Subject(
        mass_kg=70.0,
        marker_diameter_m=2 * MARKER_RADIUS_M,
        leg_length_m=dict.fromkeys(SIDES, 0.9),
        knee_width_m=dict.fromkeys(SIDES, WIDTHS_M["knee"]),
        ankle_width_m=dict.fromkeys(SIDES, WIDTHS_M["ankle"]),
        foot_flat=True,
    )


def standing(name: str, figure: StickFigure) -> CalibratedModel:
    static = figure.trial("static", None, "L", np.eye(3))
    return body_model(name).calibrate(CalibrationInput([static], subject(), static))


def figure_on_the_models_hips(name: str) -> StickFigure:
    """The regression says where the hips are; the figure is built on them, so that its legs hang straight."""
    anyone = StickFigure({side: 0.09 * SIDE_SIGN[side] * LEFT + 0.9 * UP for side in SIDES})
    pelvis = standing(name, anyone).track(anyone.trial("static", None, "L", np.eye(3)))
    return StickFigure({side: pelvis.joint_centres_lab_m[side, "hip"][0] for side in SIDES})


@dataclass(frozen=True)
class Standing:
    """A body model calibrated on a figure whose legs hang straight from the hips that it finds."""

    name: str
    figure: StickFigure
    model: CalibratedModel


@pytest.fixture(scope="module", params=model_names())
def model(request: pytest.FixtureRequest) -> Standing:
    figure = figure_on_the_models_hips(request.param)
    return Standing(request.param, figure, standing(request.param, figure))


def tracked(model: Standing, move: Movement | None, side: str, facing: str = "+X") -> BodyMotion:
    heading = turn(UP, HEADINGS[facing])
    return model.model.track(model.figure.trial("moving", move, side, heading))


def rows(quantity: str) -> list[tuple[SignRow, str, str]]:
    """(row, word, direction) for both ends of every row of one kind."""
    found = [row for row in SIGN_TABLE if row.quantity == quantity]
    return [(row, word.lower(), end) for row in found for word, end in ((row.positive, "positive"), (row.negative, "negative"))]


def ident(value: object) -> str:
    return f"{value.variable}{value.component}" if isinstance(value, SignRow) else str(value)


def component(row: SignRow) -> int:
    return "XYZ".index(row.component)


def sign_of(end: str) -> float:
    return 1.0 if end == "positive" else -1.0


JOINT_OF_ANGLE = {variable: joint for joint, variable in ANGLE_VARIABLE.items()}


def segments_turned(motion: BodyMotion, move: Movement, side: str, facing: str) -> BodyMotion:
    """The tracked upright person with the axes of a segment, and of all that hangs on it, turned over time."""
    axis = turn(UP, HEADINGS[facing]) @ move.axis
    turns = np.stack([turn(axis, angle) for angle in np.linspace(-RANGE_RAD / 2, RANGE_RAD / 2, N_FRAMES)])
    motions = dict(motion.motions)
    for segment in CARRIED[move.segment]:
        key = ("", "pelvis") if segment == "pelvis" else (side, segment)
        frames = motion.motions[key].frames
        turned = Frames(turns @ frames.R_lab_seg, frames.origin_lab_m)
        motions[key] = differentiate(turned, turned.origin_lab_m, RATE_HZ)
    return replace(motion, motions=motions)


def angles_between_segments(motion: BodyMotion, joint: str, side: str) -> np.ndarray:
    """Clinical angles (n, 3), rad, of a joint from the axes of the segments around it."""
    R = {segment: m.frames.R_lab_seg for (owner, segment), m in motion.motions.items() if owner in ("", side)}
    R_proximal_lab, R_lab_distal = {
        "pelvis": (motion.model_axes.standing(motion.progression_R_lab), R["pelvis"]),
        "hip": (np.swapaxes(R["pelvis"], 1, 2), R["thigh"]),
        "knee": (np.swapaxes(R["thigh"], 1, 2), R["shank"]),
        "ankle": (np.swapaxes(R["shank"], 1, 2), R["foot"]),
        "foot_progress": (motion.model_axes.standing(motion.progression_R_lab), R["foot"]),
    }[joint]
    return motion.model_axes.angle(joint, side, R_proximal_lab, R_lab_distal)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("facing", TWO_HEADINGS)
@pytest.mark.parametrize(("row", "word", "end"), rows("angle"), ids=ident)
def test_angle_grows_when_the_segment_turns_as_the_word_says(
    model: Standing, row: SignRow, word: str, end: str, facing: str, side: str
) -> None:
    motion = segments_turned(tracked(model, None, side, facing), movement(row.joint, word, side), side, facing)
    angle = angles_between_segments(motion, JOINT_OF_ANGLE[row.variable], side)
    change = (angle[-1] - angle[0]) * sign_of(end)
    # The movement is about one axis of an upright person: all of it is in the named component.
    assert change[component(row)] == pytest.approx(RANGE_RAD, rel=1e-6)
    assert np.delete(np.abs(change), component(row)).max() < 1e-6


#: Model -> column -> the share of a movement that its markers show; all of it for a column not named. Roll of the foot: one marker
#: on the toes cannot show it, and the conventional model takes its sideways axis from the shank. For the same reason part of a
#: turned foot appears as roll.
SEEN: dict[str, dict[str, float]] = {
    "conventional": {"AnkleAngles.Y": 0.0, "FootProgressAngles.Y": 0.0, "AnkleAngles.Z": 0.85, "FootProgressAngles.Z": 0.85}
}


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("facing", HEADINGS)
@pytest.mark.parametrize(("row", "word", "end"), rows("angle"), ids=ident)
def test_angle_grows_when_the_markers_move_as_the_word_says(
    model: Standing, row: SignRow, word: str, end: str, facing: str, side: str
) -> None:
    share = SEEN.get(model.name, {}).get(row.column(""), 0.99)
    motion = tracked(model, movement(row.joint, word, side), side, facing)
    angle = motion.joint_angles_rad[side, JOINT_OF_ANGLE[row.variable]]
    change = (angle[-1] - angle[0])[component(row)] * sign_of(end)
    assert share * RANGE_RAD < change < 1.01 * RANGE_RAD or not share


def relative_omega(motion: BodyMotion, side: str, joint: str) -> np.ndarray:
    return motion.motions[side, DISTAL_SEGMENT[joint]].omega_lab_rad_s - motion.parent_of(side, joint).omega_lab_rad_s


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("facing", TWO_HEADINGS)
@pytest.mark.parametrize(("row", "word", "end"), rows("moment"), ids=ident)
def test_a_muscle_that_drives_the_named_movement_makes_the_named_moment(
    model: Standing, row: SignRow, word: str, end: str, facing: str, side: str
) -> None:
    move = movement(row.joint, MOVEMENT_OF_MUSCLE[word], side)
    motion = segments_turned(tracked(model, None, side, facing), move, side, facing)
    # The moment of the proximal on the distal segment along the movement: that muscle, working concentrically.
    moment_lab_Nm = relative_omega(motion, side, row.joint)
    clinical = clinical_moment(moment_lab_Nm, motion, side, row.joint)[MIDDLE] * sign_of(end)
    assert clinical[component(row)] == pytest.approx(np.linalg.norm(moment_lab_Nm[MIDDLE]), rel=1e-3)
    assert MOMENT_VARIABLE[row.joint] == row.variable


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("facing", TWO_HEADINGS)
@pytest.mark.parametrize(("row", "word", "end"), rows("force"), ids=ident)
def test_a_force_on_the_distal_segment_has_the_named_direction(
    model: Standing, row: SignRow, word: str, end: str, facing: str, side: str
) -> None:
    motion = tracked(model, None, side, facing)
    direction_lab = turn(UP, HEADINGS[facing]) @ DIRECTION_OF_FORCE[word]
    clinical = clinical_force(np.tile(direction_lab, (N_FRAMES, 1)), motion, side, row.joint)[MIDDLE] * sign_of(end)
    assert clinical[component(row)] == pytest.approx(1.0, abs=1e-6)
    assert FORCE_VARIABLE[row.joint] == row.variable


def joint_load(motion: BodyMotion, side: str, joint: str, force_lab_N: np.ndarray, moment_lab_Nm: np.ndarray) -> JointLoad:
    around = {name: motion.motions[side, name] for name in ("thigh", "shank", "foot")} | {"pelvis": motion.motions["", "pelvis"]}
    wrench = Wrench(force_lab_N, moment_lab_Nm, motion.joint_centres_lab_m[side, joint])
    return JointLoad(side, joint, wrench, DISTAL_SEGMENT[joint], PROXIMAL_SEGMENT[joint], around)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("joint", POWER_VARIABLE)
def test_power_is_positive_when_the_muscle_shortens(model: Standing, joint: str, side: str) -> None:
    word = {"hip": "extension", "knee": "extension", "ankle": "plantarflexion"}[joint]
    motion = tracked(model, movement(joint, word, side), side)
    omega = relative_omega(motion, side, joint)
    zero = np.zeros_like(omega)
    generating = joint_load(motion, side, joint, zero, omega).power_rotational_W[MIDDLE]
    absorbing = joint_load(motion, side, joint, zero, -omega).power_rotational_W[MIDDLE]
    assert generating == pytest.approx(float(omega[MIDDLE] @ omega[MIDDLE]))
    assert absorbing == -generating
    row = next(row for row in SIGN_TABLE if row.variable == POWER_VARIABLE[joint])
    assert (row.positive, row.negative) == ("Generation", "Absorption")


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("joint", POWER_VARIABLE)
def test_translational_power_is_positive_when_the_force_pulls_the_joint_apart(model: Standing, joint: str, side: str) -> None:
    """The distal segment's material point at the joint leaves the proximal one's along the force on the distal segment."""
    still = tracked(model, None, side)
    key = (side, DISTAL_SEGMENT[joint])
    distal = still.motions[key]
    drifting = Motion(
        distal.frames, distal.omega_lab_rad_s, distal.alpha_lab_rad_s2, distal.com_lab_m,
        distal.com_velocity_lab_m_s + 0.1 * FORWARD, distal.com_acceleration_lab_m_s2,
    )  # fmt: skip
    motion = BodyMotion(
        still.name, still.rate_hz, 1, {**still.motions, key: drifting}, still.segments, still.joint_centres_lab_m, {}
    )  # fmt: skip
    force = np.tile(50.0 * FORWARD, (N_FRAMES, 1))
    load = joint_load(motion, side, joint, force, np.zeros_like(force))
    assert load.power_translational_W[MIDDLE] == pytest.approx(5.0, abs=1e-9)
    row = next(row for row in SIGN_TABLE if row.variable == POWER_VARIABLE[joint] + "Translational")
    assert (row.positive, row.negative) == ("Generation", "Absorption")


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("row", "word", "end"), rows("ground force") + rows("ground moment"), ids=ident)
def test_the_ground_acts_on_the_foot_along_laboratory_axes(model: Standing, row: SignRow, word: str, end: str, side: str) -> None:
    motion = tracked(model, None, side)
    action = np.tile(700.0 * DIRECTION_OF_FORCE[word], (N_FRAMES, 1))
    zero = np.zeros_like(action)
    force, moment = (action, zero) if row.quantity == "ground force" else (zero, action)
    contact = FootContact(side, force, moment, np.ones(N_FRAMES, dtype=bool))
    table = frame_table(motion, None, {side: contact}, mass_kg=70.0)
    assert table[row.column(side)][MIDDLE] * sign_of(end) == pytest.approx(10.0)


def test_every_row_is_covered() -> None:
    covered = {"angle", "moment", "force", "power", "ground force", "ground moment"}
    assert {row.quantity for row in SIGN_TABLE} == covered
    powers = {row.variable for row in SIGN_TABLE if row.quantity == "power"}
    assert powers == {name + suffix for name in POWER_VARIABLE.values() for suffix in ("", "Translational")}
