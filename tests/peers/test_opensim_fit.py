"""The model that ``biomech-id fit`` writes, opened by OpenSim: bodies, markers and masses where ours are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biomech_id.osim.fit.outputs import fit_files
from biomech_id.osim.skeleton.skeleton import Skeleton

osim: Any = pytest.importorskip("opensim", reason="needs the opensim wheel: pip install 'biomech-id[peers]'")
osim.Logger.setLevelString("error")


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
