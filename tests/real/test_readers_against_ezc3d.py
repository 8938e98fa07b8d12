"""Two readers, one truth: positions, analog channels and plate wrenches equal ezc3d's on every file that it reads rightly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biomech_id.readers.c3d.file import open_c3d
from biomech_id.readers.c3d.interpret import interpret
from biomech_id.readers.c3d.plate_setup import describe_plates
from biomech_id.readers.c3d.plate_wrench import stored_wrench
from biomech_id.readers.source import read_source
from biomech_id.trial import AnalogChannels


def readable_by_ezc3d(c3d_dir: Path) -> list[str]:
    files = json.loads((c3d_dir / "facts.json").read_text(encoding="utf-8"))["files"]
    return [f["path"] for f in files if f["ezc3d"] == "ok" and "ezc3d_silently_wrong" not in f.get("tags", [])]


def test_positions_analogs_and_wrenches_are_equal(c3d_dir: Path) -> None:
    ezc3d = pytest.importorskip("ezc3d")
    names = readable_by_ezc3d(c3d_dir)
    assert len(names) > 50
    plates, channels = 0, 0
    for name in names:
        file = open_c3d(read_source(c3d_dir / name))
        other = ezc3d.c3d(str(c3d_dir / name), extract_forceplat_data=True)
        positions, measured = file.points()
        mine = np.where(measured[..., None], positions, np.nan)
        assert np.array_equal(mine, other["data"]["points"][:3].transpose(2, 1, 0), equal_nan=True), name
        if file.layout.channels:
            assert np.array_equal(file.analog(range(file.layout.channels)), other["data"]["analogs"][0].T), name
            channels += _compare_channels(interpret(file.source).trial.analog, other, name)
        for setup, platform in zip(describe_plates(file), other["data"]["platform"], strict=True):
            force, moment = stored_wrench(setup, file.analog(setup.channels))
            # Rounding of sums of the same products in another order: 1e-12 of a newton, 1e-9 N mm.
            np.testing.assert_allclose(force, platform["force"].T, atol=1e-12, rtol=1e-12, err_msg=name)
            np.testing.assert_allclose(moment, platform["moment"].T, atol=1e-9, rtol=1e-12, err_msg=name)
            plates += 1
    assert (plates > 60, channels > 1000) == (True, True)


def _compare_channels(mine: AnalogChannels, other: Any, name: str) -> int:
    """Every channel of the trial with its name, unit and values as the other reader has them; returns how many."""
    theirs = np.where(np.isfinite(other["data"]["analogs"][0].T), other["data"]["analogs"][0].T, np.nan)
    np.testing.assert_array_equal(mine.values, theirs, err_msg=name)
    assert mine.rate_hz == pytest.approx(other["header"]["analogs"]["frame_rate"], rel=1e-6), name
    for mine_told, key in ((mine.names, "LABELS"), (mine.units, "UNITS")):
        group, told = other["parameters"]["ANALOG"], []
        for suffix in ("", "2", "3", "4"):
            told += group.get(f"{key}{suffix}", {"value": []})["value"]
        for ours, wanted in zip(mine_told, told, strict=False):
            assert ours == wanted.strip() or not wanted.strip() or ours.startswith(f"{wanted.strip()}_"), (name, key)
    marked = [(mark.plate, mark.number) for mark in mine.plates if mark]
    assert len(set(marked)) == len(marked), name
    return len(mine.names)


def test_poses_of_segments_are_equal(c3d_dir: Path) -> None:
    """A markerless system's file has neither points nor analog channels: 661 frames of 19 segments, and nothing else."""
    ezc3d = pytest.importorskip("ezc3d")
    path = c3d_dir / "markerless" / "theia_pose.c3d"
    trial = interpret(read_source(path)).trial
    stored = ezc3d.c3d(str(path))["data"]["rotations"].transpose(3, 2, 0, 1)
    assert (trial.n_frames, trial.rate_hz, trial.markers.names) == (661, 300.0, ())
    assert len(trial.rotations.names) == 19
    np.testing.assert_array_equal(trial.rotations.R_lab_seg, stored[..., :3, :3])
    np.testing.assert_array_equal(trial.rotations.origin_lab_m, stored[..., :3, 3])
    # Somebody upright: Z is up, and the head is above the pelvis above the feet.
    heights = [np.median(trial.rotations.of(f"{name}_4X4")[1][:, 2]) for name in ("head", "pelvis", "l_foot")]
    assert 2.2 > heights[0] > heights[1] + 0.3 > heights[2] + 0.9
