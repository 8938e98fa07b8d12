"""What a fit is not sure of, in the bands of a run with its model: against models that are other by so much, tracked anew."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_skeletal_model import OSIM, Z, axis, body, walked

from biomech_id.errors import Finding
from biomech_id.files.inputs import sha256_of
from biomech_id.files.json_text import json_text
from biomech_id.models.marker_response import _changes, _of_motion, leg_responses
from biomech_id.models.model import CalibrationInput
from biomech_id.movement.cycle import Cycle, KineticsValid
from biomech_id.multibody.musculoskeletal import BodyConstraint, ModelCoordinate, ModelJoint, MusculoskeletalModel, OffsetFrame
from biomech_id.osim.body_model import calibrated_on
from biomech_id.osim.fit.errors import with_fit_errors
from biomech_id.osim.fit.kept import fit_beside, kept_fit
from biomech_id.osim.fit.outputs import fit_record
from biomech_id.osim.fit.person import fit
from biomech_id.osim.scaling import scaled_model
from biomech_id.osim.skeletal_model import skeletal_model
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.session.bands.bands import cycle_bands
from biomech_id.trial import Trial
from biomech_id.uncertainty.marker_errors import LegMarkerErrors
from biomech_id.uncertainty.recording import LegErrors
from biomech_id.uncertainty.sizes import error_sizes

K, ROWS = len(OSIM.bodies), 3 * (len(OSIM.bodies) + len(OSIM.markers))
BODY, MARKER = ([part.name for part in parts] for parts in (OSIM.bodies, OSIM.markers))
#: What is off: a body's factor along an axis, or a marker along an axis of its body.
OFF = {
    "pelvis wide": 3 * BODY.index("pelvis") + 2, "thigh long": 3 * BODY.index("femur_l") + 1,
    "shank deep": 3 * BODY.index("tibia_l"), "foot long": 3 * BODY.index("calcn_l"), "talus": 3 * BODY.index("talus_l"),
    "other thigh": 3 * BODY.index("femur_r") + 1, "LASI": 3 * (K + MARKER.index("LASI")) + 1,
    "LKNE": 3 * (K + MARKER.index("LKNE")), "LTOE": 3 * (K + MARKER.index("LTOE")) + 2,
}  # fmt: skip


def off_by(errors: np.ndarray) -> MusculoskeletalModel:
    """The model with other factors and markers elsewhere, (ROWS,)."""
    z, moved = errors[: 3 * K].reshape(-1, 3), errors[3 * K :].reshape(-1, 3)
    scaled = scaled_model(OSIM, {name: np.exp(row) for name, row in zip(BODY, z, strict=True)}, mass_kg=OSIM.mass_kg)
    markers = (replace(m, place_m=np.asarray(m.place_m) + d) for m, d in zip(scaled.markers, moved, strict=True))
    return replace(scaled, markers=tuple(markers))


def lost(trial: Trial, *names: str) -> Trial:
    position = np.array(trial.markers.position_m)
    position[:, [trial.markers.names.index(name) for name in names]] = np.nan
    return replace(trial, markers=replace(trial.markers, position_m=position, filled=None))


@pytest.mark.parametrize(("name", "missing"), [*((name, ()) for name in OFF), ("thigh long", ("LTHI",))])
def test_poses_move_as_those_of_a_model_that_is_other(name: str, missing: tuple[str, ...]) -> None:
    trial, h = lost(walked()[1], *missing), 1e-5
    root = np.zeros((ROWS, 1))
    root[OFF[name]] = 1.0
    model = replace(skeletal_model(OSIM), fit_root=root)
    motion = model.track(trial)
    response = leg_responses(model, trial, motion, {})["L"]
    ours = with_fit_errors(model, trial, "L", response).walking[-1]
    ends = [_of_motion(skeletal_model(off_by(way * h * root[:, 0])).track(trial), "L") for way in (-1, 1)]
    change = _changes(*(np.stack([a[response.frames] for a in pair]) for pair in zip(*ends, strict=True)))[0] * 1e-5 / (2 * h)
    # `_changes` divides by its own step, 1e-5. A body's centre of mass also stretches with it: that is the inertia's error.
    rows = 7 if OFF[name] < 3 * K else 10
    assert np.abs(change).max() > 0.01
    np.testing.assert_allclose(ours[:, :rows], change[:, :rows], atol=3e-4 * np.abs(change).max())


def test_bands_are_the_spread_of_models_drawn_from_the_covariance() -> None:
    """A hundred draws: their SD is known to 7 %, that of one joint's curve in them to 20 % at worst."""
    _, trial = walked()
    rng = np.random.default_rng(4)
    root = np.tril(rng.normal(size=(ROWS, ROWS))) / np.sqrt(np.arange(1, ROWS + 1))[:, None]
    root *= np.repeat([0.03, 0.006], [3 * K, ROWS - 3 * K])[:, None]
    plain = skeletal_model(OSIM)
    model, motion = replace(plain, fit_root=root), plain.track(trial)
    response = with_fit_errors(model, trial, "L", leg_responses(model, trial, motion, {})["L"])
    errors = LegErrors({}, LegMarkerErrors(response, motion, "L", dict.fromkeys(error_sizes(), 0.0)))
    cycle = Cycle("walk", "L", 1, 0.2, 1.2, 0.8, 0.3, 0.7, KineticsValid.FALSE)
    (band,) = cycle_bands(motion, None, {"L": errors}, [cycle], mass_kg=None)
    few = replace(trial, markers=replace(trial.markers, position_m=trial.markers.position_m[20:121:20], filled=None))
    at_rest, draws = plain.track(few).joint_angles_rad, []
    for _ in range(100):
        angles = skeletal_model(off_by(root @ rng.normal(size=ROWS))).track(few).joint_angles_rad
        draws.append([np.degrees(angles["L", joint] - at_rest["L", joint]) for joint in ("ankle", "knee", "hip")])
    seen = np.sqrt(np.mean(np.square(draws), axis=0)).transpose(0, 2, 1).reshape(9, -1)
    ours = band.sd("segment_axes")[:9, ::20]
    turning = seen.max(axis=1) > 0.1
    assert turning.sum() >= 5
    np.testing.assert_allclose(ours[turning], seen[turning], rtol=0.25)
    assert np.mean(ours[turning] / seen[turning]) == pytest.approx(1.0, abs=0.1)


def test_the_fit_stands_for_what_an_examiner_would_miss() -> None:
    _, trial = walked()
    root = 0.01 * np.eye(ROWS)
    plain = skeletal_model(OSIM)
    model, motion = replace(plain, fit_root=root), plain.track(trial)
    before = leg_responses(plain, trial, motion, {})["L"]
    responses = before, with_fit_errors(model, trial, "L", before)
    sources = [LegMarkerErrors(each, motion, "L", error_sizes()).sources for each in responses]
    assert sources[0].count("soft_tissue") == sources[1].count("soft_tissue") > 0
    assert sources[1].count("segment_axes") == ROWS
    assert "pelvis" not in sources[1]
    assert plain.errors.hip_error("L").sd_mm > 0.0 == model.errors.hip_error("L").sd_mm


def test_only_a_record_of_this_very_file_counts(tmp_path: Path) -> None:
    file = tmp_path / "scaled.osim"
    file.write_text("<model/>")
    osim = replace(OSIM, source=str(file))
    record = {"schema": 1, "model_sha256": sha256_of(file), "covariance": (4 * np.eye(ROWS)).tolist()}
    beside = tmp_path / "fit.json"
    assert fit_beside(osim) is None
    assert fit_beside(OSIM) is None
    beside.write_text(json.dumps(record))
    read = fit_beside(osim)
    assert read is not None
    assert read[0] == record
    np.testing.assert_array_equal(read[1], 2 * np.eye(ROWS))
    beside.write_text(json.dumps({**record, "model_sha256": "0", "dynamics": {"model_sha256": sha256_of(file)}}))
    with_forces = fit_beside(osim)
    assert with_forces is not None
    assert with_forces[0]["model_sha256"] == sha256_of(file)
    for other in (
        {"schema": 1},
        {"fit": "of another program"},
        {**record, "model_sha256": "0"},
        {**record, "model_sha256": "0", "dynamics": 1},
    ):
        beside.write_text(json.dumps(other))
        assert fit_beside(osim) is None
    beside.write_text(json.dumps(record))
    file.write_text("<model></model>")
    assert fit_beside(osim) is None


def test_a_session_keeps_of_a_fit_what_its_page_shows_and_no_strange_name(tmp_path: Path) -> None:
    trial = replace(walked()[1], name="1")  # as the other one's number would be
    fitted = fit(OSIM, [replace(trial, name="Anna_Huber"), trial])
    file = tmp_path / "scaled.osim"
    file.write_text("<model/>")
    values = {"one": "Anna_Huber", "other": trial.name, "measure": "thigh_r", "apart_mm": 9.0, "sd_mm": 2.0}
    record = fit_record(fitted, (Finding("fit-trials-disagree", values, "Anna_Huber"),)) | {"model_sha256": sha256_of(file)}
    forces = {"before": {"rms_force_N": 40.0}, "after": {"rms_force_N": 3.0}, "dynamically_consistent": False}
    (tmp_path / "fit.json").write_text(json_text(record | {"dynamics": forces | {"trial": "Anna_Huber"}}))
    model = calibrated_on(replace(fitted.model, source=str(file)), CalibrationInput([trial], trial.subject))
    kept = model.calibration.to_dict()["fit"]
    assert "Anna" not in json_text(kept) + str(model.findings)
    assert set(kept["trials"]) == {"#1", trial.name}
    assert kept["forces"] == forces
    assert "covariance" not in kept
    assert [each.rule for each in model.findings] == ["osim-own", "osim-fitted", "fit-trials-disagree"]
    assert model.findings[2].values["one"] == "#1"
    skeleton = Skeleton(fitted.model)
    places = skeleton.markers(skeleton.default_q()[None])[0]
    np.testing.assert_allclose([each["standing_m"][1] for each in kept["markers"].values()], places, atol=1e-9)
    # The standing model's axes are those of the surroundings: what was moved in them is what was moved in the body.
    before = np.array([each["standing_m"][0] for each in kept["markers"].values()])
    np.testing.assert_allclose(np.linalg.norm(places - before, axis=1), np.linalg.norm(fitted.moved_m, axis=1), atol=1e-9)
    assert [kept["bodies"][name]["above"] for name in ("pelvis", "femur_l", "tibia_l")] == ["", "pelvis", "femur_l"]
    hip = next(joint for joint in fitted.model.joints if joint.child.body == "femur_l")
    tied = replace(fitted.model, constraints=(BodyConstraint("hip_tie", "point", hip.parent, hip.child),))
    alone = calibrated_on(tied, CalibrationInput([trial], trial.subject))
    assert "fit" not in alone.calibration.to_dict()
    assert alone.findings[-1].values == {"model": tied.name, "names": "hip_tie"}


def test_a_body_named_like_the_ground_hangs_from_it_by_its_whole_name() -> None:
    joints = (
        ModelJoint("root", "pin", OffsetFrame("ground"), OffsetFrame("ground_plate"), ("turn",), (axis("turn", Z),)),
        ModelJoint("top", "weld", OffsetFrame("ground_plate"), OffsetFrame("foot"), ()),
    )
    bodies = tuple(body(name, 1.0, 0.0, 0.0, 0.0) for name in ("ground_plate", "foot"))
    osim = MusculoskeletalModel("m", bodies, joints, (ModelCoordinate("turn", "root", "rotational"),))
    record: dict[str, Any] = {
        key: {} for key in ("lengths", "hip_in_pelvis", "markers", "trials", "model_sha256", "converged", "findings")
    }
    kept, _ = kept_fit(osim, record | {"bodies": {each.name: {} for each in bodies}}, ())
    assert [each["above"] for each in kept["bodies"].values()] == ["", "ground_plate"]
