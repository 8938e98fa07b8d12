"""Files with poses of segments, beside points or alone, and files of analog channels alone: valid, and said to be what they are."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from c3d_builder import BLOCK_BYTES, C3D, FRAMES, PC, RATE_HZ, SGI, healthy
from typer.testing import CliRunner

from biomech_id.algebra.rotation import cardan_matrix
from biomech_id.cli.app import app
from biomech_id.errors import InvalidValueError, MissingInputError
from biomech_id.judgement.check import check_file
from biomech_id.readers import read_c3d
from biomech_id.trial import Rotations

RNG = np.random.default_rng(7)
SEGMENTS = ("pelvis", "thigh")


def poses(n: int, unit_per_m: float = 1000.0) -> np.ndarray:
    """(n, 2, 17) as stored: the matrix column by column, then how sure."""
    matrix = np.zeros((n, len(SEGMENTS), 4, 4))
    for place in np.ndindex(n, len(SEGMENTS)):
        matrix[place][:3, :3] = cardan_matrix(RNG.normal(size=3), "yxz")
        matrix[place][:3, 3] = unit_per_m * RNG.normal(size=3)
    matrix[..., 3, 3] = 1.0
    return np.concatenate([matrix.swapaxes(2, 3).reshape(n, len(SEGMENTS), 16), np.ones((n, len(SEGMENTS), 1))], axis=2)


def with_poses(file: C3D, stored: np.ndarray, ratio: int = 1) -> bytes:
    file.groups["ROTATION"] = {"USED": 2, "RATIO": ratio, "LABELS": list(SEGMENTS), "DATA_START": 0}
    file.groups["ROTATION"]["DATA_START"] = len(file.to_bytes()) // BLOCK_BYTES + 1
    return file.to_bytes() + file.floats(stored)


def without_points(file: C3D) -> C3D:
    file.points = file.points[:, :0]
    file.groups["POINT"] |= {"USED": 0, "LABELS": []}
    return file


def without_analog(file: C3D) -> C3D:
    file.analog = np.zeros((0, 0))
    file.groups["ANALOG"] = {"USED": 0}
    del file.groups["FORCE_PLATFORM"]
    return file


def rules(path: Path) -> set[str]:
    return {finding.rule for finding in read_c3d(path, trust=True).findings}


@pytest.mark.parametrize("processor", [PC, SGI])
@pytest.mark.parametrize("ratio", [1, 2])
def test_poses_beside_points(tmp_path: Path, processor: int, ratio: int) -> None:
    file, stored = healthy(), poses(FRAMES * ratio)
    file.processor = processor
    path = tmp_path / "walk.c3d"
    plain = read_c3d(file.write(path), trust=True)
    path.write_bytes(with_poses(file, stored, ratio))
    trial = read_c3d(path, trust=True)
    assert trial.rotations.names == SEGMENTS
    assert trial.rotations.rate_hz == ratio * RATE_HZ
    rotation, origin_m = trial.rotations.of("thigh")
    np.testing.assert_allclose(rotation, stored[:, 1, :16].reshape(-1, 4, 4).swapaxes(1, 2)[:, :3, :3], atol=1e-6)
    np.testing.assert_allclose(origin_m, stored[:, 1, 12:15] / 1000.0, rtol=1e-6)
    # Nothing else changes: the bytes of the poses are not taken for frames.
    np.testing.assert_array_equal(trial.markers.position_m, plain.markers.position_m)
    assert {finding.rule for finding in trial.findings} == {finding.rule for finding in plain.findings}


def test_poses_alone_are_a_valid_recording(tmp_path: Path) -> None:
    path, stored = tmp_path / "pose.c3d", poses(FRAMES)
    file = without_analog(without_points(healthy()))
    path.write_bytes(with_poses(file, stored))
    trial = read_c3d(path, trust=True)
    assert (trial.n_frames, len(trial.rotations), trial.markers.names) == (FRAMES, FRAMES, ())
    said = check_file(path, trust=True)
    assert said.readable
    assert json.loads(said.to_json())["rotations"] == list(SEGMENTS)
    (sentence,) = [finding.message for finding in said.findings if finding.rule == "points-none"]
    assert sentence == "pose.c3d holds no points, but the poses of 2 segments."
    assert {finding.severity for finding in said.findings} == {"info"}


def test_missing_mirrored_and_cut_poses(tmp_path: Path) -> None:
    path, stored = tmp_path / "pose.c3d", poses(FRAMES)
    file = without_analog(without_points(healthy()))
    stored[3, 0, 16] = -1.0
    stored[4, 0, :4] *= -1.0
    path.write_bytes(with_poses(file, stored))
    rotation, origin_m = read_c3d(path, trust=True).rotations.of("pelvis")
    missing = np.isnan(rotation).all(axis=(1, 2))
    assert np.flatnonzero(missing).tolist() == np.flatnonzero(np.isnan(origin_m).all(axis=1)).tolist() == [3, 4]
    assert "rotations-impossible" in rules(path)
    path.write_bytes(path.read_bytes()[: -30 * 2 * 17 * 4])
    cut = read_c3d(path, trust=True)
    assert cut.n_frames == FRAMES - 30
    assert "data-cut" in {finding.rule for finding in cut.findings}


def test_analog_alone_is_a_valid_recording_and_a_run_says_what_it_is(tmp_path: Path) -> None:
    path = without_points(healthy()).write(tmp_path / "emg.c3d")
    said = check_file(path, trust=True)
    assert "points-none" in {finding.rule for finding in said.findings}
    assert not {finding.severity for finding in said.findings} - {"info"}
    result = CliRunner().invoke(app, ["run", str(tmp_path), "-o", str(tmp_path / "out")])
    assert result.exit_code == 1
    assert "emg.c3d holds no markers, but 6 analog channels at 1000 Hz" in result.output
    assert "static" not in result.output


def test_a_value_that_is_no_rotation_is_refused() -> None:
    one = np.eye(3)[None, None]
    origin = np.zeros((1, 1, 3))
    assert len(Rotations(("pelvis",), one, origin, 100.0)) == 1
    with pytest.raises(InvalidValueError, match="pelvis in frame 0"):
        Rotations(("pelvis",), -one, origin, 100.0)
    with pytest.raises(InvalidValueError, match="rate"):
        Rotations(("pelvis",), one, origin, 0.0)
    with pytest.raises(InvalidValueError, match="one name"):
        Rotations(("a", "a"), np.eye(3)[None, None].repeat(2, axis=1), np.zeros((1, 2, 3)), 100.0)
    with pytest.raises(MissingInputError, match="no segment head"):
        Rotations(("pelvis",), one, origin, 100.0).of("head")
