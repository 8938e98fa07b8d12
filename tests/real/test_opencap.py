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


def test_its_report_shows_the_stances_over_time_and_no_empty_pages(sessions: Sessions) -> None:
    """1.3 s hold no whole stride: 12 pages said nothing but that. The left stance lies between its force's rise and fall."""
    from biomech_id.report.book import page_names, session_pages
    from biomech_id.report.layout.style import load_style

    pages = list(session_pages(sessions["opencap"].tables, load_style(), None, page_names()))
    assert {page.name for page in pages} == {"session", "quality", "course", "methods"}
    (page,) = (page for page in pages if page.name == "course")
    drawn: dict[str, list[np.ndarray]] = {}
    for artist in page.figure.findobj(lambda artist: bool(artist.get_gid())):
        drawn.setdefault(artist.get_gid(), []).extend(path.vertices for path in artist.get_paths())
    for name in ("HipAngles.X", "KneeAngles.X", "AnkleAngles.X", "HipMoment.X", "KneeMoment.X", "AnkleMoment.X", "AnklePower"):
        for side in "LR":
            (path,) = drawn[f"{side}|{name}|walking1"]
            assert np.isfinite(path[:, 1]).sum() > 60, name
    (strike_s,), offs_s = {line[0, 0] for line in drawn["event L Foot Strike"]}, {line[0, 0] for line in drawn["event L Foot Off"]}
    force = read(sessions.shared / WALK.replace(".trc", "_grf.mot"))
    loaded = [plate.first_time_s + np.flatnonzero(plate.force_lab_N[:, 2] > 20.0) / plate.rate_hz for plate in force.plates]
    assert min(abs(strike_s - time_s[0]) for time_s in loaded if len(time_s)) < 0.02
    assert min(abs(max(offs_s) - time_s[-1]) for time_s in loaded if len(time_s)) < 0.02


@pytest.mark.parametrize("by_s", [-0.31, 0.0, 0.4444])
def test_a_lag_of_its_forces_is_found_within_a_frame(shared_dir: Path, by_s: float) -> None:
    trial = read(shared_dir / WALK)
    plates = [replace(plate) for plate in read(shared_dir / WALK.replace(".trc", "_grf.mot")).plates]
    for plate in plates:
        object.__setattr__(plate, "first_time_s", plate.first_time_s - by_s)
    found = find_force_lag(trial, plates)
    assert found.certain
    assert abs(found.lag_s - by_s) < 0.01
