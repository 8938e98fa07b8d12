"""The conventional model as its users meet it: defaults, choices, findings, refusals, and what it tells calibration.json."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from biomech_id.conventions import SIDES
from biomech_id.errors import InvalidValueError, MissingInputError, OptionError
from biomech_id.models.conventional.model import conventional_model
from biomech_id.models.foot_outline import OUTLINE_NAMES
from biomech_id.sample import SampleTrial, virtual_subject
from biomech_id.trial import Subject, Trial


@lru_cache(maxsize=4)
def person(foot_flat: bool = True) -> tuple[SampleTrial, SampleTrial]:
    subject = virtual_subject(foot_flat=foot_flat)
    return subject.static(), subject.walk(duration_s=0.6)


def static_with(**changes: object) -> Trial:
    static = person()[0].trial
    return replace(static, subject=static.subject.with_values("test", **changes))


def test_what_the_static_trial_teaches_is_the_truth() -> None:
    static, _ = person()
    calibration = conventional_model(static.trial).calibration
    for side in SIDES:
        offsets = calibration.offsets[side]
        assert offsets.plantar_flexion_rad == pytest.approx(static.truth.static_plantar_flexion_rad[side], abs=1e-9)
        assert offsets.rotation_rad == pytest.approx(static.truth.static_rotation_offset_rad[side], abs=1e-9)
        assert calibration.length_m[side, "foot"] == pytest.approx(static.truth.foot_length_m[side], abs=1e-9)
        assert calibration.segments[side, "thigh"].mass_kg == pytest.approx(0.1 * static.trial.subject.mass_kg)


def test_foot_flat_argument_beats_the_subject_which_beats_the_default() -> None:
    static = person()[0].trial
    nobody_said = static_with(foot_flat=None)
    assert conventional_model(nobody_said).calibration.foot_flat is True
    assert [f.rule for f in conventional_model(nobody_said).findings] == ["foot-flat-assumed"]
    assert conventional_model(static_with(foot_flat=False)).calibration.foot_flat is False
    assert conventional_model(static_with(foot_flat=False), foot_flat=True).calibration.foot_flat is True
    assert conventional_model(static).findings == ()


def test_the_sole_delta_of_the_subject_pitches_its_own_foot_only() -> None:
    """A heel 10 mm above the toe points the sole down by asin(10 mm / distance of the markers), on the side that has it."""
    static = person()[0].trial
    level = conventional_model(static).calibration.offsets
    lifted = conventional_model(static_with(sole_delta_m={"L": 0.01})).calibration.offsets
    apart = np.linalg.norm((static.markers["LHEE"] - static.markers["LTOE"])[0, :2])
    pitch = np.arctan2(0.01, apart)
    assert lifted["L"].plantar_flexion_rad - level["L"].plantar_flexion_rad == pytest.approx(-pitch, abs=1e-4)
    assert lifted["R"] == level["R"]


def test_stored_offsets_decide_foot_flat_but_are_never_used() -> None:
    as_it_stood = conventional_model(static_with(foot_flat=False)).calibration.offsets
    stored = {
        "static_plantar_flexion_rad": {s: o.plantar_flexion_rad + 1e-3 for s, o in as_it_stood.items()},
        "static_rotation_offset_rad": {s: o.rotation_rad + 1e-3 for s, o in as_it_stood.items()},
    }
    model = conventional_model(static_with(foot_flat=None, **stored))
    assert model.calibration.foot_flat is False
    assert model.calibration.offsets == as_it_stood
    assert [f.rule for f in model.findings] == ["foot-flat-as-stored"]


def test_an_unknown_marker_diameter_is_assumed_aloud() -> None:
    model = conventional_model(static_with(marker_diameter_m=None))
    assert model.calibration.marker_radius_m == 0.007
    assert "marker-diameter-assumed" in [f.rule for f in model.findings]


def test_distances_nobody_measured_come_from_the_static_trial_and_the_regression() -> None:
    static = static_with(inter_asis_distance_m=None, asis_trochanter_distance_m={})
    calibration = conventional_model(static).calibration
    asis = np.linalg.norm(static.markers["LASI"] - static.markers["RASI"], axis=1).mean()
    assert calibration.inter_asis_m == pytest.approx(asis, rel=1e-12)
    leg = static.subject.leg_length_m["L"]
    assert calibration.asis_trochanter_m["L"] == pytest.approx(0.1288 * leg - 0.04856)


def test_calibration_is_json_in_clinical_units() -> None:
    calibration = conventional_model(person()[0].trial).calibration
    told = json.loads(json.dumps(calibration.to_dict()))
    assert told["foot_flat"] is True
    left = told["sides"]["L"]
    assert left["static_plantar_flexion_deg"] == pytest.approx(np.rad2deg(calibration.offsets["L"].plantar_flexion_rad))
    assert left["segments"]["shank"]["length_mm"] == pytest.approx(1e3 * calibration.length_m["L", "shank"])
    assert left["segments"]["foot"]["inertia_about_com_kgm2"][2][2] == 0.0
    assert "Davis" in told["hip_centre_method"]


def test_track_fills_every_part_of_the_body_motion() -> None:
    static, walk = person()
    motion = conventional_model(static.trial).track(walk.trial, kinetics="vicon")
    assert (motion.model, motion.kinetics, motion.name, motion.sides) == ("conventional", "vicon", walk.trial.name, SIDES)
    assert motion.first_frame == walk.trial.first_frame
    assert motion.foot_outline_names == OUTLINE_NAMES
    assert motion.foot_outline_lab_m["L"].shape == (walk.trial.n_frames, len(OUTLINE_NAMES), 3)
    # Constant in the textbook mode; per frame, with the joint centres' distance, in the vendor's.
    assert motion.segments["L", "thigh"].com_m.shape == (walk.trial.n_frames, 3)
    assert conventional_model(static.trial).track(walk.trial).segments["L", "thigh"].com_m.shape == (3,)


def test_one_leg_alone_is_tracked() -> None:
    static, walk = (sample.trial for sample in person())

    def left_only(trial: Trial) -> Trial:
        names = tuple(n for n in trial.markers.names if not n.startswith("R") or n in ("RASI", "RPSI"))
        position = np.stack([trial.markers[n] for n in names], axis=1)
        return replace(trial, markers=type(trial.markers)(names, position, trial.rate_hz))

    both = conventional_model(static).track(walk)
    one = conventional_model(left_only(static)).track(left_only(walk))
    assert one.sides == ("L",)
    assert np.array_equal(one.joint_angles_rad["L", "knee"], both.joint_angles_rad["L", "knee"])


def test_frames_without_a_marker_are_missing_and_leave_others_alone() -> None:
    static, walk = person()
    position = np.array(walk.trial.markers.position_m)
    position[20:23, walk.trial.markers.names.index("RTIB")] = np.nan
    holed = replace(walk.trial, markers=walk.trial.markers.with_positions(position))
    model = conventional_model(static.trial)
    whole, less = model.track(walk.trial), model.track(holed)
    missing = np.isnan(less.joint_centres_lab_m["R", "ankle"]).any(axis=1)
    assert np.flatnonzero(missing).tolist() == [20, 21, 22]
    kept = ~missing
    assert np.array_equal(less.joint_angles_rad["R", "ankle"][kept], whole.joint_angles_rad["R", "ankle"][kept])
    assert np.array_equal(less.joint_angles_rad["L", "ankle"], whole.joint_angles_rad["L", "ankle"])


def test_a_walk_without_a_marker_of_the_model_is_refused_by_name() -> None:
    static, walk = person()
    keep = tuple(n for n in walk.trial.markers.names if n not in ("RTOE", "LTIB"))
    markers = type(walk.trial.markers)(keep, np.stack([walk.trial.markers[n] for n in keep], axis=1), walk.trial.rate_hz)
    with pytest.raises(MissingInputError, match=r"LTIB, RTOE") as caught:
        conventional_model(static.trial).track(replace(walk.trial, markers=markers))
    assert caught.value.where == walk.trial.name


def test_a_joint_wider_than_its_leg_is_refused_with_the_width() -> None:
    with pytest.raises(InvalidValueError, match=r"0\.02 to 0\.3 m as its knee_width_m"):
        static_with(knee_width_m={"L": 2.0, "R": 0.1})
    static = static_with(knee_width_m={"L": 0.1, "R": 0.1})
    object.__setattr__(static.subject, "knee_width_m", {"L": 2.0, "R": 0.1})  # past the door of `Subject`
    with pytest.raises(InvalidValueError, match="width") as caught:
        conventional_model(static)
    assert "knee_width_m" in str(caught.value.value)


def test_a_subject_given_beats_the_files() -> None:
    static = person()[0].trial
    heavier = static.subject.with_values("option --mass", mass_kg=90.0)
    assert conventional_model(static, heavier).calibration.segments["R", "foot"].mass_kg == pytest.approx(0.0145 * 90.0)
    with pytest.raises(MissingInputError, match="body mass"):
        conventional_model(static, Subject())


def test_another_kinetics_mode_is_refused() -> None:
    static, walk = person()
    with pytest.raises(OptionError, match="vendor"):
        conventional_model(static.trial).track(walk.trial, kinetics="vendor")
