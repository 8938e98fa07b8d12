"""Inverse kinematics beside OpenSim's tool at an accuracy of 1e-9, by its setup files: no higher cost, the same coordinates."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from biomech_id.models.opensim.inverse_kinematics import TrackedPose, TrackingTasks, track_markers
from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
from biomech_id.readers.opensim.model import read_osim
from biomech_id.readers.opensim.storage import read_storage
from biomech_id.readers.opensim.trc import read_trc

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
