"""docs/hip-centres.md shows what the four regressions give on real subjects; the page must say what the code says today."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from biomech_id.markersets import detect
from biomech_id.models.joint_centres.anatomical import hip_candidates, pelvis_size
from biomech_id.models.joint_centres.hip_regressions import REGRESSIONS
from biomech_id.models.landmarks import anatomical_points
from biomech_id.models.six_dof.calibrate import place_pelvis
from biomech_id.models.six_dof.model import six_dof_model
from biomech_id.readers import read_c3d
from biomech_id.trial import Trial

PAGE = Path(__file__).resolve().parents[2] / "docs" / "hip-centres.md"


def statics(c3d_dir: Path) -> Iterator[Trial]:
    """The static trial of every child: the recording that moves least."""
    for folder in sorted((c3d_dir / "children").iterdir()):
        trials = [read_c3d(path, trust=True) for path in sorted(folder.glob("*.c3d"))]
        yield min(trials, key=lambda trial: np.nanmax(np.ptp(trial.markers["LASI"], axis=0)))


def child_rows(c3d_dir: Path) -> list[str]:
    """One line per child: the left hip by each regression, mm from mid-ASIS (X anterior, Y up, Z right)."""
    rows = []
    for trial in statics(c3d_dir):
        subject, radius = trial.subject, (trial.subject.marker_diameter_m or 0.014) / 2
        seen = [name for name in trial.markers.names if trial.markers.present(name)]
        landmarks = anatomical_points(trial, detect(seen).markerset)
        pelvis, size = place_pelvis(landmarks), pelvis_size("L", landmarks, subject, radius)
        found = hip_candidates("L", pelvis.R_lab_seg, pelvis.origin_lab_m, landmarks, size)
        lengths = [size.inter_asis_m, size.depth_m, size.leg_length_m]
        cells = [f"{1e3 * length:.0f}" for length in lengths if length is not None]
        cells += [" ".join(f"{1e3 * value:.1f}" for value in found[name]) for name in REGRESSIONS]
        rows.append(f"| {trial.name[:6]} | {' | '.join(cells)} |")
    return rows


def stored_rows(c3d_dir: Path) -> list[str]:
    """One line per walk and side: distance of each regression from the hip centre stored in the file, mm."""
    rows = []
    for path in sorted((c3d_dir / "opensim").glob("*.c3d")):
        trial = read_c3d(path, trust=True)
        model = six_dof_model(None, trial.subject.with_values("test", mass_kg=70.0), walks=(trial,))
        for side in "LR":
            found = model.calibration.hip_candidates_m[side]
            cells = [f"{1e3 * np.linalg.norm(found[name] - found['stored']):.0f}" for name in REGRESSIONS]
            rows.append(f"| {trial.name} {side} | {' | '.join(cells)} |")
    return rows


@pytest.mark.parametrize("table", [child_rows, stored_rows])
def test_the_page_is_current(table: object, c3d_dir: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = table(c3d_dir)  # type: ignore[operator]
    assert rows
    for row in rows:
        assert row in page, "docs/hip-centres.md should hold:\n" + "\n".join(rows)
