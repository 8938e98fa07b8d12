"""Knee axes from the walks: what a thigh marker's place does to the knee is taken away, wherever the marker sits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.conventions import SIDES
from biomech_id.errors import InvalidValueError
from biomech_id.models.conventional.model import CONVENTIONAL, ConventionalModel
from biomech_id.models.joint_centres.knee_axis_walk import knee_turn
from biomech_id.models.model import CalibrationInput
from biomech_id.sample import VirtualSubject
from biomech_id.trial import Trial


def person(wand_rad: float) -> VirtualSubject:
    return bid.virtual_subject(
        variant="violating", wand_offset_rad=wand_rad, knee_width_error_m=0.0, ankle_roll_rad=0.0, toe_out_rad=(0.0, 0.0), plates=()
    )


def calibrated(one: VirtualSubject, knee_axis: str) -> ConventionalModel:
    static, walk = one.static().trial, one.walk().trial
    model = CONVENTIONAL.calibrate(CalibrationInput([static, walk], static.subject, static, knee_axis=knee_axis))
    assert isinstance(model, ConventionalModel)
    return model


def knee_deg(one: VirtualSubject, model: ConventionalModel, side: str) -> np.ndarray:
    return np.rad2deg(model.track(one.walk().trial).joint_angles_rad[side, "knee"])


def test_the_turn_follows_the_marker_degree_by_degree() -> None:
    """Two placements 0.2 rad apart about the bone give turns as far apart, whatever the knees' own varus adds to both."""
    turns = []
    for wand_rad in (-0.1, 0.1):
        one = person(wand_rad)
        motion = calibrated(one, "markers").track(one.walk().trial)
        turns.append([knee_turn([motion], side).turn_rad for side in SIDES])
    apart = np.abs(np.subtract(*turns))
    assert np.rad2deg(np.abs(apart - np.deg2rad(20.0))).max() < 1.0


def test_wherever_the_marker_sits_the_knee_is_the_same() -> None:
    people = [person(wand_rad) for wand_rad in (-0.1, 0.1)]
    apart_deg = {}
    for knee_axis in ("markers", "walk"):
        models = [calibrated(one, knee_axis) for one in people]
        pairs = ([knee_deg(one, model, side)[:, 1] for one, model in zip(people, models, strict=True)] for side in SIDES)
        apart_deg[knee_axis] = [float(np.nanmax(np.abs(first - second))) for first, second in pairs]
    assert min(apart_deg["markers"]) > 10.0
    assert max(apart_deg["walk"]) < 2.0


def test_it_is_said_and_written() -> None:
    model = calibrated(person(0.1), "walk")
    said = [finding for finding in model.findings if finding.rule == "knee-axis-from-walk"]
    assert len(said) == 1
    assert [row[0] for row in said[0].values["legs"]] == ["L", "R"]
    written = model.calibration.to_dict()
    assert "least varus" in written["knee_and_ankle_centre_method"]
    for side, turned_deg, before_deg, then_deg, flexion_deg in said[0].values["legs"]:
        assert written["sides"][side]["thigh_rotation_deg"] == pytest.approx(turned_deg, abs=1e-9)
        assert then_deg < before_deg
        assert flexion_deg > 50.0
        assert abs(knee_turn([model.track(person(0.1).walk().trial)], side).turn_rad) < 2e-3
    plain = calibrated(person(0.1), "markers")
    assert not [finding for finding in plain.findings if finding.rule == "knee-axis-from-walk"]
    assert "least varus" not in plain.calibration.to_dict()["knee_and_ankle_centre_method"]


def test_a_knee_that_hardly_bends_shows_no_axis() -> None:
    one = person(0.0)
    motion = calibrated(one, "markers").track(one.walk().trial)
    angles = {key: values * ([0.4, 1.0, 1.0] if key[1] == "knee" else 1.0) for key, values in motion.joint_angles_rad.items()}
    with pytest.raises(InvalidValueError, match="which does not show its axis") as refusal:
        knee_turn([replace(motion, joint_angles_rad=angles)], "R")
    assert 15.0 < refusal.value.value < 30.0
    static = one.static().trial
    with pytest.raises(InvalidValueError, match="no walk"):
        CONVENTIONAL.calibrate(CalibrationInput([static], static.subject, static, knee_axis="walk"))


def functional(one: VirtualSubject, movement: Trial | None = None) -> ConventionalModel:
    static, walk, moved = one.static().trial, one.walk().trial, movement or one.star_arc().trial
    given = CalibrationInput([static, walk, moved], static.subject, static, functional=[moved], knee_axis="functional")
    model = CONVENTIONAL.calibrate(given)
    assert isinstance(model, ConventionalModel)
    return model


@pytest.mark.parametrize("wand_rad", [-0.1, 0.1])
def test_a_functional_movement_finds_how_far_the_thigh_marker_is_off(wand_rad: float) -> None:
    """Within a degree of the true rotation, whatever varus the walks show: SARA sees the axis the knee bends about."""
    model = functional(person(wand_rad))
    for side in SIDES:
        geometry = model.calibration.geometry[side]
        assert np.rad2deg(abs(geometry.thigh_rotation_rad - wand_rad)) < 0.1
    (said,) = (finding for finding in model.findings if finding.rule == "knee-axis-functional")
    for side, turned_deg, trial, flexion_deg, residual_mm in said.values["legs"]:
        assert model.calibration.to_dict()["sides"][side]["thigh_rotation_deg"] == pytest.approx(turned_deg, abs=1e-9)
        assert trial == "functional"
        assert flexion_deg == pytest.approx(60.0, abs=1.5)
        assert residual_mm < 0.1
    assert "SARA" in model.calibration.to_dict()["knee_and_ankle_centre_method"]


def test_a_noisy_moving_skin_leaves_the_functional_axis_within_four_degrees() -> None:
    one = person(0.1)
    moved = one.star_arc().trial
    rng = np.random.default_rng(7)
    time_s = np.arange(moved.n_frames) / moved.rate_hz
    slide = 0.005 * np.sin(2 * np.pi * 0.3 * time_s)[:, None, None] * rng.standard_normal((1, len(moved.markers.names), 3))
    noisy = moved.markers.position_m + slide + 5e-4 * rng.standard_normal(moved.markers.position_m.shape)
    model = functional(one, replace(moved, markers=replace(moved.markers, position_m=noisy)))
    for side in SIDES:
        assert np.rad2deg(abs(model.calibration.geometry[side].thigh_rotation_rad - 0.1)) < 4.0


def test_a_movement_that_shows_no_axis_is_refused_with_the_number() -> None:
    one = person(0.0)
    moved = one.star_arc().trial
    still = replace(moved, markers=replace(moved.markers, position_m=moved.markers.position_m[:50], filled=None))
    with pytest.raises(InvalidValueError, match="bends by 0 degrees in functional"):
        functional(one, still)
    static = one.static().trial
    with pytest.raises(InvalidValueError, match="name one with"):
        CONVENTIONAL.calibrate(CalibrationInput([static], static.subject, static, knee_axis="functional"))
    blurred = moved.markers.position_m + 0.03 * np.random.default_rng(1).standard_normal(moved.markers.position_m.shape)
    with pytest.raises(InvalidValueError, match="no common axis"):
        functional(one, replace(moved, markers=replace(moved.markers, position_m=blurred)))
