"""Inverse kinematics beside OpenSim's tool at an accuracy of 1e-9, by its setup files: no higher cost, the same coordinates."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from biomech_id.markersets.detect import SMALLEST_SHARE, propose
from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
from biomech_id.osim.document.model import read_osim
from biomech_id.osim.kinematics.inverse_kinematics import TrackedPose, TrackingTasks, track_markers
from biomech_id.osim.skeletal_model import R_LAB_SURROUNDINGS, skeletal_model
from biomech_id.readers.opensim.storage import read_storage
from biomech_id.readers.opensim.trc import read_trc
from biomech_id.trial import Markers, Trial

#: Case -> model, and the largest difference allowed, rad or m: of all coordinates, of those named, and of the median.
CASES = {
    "gait10dof18musc": ("subject01.osim", 1e-6, {}, 1e-7),
    "arm26": ("arm26.osim", 1e-6, {}, 1e-7),
    "gait2392": ("scaled.osim", 2e-5, {}, 1e-7),
    # The tool's interior point stays inside a bound here: its coordinates are not the minimum's.
    "rajagopal_walk": ("scaled.osim", 1e-4, {"pro_sup_r": 1e-3, "pro_sup_l": 1e-3}, 1e-6),
}


def text(task: ElementTree.Element, tag: str) -> str:
    found = task.find(tag)
    assert found is not None
    assert found.text
    return found.text.strip()


def tracked(folder: Path, model: MusculoskeletalModel) -> TrackedPose:
    setup = ElementTree.parse(folder / "setup_ik_1e-9.xml").getroot()
    tasks = {kind: [t for t in setup.iter(kind) if text(t, "apply") == "true"] for kind in ("IKMarkerTask", "IKCoordinateTask")}
    weights = [{str(t.get("name")): float(text(t, "weight")) for t in tasks[kind]} for kind in tasks]
    manual = [t for t in tasks["IKCoordinateTask"] if text(t, "value_type") == "manual_value"]
    targets = {str(t.get("name")): float(text(t, "value")) for t in manual}
    tool = setup[0]
    trc = read_trc(folder / text(tool, "marker_file"))
    first, last = (float(number) for number in text(tool, "time_range").split())
    frames = (trc.time_s >= first - 1e-9) & (trc.time_s <= last + 1e-9)
    return track_markers(model, trc.names, trc.position_m[frames], TrackingTasks(*weights, targets), rate_hz=trc.rate_hz)


@pytest.mark.parametrize("case", CASES)
def test_beside_the_tool(case: str, shared_dir: Path) -> None:
    name, most, wider, median = CASES[case]
    folder = shared_dir / "opensim_refs" / case
    model = read_osim(folder / name, muscles=False)
    ours, theirs = tracked(folder, model), read_storage(folder / "ik_1e-9.mot")
    assert ours.converged.all()
    degrees = np.array([c.motion == "rotational" for c in model.coordinates])
    q = np.stack([theirs.values[:, theirs.columns.index(c)] for c in model.coordinate_names], axis=1)
    q = np.where(degrees, np.radians(q), q)
    tree, wanted = ours.problem
    off = tree.skeleton.pose(q).points(wanted.body.tolist(), wanted.place_m) - wanted.measured_m
    assert (ours.cost <= wanted.cost(off, q) * (1 + 1e-9)).all()
    difference = np.abs(ours.q - q)
    allowed = np.array([wider.get(c, most) for c in model.coordinate_names])
    assert (difference.max(axis=0) < allowed).all()
    assert np.median(difference) < median
    ranges = np.array([c.range if c.clamped else (-np.inf, np.inf) for c in model.coordinates])
    assert ((ours.q >= ranges[:, 0]) & (ours.q <= ranges[:, 1])).all()


@pytest.mark.parametrize(
    ("recording", "name"),
    [
        ("gait10dof18musc/subject01_walk.trc", "opensim-gait2354"), ("gait2392/subject01_walk1.trc", "opensim-gait2354"),
        ("rajagopal_walk/static_walk_1.trc", "opensim-rajagopal"), ("rajagopal_walk/motion_capture_walk.trc", "opensim-rajagopal"),
    ],
)  # fmt: skip
def test_recordings_of_the_models_have_a_marker_set(recording: str, name: str, shared_dir: Path) -> None:
    best = propose(read_trc(shared_dir / "opensim_refs" / recording).names)[0]
    assert best.markerset.name == name
    assert best.share >= SMALLEST_SHARE


def test_a_scaled_model_tracks_a_recording_as_a_body_model(shared_dir: Path) -> None:
    """gait2392's walk: constant bones, feet that the labels name, markers within 25 mm (RMS) of the model's."""
    folder = shared_dir / "opensim_refs" / "gait2392"
    trc = read_trc(folder / "subject01_walk1.trc")
    lab = trc.position_m @ R_LAB_SURROUNDINGS.T
    motion = skeletal_model(read_osim(folder / "scaled.osim", muscles=False)).track(
        Trial("walk", Markers(trc.names, lab, trc.rate_hz))
    )
    shank = motion.joint_centres_lab_m["R", "ankle"] - motion.joint_centres_lab_m["R", "knee"]
    assert np.ptp(np.linalg.norm(shank, axis=1)) < 1e-9
    assert motion.roles["R", "heel"] == "R.Heel"
    assert max(float(np.nanmedian(each)) for each in motion.fit_residual_m.values()) < 0.025
    knee = np.degrees(motion.joint_angles_rad["R", "knee"][:, 0])
    assert 55.0 < knee.max() < 75.0
