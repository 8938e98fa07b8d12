"""One contract for every marker set and both models: names, units, axes, bands, mirrored and turned subjects, missing markers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomech_id.anatomy import JOINTS, LEG_SEGMENTS
from biomech_id.conventions import ANGLE_VARIABLE, SIDES
from biomech_id.dynamics.body import BodyMotion
from biomech_id.errors import BiomechError, MissingInputError
from biomech_id.markersets import MARKER_SETS, MarkerSet, load_markerset
from biomech_id.markersets.marker_set import ROLES
from biomech_id.models.marker_response import calibration_responses, leg_responses, recalibrator
from biomech_id.models.model import CalibratedModel, CalibrationInput
from biomech_id.models.registry import body_model, model_names
from biomech_id.movement.cycle import Cycle, KineticsValid
from biomech_id.session.bands.bands import cycle_bands
from biomech_id.trial import Markers, Subject, Trial
from biomech_id.uncertainty.marker_errors import LegMarkerErrors
from biomech_id.uncertainty.recording import LegErrors
from biomech_id.uncertainty.sizes import error_sizes

RATE_HZ = 100.0
N_FRAMES = 120
#: Measured poses have no markers and no marker set: `physics/test_measured_poses.py` is their contract.
WITHOUT_MARKERS = {"poses"}
#: Anatomical points of the right side in ISB segment axes (X anterior, Y proximal, Z right), metres, from the joint centre above.
POINTS = {
    "pelvis": {"asis": (0, 0, 0.12), "psis": (-0.15, 0.01, 0.05), "sacrum": (-0.15, 0.01, 0), "hip_centre": (-0.05, -0.08, 0.09)},
    "thigh": {
        "thigh_wand": (0, -0.25, 0.10), "lateral_epicondyle": (0, -0.42, 0.055), "medial_epicondyle": (0, -0.42, -0.055),
        "knee_centre": (0, -0.42, 0),
    },
    "shank": {
        "shank_wand": (0, -0.22, 0.08), "lateral_malleolus": (0, -0.40, 0.042), "medial_malleolus": (0, -0.40, -0.042),
        "ankle_centre": (0, -0.40, 0),
    },
    "foot": {
        "heel": (-0.06, -0.05, 0), "toe": (0.14, -0.05, 0), "metatarsal_1": (0.13, -0.05, -0.04), "metatarsal_2": (0.14, -0.05, 0),
        "metatarsal_5": (0.11, -0.05, 0.05), "toe_tip": (0.20, -0.05, 0),
    },
}  # fmt: skip
#: Columns: ISB axes of a standing person who faces laboratory x, Z up.
STANDING = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
ABOVE = {"thigh": ("pelvis", "hip_centre"), "shank": ("thigh", "knee_centre"), "foot": ("shank", "ankle_centre")}
SUBJECT = Subject(
    mass_kg=70.0, height_m=1.75, marker_diameter_m=0.014, foot_flat=True,
    leg_length_m={"L": 0.9, "R": 0.9}, knee_width_m={"L": 0.096, "R": 0.096}, ankle_width_m={"L": 0.07, "R": 0.07},
)  # fmt: skip


@dataclass(frozen=True)
class Scene:
    """A turn of the laboratory about its vertical by quarter turns, and a mirror across the plane of walking."""

    quarter_turns: int = 0
    mirrored: bool = False

    def seen(self, path: np.ndarray) -> np.ndarray:
        path = path * [1, -1, 1] if self.mirrored else path
        return path @ Rotation.from_euler("z", np.pi / 2 * self.quarter_turns).as_matrix().T


def joint_rotations(side: str, walking: bool) -> dict[str, Rotation]:
    """Rotation of each segment against the one above, about ISB Z, X, Y; the right leg's rotations, mirrored for the left."""
    phase = 2 * np.pi * (np.arange(N_FRAMES) / RATE_HZ / 1.1 + (0.5 if side == "L" else 0.0)) * walking
    mirror = np.array([1.0, -1.0 if side == "L" else 1.0, -1.0 if side == "L" else 1.0])
    curves = {
        "thigh": (0.35 * np.sin(phase), 0.08 * np.sin(phase + 1), 0.1 * np.sin(2 * phase)),
        "shank": (-0.5 - 0.45 * np.sin(phase + 2), 0.03 * np.sin(phase), 0.1 * np.sin(phase + 2)),
        "foot": (0.2 * np.sin(phase + 3), 0.05 * np.sin(phase), 0.08 * np.sin(phase + 1)),
    }
    return {name: Rotation.from_euler("ZXY", walking * np.stack(curve, axis=1) * mirror) for name, curve in curves.items()}


def segment_poses(walking: bool) -> dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]:
    """(side, segment) -> axes (n, 3, 3) and origins (n, 3), laboratory."""
    time = np.arange(N_FRAMES) / RATE_HZ
    sway = walking * np.stack([0.06 * np.sin(5.7 * time), 0.05 * np.sin(5.7 * time + 1), 0.1 + 0.04 * np.sin(5.7 * time)], axis=1)
    pelvis = STANDING @ Rotation.from_euler("YXZ", sway).as_matrix()
    origin = np.stack([1.2 * time * walking, 0.02 * np.sin(5.7 * time) * walking, 0.95 + 0 * time], axis=1)
    poses = {("", "pelvis"): (pelvis, origin)}
    for side in SIDES:
        above = poses["", "pelvis"]
        for name, (owner, joint) in ABOVE.items():
            place = np.array(POINTS[owner][joint]) * [1, 1, -1 if side == "L" else 1]
            axes = above[0] @ joint_rotations(side, walking)[name].as_matrix()
            above = poses[side, name] = (axes, above[0] @ place + above[1])
    return poses


def cluster_place(label: str, segment: str) -> np.ndarray:
    """Some fixed place on a segment for a marker that lies on no anatomical point; the same for both sides."""
    rng = np.random.default_rng([ord(letter) for letter in segment + label[1:]])
    return rng.uniform([-0.05, -0.35, 0.03], [0.06, -0.08, 0.10])


def places(markerset: MarkerSet) -> dict[str, tuple[tuple[str, str], np.ndarray]]:
    """Label -> (side, segment) and place in its axes, for every label of the set."""
    out: dict[str, tuple[tuple[str, str], np.ndarray]] = {}
    owners = {landmark: segment for segment, points in POINTS.items() for landmark in points}
    for (side, landmark), label in markerset.landmarks.items():
        segment = owners.get(landmark, "pelvis")  # a point above the legs is carried by the pelvis here
        mirror = [1, 1, -1 if side == "L" else 1]
        place = POINTS[segment][landmark] if landmark in owners else cluster_place(label, landmark)
        out[label] = (("" if segment == "pelvis" else side, segment), np.array(place) * mirror)
    for (side, segment), labels in markerset.tracking.items():
        for label in labels:
            out.setdefault(label, ((side, segment), cluster_place(label, segment) * [1, 1, -1 if side == "L" else 1]))
    return out


def record(markerset: MarkerSet, *, walking: bool, scene: Scene = Scene()) -> Trial:
    """The subject with this marker set, as a reader would return it (twins under one label and its number)."""
    poses = segment_poses(walking)
    paths = {label: scene.seen(poses[key][0] @ place + poses[key][1]) for label, (key, place) in places(markerset).items()}
    if scene.mirrored:
        swap = {"L": "R", "R": "L"}
        labels = {label: swap[label[0]] + label[1:] if label[0] in swap else label for label in paths}
        paths = {labels[label]: path for label, path in paths.items()}
    shared = {twin.medial: f"{twin.label}_2" for twin in markerset.twins} | {twin.lateral: twin.label for twin in markerset.twins}
    names = tuple(shared.get(label, label) for label in paths)
    return Trial("walk" if walking else "static", Markers(names, np.stack(list(paths.values()), axis=1), RATE_HZ), subject=SUBJECT)


Tracker = Callable[[Trial, Trial], BodyMotion]
#: Every marker set with every model that it serves.
CASES = [(name, model) for name in MARKER_SETS for model in load_markerset(name).models]


@pytest.fixture(params=CASES, ids=["-".join(case) for case in CASES])
def case(request: pytest.FixtureRequest) -> tuple[MarkerSet, Tracker]:
    name, model = request.param
    markerset = load_markerset(name)

    def track(static: Trial, walk: Trial) -> BodyMotion:
        given = CalibrationInput([static, walk], static.subject, static, marker_set=name, inertia_table="dempster-winter")
        return body_model(model).calibrate(given).track(walk)

    return markerset, track


def analyse(case: tuple[MarkerSet, Tracker], scene: Scene = Scene()) -> BodyMotion:
    markerset, track = case
    return track(record(markerset, walking=False, scene=scene), record(markerset, walking=True, scene=scene))


def test_names_shapes_and_units(case: tuple[MarkerSet, Tracker]) -> None:
    motion = analyse(case)
    assert set(motion.motions) == {("", "pelvis")} | {(side, name) for side in SIDES for name in LEG_SEGMENTS}
    assert set(motion.segments) == {(side, name) for side in SIDES for name in LEG_SEGMENTS}
    assert set(motion.joint_centres_lab_m) == {(side, joint) for side in SIDES for joint in JOINTS}
    assert set(motion.joint_angles_rad) == {(side, joint) for side in SIDES for joint in ANGLE_VARIABLE}
    assert motion.model_axes.angles.keys() == ANGLE_VARIABLE.keys()
    assert (motion.n_frames, motion.rate_hz, motion.first_frame) == (N_FRAMES, RATE_HZ, 1)
    for side in SIDES:
        assert motion.foot_outline_lab_m[side].shape == (N_FRAMES, len(motion.foot_outline_names), 3)
        knee = motion.joint_angles_rad[side, "knee"][:, 0]
        assert 0.5 < np.ptp(knee) < 1.2  # radians: 0.9 by construction, a little less or more by another hip centre
        assert np.linalg.norm(
            motion.joint_centres_lab_m[side, "knee"] - motion.joint_centres_lab_m[side, "ankle"], axis=1
        ) == pytest.approx(0.40, abs=0.01)  # metres
    masses = [segment.mass_kg for segment in motion.segments.values()]
    assert 0.5 < min(masses) < max(masses) < 12.0  # kilograms


def test_axes_are_right_handed_and_orthonormal(case: tuple[MarkerSet, Tracker]) -> None:
    for (_, name), motion in analyse(case).motions.items():
        R = motion.frames.R_lab_seg
        if name in ("pelvis", "thigh"):  # X faces the way the subject walks, on both sides and in both models
            assert R[:, 0, 0].min() > 0.5
        np.testing.assert_allclose(np.swapaxes(R, 1, 2) @ R, np.broadcast_to(np.eye(3), R.shape), atol=1e-9)
        np.testing.assert_allclose(np.linalg.det(R), 1.0, atol=1e-9)


def test_a_mirrored_subject_gives_mirrored_results(case: tuple[MarkerSet, Tracker]) -> None:
    motion, mirrored = analyse(case), analyse(case, Scene(mirrored=True))
    for side, other in (("L", "R"), ("R", "L")):
        for joint in ANGLE_VARIABLE:  # clinical words fit both sides
            np.testing.assert_allclose(mirrored.joint_angles_rad[other, joint], motion.joint_angles_rad[side, joint], atol=1e-9)
        for joint in JOINTS:
            expected = motion.joint_centres_lab_m[side, joint] * [1, -1, 1]
            np.testing.assert_allclose(mirrored.joint_centres_lab_m[other, joint], expected, atol=1e-9)
        for name in LEG_SEGMENTS:
            np.testing.assert_allclose(
                mirrored.motions[other, name].com_lab_m, motion.motions[side, name].com_lab_m * [1, -1, 1], atol=1e-9
            )


@pytest.mark.parametrize("quarter_turns", [1, 2, 3])
def test_a_turned_laboratory_gives_turned_results(case: tuple[MarkerSet, Tracker], quarter_turns: int) -> None:
    motion, scene = analyse(case), Scene(quarter_turns)
    turned = analyse(case, scene)
    for key, angles in motion.joint_angles_rad.items():
        np.testing.assert_allclose(turned.joint_angles_rad[key], angles, atol=1e-9)
    for key, centre in motion.joint_centres_lab_m.items():
        np.testing.assert_allclose(turned.joint_centres_lab_m[key], scene.seen(centre), atol=1e-9)
    for key, part in motion.motions.items():
        found = turned.motions[key]
        np.testing.assert_allclose(found.omega_lab_rad_s, scene.seen(part.omega_lab_rad_s), atol=1e-6)  # rad/s of up to 6
        np.testing.assert_allclose(found.com_acceleration_lab_m_s2, scene.seen(part.com_acceleration_lab_m_s2), atol=1e-6)


def test_a_marker_that_is_missing_altogether_is_named_or_not_needed(case: tuple[MarkerSet, Tracker]) -> None:
    markerset, track = case
    static, walk = record(markerset, walking=False), record(markerset, walking=True)
    whole = track(static, walk)
    for key, labels in markerset.tracking.items():
        label = labels[0]
        if label not in walk.markers:
            continue  # a twin: its label is held twice
        position = walk.markers.position_m.copy()
        position[:, walk.markers.names.index(label)] = np.nan
        hidden, refusal = walk.after("hidden", markers=walk.markers.with_positions(position)), ""
        try:
            motion = track(static, hidden)
        except MissingInputError as error:
            refusal = error.message
        if refusal:
            assert label in refusal, key
            continue
        # Three or more others follow the rigid segment as well.
        np.testing.assert_allclose(motion.motions[key].frames.R_lab_seg, whole.motions[key].frames.R_lab_seg, atol=1e-9)


def test_a_frame_without_a_marker_is_missing_or_the_same_and_touches_no_other(case: tuple[MarkerSet, Tracker]) -> None:
    markerset, track = case
    static, walk = record(markerset, walking=False), record(markerset, walking=True)
    whole = track(static, walk)
    for key, labels in markerset.tracking.items():
        seen = [label for label in labels if label in walk.markers]
        position = walk.markers.position_m.copy()
        for label in seen[:2]:
            position[60, walk.markers.names.index(label)] = np.nan
        motion = track(static, walk.after("gap", markers=walk.markers.with_positions(position)))
        found, expected = motion.motions[key].frames.R_lab_seg, whole.motions[key].frames.R_lab_seg
        others = np.arange(N_FRAMES) != 60
        np.testing.assert_allclose(found[others], expected[others], atol=1e-9, err_msg=str(key))
        assert np.isnan(found[60]).all() or np.abs(found[60] - expected[60]).max() < 1e-9, key
        assert np.isnan(found[60]).all() or len(seen) > 4, f"{key}: two of {len(seen)} markers are missing"


class Session:
    """A model calibrated on a static trial, and what that carries into walks."""

    def __init__(self, model: str, markerset: MarkerSet, static: Trial, walk: Trial) -> None:
        given = CalibrationInput([static, walk], SUBJECT, static, marker_set=markerset, inertia_table="dempster-winter")
        self.model: CalibratedModel = body_model(model).calibrate(given)
        self.carried = calibration_responses(self.model, recalibrator(body_model(model), given, self.model))

    def errors(self, walk: Trial) -> Mapping[str, LegMarkerErrors]:
        """Side -> what markers do that are off."""
        walk = self.model.named(walk)
        motion = self.model.track(walk)
        responses = leg_responses(self.model, walk, motion, self.carried)
        return {side: LegMarkerErrors(responses[side], motion, side, error_sizes()) for side in responses}


def bands_deg(errors: LegMarkerErrors) -> np.ndarray:
    """(variables, 101), one standard deviation of each angle over a cycle, of all that markers do."""
    cycle = Cycle("walk", errors.side, 1, 0.02, 1.12, 0.7, 0.15, 0.6, KineticsValid.FALSE)
    (band,) = cycle_bands(errors.motion, None, {errors.side: LegErrors({}, errors)}, [cycle], mass_kg=None)
    return band.total


def without(trial: Trial, labels: list[str]) -> Trial:
    kept = [i for i, name in enumerate(trial.markers.names) if name not in labels]
    names, position_m = tuple(trial.markers.names[i] for i in kept), trial.markers.position_m[:, kept]
    return replace(trial, markers=Markers(names, position_m, RATE_HZ, roles=trial.markers.roles))


@pytest.mark.parametrize(("name", "model"), CASES, ids=["-".join(case) for case in CASES])
def test_every_marker_set_has_bands_whichever_marker_a_walk_lacks(name: str, model: str) -> None:
    markerset = load_markerset(name)
    static, walk = record(markerset, walking=False), record(markerset, walking=True)
    session = Session(model, markerset, static, walk)
    whole = session.errors(walk)
    assert set(whole) == set(SIDES)
    for errors in whole.values():
        total = bands_deg(errors)
        assert np.isfinite(total).all()
        assert total.max() > 1.0
    for segment in LEG_SEGMENTS:
        lost = markerset.tracking["L", segment][-1]
        refusal = ""
        try:
            lacking = session.errors(without(walk, [lost]))["L"]
        except MissingInputError as error:
            refusal = error.message
        if refusal:
            assert lost in refusal
            continue
        placed = {(marker.name, marker.role, marker.segment) for marker in lacking.response.moved}
        assert placed == {(marker.name, marker.role, marker.segment) for marker in whole["L"].response.moved}
        assert len(lacking.sources) == len(whole["L"].sources)


#: What a marker may lie on that random sets add: points of the legs, and of what moves with no segment of the models.
ADDED = sorted(role for role in ROLES if "centre" not in role and "device" not in role)


def drawn(rng: np.random.Generator) -> tuple[str, MarkerSet, Trial, Trial]:
    """A model, a marker set with other roles and markers than a shipped one, a static trial, and a walk that lost some of them."""
    base = load_markerset(str(rng.choice(MARKER_SETS)))
    landmarks = {key: label for key, label in base.landmarks.items() if rng.random() > 0.01}
    for role in ADDED:
        sides = ("",) if role in ("sacrum", "clavicle", "sternum", "c7", "t10") else SIDES
        landmarks |= {(side, role): f"{side}Q{role}" for side in sides if rng.random() < 0.1 and (side, role) not in landmarks}
    tracking = {}
    for part, labels in base.tracking.items():
        lying = [landmarks[part[0], role] for role in POINTS[part[1]] if (part[0], role) in landmarks and rng.random() < 0.3]
        further = [f"{part[0]}{part[1]}{number}" for number in range(rng.integers(4))]
        tracking[part] = tuple(dict.fromkeys([*(label for label in labels if rng.random() > 0.05), *further, *lying])) or labels
    markerset = replace(base, name="drawn", landmarks=landmarks, tracking=tracking, twins=(), aliases={})
    static, walk = (record(markerset, walking=walking) for walking in (False, True))
    static, walk = (replace(each, markers=each.markers.with_roles(markerset.roles)) for each in (static, walk))
    lost = [name for name in walk.markers.names if rng.random() < 0.05]
    return str(rng.choice(base.models)), markerset, static, without(walk, lost)


@pytest.mark.parametrize("n", [3, pytest.param(200, marks=pytest.mark.slow)])
def test_random_marker_sets_have_bands(n: int) -> None:
    """A set that no model can be calibrated on, or a walk that it cannot be placed in, is refused in a sentence and drawn anew."""
    rng = np.random.default_rng(3)
    ran = lost = 0
    for _ in range(2 * n):
        model, markerset, static, walk = drawn(rng)
        try:
            legs = Session(model, markerset, static, walk).errors(walk)
        except BiomechError:
            continue
        ran += 1
        lost += len(static.markers.names) > len(walk.markers.names)
        for errors in legs.values():
            assert np.isfinite(bands_deg(errors)).all(), markerset
        if ran == n:
            break
    assert ran == n
    assert lost > n / 3


def test_every_registered_model_has_a_case_and_axes_for_every_row_of_the_sign_table() -> None:
    assert {model for _, model in CASES} == set(model_names()) - WITHOUT_MARKERS
    for name in model_names():
        axes = body_model(name).axes
        assert set(axes.angles) == set(ANGLE_VARIABLE)
        assert set(axes.moments) == set(axes.forces) == set(JOINTS)
        assert set(axes.R_seg_isb) == {"pelvis", *LEG_SEGMENTS}
        for R in axes.R_seg_isb.values():
            np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-12)
            assert np.linalg.det(R) == pytest.approx(1.0)
