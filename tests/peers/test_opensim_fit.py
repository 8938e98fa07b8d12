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
    fitted, _ = fit_files(folder / "model.osim", [folder / "walk1.trc"], tmp_path / "out", mass_kg=61.0)
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
