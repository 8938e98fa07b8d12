"""Theia3D's own file: 19 poses, no points. Read, named, tracked, tabled and drawn; the numbers it holds are what is computed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.models.poses.model import pose_model
from biomech_id.models.poses.pose_set import pose_set_of

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def file(c3d_dir: Path) -> Path:
    path = c3d_dir / "markerless" / "theia_pose.c3d"
    if not path.exists():
        pytest.skip("the markerless recording is not there")
    return path


def test_nineteen_poses_are_named_and_orthonormal(file: Path) -> None:
    trial = bid.read_c3d(file)
    known = pose_set_of(trial.rotations)
    assert known is not None
    assert known.name == "theia"
    words = [known.words(label) for label in trial.rotations.names]
    assert len(words) == 19
    assert all(words)
    assert len(set(words)) == 19
    motion = pose_model(trial, trial.subject).track(trial)
    for part, moved in motion.motions.items():
        R = moved.frames.R_lab_seg
        assert np.abs(np.einsum("nji,njk->nik", R, R) - np.eye(3)).max() < 1e-6, part
        assert np.abs(np.linalg.det(R) - 1).max() < 1e-6, part
    assert len(motion.motions) == 7


def test_its_knee_turns_and_bends_sideways_as_the_system_that_modelled_it_lets_it(file: Path) -> None:
    """The system says that its knee has no rotation (3DOF_KNEE 0): in the right axes and order ours finds none."""
    trial = bid.read_c3d(file)
    motion = pose_model(trial, trial.subject).track(trial)
    for side in "LR":
        knee = np.rad2deg(motion.joint_angles_rad[side, "knee"])
        assert np.abs(knee[:, 2]).max() < 0.1
        assert np.ptp(knee[:, 0]) > 30
        assert knee[:, 0].min() > -5
        # Bones do not change their length: within the system's own filter.
        centres = motion.joint_centres_lab_m
        shank = np.linalg.norm(centres[side, "knee"] - centres[side, "ankle"], axis=1)
        assert np.ptp(shank) < 1e-3
        assert 0.35 < shank.mean() < 0.5


def test_masses_and_heels_are_the_files(file: Path) -> None:
    trial = bid.read_c3d(file)
    subject = trial.subject.with_values("test", mass_kg=80.0, sex="male")
    calibration = pose_model(trial, subject).calibration
    thigh = calibration.segments["R", "thigh"]
    assert thigh.mass_kg == pytest.approx(80.0 * 0.1416, rel=1e-6)
    assert thigh.com_m == pytest.approx([0.0, -0.1600451, 0.0], abs=1e-6)
    assert np.sqrt(np.diag(thigh.inertia_kgm2) / thigh.mass_kg) == pytest.approx([0.12858324, 0.05823375, 0.12858324], rel=1e-5)
    assert calibration.foot_points_m["R"]["heel"] == pytest.approx([-0.05834932, -0.08209229, -0.01108268], abs=1e-6)


def test_one_command_makes_tables_and_pages(file: Path, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from biomech_id.cli.app import app

    folder = tmp_path / "athlete"
    folder.mkdir()
    shutil.copy(file, folder)
    done = CliRunner().invoke(app, ["run", str(folder), "-o", str(tmp_path / "out")])
    assert done.exit_code == 3, done.output
    # Less than half of the way goes where the pelvis faces.
    assert "No movement that is measured by cycles was recognised" in done.output
    table = bid.read_folder(tmp_path / "out").frames["theia_pose"]
    knee = table["RKneeAngles.X"]
    assert np.isfinite(knee).all()
    assert np.ptp(knee) > 30
    calibration = json.loads((tmp_path / "out" / "calibration.json").read_text(encoding="utf-8"))
    assert len(calibration["poses"]) == 19
    assert "not known" not in calibration["poses"].values()
    assert (tmp_path / "out" / "report.pdf").stat().st_size > 10_000
