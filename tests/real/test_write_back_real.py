"""Write-back into copies of real recordings: ezc3d reads every original point, analog and event unchanged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from plain_parser import parse

from biomech_id.exports.c3d.write import write_results
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
#: What an additional point must change.
REWRITTEN = {
    ("POINT", name)
    for name in ("USED", "SCALE", "DATA_START", "LABELS", "LABELS2", "DESCRIPTIONS", "DESCRIPTIONS2", "SCALARS", "POWERS")
}


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


@pytest.mark.parametrize("name", FIXTURES)
def test_an_independent_parser_finds_every_original_number(c3d_dir: Path, tmp_path: Path, name: str) -> None:
    """Points, analog words, parameters, descriptions and header events, by a parser straight from the format description."""
    n_frames = read_c3d(c3d_dir / name, trust=True).n_frames
    target = write_results(c3d_dir / name, tmp_path / "copy.c3d", {"LAnklePower": np.linspace(-1.0, 3.0, n_frames)})
    before, after = parse(c3d_dir / name), parse(target)
    assert len(after["frames"]) == len(before["frames"]) == n_frames
    n = len(before["frames"][0][0])
    points, new_points = (np.array([quads[:n] for quads, _ in parsed["frames"]]) for parsed in (before, after))
    # Integers become the nearest float32 of what they stand for; the fourth number says whether a point is missing.
    np.testing.assert_array_equal(new_points, points.astype(np.float32))
    np.testing.assert_array_equal(*(np.array([analog for _, analog in parsed["frames"]]) for parsed in (after, before)))
    assert len(after["frames"][0][0]) == n + 1
    assert after["events"] == before["events"]
    assert list(after["groups"]) == list(before["groups"])
    assert {key: after["notes"].get(key) for key in before["notes"]} == before["notes"]
    for group, parameters in before["groups"].items():
        for parameter, value in parameters.items():
            if (group, parameter) == ("POINT", "TYPE_GROUPS"):
                # Lines of (group of labels, its kind): those that were there, then ours.
                kind, (_, columns, lines), texts = after["groups"][group][parameter]
                assert (kind, columns) == (-1, 2)
                assert texts[: len(value[2])] == value[2]
                assert texts[len(value[2]) :] in ((), (b"POWERS", b"POWER"))
                assert len(texts) == 2 * lines
            elif (group, parameter) not in REWRITTEN:
                assert repr(after["groups"][group][parameter]) == repr(value), f"{group}:{parameter}"
