"""Write-back into copies of real recordings: ezc3d reads every original point, analog and event unchanged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from biomech_id.exports.c3d import write_results
from biomech_id.readers import read_c3d

FIXTURES = (
    "children/HC036A/HC036A10.c3d",
    "children/HC002D/HC002D06.c3d",
    "plug_in_gait/PiG_Motion3_FF.c3d",
    "c3d_org/sample01/Eb015pi.c3d",
    "c3d_org/sample02/DEC_INT.C3D",
    "c3d_org/sample04/sub_labels.c3d",
    "others/FunctionalStatic.c3d",
    "opensim/walking2.c3d",
    "vendors/BTS.c3d",
    "vendors/Qualisys.c3d",
    "walking/bmc_gait.c3d",
    "nimble/squat.c3d",
)


@pytest.mark.parametrize("name", FIXTURES)
def test_originals_are_unchanged(c3d_dir: Path, tmp_path: Path, name: str) -> None:
    ezc3d = pytest.importorskip("ezc3d")
    before = read_c3d(c3d_dir / name, trust=True)
    columns = {f"LHipAngles.{axis}": np.linspace(-30.0, 30.0, before.n_frames) for axis in "XYZ"}
    target = write_results(c3d_dir / name, tmp_path / "copy.c3d", columns)
    one, two = ezc3d.c3d(str(c3d_dir / name)), ezc3d.c3d(str(target))
    n = one["data"]["points"].shape[1]
    # Integer files become floats: float32 of the product that ezc3d computes in double.
    was_float = one["header"]["points"]["size"] and one["parameters"]["POINT"]["SCALE"]["value"][0] < 0
    original = one["data"]["points"] if was_float else one["data"]["points"].astype(np.float32)
    assert np.array_equal(two["data"]["points"][:, :n], original, equal_nan=True)
    assert np.array_equal(one["data"]["analogs"], two["data"]["analogs"])
    assert list(two["parameters"]) == list(one["parameters"])
    assert read_c3d(target, trust=True).events == before.events
    labels = [label for key, value in two["parameters"]["POINT"].items() if key.startswith("LABELS") for label in value["value"]]
    assert labels[n] == "LHipAngles_bid"
