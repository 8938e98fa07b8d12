"""OpenCap's walk, forces in a second file and no mass: one command, and the ankle's moment beside that of Rajagopal's model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sessions import Sessions
from test_run_osim import run

from biomech_id.gait.force_lag import find_force_lag
from biomech_id.readers import read

pytestmark = pytest.mark.real
WALK = "c3d/markerless/opencap/walking1.trc"


def test_the_ankle_moment_is_that_of_rajagopals_model(sessions: Sessions, tmp_path: Path) -> None:
    """Scaled to the static trial and tracked by this library's own engine; every frame with both, 5 % of the larger peak."""
    computed = sessions["opencap"]
    assert computed.ran
    assert computed.said["words"][2] == "-o"  # no option names a mass, a marker set or the forces
    assert computed.tables.summary["subject"]["mass_kg"] == pytest.approx(63.5, abs=0.5)
    assert {finding.rule for trial in computed.result.trials for finding in trial.findings} >= {"second-forces"}
    model = sessions.shared / "opensim_refs" / "rajagopal_walk" / "Rajagopal2016.osim"
    code, stderr, out = run(tmp_path, [str((sessions.shared / WALK).parent), "--model", str(model)])
    assert code in (0, 3), stderr
    ours, theirs = (pd.read_csv(folder / "trials" / "walking1.csv") for folder in (computed.out, out))
    for side in "LR":
        mine, other = (table[f"{side}AnkleMoment.X"].to_numpy() for table in (ours, theirs))
        both = np.isfinite(mine) & np.isfinite(other)
        assert both.sum() > 100
        peak = np.abs(other[both]).max()
        assert peak > 1.2
        assert np.abs(mine - other)[both].max() < 0.05 * peak


@pytest.mark.parametrize("by_s", [-0.31, 0.0, 0.4444])
def test_a_lag_of_its_forces_is_found_within_a_frame(shared_dir: Path, by_s: float) -> None:
    trial = read(shared_dir / WALK)
    plates = [replace(plate) for plate in read(shared_dir / WALK.replace(".trc", "_grf.mot")).plates]
    for plate in plates:
        object.__setattr__(plate, "first_time_s", plate.first_time_s - by_s)
    found = find_force_lag(trial, plates)
    assert found.certain
    assert abs(found.lag_s - by_s) < 0.01
