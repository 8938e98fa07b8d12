"""The model that ``biomech-id fit`` writes, opened by OpenSim: bodies, markers and masses where ours are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.osim.document.model import read_osim
from biomech_id.osim.fit.outputs import fit_files
from biomech_id.osim.kinematics.inverse_kinematics import TrackingTasks, track_markers
from biomech_id.osim.skeletal_model import R_LAB_SURROUNDINGS
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.readers.opensim.storage import read_storage

osim: Any = pytest.importorskip("opensim", reason="needs the opensim wheel: pip install 'biomech-id[peers]'")
osim.Logger.setLevelString("error")

IK_SETUP = """<OpenSimDocument Version="40500"><InverseKinematicsTool name="ik"><results_directory>.</results_directory>
<model_file>out/scaled.osim</model_file><constraint_weight>Inf</constraint_weight><accuracy>1e-9</accuracy>
<time_range>0 1</time_range><marker_file>{file}</marker_file><IKTaskSet><objects>{tasks}</objects></IKTaskSet>
<output_motion_file>ik.mot</output_motion_file></InverseKinematicsTool></OpenSimDocument>"""


def test_opensim_opens_the_fitted_model(shared_dir: Path, tmp_path: Path) -> None:
    folder = shared_dir / "opensim_refs/fit/gait2392_101"
    fitted, _, _ = fit_files(folder / "model.osim", [folder / "walk1.trc"], tmp_path / "out", mass_kg=61.0)
    theirs = osim.Model(str(tmp_path / "out/scaled.osim"))
    state = theirs.initSystem()
    assert theirs.getTotalMass(state) == pytest.approx(61.0, abs=1e-6)  # ten digits in the file
    table = osim.TimeSeriesTable(str(tmp_path / "out/walk1.mot"))
    labels, row = list(table.getColumnLabels()), table.getRowAtIndex(40)
    for coordinate in fitted.model.coordinates:
        value = row[labels.index(coordinate.name)]
        value = np.deg2rad(value) if coordinate.motion == "rotational" else value
        theirs.getCoordinateSet().get(coordinate.name).setValue(state, float(value), False)
    theirs.assemble(state)
    theirs.realizePosition(state)
    ours = Skeleton(fitted.model).markers(fitted.motions[0].q[40:41])[0]
    for marker, at in zip(fitted.model.markers, ours, strict=True):
        place = theirs.getMarkerSet().get(marker.name).getLocationInGround(state).to_numpy()
        # Angles have eight decimals of a degree, 2e-10 rad.
        np.testing.assert_allclose(place, at, atol=1e-8)


def test_opensim_s_inverse_kinematics_of_the_fitted_model_are_ours(
    shared_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shared_dir / "opensim_refs/fit/gait2392_101"
    fit_files(folder / "model.osim", [folder / "walk1.trc"], tmp_path / "out")
    model, walk = read_osim(tmp_path / "out/scaled.osim", muscles=False), bid.read(folder / "walk1.trc")
    names = walk.markers.names
    tasks = "".join(f'<IKMarkerTask name="{name}"><apply>true</apply><weight>1</weight></IKMarkerTask>' for name in names)
    (tmp_path / "ik.xml").write_text(IK_SETUP.format(tasks=tasks, file=folder / "walk1.trc"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert osim.InverseKinematicsTool("ik.xml").run()
    table = read_storage(tmp_path / "ik.mot")
    y = walk.markers.position_m[: len(table.time_s)] @ R_LAB_SURROUNDINGS
    ours = track_markers(model, names, y, TrackingTasks(dict.fromkeys(names, 1.0)), rate_hz=walk.rate_hz).q
    turning = np.array([c.motion == "rotational" for c in model.coordinates])
    theirs = np.column_stack([table[name] for name in model.coordinate_names])
    assert len(theirs) > 50
    np.testing.assert_allclose(ours, np.where(turning, np.deg2rad(theirs), theirs), atol=2e-6)


def test_opensim_leaves_over_as_much_after_the_correction(shared_dir: Path, tmp_path: Path) -> None:
    """Root forces and moments by OpenSim's own tool, of the written model and motion, beside ours; without 0.1 s at the ends."""
    folder, out = shared_dir / "opensim_refs/gait2392", tmp_path / "out"
    loads, markers = folder / "external_loads.xml", folder / "gait2392_Scale_MarkerSet.xml"
    _, forces, _ = fit_files(
        folder / "gait2392_thelen2003muscle.osim", [folder / "subject01_static.trc", folder / "subject01_walk1.trc"], out,
        marker_set=markers, mass_kg=72.6, loads=loads,
    )  # fmt: skip
    assert forces is not None
    tool = osim.InverseDynamicsTool()
    tool.setModelFileName(str(out / "dynamic.osim"))
    tool.setCoordinatesFileName(str(out / "subject01_walk1_dynamic.mot"))
    tool.setExternalLoadsFileName(str(loads))
    tool.setLowpassCutoffFrequency(-1.0)
    tool.setStartTime(float(forces.time_s[0]))
    tool.setEndTime(float(forces.time_s[-1]))
    excluded = osim.ArrayStr()
    excluded.append("Muscles")
    tool.setExcludedForces(excluded)
    tool.setResultsDir(str(tmp_path))
    tool.setOutputGenForceFileName("theirs.sto")
    assert tool.run()
    table = osim.TimeSeriesTable(str(tmp_path / "theirs.sto"))
    root = ["pelvis_tx", "pelvis_ty", "pelvis_tz", "pelvis_tilt", "pelvis_list", "pelvis_rotation"]
    names = [f"{name}_{'force' if name.startswith('pelvis_t') and name != 'pelvis_tilt' else 'moment'}" for name in root]
    theirs = np.stack([table.getDependentColumn(name).to_numpy() for name in names], axis=1)
    ours = np.stack([
        np.interp(np.array(table.getIndependentColumn()), forces.time_s, column)
        for column in forces.tau_after[:, [forces.model.index(name) for name in root]].T
    ], axis=1)  # fmt: skip
    inner = slice(6, -6)
    assert np.sqrt(np.mean((theirs - ours)[inner] ** 2, axis=0)).max() < 0.3
